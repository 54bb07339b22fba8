// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics/row_calibration.h"

#include <array>
#include <vector>

#include "base/check.h"

namespace mhe::metrics {
namespace {

constexpr std::size_t kEnoughToChoose = 100;  // rows: fewer would choose by chance

// -log of how likely a share makes the hits of rows. With x = log s of the labels of a row and
// c = log rest it is log(e^c + sum e^(exponent x)) - (exponent x of the hit, or c if there is
// none): convex in exponent and c.
struct ShareLoss {
  double value = 0;
  std::array<double, 2> gradient = {};  // by exponent and c
  std::array<double, 3> information =
      {};  // its derivatives: by exponent twice, by both, by c twice

  void add(std::span<const ScoredHit> row, double exponent, double c) {
    constexpr double kLeastScore = 1e-30;  // log of 0 is nothing to calculate with
    std::array<double, RowCalibration::kDepth> logs = {};
    const std::span<const ScoredHit> best = row.first(std::min(logs.size(), row.size()));
    double wanted_log = 0;
    bool is_hit = false;
    double most = c;
    for (std::size_t i = 0; i < best.size(); ++i) {
      logs[i] = std::log(std::max(kLeastScore, static_cast<double>(best[i].score)));
      most = std::max(most, exponent * logs[i]);
      if (!best[i].hit || is_hit) continue;
      is_hit = true;
      wanted_log = logs[i];
    }
    const double rest = std::exp(c - most);
    double sum = rest;
    double log_sum = 0;
    double square_sum = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double weight = std::exp(exponent * logs[i] - most);
      sum += weight;
      log_sum += weight * logs[i];
      square_sum += weight * logs[i] * logs[i];
    }
    const double mean_log = log_sum / sum;
    const double rest_share = rest / sum;
    value += most + std::log(sum) - (is_hit ? exponent * wanted_log : c);
    gradient[0] += mean_log - (is_hit ? wanted_log : 0);
    gradient[1] += rest_share - (is_hit ? 0 : 1);
    information[0] += square_sum / sum - mean_log * mean_log;
    information[1] -= mean_log * rest_share;
    information[2] += rest_share * (1 - rest_share);
  }
};

ShareLoss loss_of(const Ragged<ScoredHit>& rows, double exponent, double c) {
  // As much as a row or so says: enough to keep both finite where all rows agree.
  constexpr double kUsualRest = -2;  // e^-2 = 0.14
  constexpr double kWeight = 1;
  ShareLoss loss;
  for (std::size_t row = 0; row < rows.rows(); ++row) loss.add(rows[row], exponent, c);
  loss.value +=
      kWeight / 2 * ((exponent - 1) * (exponent - 1) + (c - kUsualRest) * (c - kUsualRest));
  loss.gradient[0] += kWeight * (exponent - 1);
  loss.gradient[1] += kWeight * (c - kUsualRest);
  loss.information[0] += kWeight;
  loss.information[2] += kWeight;
  return loss;
}

// Newton's method on a convex function, its steps halved while they are too long.
ScoreShare fit_share(const Ragged<ScoredHit>& rows) {
  constexpr int kMostSteps = 50;
  constexpr double kLeastExponent = 0.05;
  constexpr double kMostExponent = 20;
  constexpr double kMostC = 5;
  double exponent = 1;
  double c = -2;
  ShareLoss loss = loss_of(rows, exponent, c);
  for (int step = 0; step < kMostSteps; ++step) {
    const auto [h_exponent, h_both, h_c] = loss.information;
    const double determinant = h_exponent * h_c - h_both * h_both;
    const double exponent_step = (h_c * loss.gradient[0] - h_both * loss.gradient[1]) / determinant;
    const double c_step = (h_exponent * loss.gradient[1] - h_both * loss.gradient[0]) / determinant;
    ShareLoss next;
    double next_exponent = exponent;
    double next_c = c;
    for (double length = 1; length > 1e-3; length /= 2) {
      next_exponent = std::clamp(exponent - length * exponent_step, kLeastExponent, kMostExponent);
      next_c = std::clamp(c - length * c_step, -kMostC * 4, kMostC);
      next = loss_of(rows, next_exponent, next_c);
      if (next.value < loss.value) break;
    }
    if (!(next.value < loss.value - 1e-9 * std::abs(loss.value))) break;
    exponent = next_exponent;
    c = next_c;
    loss = next;
  }
  return {exponent, std::exp(c)};
}

RowCalibration fit_shared(const Ragged<ScoredHit>& rows) {
  const ScoreShare share = fit_share(rows);
  const RowCalibration shares = RowCalibration::for_one_label({}, share);
  Ragged<ScoredHit> shared = rows;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    shares.apply(std::span(shared.items).subspan(rows.offsets[row], rows[row].size()));
  }
  return RowCalibration::for_one_label(fit_calibration(shared.items), share);
}

RowCalibration fit_by_itself(const Ragged<ScoredHit>& rows) {
  return RowCalibration::for_one_label(fit_calibration(rows.items), std::nullopt);
}

// The sum of the squared errors of probabilities.
double squared_error(const RowCalibration& calibration, const Ragged<ScoredHit>& rows) {
  double sum = 0;
  std::vector<ScoredHit> row;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    row.assign(rows[i].begin(), rows[i].end());
    calibration.apply(std::span(row));
    for (const ScoredHit& label : row) {
      const double error = static_cast<double>(label.score) - (label.hit ? 1.0 : 0.0);
      sum += error * error;
    }
  }
  return sum;
}

bool shares_predict_better(const Ragged<ScoredHit>& rows) {
  std::array<Ragged<ScoredHit>, 2> halves;
  for (std::size_t row = 0; row < rows.rows(); ++row) halves[row % 2].push_row(rows[row]);
  double with_shares = 0;
  double without = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    with_shares += squared_error(fit_shared(halves[half]), halves[1 - half]);
    without += squared_error(fit_by_itself(halves[half]), halves[1 - half]);
  }
  return with_shares < without;
}

}  // namespace

RowCalibration RowCalibration::for_one_label(Calibration curve, std::optional<ScoreShare> share) {
  if (share && !(share->exponent > 0 && share->exponent <= ScoreShare::kMost && share->rest >= 0 &&
                 share->rest <= ScoreShare::kMost)) {
    fail(ErrorCode::kInvalidData, "a share with the exponent {} and the rest {}", share->exponent,
         share->rest);
  }
  RowCalibration calibration(std::move(curve));
  calibration.is_for_one_label_ = true;
  calibration.share_ = share;
  return calibration;
}

RowCalibration fit_row_calibration(const Ragged<ScoredHit>& rows, bool one_label) {
  if (!one_label) return RowCalibration(fit_calibration(rows.items));
  const bool shares = rows.rows() >= kEnoughToChoose && shares_predict_better(rows);
  return shares ? fit_shared(rows) : fit_by_itself(rows);
}

}  // namespace mhe::metrics
