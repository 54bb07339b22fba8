// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mhe/input.h>

#include "base/atomic_file.h"
#include "model/safetensors.h"

namespace mhe::model {

/// Writes an mhe model file: docs/model-file.md.
///
/// Tensors are not copied: what add_tensor() and add_strings() are given must live, unchanged,
/// until commit() returns. Their order in the file is the order of the calls, metadata are sorted:
/// the same calls give the same bytes. Errors of the caller (a name twice or reserved, a size that
/// is not the shape's, text that is not UTF-8) are kInvalidArgument.
class ModelFileWriter {
 public:
  /// Throws kIo if nothing can be written there.
  explicit ModelFileWriter(std::string path) : file_(std::move(path)) {}

  void add_tensor(std::string name, Dtype dtype, Shape shape, std::span<const std::byte> bytes);
  template <class T>
  void add_tensor(std::string name, Shape shape, std::span<const T> values) {
    add_tensor(std::move(name), kDtypeOf<T>, std::move(shape), std::as_bytes(values));
  }

  /// For a few numbers that nobody keeps: copies them.
  template <class T>
  void add_copy(std::string name, Shape shape, std::span<const T> values) {
    const std::span<const std::byte> bytes = std::as_bytes(values);
    add_tensor(std::move(name), kDtypeOf<T>, std::move(shape),
               copies_.emplace_back(bytes.begin(), bytes.end()));
  }

  /// The characters as the U8 tensor `name`, the offsets as the U64 tensor `name`.offsets.
  void add_strings(const std::string& name, const Strings& strings);
  void add_strings(const std::string& name, Strings&& strings) = delete;  // would not live

  /// Text under a key; the last value wins. The container's own keys are refused.
  void set_metadata(std::string key, std::string value);

  /// Makes the file appear, whole. Call once, last. Throws kIo if the disk is full.
  void commit();

 private:
  struct Entry {
    TensorInfo info;
    std::span<const std::byte> bytes;
    bool is_padding = false;
  };
  void pad();
  void append(Entry entry);
  [[nodiscard]] std::string make_header() const;
  [[nodiscard]] std::string make_checksums() const;

  AtomicFile file_;
  std::vector<Entry> entries_;
  std::set<std::string> names_;
  std::map<std::string, std::string, std::less<>> metadata_;
  std::deque<std::vector<std::byte>> copies_;
  std::size_t num_pads_ = 0;
  bool is_committed_ = false;
};

}  // namespace mhe::model
