// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/npz_writer.h"

#include <cstring>
#include <limits>
#include <vector>

#include "data/zip_writer.h"

namespace mhe::data {
namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// Visits the spooled numbers as another integer type.
template <class From, class To>
void replay_as(SpoolFile& spool, const std::function<void(std::string_view)>& visit) {
  std::string rest;  // a number may lie across two pieces
  std::vector<To> converted;
  spool.replay([&](std::string_view piece) {
    rest += piece;
    converted.clear();
    std::size_t at = 0;
    for (; at + sizeof(From) <= rest.size(); at += sizeof(From)) {
      From value;
      std::memcpy(&value, rest.data() + at, sizeof(From));
      converted.push_back(static_cast<To>(value));
    }
    rest.erase(0, at);
    visit({reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(To)});
  });
}

}  // namespace

CsrFile::CsrFile(const std::string& path, std::size_t threads)
    : sink_(open_sink(path, threads)), starts_(path), columns_(path), values_(path) {
  starts_.write(bytes_of(std::uint64_t{0}));
}

void CsrFile::add_row(const SparseRow& row) {
  columns_.write({reinterpret_cast<const char*>(row.columns.data()), row.columns.size_bytes()});
  values_.write({reinterpret_cast<const char*>(row.values.data()), row.values.size_bytes()});
  entries_ += row.size();
  starts_.write(bytes_of(entries_));
  ++rows_;
}

void CsrFile::finish(std::uint64_t num_columns) {
  using Visit = std::function<void(std::string_view)>;
  constexpr std::uint64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
  const bool narrow = entries_ <= kMaxInt32 && num_columns <= kMaxInt32;  // as scipy decides
  const std::string_view integer = narrow ? "<i4" : "<i8";
  ZipWriter zip(*sink_);
  zip.add("indices.npy", [&](const Visit& visit) {
    visit(npy_header(integer, {entries_}));
    if (narrow) {
      columns_.replay(visit);
    } else {
      replay_as<std::uint32_t, std::int64_t>(columns_, visit);
    }
  });
  zip.add("indptr.npy", [&](const Visit& visit) {
    visit(npy_header(integer, {rows_ + 1}));
    if (narrow) {
      replay_as<std::uint64_t, std::int32_t>(starts_, visit);
    } else {
      starts_.replay(visit);
    }
  });
  zip.add("format.npy", [&](const Visit& visit) {
    visit(npy_header("|S3", {}));
    visit("csr");
  });
  zip.add("shape.npy", [&](const Visit& visit) {
    visit(npy_header("<i8", {2}));
    visit(bytes_of(rows_));
    visit(bytes_of(num_columns));
  });
  zip.add("data.npy", [&](const Visit& visit) {
    visit(npy_header("<f4", {entries_}));
    values_.replay(visit);
  });
  zip.finish();
  sink_->finish();
}

}  // namespace mhe::data
