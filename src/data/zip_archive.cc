// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "data/zip_archive.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <zip.h>

#include "base/check.h"

namespace mhe::data {

struct ZipArchive::Handle {
  zip_t* zip = nullptr;

  Handle() = default;
  ~Handle() {
    if (zip != nullptr) ::zip_discard(zip);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

namespace {

class MemberSource final : public ByteSource {
 public:
  MemberSource(std::string name, zip_file_t* file, const ByteSource& archive)
      : ByteSource(std::move(name)), file_(file), archive_(archive) {}
  ~MemberSource() override { ::zip_fclose(file_); }

  std::size_t read(std::span<char> out) override {
    const zip_int64_t got = ::zip_fread(file_, out.data(), out.size());
    if (got < 0) {
      fail(ErrorCode::kInvalidData, "{}: the archive is damaged: {}", name(),
           ::zip_file_strerror(file_));
    }
    return static_cast<std::size_t>(got);
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return archive_.consumed(); }
  [[nodiscard]] std::uint64_t total() const noexcept override { return archive_.total(); }

 private:
  zip_file_t* file_;
  const ByteSource& archive_;
};

std::string read_all(ByteSource& source) {
  constexpr std::size_t kFirstBytes = std::size_t{1} << 16;
  std::string bytes(kFirstBytes, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source.read(std::span(bytes).subspan(size))) {
    size += got;
    if (size == bytes.size()) bytes.resize(size * 2);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

ZipArchive::ZipArchive(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), handle_(std::make_unique<Handle>()) {
  zip_error_t error;
  ::zip_error_init(&error);
  const std::string path = source_->random_access_path();
  zip_source_t* zip_source = nullptr;
  if (path.empty()) {
    bytes_ = read_all(*source_);
    zip_source = ::zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
  } else {
    zip_source = ::zip_source_file_create(path.c_str(), 0, -1, &error);
  }
  if (zip_source != nullptr) {
    handle_->zip = ::zip_open_from_source(zip_source, ZIP_RDONLY, &error);
    if (handle_->zip == nullptr) ::zip_source_free(zip_source);
  }
  const std::string reason = ::zip_error_strerror(&error);
  ::zip_error_fini(&error);
  if (handle_->zip == nullptr) {
    fail(ErrorCode::kInvalidData, "{}: expected a NumPy archive (.npz): {}", source_->name(),
         reason);
  }
}

ZipArchive::~ZipArchive() = default;

std::vector<std::string> ZipArchive::members() const {
  std::vector<std::string> names;
  const zip_int64_t count = ::zip_get_num_entries(handle_->zip, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const name = ::zip_get_name(handle_->zip, static_cast<zip_uint64_t>(i), 0);
    if (name != nullptr) names.emplace_back(name);
  }
  return names;
}

bool ZipArchive::has(std::string_view member) const {
  const auto names = members();
  return std::find(names.begin(), names.end(), member) != names.end();
}

std::unique_ptr<ByteSource> ZipArchive::open(const std::string& member) const {
  const std::string name = fmt::format("{}: {}", source_->name(), member);
  zip_file_t* const file = ::zip_fopen(handle_->zip, member.c_str(), 0);
  if (file == nullptr) {
    fail(ErrorCode::kInvalidData, "{}: expected in the archive: {}", name,
         ::zip_strerror(handle_->zip));
  }
  return std::make_unique<MemberSource>(name, file, *source_);
}

}  // namespace mhe::data
