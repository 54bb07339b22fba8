// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a model, linear or learned, opened and predicted with. The header's checksum is put
// right first: it is there against accidents, and would keep the fuzzer out of all that lies behind
// it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <mhe/error.h>

#include "model/container.h"
#include "model/model.h"
#include "predict/predictor.h"

namespace {

using mhe::model::kChecksumDigits;
using mhe::model::kHeaderStart;
using mhe::model::kLengthBytes;

void seal(std::span<std::byte> bytes) {
  constexpr std::size_t kStart = kLengthBytes + kHeaderStart.size();
  if (bytes.size() < kStart + kChecksumDigits) return;
  std::memcpy(bytes.data() + kLengthBytes, kHeaderStart.data(), kHeaderStart.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > bytes.size() - kLengthBytes || length + kLengthBytes < kStart + kChecksumDigits) {
    return;
  }
  mhe::model::seal_header(bytes.first(kLengthBytes + length));
}

void predict_with(const mhe::model::Model& model, const mhe::PredictOptions& options) {
  mhe::predict::Predictor predictor(model);
  const std::vector<std::uint32_t> columns = {0, 1, 2, 7, 20};
  const std::vector<float> values = {1, -2, 0.5F, 1, 3};
  std::vector<std::string_view> fields;
  if (model.vectorizer() != nullptr) {
    fields.assign(model.vectorizer()->options().fields.size(), "the wide sea, a fish \u00e9");
  }
  const std::vector<float> dense(model.num_features() < 1000 ? model.num_features() : 0, 0.5F);
  if (model.input_kind() == mhe::InputKind::kDense && dense.empty()) return;
  const mhe::SparseRow sparse = {columns, values};
  const mhe::DenseRow vector = dense;
  const mhe::InputBatch batch =
      model.input_kind() == mhe::InputKind::kDense ? mhe::InputBatch(mhe::DenseRows{{&vector, 1}})
      : fields.empty()                             ? mhe::InputBatch(mhe::SparseRows{{&sparse, 1}})
                       : mhe::InputBatch(mhe::TextRows{fields, fields.size()});
  mhe::predict::check_options(model, options);
  predictor.begin(batch, 0, 1, options);
  for (const mhe::ScoredLabel& found : predictor.predict(0)) {
    if (!std::isfinite(found.score)) std::abort();
    (void)model.label_name(found.label);
  }
  try {
    for (const mhe::LabelSet& set : predictor.ranker().best_sets(3)) {
      if (!std::isfinite(set.probability)) std::abort();
      for (const mhe::LabelId label : set.labels) (void)model.label_name(label);
    }
  } catch (const mhe::Error&) {  // most models have no sets
  }
}

void use(std::span<const std::byte> bytes) {
  const mhe::model::Model model(mhe::model::ModelFile(
      mhe::model::SafetensorsFile(mhe::MappedFile::in_memory(bytes, "fuzz.mhe"))));
  predict_with(model, {});
  predict_with(model, {.tail = 0.5});  // looks deeper, and at the counts of labels
  if (model.head_kind() == mhe::HeadKind::kCascade) predict_with(model, {.beam = 100});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(given.begin(), given.end());
  seal(bytes);
  try {
    use(bytes);
  } catch (const mhe::Error&) {
    return 0;
  }
  return 0;
}
