// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
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

// The library would turn -1 into the largest number there is, and cut 1.5 to 1.
std::uint64_t count_from(const nlohmann::json& json, const char* key) {
  const auto& value = json.at(key);
  if (!value.is_number_unsigned()) {
    throw std::out_of_range(fmt::format("\"{}\" is {}; expected a count", key, value.dump()));
  }
  return value.get<std::uint64_t>();
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
                      const TrainingState& state, const CheckpointArrays& arrays) {
  model::ModelFileWriter writer(path);
  for (const NamedArray& array : arrays.numbers) {
    writer.add_tensor<float>(array.name, {array.values.size()}, array.values);
  }
  for (const NamedCodes& codes : arrays.codes) {
    writer.add_tensor<std::uint32_t>(codes.name, {codes.values.size()}, codes.values);
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
                     {"epochs", to_json(state.epochs)},
                     {"lengths", state.lengths},
                     {"inner_dim", state.inner_dim}};
  writer.set_metadata(kKey, json.dump());
  writer.commit();
}

std::optional<Checkpoint> Checkpoint::open(const std::string& path, std::uint64_t fingerprint) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  model::ModelFile file = model::ModelFile::open(path);
  file.verify_frugally();
  const auto json = nlohmann::json::parse(file.metadata(kKey), nullptr, false);
  TrainingState state;
  try {
    if (json.at("fingerprint").get<std::uint64_t>() != fingerprint) {
      fail(ErrorCode::kInvalidData,
           "{}: left by a training with other data, options or seed; train without resuming to "
           "start over",
           path);
    }
    state.member = count_from(json, "member");
    state.step = count_from(json, "step");
    json.at("loss_sum").get_to(state.loss_sum);
    json.at("first_loss").get_to(state.first_loss);
    json.at("best_quality").get_to(state.best_quality);
    state.epochs_since_best = count_from(json, "epochs_since_best");
    state.copy_count = count_from(json, "copy_count");
    state.epochs = epochs_from(json.at("epochs"));
    json.at("lengths").get_to(state.lengths);
    state.inner_dim = count_from(json, "inner_dim");
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::kInvalidData, "{}: the checkpoint is damaged: {}", path, error.what());
  } catch (const std::out_of_range& error) {
    fail(ErrorCode::kInvalidData, "{}: the checkpoint is damaged: {}", path, error.what());
  }
  const std::size_t begun = state.member + (state.step > 0 ? 1 : 0);
  if (state.epochs.size() != begun) {
    fail(ErrorCode::kInvalidData,
         "{}: the checkpoint is damaged: it has the epochs of {} members, {} have begun", path,
         state.epochs.size(), begun);
  }
  return Checkpoint(std::move(file), std::move(state));
}

void Checkpoint::load(std::span<const NamedArray> arrays) const {
  for (const NamedArray& array : arrays) {
    const auto values =
        file_.tensor<float>(array.name, {.shape = model::Shape{array.values.size()}});
    constexpr std::size_t kPart = std::size_t{1} << 20U;  // of many pages, and little memory
    for (std::size_t begin = 0; begin < values.size(); begin += kPart) {
      const auto part = values.subspan(begin, std::min(kPart, values.size() - begin));
      std::copy(part.begin(), part.end(), array.values.data() + begin);
      file_.forget(std::as_bytes(part));
    }
  }
}

std::span<const std::uint32_t> Checkpoint::codes(const std::string& name, std::size_t size) const {
  return file_.tensor<std::uint32_t>(name, {.shape = model::Shape{size}});
}

}  // namespace mhe::train
