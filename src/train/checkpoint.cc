// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/model_file_writer.h"

namespace mhe::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKey = "checkpoint";

Json to_json(const std::vector<std::vector<EpochReport>>& members) {
  Json all = Json::array();
  for (const std::vector<EpochReport>& epochs : members) {
    Json member = Json::array();
    for (const EpochReport& epoch : epochs) {
      member.push_back({epoch.loss, epoch.quality ? Json(*epoch.quality) : Json()});
    }
    all.push_back(std::move(member));
  }
  return all;
}

std::vector<std::vector<EpochReport>> epochs_from(const nlohmann::json& json) {
  std::vector<std::vector<EpochReport>> members;
  for (const auto& member : json) {
    std::vector<EpochReport>& epochs = members.emplace_back();
    for (const auto& epoch : member) {
      EpochReport& report = epochs.emplace_back();
      report.loss = epoch.at(0);
      if (!epoch.at(1).is_null()) report.quality = epoch.at(1).get<double>();
    }
  }
  return members;
}

}  // namespace

void write_checkpoint(const std::string& path, std::uint64_t fingerprint,
                      const TrainingState& state, std::span<const NamedArray> arrays) {
  model::ModelFileWriter writer(path);
  for (const NamedArray& array : arrays) {
    writer.add_tensor<float>(array.name, {array.values.size()}, array.values);
  }
  // Doubles are written so that they are read back to the bit.
  const Json json = {{"fingerprint", fingerprint},
                     {"member", state.member},
                     {"step", state.step},
                     {"loss_sum", state.loss_sum},
                     {"first_loss", state.first_loss},
                     {"best_quality", state.best_quality},
                     {"epochs_since_best", state.epochs_since_best},
                     {"copy_count", state.copy_count},
                     {"epochs", to_json(state.epochs)}};
  writer.set_metadata(kKey, json.dump());
  writer.commit();
}

std::optional<Checkpoint> Checkpoint::open(const Context& context, const std::string& path,
                                           std::uint64_t fingerprint) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  model::ModelFile file = model::ModelFile::open(path);
  file.verify(context);
  const auto json = nlohmann::json::parse(file.metadata(kKey), nullptr, false);
  TrainingState state;
  try {
    if (json.at("fingerprint").get<std::uint64_t>() != fingerprint) {
      fail(ErrorCode::kInvalidData,
           "{}: left by a training with other data, options or seed; train without resuming to "
           "start over",
           path);
    }
    json.at("member").get_to(state.member);
    json.at("step").get_to(state.step);
    json.at("loss_sum").get_to(state.loss_sum);
    json.at("first_loss").get_to(state.first_loss);
    json.at("best_quality").get_to(state.best_quality);
    json.at("epochs_since_best").get_to(state.epochs_since_best);
    json.at("copy_count").get_to(state.copy_count);
    state.epochs = epochs_from(json.at("epochs"));
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::kInvalidData, "{}: the checkpoint is damaged: {}", path, error.what());
  }
  return Checkpoint(std::move(file), std::move(state));
}

void Checkpoint::load(std::span<const NamedArray> arrays) const {
  for (const NamedArray& array : arrays) {
    const auto values =
        file_.tensor<float>(array.name, {.shape = model::Shape{array.values.size()}});
    std::copy(values.begin(), values.end(), array.values.begin());
  }
}

}  // namespace mhe::train
