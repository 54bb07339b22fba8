// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// The file is a sequence of records: a head (five words of 8 bytes and a checksum of them and of
// the payload), then a payload of a multiple of 4 bytes; all little-endian.
//
//   header      no payload; key: fingerprint, whether a checkpoint follows (0 or 1), 0
//   checkpoint  the state; names and bytes of arrays; zeros to a multiple of 4 bytes; the arrays,
//               the last one first
//   block       weights of a node; key: member, level, block. Any number of them
//
// Blocks are appended, and a process may end while it does so: what follows the last whole block is
// cut. A checkpoint comes with a new file, whole, so damage to it is an error.
#include "train/resume_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/checked.h"
#include "base/checksum.h"

namespace mhe::train {
namespace {

static_assert(std::endian::native == std::endian::little, "words are written as they are");

using Bytes = std::span<const std::byte>;

constexpr std::size_t kFlushBytes = std::size_t{4} << 20U;

enum class Kind : std::uint64_t {
  kHeader = 0x3155'5345'5245'484D,  // "MHERESU1": what the file begins with, and its version
  kCheckpoint = 1,
  kBlock = 2,
};

struct Head {
  Kind kind = Kind::kHeader;
  std::array<std::uint64_t, 3> key = {};
  std::uint64_t size = 0;  // of the payload
  std::uint64_t checksum = 0;
};

struct Record {
  Head head;
  Bytes payload;
};

template <class T>
Bytes bytes_of(const T& object) {
  return std::as_bytes(std::span(&object, 1));
}

std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Head of a record whose payload is made of these parts.
std::string make_head(Kind kind, const std::array<std::uint64_t, 3>& key,
                      std::span<const std::string_view> parts) {
  Head head = {.kind = kind, .key = key};
  for (const std::string_view part : parts) head.size += part.size();
  Checksum64 sum;
  sum.add(bytes_of(head).first(offsetof(Head, checksum)));
  for (const std::string_view part : parts) sum.add(std::as_bytes(std::span(part)));
  head.checksum = sum.value();
  return std::string(as_text(bytes_of(head)));
}

std::string make_header(std::uint64_t fingerprint, bool has_checkpoint) {
  return make_head(Kind::kHeader, {fingerprint, has_checkpoint ? 1U : 0U}, {});
}

// Mapped bytes part by part, none of which stay in memory.
template <class Use>
void for_each_part(const MappedFile& file, Bytes bytes, const Use& use) {
  constexpr std::size_t kPart = std::size_t{4} << 20U;  // of many pages, and little memory
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(kPart, bytes.size()));
    use(part);
    file.forget(part);
    bytes = bytes.subspan(part.size());
  }
}

// The record that begins there, if it is whole and as it was written.
std::optional<Record> read_record(const MappedFile& file, std::size_t begin) {
  const Bytes bytes = file.bytes().subspan(begin);
  Head head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.size > bytes.size() - sizeof head || head.size % 4 != 0) return std::nullopt;
  const Bytes payload = bytes.subspan(sizeof head, head.size);
  Checksum64 sum;
  sum.add(bytes_of(head).first(offsetof(Head, checksum)));
  for_each_part(file, payload, [&](Bytes part) { sum.add(part); });
  if (sum.value() != head.checksum) return std::nullopt;
  return Record{head, payload};
}

template <class... Args>
[[noreturn]] void fail_damaged(const std::string& path, fmt::format_string<Args...> what,
                               Args&&... args) {
  fail(ErrorCode::kInvalidData, "{}: damaged: {}; train without resuming to start over", path,
       fmt::format(what, std::forward<Args>(args)...));
}

// Makes payloads: words of 8 bytes, and items with their number before.
struct Packer {
  std::string out = {};

  template <class... Words>
  void words(const Words&... each) {
    ((out += as_text(bytes_of(each))), ...);
  }
  template <class... Items>
  void items(const Items&... each) {
    ((words(each.size()), out += as_text(std::as_bytes(std::span(each)))), ...);
  }
};

// Takes them apart and believes no number in them.
struct Unpacker {
  const std::string& path;
  Bytes rest;

  template <class... Words>
  void words(Words&... each) {
    (copy(&each, sizeof each), ...);
  }
  template <class... Items>
  void items(Items&... each) {
    (one_list(each), ...);
  }
  // Of a multiple of 4 bytes, so that it is aligned as payloads are.
  Bytes take_end(std::uint64_t size) {
    if (size > rest.size() || size % 4 != 0) {
      fail_damaged(path, "an array of {} bytes where {} are left", size, rest.size());
    }
    const Bytes end = rest.last(size);
    rest = rest.first(rest.size() - size);
    return end;
  }

