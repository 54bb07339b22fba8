// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an interrupted training leaves behind, so that the next one need not start over.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "base/mapped_file.h"
#include "heads/train_cascade.h"

namespace mhe::train {

/// A file to which trained blocks are appended, each with a checksum. Whenever the process ends,
/// what is whole in the file can be used again; blocks do not depend on each other's order, so a
/// resumed training gives the same model. Nothing is kept of the first `flush_after`, and then at
/// most 4 MB in memory.
class PartialFile {
 public:
  struct Options {
    std::string path;
    std::uint64_t fingerprint = 0;  ///< of data, options and seed: what belongs together
    bool resume = false;            ///< use what is there; else start over
    std::chrono::milliseconds flush_after = std::chrono::seconds(10);
  };

  /// Throws kInvalidData if there is something to resume that has another fingerprint, kIo.
  explicit PartialFile(Options options);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Blocks that an interrupted run left.
  [[nodiscard]] std::size_t num_found() const noexcept { return found_.size(); }
  [[nodiscard]] std::optional<heads::NodeWeights> load(std::size_t member, std::size_t level,
                                                       std::size_t block) const;
  void save(std::size_t member, std::size_t level, std::size_t block,
            const heads::NodeWeights& weights);

  /// The model is written: the file goes.
  void remove();

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;

  void index_records();
  void open_for_writing();
  void flush();

  Options options_;
  std::optional<MappedFile> old_;
  std::size_t good_bytes_ = 0;  // of the old file
  std::map<Key, std::size_t> found_;
  std::mutex mutex_;
  int descriptor_ = -1;
  std::string waiting_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_flush_ = start_;
};

/// The blocks of one cascade of an ensemble.
class MemberStore : public heads::BlockStore {
 public:
  MemberStore(PartialFile& file, std::size_t member) : file_(file), member_(member) {}

  [[nodiscard]] std::optional<heads::NodeWeights> load(std::size_t level,
                                                       std::size_t block) override {
    return file_.load(member_, level, block);
  }
  void save(std::size_t level, std::size_t block, const heads::NodeWeights& weights) override {
    file_.save(member_, level, block, weights);
  }

 private:
  PartialFile& file_;
  std::size_t member_;
};

}  // namespace mhe::train
