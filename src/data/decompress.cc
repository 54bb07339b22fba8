// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"
#include "data/byte_source.h"

namespace mhe::data {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;  // large enough to keep system calls rare
constexpr std::uint64_t kMaxXzBytes = std::uint64_t{1} << 30;  // the 1 GiB that the header promises

[[noreturn]] void fail_damaged(const std::string& name, std::string_view kind,
                               std::string_view reason) {
  fail(ErrorCode::kInvalidData, "{}: the {} data is damaged: {}", name, kind, reason);
}

// One compression format. decode() takes from the front of `in`, writes to the front of `out` and
// moves both on; `last` says that no input follows.
class Decoder {
 public:
  explicit Decoder(std::string name) : name_(std::move(name)) {}
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  virtual void decode(std::span<const char>& in, std::span<char>& out, bool last) = 0;
  // Whether the data may end here.
  [[nodiscard]] virtual bool complete() const noexcept = 0;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

// zlib, liblzma and zstd all count in a structure of pointers; these two lines move our views on.
template <class View>
void advance_to(View& view, std::size_t rest) {
  view = view.subspan(view.size() - rest);
}

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::string name) : Decoder(std::move(name)) {
    constexpr int kGzipWindow = 15 + 16;  // the largest window; 16 asks for the gzip wrapper
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { ::inflateEnd(&stream_); }

  void decode(std::span<const char>& in, std::span<char>& out, bool /*last*/) override {
    if (between_members_ && !start_member(in)) return;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = clamp(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamp(out.size());
    const std::size_t in_before = stream_.avail_in;
    const std::size_t out_before = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    in = in.subspan(in_before - stream_.avail_in);
    out = out.subspan(out_before - stream_.avail_out);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail_damaged(name(), "gzip", stream_.msg != nullptr ? stream_.msg : "not a valid stream");
    }
  }
  [[nodiscard]] bool complete() const noexcept override { return between_members_; }

 private:
  static uInt clamp(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  }

  // Tapes and some tools pad members with zero bytes.
  bool start_member(std::span<const char>& in) {
    while (!in.empty() && in.front() == 0) in = in.subspan(1);
    if (in.empty()) return false;
    if (in.front() != '\x1f') fail_damaged(name(), "gzip", "other bytes follow its end");
    ::inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  z_stream stream_ = {};
  bool between_members_ = false;
};

class XzDecoder final : public Decoder {
 public:
  XzDecoder(std::string name, std::size_t threads) : Decoder(std::move(name)) {
    lzma_mt options = {};
    options.flags = LZMA_CONCATENATED;
    options.threads = static_cast<std::uint32_t>(std::clamp<std::size_t>(threads, 1, 64));
    options.memlimit_threading = kMaxXzBytes / 2;  // beyond this it uses one thread
    options.memlimit_stop = kMaxXzBytes;
    if (::lzma_stream_decoder_mt(&stream_, &options) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzDecoder() override { ::lzma_end(&stream_); }

  void decode(std::span<const char>& in, std::span<char>& out, bool last) override {
    if (complete_) return;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = ::lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    advance_to(in, stream_.avail_in);
    advance_to(out, stream_.avail_out);
    check(status);
  }
  [[nodiscard]] bool complete() const noexcept override { return complete_; }

 private:
  void check(lzma_ret status) {
    switch (status) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // no more to do with this input: the caller sees whether it was all
        return;
      case LZMA_STREAM_END:
        complete_ = true;
        return;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        fail(ErrorCode::kResourceLimit, "{}: decompressing needs more than 1 GiB of memory",
             name());
      case LZMA_OPTIONS_ERROR:
        fail_damaged(name(), "xz", "it asks for options this program does not know");
      case LZMA_FORMAT_ERROR:
        fail_damaged(name(), "xz", "a stream does not begin like one");
      default:
        fail_damaged(name(), "xz", "its checksums or structure are wrong");
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool complete_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(std::string name) : Decoder(std::move(name)), stream_(::ZSTD_createDCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ::ZSTD_freeDCtx(stream_); }

  void decode(std::span<const char>& in, std::span<char>& out, bool /*last*/) override {
    if (in.empty() && at_frame_end_) return;
    ZSTD_inBuffer input = {in.data(), in.size(), 0};
    ZSTD_outBuffer output = {out.data(), out.size(), 0};
    const std::size_t status = ::ZSTD_decompressStream(stream_, &output, &input);
    if (::ZSTD_isError(status) != 0) {
      fail_damaged(name(), "zstd", ::ZSTD_getErrorName(status));
    }
    at_frame_end_ = status == 0;
    in = in.subspan(input.pos);
    out = out.subspan(output.pos);
  }
  [[nodiscard]] bool complete() const noexcept override { return at_frame_end_; }

 private:
  ZSTD_DCtx* stream_;
  bool at_frame_end_ = false;
};

// `raw` behind bytes already taken from it, decoded if there is a decoder.
class DecodingSource final : public ByteSource {
 public:
  DecodingSource(std::unique_ptr<ByteSource> raw, std::vector<char> first,
                 std::unique_ptr<Decoder> decoder)
      : ByteSource(raw->name()),
        raw_(std::move(raw)),
        buffer_(std::move(first)),
        in_(buffer_),
        decoder_(std::move(decoder)) {}

  std::size_t read(std::span<char> out) override {
    return decoder_ ? read_decoded(out) : read_plain(out);
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return raw_->consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return raw_->total(); }
  [[nodiscard]] std::string random_access_path() const override {
    return decoder_ ? std::string() : raw_->random_access_path();
  }

 private:
  std::size_t read_plain(std::span<char> out) {
    if (in_.empty()) return raw_->read(out);
    const std::size_t size = std::min(out.size(), in_.size());
    std::copy_n(in_.data(), size, out.data());
    in_ = in_.subspan(size);
    return size;
  }

  std::size_t read_decoded(std::span<char> out) {
    constexpr int kMaxStalls = 3;
    int stalls = 0;
    std::span<char> rest = out;
    while (true) {
      if (in_.empty() && !ended_) refill();
      const std::size_t in_before = in_.size();
      decoder_->decode(in_, rest, ended_);
      if (rest.size() < out.size()) return out.size() - rest.size();
      if (ended_ && in_.empty()) {
        if (decoder_->complete()) return 0;
        fail(ErrorCode::kInvalidData,
             "{}: the compressed data ends too early; is the file cut off?", name());
      }
      // A decoder with threads may come back once without having moved; one that stays is stuck.
      stalls = in_before > 0 && in_.size() == in_before ? stalls + 1 : 0;
      if (stalls > kMaxStalls) {
        fail(ErrorCode::kInvalidData, "{}: other bytes follow the compressed data", name());
      }
    }
  }

  void refill() {
    buffer_.resize(kInputBytes);
    in_ = std::span<const char>(buffer_).first(raw_->read(buffer_));
    ended_ = in_.empty();
  }

  std::unique_ptr<ByteSource> raw_;
  std::vector<char> buffer_;
  std::span<const char> in_;
  std::unique_ptr<Decoder> decoder_;  // none: the bytes are plain
  bool ended_ = false;
};

// Whether the first byte, if it is known, is that of gzip, xz or zstd.
bool may_be_compressed(std::string_view first) {
  return first.empty() || std::string_view("\x1f\xfd\x28").find(first.front()) != first.npos;
}

std::unique_ptr<Decoder> make_decoder(std::string_view first, const std::string& name,
                                      std::size_t threads) {
  using namespace std::string_view_literals;
  if (first.starts_with("\x1f\x8b"sv)) return std::make_unique<GzipDecoder>(name);
  if (first.starts_with("\xfd"
                        "7zXZ\0"sv)) {
    return std::make_unique<XzDecoder>(name, threads);
  }
  if (first.starts_with("\x28\xb5\x2f\xfd"sv)) return std::make_unique<ZstdDecoder>(name);
  return nullptr;
}

}  // namespace

std::unique_ptr<ByteSource> decompress_if_needed(std::unique_ptr<ByteSource> raw,
                                                 std::size_t threads) {
  constexpr std::size_t kMagicBytes = 6;  // of xz, the longest
  std::vector<char> first(kMagicBytes);
  std::size_t size = 0;
  // Stops at the first byte that tells, so that a line typed at a terminal need not be longer.
  while (size < first.size() && may_be_compressed({first.data(), size})) {
    const std::size_t got = raw->read(std::span(first).subspan(size));
    if (got == 0) break;
    size += got;
  }
  first.resize(size);
  auto decoder = make_decoder({first.data(), first.size()}, raw->name(), threads);
  return std::make_unique<DecodingSource>(std::move(raw), std::move(first), std::move(decoder));
}

}  // namespace mhe::data
