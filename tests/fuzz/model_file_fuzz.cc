// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens whatever bytes it is given as a model file and uses everything in it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <mhe/context.h>
#include <mhe/error.h>

#include "model/container.h"
#include "model/model_file.h"

namespace mhe::model {
namespace {

template <class T>
void read_tensor(const ModelFile& file, const TensorInfo& tensor) {
  try {
    const auto values = file.tensor<T>(tensor.name, {.shape = tensor.shape});
    volatile T last = T();
    for (const T value : values) last = value;
    (void)last;
  } catch (const Error&) {  // another type
  }
}

void read_strings(const ModelFile& file, const TensorInfo& tensor) {
  try {
    const StringsView strings = file.strings(tensor.name);
    std::size_t total = 0;
    for (std::size_t row = 0; row < strings.size(); ++row) {
      total += std::string(strings[row]).size();
    }
    if (total != strings.characters().size()) __builtin_trap();
  } catch (const Error&) {  // no strings
  }
}

void use_everything(std::span<const std::byte> bytes) {
  static const Context context({.threads = 1});
  try {
    const ModelFile file(SafetensorsFile(MappedFile::in_memory(bytes, "fuzz")));
    for (const TensorInfo& tensor : file.tensors()) {
      read_tensor<std::uint8_t>(file, tensor);
      read_tensor<std::int8_t>(file, tensor);
      read_tensor<std::uint16_t>(file, tensor);
      read_tensor<std::int32_t>(file, tensor);
      read_tensor<std::uint32_t>(file, tensor);
      read_tensor<float>(file, tensor);
      read_tensor<std::int64_t>(file, tensor);
      read_tensor<std::uint64_t>(file, tensor);
      read_tensor<double>(file, tensor);
      read_strings(file, tensor);
    }
    (void)file.metadata("options");
    file.verify(context);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal) throw;
  }
}

// Nobody guesses a checksum: with the right one in its place, what lies behind it is reached too.
// A length beyond the end is made to fit as well.
void use_sealed(std::vector<std::byte> bytes) {
  constexpr std::size_t kStart = kLengthBytes + kHeaderStart.size();
  if (bytes.size() < kStart + kChecksumDigits) return;
  std::memcpy(bytes.data() + kLengthBytes, kHeaderStart.data(), kHeaderStart.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > bytes.size() - kLengthBytes) {
    length = bytes.size() / kTensorAlignment * kTensorAlignment;
    if (length < kStart + kChecksumDigits) return;
    length -= kLengthBytes;
    std::memcpy(bytes.data(), &length, sizeof(length));
  }
  if (kLengthBytes + length < kStart + kChecksumDigits) return;
  seal_header(std::span(bytes).first(kLengthBytes + length));
  use_everything(bytes);
}

}  // namespace
}  // namespace mhe::model

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  mhe::model::use_everything(bytes);
  mhe::model::use_sealed({bytes.begin(), bytes.end()});
  return 0;
}
