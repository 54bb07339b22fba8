// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an interrupted training leaves behind, so that the next run resumes from it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mhe/train.h>

#include "base/mapped_file.h"
#include "heads/train_cascade.h"
#include "train/member_trainer.h"

namespace mhe::train {

/// Digits or positions of labels. Steps do not change them, but other learning rates would give
/// others.
struct NamedCodes {
  std::string name;
  std::span<const std::uint32_t> values;
};

/// What is in a checkpoint beside the state. All names differ.
struct CheckpointArrays {
  std::vector<NamedArray> numbers;
  std::vector<NamedCodes> codes;
};

/// Where a training stands, beside its arrays.
struct TrainingState {
  std::size_t member = 0;    ///< the one at work; those before it are finished
  std::uint64_t step = 0;    ///< of this member, the next to be made; 0: it has no arrays yet
  double loss_sum = 0;       ///< of this epoch, over rows
  double first_loss = 0;     ///< of the member's first step
  double best_quality = -1;  ///< of the epochs so far
  std::size_t epochs_since_best = 0;
  std::uint64_t copy_count = 0;                       ///< WeightCopy::count() of this member
  std::vector<std::vector<EpochReport>> epochs = {};  ///< [member]
  // Of the head, whose shape a memory budget may have chosen: another budget gives another.
  std::vector<std::uint32_t> lengths = {};
  std::size_t inner_dim = 0;
};

/// Solved blocks of linear members, to which more are appended, and at most one checkpoint of
/// gradient training. Whenever the process ends, what is whole in the file can be used again, and
/// the resumed training gives the same model.
///
/// load_block() and save_block() may be called from many threads at once; while another function
/// runs, nothing else may be called.
class ResumeFile {
 public:
  struct Options {
    std::string path;
    std::uint64_t fingerprint = 0;  ///< of data, options and seed: what belongs together
    bool resume = false;            ///< use what is there; else start over
    /// Time between two writes of blocks. Those of the first period are not kept at all.
    std::chrono::milliseconds flush_after = std::chrono::seconds(10);
  };

  /// Throws kInvalidData if there is something to resume that belongs to another training, is no
  /// such file or has a damaged checkpoint; kIo. Damaged blocks are not found, nor any behind them.
  explicit ResumeFile(Options options);
  ~ResumeFile();
  ResumeFile(const ResumeFile&) = delete;
  ResumeFile& operator=(const ResumeFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return options_.path; }
  /// Whether an interrupted run left anything.
  [[nodiscard]] bool has_found() const noexcept { return state_.has_value() || !blocks_.empty(); }

  /// Blocks that an interrupted run left.
  [[nodiscard]] std::size_t num_found_blocks() const noexcept { return blocks_.size(); }
  /// One of them; none if it is not among them.
  [[nodiscard]] std::optional<heads::NodeWeights> load_block(std::size_t member, std::size_t level,
                                                             std::size_t block) const;
  /// At most 4 MB wait in memory to be written. Throws kIo.
  void save_block(std::size_t member, std::size_t level, std::size_t block,
                  const heads::NodeWeights& weights);

  /// State of the checkpoint that an interrupted run left; none if there is none, or once
  /// save_checkpoint() has replaced it. The same holds for has_array(),
  /// load() and codes().
  [[nodiscard]] const std::optional<TrainingState>& state() const noexcept { return state_; }
  /// Whether the checkpoint has an array of this name.
  [[nodiscard]] bool has_array(const std::string& name) const { return arrays_.contains(name); }
  /// Fills the arrays from those of the same names; nothing of the file stays in memory. Throws
  /// kInvalidData if one is missing or of another size.
  void load(std::span<const NamedArray> arrays) const;
  /// `size` digits of this name, valid until save_checkpoint(). Throws as load() does.
  [[nodiscard]] std::span<const std::uint32_t> codes(const std::string& name,
                                                     std::size_t size) const;
  /// Replaces the checkpoint and keeps all blocks; atomic and synced. Arrays are not copied.
  void save_checkpoint(const TrainingState& state, const CheckpointArrays& arrays);
  /// Whether the file has a checkpoint of this training: found or saved.
  [[nodiscard]] bool has_checkpoint() const noexcept { return has_saved_ || state_.has_value(); }

  /// The model is written: the file goes.
  void remove();

 private:
  void read_checkpoint();
  void read_blocks();
  [[nodiscard]] std::span<const std::byte> find_array(const std::string& name,
                                                      std::size_t size) const;
  void flush();

  Options options_;
  std::optional<MappedFile> found_;
  std::optional<TrainingState> state_;
  std::map<std::string, std::span<const std::byte>> arrays_;
  bool has_saved_ = false;
  std::size_t blocks_begin_ = 0;                                // in the file
  std::map<std::array<std::uint64_t, 3>, std::size_t> blocks_;  // key -> record, from there
  std::mutex mutex_;
  std::size_t file_bytes_ = 0;  // that are of this training and whole
  std::string waiting_;         // records to append
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_flush_ = start_;
};

/// The blocks of one cascade of an ensemble.
class MemberStore : public heads::BlockStore {
 public:
  MemberStore(ResumeFile& file, std::size_t member) : file_(file), member_(member) {}

  [[nodiscard]] std::optional<heads::NodeWeights> load(std::size_t level,
                                                       std::size_t block) override {
    return file_.load_block(member_, level, block);
  }
  void save(std::size_t level, std::size_t block, const heads::NodeWeights& weights) override {
    file_.save_block(member_, level, block, weights);
  }

 private:
  ResumeFile& file_;
  std::size_t member_;
};

}  // namespace mhe::train
