// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what an interrupted training left: opened, and everything in it loaded. Checksums
// are put right first, for nobody guesses them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <mhe/error.h>

#include "base/checksum.h"
#include "train/resume_file.h"

namespace {

using mhe::train::ResumeFile;

constexpr std::uint64_t kFingerprint = 7;
constexpr std::size_t kHeadWords = 6;  // kind, three of key, bytes of the payload, checksum

struct Block {
  std::uint64_t member, level, block;
};

// Puts fingerprint and checksums right; returns the keys of all records that might be blocks.
std::vector<Block> seal(std::span<std::byte> bytes) {
  std::vector<Block> blocks;
  std::size_t at = 0;
  while (bytes.size() - at >= 8 * kHeadWords) {
    std::uint64_t head[kHeadWords];
    std::memcpy(head, bytes.data() + at, sizeof head);
    if (at == 0) head[1] = kFingerprint;
    const auto payload = bytes.subspan(at + sizeof head);
    if (head[4] > payload.size()) break;
    mhe::Checksum64 sum;
    sum.add(std::as_bytes(std::span(head).first(kHeadWords - 1)));
    sum.add(payload.first(head[4]));
    head[kHeadWords - 1] = sum.value();
    std::memcpy(bytes.data() + at, head, sizeof head);
    blocks.push_back({head[1], head[2], head[3]});
    at += sizeof head + head[4];
  }
  return blocks;
}

template <class Act>
void refused_or(const Act& act) {
  try {
    act();
  } catch (const mhe::Error& error) {
    if (error.code() == mhe::ErrorCode::kInternal) throw;
  }
}

// The runs of characters that names may have, each with the lengths that arrays may have.
void load_arrays(const ResumeFile& file, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  [[maybe_unused]] volatile std::uint32_t last_code = 0;
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789.";
  for (std::size_t begin = 0; (begin = text.find_first_of(kOfNames, begin)) != text.npos;) {
    const std::size_t end = std::min(text.size(), text.find_first_not_of(kOfNames, begin));
    const std::string name(text.substr(begin, end - begin));
    for (const std::size_t size : {0, 1, 2, 3, 8, 100}) {
      std::vector<float> values(size);
      const mhe::train::NamedArray array = {name, values};
      refused_or([&] {
        file.load({&array, 1});
        for (const std::uint32_t code : file.codes(name, size)) last_code = code;
      });
    }
    begin = end;
  }
}

void use(const std::string& path, std::span<const std::byte> bytes, std::span<const Block> blocks) {
  const ResumeFile file({.path = path, .fingerprint = kFingerprint, .resume = true});
  if (file.state() && file.state()->epochs.size() > bytes.size()) __builtin_trap();
  load_arrays(file, bytes);
  for (const Block& key : blocks) {
    refused_or([&] {
      const auto weights = file.load_block(key.member, key.level, key.block);
      if (weights && weights->masks.size() != weights->features.size()) __builtin_trap();
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = ::memfd_create("resume_file_fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const std::span<const std::byte> given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(given.begin(), given.end());
  const std::vector<Block> blocks = seal(bytes);
  if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0 ||
      ::pwrite(descriptor, bytes.data(), size, 0) != static_cast<ssize_t>(size)) {
    __builtin_trap();
  }
  refused_or([&] { use(path, bytes, blocks); });
  return 0;
}
