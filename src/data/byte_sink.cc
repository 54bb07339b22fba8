// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/byte_sink.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>  // mkostemp
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/atomic_file.h"
#include "base/check.h"

namespace mhe::data {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;  // large enough to keep calls rare
constexpr std::array<std::string_view, 3> kEndings = {".gz", ".xz", ".zst"};

class PlainSink final : public ByteSink {
 public:
  explicit PlainSink(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) override { file_.write(bytes); }
  void finish() override { file_.commit(); }

 private:
  AtomicFile file_;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(const std::string& path) : file_(path), buffer_(kBufferBytes) {
    constexpr int kGzipWindow = 15 + 16;  // 16 asks for the gzip wrapper, which has no time in it
    constexpr int kDefaultMemory = 8;
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kDefaultMemory,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipSink() override { ::deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kBufferBytes);
      bytes.remove_prefix(piece.size());
      run(piece, Z_NO_FLUSH);
    }
  }
  void finish() override {
    run({}, Z_FINISH);
    file_.commit();
  }

 private:
  void run(std::string_view input, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      MHE_ASSERT(::deflate(&stream_, flush) != Z_STREAM_ERROR);
      file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  AtomicFile file_;
  std::vector<char> buffer_;
  z_stream stream_ = {};
};

class XzSink final : public ByteSink {
 public:
  XzSink(const std::string& path, std::size_t threads) : file_(path), buffer_(kBufferBytes) {
    lzma_mt options = {};
    options.threads = static_cast<std::uint32_t>(std::clamp<std::size_t>(threads, 1, 16));
    options.preset = LZMA_PRESET_DEFAULT;
    options.check = LZMA_CHECK_CRC64;
    options.block_size = std::uint64_t{24} << 20;  // fixed, so that threads do not change the file
    if (::lzma_stream_encoder_mt(&stream_, &options) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzSink() override { ::lzma_end(&stream_); }

  void write(std::string_view bytes) override { run(bytes, LZMA_RUN); }
  void finish() override {
    run({}, LZMA_FINISH);
    file_.commit();
  }

 private:
  void run(std::string_view input, lzma_action action) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
    lzma_ret status = LZMA_OK;
    do {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer_.data());
      stream_.avail_out = buffer_.size();
      status = ::lzma_code(&stream_, action);
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      MHE_ASSERT(status == LZMA_OK || status == LZMA_STREAM_END || status == LZMA_BUF_ERROR);
      file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_in > 0 || (action == LZMA_FINISH && status != LZMA_STREAM_END));
  }

  AtomicFile file_;
  std::vector<char> buffer_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(const std::string& path)
      : file_(path), buffer_(kBufferBytes), stream_(::ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdSink() override { ::ZSTD_freeCCtx(stream_); }

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override {
    run({}, ZSTD_e_end);
    file_.commit();
  }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer input = {bytes.data(), bytes.size(), 0};
    std::size_t rest = 0;
    do {
      ZSTD_outBuffer output = {buffer_.data(), buffer_.size(), 0};
      rest = ::ZSTD_compressStream2(stream_, &output, &input, directive);
      if (::ZSTD_isError(rest) != 0) throw std::bad_alloc();  // all else is right by construction
      file_.write({buffer_.data(), output.pos});
    } while (input.pos < input.size || (directive == ZSTD_e_end && rest > 0));
  }

  AtomicFile file_;
  std::vector<char> buffer_;
  ZSTD_CCtx* stream_;
};

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.starts_with("/dev/")) return path == "-" ? "/tmp" : ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::string& path, std::size_t threads) {
  if (path.ends_with(".gz")) return std::make_unique<GzipSink>(path);
  if (path.ends_with(".xz")) return std::make_unique<XzSink>(path, threads);
  if (path.ends_with(".zst")) return std::make_unique<ZstdSink>(path);
  return std::make_unique<PlainSink>(path);
}

std::string_view without_compression(std::string_view path) {
  for (const std::string_view ending : kEndings) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

SpoolFile::SpoolFile(const std::string& beside) : directory_(directory_of(beside)) {
  descriptor_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {  // the file system knows no nameless files: take the name away at once
    std::string path = directory_ + "/mhe-spool-XXXXXX";
    descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail_io("create");
    ::unlink(path.c_str());
  }
}

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SpoolFile::write(std::string_view bytes) {
  buffer_ += bytes;
  size_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) flush();
}

void SpoolFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io("write");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void SpoolFile::replay(const std::function<void(std::string_view piece)>& visit) {
  flush();
  std::vector<char> piece(kBufferBytes);
  std::uint64_t at = 0;
  while (at < size_) {
    const ssize_t got = ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail_io("read back");
    visit({piece.data(), static_cast<std::size_t>(got)});
    at += static_cast<std::uint64_t>(got);
  }
}

void SpoolFile::fail_io(std::string_view action) const {
  const int reason = errno;
  fail(ErrorCode::kIo, "cannot {} a temporary file in {}: {}", action, directory_,
       std::generic_category().message(reason));
}

}  // namespace mhe::data