 private:
  template <class Items>
  void one_list(Items& items) {
    std::uint64_t count = 0;
    words(count);
    const auto size = checked_mul<std::uint64_t>(count, sizeof(typename Items::value_type), path);
    if (size <= rest.size()) items.resize(count);
    copy(items.data(), size);
  }
  void copy(void* to, std::uint64_t size) {
    if (size > rest.size()) fail_damaged(path, "{} bytes where {} are left", size, rest.size());
    if (size > 0) std::memcpy(to, rest.data(), size);
    rest = rest.subspan(size);
  }
};

template <class Packing, class Weights>
void visit_block(Packing& packing, Weights& weights) {
  packing.words(weights.present);
  packing.items(weights.bias, weights.features, weights.masks, weights.values);
}

template <class Packing, class State>
void visit_state(Packing& packing, State& state) {
  packing.words(state.member, state.step, state.loss_sum, state.first_loss, state.best_quality,
                state.epochs_since_best, state.copy_count, state.inner_dim);
  packing.items(state.lengths);
}

// Members that have epochs: those that are finished, and the one at work.
std::size_t num_begun(const TrainingState& state) {
  return checked_add<std::size_t>(state.member, state.step > 0 ? 1 : 0, "members of a checkpoint");
}

void pack_state(const TrainingState& state, Packer& to) {
  MHE_ASSERT(state.epochs.size() == num_begun(state));
  visit_state(to, state);
  for (const std::vector<EpochReport>& epochs : state.epochs) {
    to.words(epochs.size());
    for (const EpochReport& epoch : epochs) to.words(epoch.loss, epoch.quality.value_or(NAN));
  }
}

TrainingState unpack_state(Unpacker& from) {
  TrainingState state;
  visit_state(from, state);
  for (std::size_t begun = num_begun(state); begun > 0; --begun) {
    std::vector<EpochReport>& epochs = state.epochs.emplace_back();
    std::uint64_t count = 0;
    for (from.words(count); count > 0; --count) {
      double loss = 0;
      double quality = 0;
      from.words(loss, quality);
      epochs.push_back({loss, std::isnan(quality) ? std::nullopt : std::optional(quality)});
    }
  }
  return state;
}

}  // namespace

ResumeFile::ResumeFile(Options options) : options_(std::move(options)) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!options_.resume || !fs::exists(path(), none)) return;
  if (fs::is_regular_file(path(), none) && fs::is_empty(path())) return;
  found_ = MappedFile::open(path());
  // The process may have ended within the header.
  if (make_header(options_.fingerprint, false).starts_with(as_text(found_->bytes()))) return;
  const auto header = read_record(*found_, 0);
  if (!header || header->head.kind != Kind::kHeader) {
    fail(ErrorCode::kInvalidData,
         "{}: damaged, or not a file that this version of mhe resumes from; train without resuming "
         "to start over",
         path());
  }
  if (header->head.key[0] != options_.fingerprint) {
    fail(ErrorCode::kInvalidData,
         "{}: left by a training with other data, options or seed; train without resuming to "
         "start over",
         path());
  }
  blocks_begin_ = sizeof(Head) + header->payload.size();
  if (header->head.key[1] != 0) read_checkpoint();
  read_blocks();
}

ResumeFile::~ResumeFile() {
  try {
    if (!waiting_.empty()) flush();  // stopped on the way
  } catch (const std::exception&) {  // what is in the file can be used without it
  }
}

void ResumeFile::read_checkpoint() {
  const auto record = read_record(*found_, blocks_begin_);
  if (!record || record->head.kind != Kind::kCheckpoint) {
    fail_damaged(path(), "its checkpoint at byte {} does not match its checksum", blocks_begin_);
  }
  Unpacker from{path(), record->payload};
  state_ = unpack_state(from);
  std::uint64_t count = 0;
  for (from.words(count); count > 0; --count) {
    std::string name;
    std::uint64_t size = 0;
    from.items(name);
    from.words(size);
    arrays_[name] = from.take_end(size);
  }
  blocks_begin_ += sizeof(Head) + record->payload.size();
}

void ResumeFile::read_blocks() {
  file_bytes_ = blocks_begin_;
  while (const auto record = read_record(*found_, file_bytes_)) {
    if (record->head.kind != Kind::kBlock) break;
    blocks_[record->head.key] = file_bytes_ - blocks_begin_;
    file_bytes_ += sizeof(Head) + record->payload.size();
  }
}

std::optional<heads::NodeWeights> ResumeFile::load_block(std::size_t member, std::size_t level,
                                                         std::size_t block) const {
  const auto found = blocks_.find({member, level, block});
  if (found == blocks_.end()) return std::nullopt;
  const auto record = read_record(*found_, blocks_begin_ + found->second);
  if (!record) fail_damaged(path(), "block {} of level {} has changed", block, level);
  Unpacker from{path(), record->payload};
  heads::NodeWeights weights;
  visit_block(from, weights);
  if (weights.masks.size() == weights.features.size()) return weights;
  fail_damaged(path(), "a block of {} features has {} masks", weights.features.size(),
               weights.masks.size());
}

