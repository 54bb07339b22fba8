// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout_json.h"

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/safetensors.h"

namespace mhe::model {
namespace {

// Calls v(key, value) for the fields of a layout that are texts or lists of texts.
template <class Layout, class Visitor>
void visit_texts(Layout& layout, const Visitor& v) {
  v("columns", layout.columns);
  v("text_columns", layout.text_columns);
  v("label_column", layout.label_column);
  v("label_separator", layout.label_separator);
  v("label_prefix", layout.label_prefix);
}

}  // namespace

std::string layout_to_json(const DataLayout& layout) {
  nlohmann::ordered_json json = {{"format", format_name(layout.format)}};
  visit_texts(layout, [&](const char* key, const auto& value) {
    if (!value.empty()) json[key] = value;
  });
  if (layout.index_base) json["index_base"] = *layout.index_base;
  // Names of columns are valid UTF-8, unless the options gave others.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

DataLayout layout_from_json(std::string_view json, const std::string& where) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) fail_file(where, "the record of its training data is no JSON object");
  DataLayout layout;
  try {
    layout.format = parse_format(object.at("format").get<std::string>());
    visit_texts(layout, [&](const char* key, auto& value) {
      if (object.contains(key)) object.at(key).get_to(value);
    });
    if (object.contains("index_base")) {
      const auto& base = object.at("index_base");
      if (!base.is_number_unsigned() || base.get<std::uint64_t>() > 1) {
        fail_file(where, "the record of its training data has the index base {}", base.dump());
      }
      layout.index_base = base.get<std::uint32_t>();
    }
  } catch (const nlohmann::json::exception& error) {
    fail_file(where, "the record of its training data is damaged: {}", error.what());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;  // an unknown format is one
    fail_file(where, "the record of its training data is damaged: {}", error.what());
  }
  return layout;
}

}  // namespace mhe::model
