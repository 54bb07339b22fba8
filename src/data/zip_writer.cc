// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/zip_writer.h"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

namespace mhe::data {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoDate = 0x00210000;  // 1980-01-01 00:00, the first day ZIP can name

// Appends the low `bytes` bytes of a number, least significant first.
void put(std::uint64_t number, int bytes, std::string& out) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xFF);
}

// The value for a 32-bit field: all ones if the real one stands in a ZIP64 record.
std::uint64_t field32(std::uint64_t value) {
  return value < kMax32 ? value : kMax32;
}

int version_for(bool zip64) {
  return zip64 ? 45 : 20;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  sink_.write(bytes);
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const Content& content) {
  Member member{name, 0, 0, written_};
  uLong checksum = ::crc32(0, nullptr, 0);
  content([&](std::string_view piece) {
    checksum = ::crc32_z(checksum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    member.size += piece.size();
  });
  member.checksum = static_cast<std::uint32_t>(checksum);
  const bool zip64 = member.size >= kMax32;
  std::string header = "PK\x03\x04";
  put(version_for(zip64), 2, header);
  put(0, 4, header);  // no flags, stored
  put(kNoDate, 4, header);
  put(member.checksum, 4, header);
  put(field32(member.size), 4, header);
  put(field32(member.size), 4, header);
  put(name.size(), 2, header);
  put(zip64 ? 20 : 0, 2, header);
  header += name;
  if (zip64) {
    put(1, 2, header);
    put(16, 2, header);
    put(member.size, 8, header);
    put(member.size, 8, header);
  }
  write(header);
  content([this](std::string_view piece) { write(piece); });
  members_.push_back(member);
}

void ZipWriter::finish() {
  const std::uint64_t directory_offset = written_;
  for (const Member& member : members_) {
    const bool zip64 = member.size >= kMax32 || member.offset >= kMax32;
    std::string entry = "PK\x01\x02";
    put(version_for(zip64), 2, entry);
    put(version_for(zip64), 2, entry);
    put(0, 4, entry);
    put(kNoDate, 4, entry);
    put(member.checksum, 4, entry);
    put(zip64 ? kMax32 : member.size, 4, entry);
    put(zip64 ? kMax32 : member.size, 4, entry);
    put(member.name.size(), 2, entry);
    put(zip64 ? 28 : 0, 2, entry);
    put(0, 2, entry);  // no comment
    put(0, 2, entry);  // first disk
    put(0, 6, entry);  // no attributes
    put(zip64 ? kMax32 : member.offset, 4, entry);
    entry += member.name;
    if (zip64) {
      put(1, 2, entry);
      put(24, 2, entry);
      put(member.size, 8, entry);
      put(member.size, 8, entry);
      put(member.offset, 8, entry);
    }
    write(entry);
  }
  const std::uint64_t directory_size = written_ - directory_offset;
  std::string end;
  if (directory_offset >= kMax32) {
    const std::uint64_t record_offset = written_;
    end += "PK\x06\x06";
    put(44, 8, end);  // bytes that follow in this record
    put(45, 2, end);
    put(45, 2, end);
    put(0, 8, end);  // disks
    put(members_.size(), 8, end);
    put(members_.size(), 8, end);
    put(directory_size, 8, end);
    put(directory_offset, 8, end);
    end += "PK\x06\x07";
    put(0, 4, end);
    put(record_offset, 8, end);
    put(1, 4, end);
  }
  end += "PK\x05\x06";
  put(0, 4, end);
  put(members_.size(), 2, end);
  put(members_.size(), 2, end);
  put(directory_size, 4, end);
  put(field32(directory_offset), 4, end);
  put(0, 2, end);
  write(end);
}

std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape) {
  // A tuple of one needs its comma: (5,).
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kAlignment = 64;  // of the data, so that it can be mapped
  constexpr std::size_t kPrefix = 10;     // magic, version, length
  const std::size_t unpadded = kPrefix + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  put(dictionary.size(), 2, header);
  return header + dictionary;
}

}  // namespace mhe::data