void ResumeFile::save_block(std::size_t member, std::size_t level, std::size_t block,
                            const heads::NodeWeights& weights) {
  // What the first seconds made is made again as quickly; keeping it would cost memory.
  if (std::chrono::steady_clock::now() - start_ < options_.flush_after) return;
  Packer payload;
  visit_block(payload, weights);
  const std::string_view part = payload.out;
  const std::string head = make_head(Kind::kBlock, {member, level, block}, {&part, 1});
  const std::lock_guard lock(mutex_);
  waiting_ += head;
  waiting_ += payload.out;
  const bool due = std::chrono::steady_clock::now() - last_flush_ >= options_.flush_after;
  if (due || waiting_.size() >= kFlushBytes) flush();
}

Bytes ResumeFile::find_array(const std::string& name, std::size_t size) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail_damaged(path(), "there is no array \"{}\"", name);
  const Bytes values = found->second;
  if (values.size() / 4 == size) return values;
  fail_damaged(path(), "array \"{}\" has {} values; expected {}", name, values.size() / 4, size);
}

void ResumeFile::load(std::span<const NamedArray> arrays) const {
  for (const NamedArray& array : arrays) {
    auto to = std::as_writable_bytes(array.values).begin();
    for_each_part(*found_, find_array(array.name, array.values.size()),
                  [&](Bytes part) { to = std::copy(part.begin(), part.end(), to); });
  }
}

std::span<const std::uint32_t> ResumeFile::codes(const std::string& name, std::size_t size) const {
  return {reinterpret_cast<const std::uint32_t*>(find_array(name, size).data()), size};
}

void ResumeFile::save_checkpoint(const TrainingState& state, const CheckpointArrays& arrays) {
  const std::lock_guard lock(mutex_);
  Packer packer;
  pack_state(state, packer);
  std::vector<std::string_view> parts;
  packer.words(arrays.numbers.size() + arrays.codes.size());
  const auto add = [&](const std::string& name, Bytes values) {
    packer.items(name);
    packer.words(values.size());
    parts.push_back(as_text(values));
  };
  for (const NamedArray& array : arrays.numbers) add(array.name, std::as_bytes(array.values));
  for (const NamedCodes& codes : arrays.codes) add(codes.name, std::as_bytes(codes.values));
  packer.out.resize((packer.out.size() + 3) / 4 * 4);
  parts.emplace_back(packer.out);
  std::reverse(parts.begin(), parts.end());

  AtomicFile file(path());
  std::size_t written = 0;
  const auto write = [&](std::string_view bytes) {
    file.write(bytes);
    written += bytes.size();
  };
  write(make_header(options_.fingerprint, true));
  write(make_head(Kind::kCheckpoint, {}, parts));
  for (const std::string_view part : parts) write(part);
  const std::size_t blocks_begin = written;
  if (file_bytes_ > blocks_begin_) {  // on the disk: there may be more than were found
    const MappedFile old = MappedFile::open(path());
    if (old.bytes().size() < file_bytes_) fail_damaged(path(), "another program cut it");
    for_each_part(old, old.bytes().first(file_bytes_).subspan(blocks_begin_),
                  [&](Bytes part) { write(as_text(part)); });
  }
  write(waiting_);
  file.commit();

  blocks_begin_ = blocks_begin;
  file_bytes_ = written;
  waiting_.clear();
  state_.reset();
  arrays_.clear();
  has_saved_ = true;
  found_.reset();  // the disk would keep what is mapped
  if (!blocks_.empty()) found_ = MappedFile::open(path());
}

// Cuts what is not ours or not whole: a torn block, half of a write that failed, what another
// training left.
void ResumeFile::flush() {
  std::error_code failed;
  if (file_bytes_ > 0) std::filesystem::resize_file(path(), file_bytes_, failed);
  if (!failed) {
    std::ofstream file(path(), file_bytes_ > 0 ? std::ios::app : std::ios::trunc);
    if (file_bytes_ == 0) file << make_header(options_.fingerprint, false);
    file << waiting_;
    file.close();
    if (!file) failed.assign(errno, std::generic_category());
  }
  if (failed) fail(ErrorCode::kIo, "cannot write {}: {}", path(), failed.message());
  if (file_bytes_ == 0) file_bytes_ = blocks_begin_ = sizeof(Head);
  file_bytes_ += waiting_.size();
  waiting_.clear();
  last_flush_ = std::chrono::steady_clock::now();
}

void ResumeFile::remove() {
  waiting_.clear();
  std::error_code ignored;  // there is nothing to remove if nothing was written
  std::filesystem::remove(path(), ignored);
}

}  // namespace mhe::train
