// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "data/byte_source.h"

namespace mhe::data {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;  // long enough that locking costs nothing
constexpr std::size_t kMaxChunks = 4;                      // the 4 MiB that the header promises

class ReadAheadSource final : public ByteSource {
 public:
  explicit ReadAheadSource(std::unique_ptr<ByteSource> inner)
      : ByteSource(inner->name()), inner_(std::move(inner)), thread_([this] { produce(); }) {}

  ~ReadAheadSource() override {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }  // the thread joins once the lock is gone

  std::size_t read(std::span<char> out) override {
    if (position_ == current_.size() && !next_chunk()) return 0;
    const std::size_t size = std::min(out.size(), current_.size() - position_);
    std::copy_n(current_.data() + position_, size, out.data());
    position_ += size;
    return size;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return inner_->total(); }
  [[nodiscard]] std::string random_access_path() const override {
    return inner_->random_access_path();
  }

 private:
  using Chunk = std::vector<char>;

  // The thread's work: fills chunks until the end, an error or the destructor.
  void produce() noexcept {
    try {
      while (fill_one()) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  }

  bool fill_one() {
    Chunk chunk = take_free();
    chunk.resize(kChunkBytes);
    std::size_t size = 0;
    try {
      while (size < chunk.size()) {
        const std::size_t got = inner_->read(std::span(chunk).subspan(size));
        if (got == 0) break;
        size += got;
      }
    } catch (...) {  // what came before the damage is still good, and errors in it come first
      push(std::move(chunk), size);
      throw;
    }
    return push(std::move(chunk), size) && size == kChunkBytes;
  }

  Chunk take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    Chunk chunk = std::move(free_.back());
    free_.pop_back();
    return chunk;
  }

  // False if nobody wants more.
  bool push(Chunk chunk, std::size_t size) {
    chunk.resize(size);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || ready_.size() < kMaxChunks; });
    if (stopping_) return false;
    if (size > 0) ready_.push_back(std::move(chunk));
    changed_.notify_all();
    return true;
  }

  bool next_chunk() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return finished_ || !ready_.empty(); });
    if (ready_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return false;
    }
    if (current_.capacity() > 0) free_.push_back(std::move(current_));
    current_ = std::move(ready_.front());
    ready_.pop_front();
    position_ = 0;
    changed_.notify_all();
    return true;
  }

  std::unique_ptr<ByteSource> inner_;
  Chunk current_;  // belongs to the reader
  std::size_t position_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Chunk> ready_;
  std::vector<Chunk> free_;
  std::exception_ptr error_;
  bool finished_ = false;
  bool stopping_ = false;
  std::jthread thread_;  // last: it uses the members above
};

}  // namespace

std::unique_ptr<ByteSource> make_read_ahead_source(std::unique_ptr<ByteSource> inner) {
  return std::make_unique<ReadAheadSource>(std::move(inner));
}

}  // namespace mhe::data
