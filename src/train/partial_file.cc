// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "train/partial_file.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"
#include "base/checksum.h"

namespace mhe::train {
namespace {

constexpr std::uint64_t kMagic = 0x3254'5241'5045'484D;  // "MHEPART2"
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kRecordHeaderBytes = 16;  // size and checksum of what follows
constexpr std::size_t kFlushBytes = std::size_t{4} << 20;

struct RecordHead {
  std::uint64_t member = 0;
  std::uint64_t level = 0;
  std::uint64_t block = 0;
  std::uint64_t present = 0;
  std::uint64_t num_children = 0;
  std::uint64_t num_features = 0;
  std::uint64_t num_values = 0;
};

template <class T>
void append(std::string& out, const T* items, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > 0) out.append(reinterpret_cast<const char*>(items), count * sizeof(T));
}

template <class T>
const std::byte* take(const std::byte* from, std::vector<T>& into, std::size_t count) {
  into.resize(count);
  if (count > 0) std::memcpy(into.data(), from, count * sizeof(T));
  return from + count * sizeof(T);
}

std::string make_header(std::uint64_t fingerprint) {
  const std::uint64_t words[2] = {kMagic, fingerprint};
  std::string header;
  append(header, words, 2);
  return header;
}

std::uint64_t read_word(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace

PartialFile::PartialFile(Options options) : options_(std::move(options)) {
  if (!options_.resume || !std::filesystem::exists(options_.path)) return;
  if (std::filesystem::is_empty(options_.path)) return;  // ended before the first byte
  old_ = MappedFile::open(options_.path);
  const auto bytes = old_->bytes();
  const std::string header = make_header(options_.fingerprint);
  if (bytes.size() < kHeaderBytes && std::memcmp(bytes.data(), header.data(), bytes.size()) == 0) {
    return;  // ended within the header
  }
  if (bytes.size() < kHeaderBytes || read_word(bytes.data()) != kMagic) {
    fail(ErrorCode::kInvalidData, "{}: not the rest of an interrupted training", options_.path);
  }
  if (read_word(bytes.data() + 8) != options_.fingerprint) {
    fail(ErrorCode::kInvalidData,
         "{}: left by a training with other data, options or seed; train without resuming to "
         "start over",
         options_.path);
  }
  index_records();
}

PartialFile::~PartialFile() {
  try {
    if (!waiting_.empty()) flush();  // stopped on the way
  } catch (const std::exception&) {  // what is in the file can be used without it
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Stops at the first record that is not whole: the process ended while writing it.
void PartialFile::index_records() {
  const auto bytes = old_->bytes();
  std::size_t at = kHeaderBytes;
  while (bytes.size() - at >= kRecordHeaderBytes) {
    const std::uint64_t size = read_word(bytes.data() + at);
    const std::size_t body = at + kRecordHeaderBytes;
    if (size < sizeof(RecordHead) || size > bytes.size() - body) break;
    if (checksum64(bytes.subspan(body, size)) != read_word(bytes.data() + at + 8)) break;
    RecordHead head;
    std::memcpy(&head, bytes.data() + body, sizeof head);
    found_[{head.member, head.level, head.block}] = body;
    at = body + size;
  }
  good_bytes_ = at;
}

// A record whose checksum holds is as save() wrote it, so its counts are right.
std::optional<heads::NodeWeights> PartialFile::load(std::size_t member, std::size_t level,
                                                    std::size_t block) const {
  const auto found = found_.find({member, level, block});
  if (found == found_.end()) return std::nullopt;
  const std::byte* from = old_->bytes().data() + found->second;
  RecordHead head;
  std::memcpy(&head, from, sizeof head);
  from += sizeof head;
  heads::NodeWeights weights;
  weights.present = head.present;
  from = take(from, weights.bias, head.num_children);
  from = take(from, weights.features, head.num_features);
  from = take(from, weights.masks, head.num_features);
  take(from, weights.values, head.num_values);
  return weights;
}

void PartialFile::save(std::size_t member, std::size_t level, std::size_t block,
                       const heads::NodeWeights& weights) {
  // What the first seconds made is made again as quickly; keeping it would cost memory.
  if (std::chrono::steady_clock::now() - start_ < options_.flush_after) return;
  const RecordHead head = {member,
                           level,
                           block,
                           weights.present,
                           weights.bias.size(),
                           weights.features.size(),
                           weights.values.size()};
  std::string body;
  append(body, &head, 1);
  append(body, weights.bias.data(), weights.bias.size());
  append(body, weights.features.data(), weights.features.size());
  append(body, weights.masks.data(), weights.masks.size());
  append(body, weights.values.data(), weights.values.size());
  const std::uint64_t words[2] = {body.size(), checksum64(std::as_bytes(std::span(body)))};

  const std::lock_guard lock(mutex_);
  append(waiting_, words, 2);
  waiting_ += body;
  const bool due = std::chrono::steady_clock::now() - last_flush_ >= options_.flush_after;
  if (due || waiting_.size() >= kFlushBytes) flush();
}

void PartialFile::open_for_writing() {
  descriptor_ = ::open(options_.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(good_bytes_)) != 0 ||
      ::lseek(descriptor_, 0, SEEK_END) < 0) {
    fail(ErrorCode::kIo, "cannot write {}: {}", options_.path,
         std::generic_category().message(errno));
  }
  if (good_bytes_ > 0) return;
  waiting_.insert(0, make_header(options_.fingerprint));
}

void PartialFile::flush() {
  if (descriptor_ < 0) open_for_writing();
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      fail(ErrorCode::kIo, "cannot write {}: {}", options_.path,
           std::generic_category().message(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  waiting_.clear();
  last_flush_ = std::chrono::steady_clock::now();
}

void PartialFile::remove() {
  waiting_.clear();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  std::error_code ignored;  // there is nothing to remove if nothing was written
  std::filesystem::remove(options_.path, ignored);
}

}  // namespace mhe::train
