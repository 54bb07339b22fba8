// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/context.h>
#include <mhe/error.h>

#include "base/check.h"
#include "model/container.h"
#include "model/model_file_writer.h"
#include "scratch_dir.h"

namespace mhe::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScratchDir;
using ::testing::StartsWith;

// A small model with a tensor of every kind of width, an empty one and strings.
struct Sample {
  std::vector<float> weights = {0.5F, -1.0F, 2.0F, 0.0F, 3.5F, -0.25F};
  std::vector<std::uint16_t> halves = {0x3f80, 0x4000, 0xbf80};
  std::vector<std::int8_t> bytes = {-1, 0, 1};
  std::vector<double> empty;
  Strings names;

  Sample() {
    for (const std::string_view name : {"blue", "", "gr\xc3\xbcn"}) {
      names.push_row({name.data(), name.size()});
    }
  }
  void write(const std::string& path) const {
    ModelFileWriter writer(path);
    writer.set_metadata("options", R"({"epochs": 5, "head": "cascade"})");
    writer.set_metadata("provenance", "a test");
    writer.add_tensor<float>("weights", {2, 3}, weights);
    writer.add_tensor("halves", Dtype::kBF16, {3}, std::as_bytes(std::span(halves)));
    writer.add_tensor<double>("empty", {0, 4}, empty);
    writer.add_tensor<std::int8_t>("bytes", {3}, bytes);
    writer.add_strings("labels", names);
    writer.add_copy<std::uint64_t>("lengths", {}, std::array<std::uint64_t, 1>{42});
    writer.commit();
  }
};

std::string sample_bytes() {
  const ScratchDir dir;
  Sample().write(dir.file("m.mhe"));
  return dir.read("m.mhe");
}

ModelFile parse(std::string_view bytes) {
  return ModelFile(
      SafetensorsFile(MappedFile::in_memory(std::as_bytes(std::span(bytes)), "m.mhe")));
}

std::string refusal_of(std::string_view bytes) {
  try {
    (void)parse(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    EXPECT_THAT(error.what(), StartsWith("m.mhe"));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "accepted";
}

std::uint64_t header_length(std::string_view file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  return length;
}

// The file with `from` replaced in its header, as an attacker would: length and checksum are right.
std::string forged(std::string_view file, std::string_view from, std::string_view to) {
  const std::size_t data_start = kLengthBytes + header_length(file);
  std::string head(file.substr(0, data_start));
  const std::size_t place = head.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  head.replace(place, from.size(), to);
  head.erase(head.find_last_not_of(' ') + 1);
  head.resize((head.size() + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment, ' ');
  const std::uint64_t length = head.size() - kLengthBytes;
  std::memcpy(head.data(), &length, sizeof(length));
  seal_header(std::as_writable_bytes(std::span(head)));
  return head.append(file.substr(data_start));
}

TEST(ModelFile, GivesBackWhatWasWritten) {
  const ScratchDir dir;
  const Sample sample;
  sample.write(dir.file("m.mhe"));
  const ModelFile file = ModelFile::open(dir.file("m.mhe"));
  EXPECT_THAT(file.tensor<float>("weights"), ::testing::ElementsAreArray(sample.weights));
  EXPECT_THAT(file.tensor<std::uint16_t>("halves", {.dtype = Dtype::kBF16}),
              ::testing::ElementsAreArray(sample.halves));
  EXPECT_THAT(file.tensor<std::int8_t>("bytes", {.shape = Shape{3}}), ElementsAre(-1, 0, 1));
  EXPECT_THAT(file.tensor<double>("empty"), IsEmpty());
  EXPECT_THAT(file.tensor<std::uint64_t>("lengths", {.shape = Shape{}}), ElementsAre(42));
  EXPECT_THAT(file.tensor_info("weights").shape, ElementsAre(2, 3));
  const StringsView names = file.strings("labels");
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0], "blue");
  EXPECT_EQ(names[1], "");
  EXPECT_EQ(names[2], "gr\xc3\xbcn");
  EXPECT_EQ(file.metadata("provenance"), "a test");
  EXPECT_EQ(file.metadata("mhe_version"), version());
  EXPECT_EQ(file.format_version(), 1U);
  EXPECT_EQ(file.find_metadata("nothing"), nullptr);
  EXPECT_EQ(file.file_bytes(), std::filesystem::file_size(dir.file("m.mhe")));
}

TEST(ModelFile, ListsTensorsWithoutPadding) {
  const ModelFile file = parse(sample_bytes());
  std::vector<std::string> names;
  for (const TensorInfo& tensor : file.tensors()) names.push_back(tensor.name);
  EXPECT_THAT(names, ElementsAre("weights", "halves", "empty", "bytes", "labels", "labels.offsets",
                                 "lengths"));
  EXPECT_GT(file.padding_bytes(), 0U);
}

TEST(ModelFile, SpansSurviveAMove) {
  ModelFile first = parse(sample_bytes());
  const std::span<const float> weights = first.tensor<float>("weights");
  const ModelFile second = std::move(first);
  EXPECT_EQ(second.tensor<float>("weights").data(), weights.data());
  EXPECT_EQ(weights[0], 0.5F);
}

TEST(ModelFile, TensorsAreAligned) {
  const ModelFile file = parse(sample_bytes());
  for (const TensorInfo& tensor : file.tensors()) {
    if (tensor.num_bytes() > 0) {
      EXPECT_EQ(tensor.begin % 64, 0U) << tensor.name;
    }
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.tensor<float>("weights").data()) % 64, 0U);
}

template <class Action>
std::string reason_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ModelFile, ChecksWhatIsAskedFor) {
  const ModelFile file = parse(sample_bytes());
  EXPECT_THAT(reason_of([&] { (void)file.tensor<float>("missing"); }),
              HasSubstr("m.mhe: there is no tensor \"missing\""));
  EXPECT_THAT(reason_of([&] { (void)file.tensor<double>("weights"); }),
              HasSubstr("has dtype F32; expected F64"));
  EXPECT_THAT(reason_of([&] { (void)file.tensor<std::uint16_t>("halves"); }),
              HasSubstr("has dtype BF16; expected U16"));
  EXPECT_THAT(reason_of([&] {
                (void)file.tensor<float>("weights", {.shape = Shape{3, 2}});
              }),
              HasSubstr("has shape [2, 3]; expected [3, 2]"));
  EXPECT_THAT(reason_of([&] { (void)file.strings("weights"); }), HasSubstr("expected U8"));
  EXPECT_THAT(reason_of([&] { (void)file.metadata("missing"); }), HasSubstr("lack \"missing\""));
}

TEST(ModelFile, ChecksTheOffsetsOfStrings) {
  const auto refusal = [](std::initializer_list<std::uint64_t> offsets) {
    const ScratchDir dir;
    ModelFileWriter writer(dir.file("m"));
    writer.add_copy<char>("s", {4}, std::string_view("abcd"));
    writer.add_copy<std::uint64_t>("s.offsets", {offsets.size()},
                                   std::span(offsets.begin(), offsets.size()));
    writer.commit();
    const ModelFile file = ModelFile::open(dir.file("m"));
    return reason_of([&] { (void)file.strings("s"); });
  };
  EXPECT_EQ(refusal({0, 4}), "nothing");
  EXPECT_EQ(refusal({0, 0, 2, 4}), "nothing");
  EXPECT_THAT(refusal({}), HasSubstr("do not go from 0 to 4"));
  EXPECT_THAT(refusal({0}), HasSubstr("do not go from 0 to 4"));
  EXPECT_THAT(refusal({0, 5}), HasSubstr("do not go from 0 to 4"));
  EXPECT_THAT(refusal({1, 4}), HasSubstr("do not go from 0 to 4"));
  EXPECT_THAT(refusal({0, 3, 2, 4}), HasSubstr("string 1 of \"s\" ends before it begins"));
  EXPECT_THAT(refusal({0, ~std::uint64_t{0}, 4}), HasSubstr("string 1"));
}

// The layout, checked against the text of the specification rather than our own reader.
TEST(ModelFileLayout, FollowsTheSafetensorsSpecification) {
  const std::string file = sample_bytes();
  const std::uint64_t length = header_length(file);
  ASSERT_LT(8 + length, file.size());
  EXPECT_EQ((8 + length) % 64, 0U);
  const std::string header = file.substr(8, length);
  EXPECT_THAT(header, StartsWith(R"({"__metadata__":{"format":"mhe","header_checksum":")"));
  EXPECT_EQ(header.substr(header.find_last_not_of(' ')),
            "}" + std::string(header.size() - header.find_last_not_of(' ') - 1, ' '));
  EXPECT_THAT(header,
              HasSubstr(R"("weights":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})"));
  EXPECT_THAT(header,
              HasSubstr(R"("__pad__.0":{"dtype":"U8","shape":[40],"data_offsets":[24,64]})"));
  EXPECT_THAT(header, HasSubstr(R"("halves":{"dtype":"BF16","shape":[3],"data_offsets":[64,70]})"));
  EXPECT_THAT(header, HasSubstr(R"("empty":{"dtype":"F64","shape":[0,4],"data_offsets":[70,70]})"));
  EXPECT_THAT(header, HasSubstr(R"("lengths":{"dtype":"U64","shape":[],"data_offsets":)"));
  EXPECT_TRUE(parse_checksum(file.substr(59, 16)));  // where docs/model-file.md says it is
  float second = 0;
  std::memcpy(&second, file.data() + 8 + length + sizeof(float), sizeof(float));
  EXPECT_EQ(second, -1.0F);
  EXPECT_EQ(file.substr(8 + length + 24, 40), std::string(40, '\0'));
}

TEST(ModelFileLayout, SameCallsGiveSameBytes) {
  EXPECT_EQ(sample_bytes(), sample_bytes());
}

TEST(ModelFileLayout, HoldsNothing) {
  const ScratchDir dir;
  ModelFileWriter(dir.file("m")).commit();
  const ModelFile file = ModelFile::open(dir.file("m"));
  EXPECT_TRUE(file.tensors().empty());
  file.verify(Context());
}

TEST(ModelFileDamage, IntactFilePasses) {
  const Context context({.threads = 2});
  const ModelFile file = parse(sample_bytes());
  EXPECT_THAT(file.find_damage(context), IsEmpty());
  file.verify(context);
}

TEST(ModelFileDamage, EveryFlippedBitIsRefusedOrFound) {
  const Context context({.threads = 1});
  std::string file = sample_bytes();
  const std::size_t data_start = kLengthBytes + header_length(file);
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char kept = file[i];
      file[i] = static_cast<char>(static_cast<unsigned char>(kept) ^ (1U << bit));
      if (i < data_start) {
        ASSERT_NE(refusal_of(file), "accepted") << "byte " << i << " bit " << bit;
      } else {
        ASSERT_EQ(parse(file).find_damage(context).size(), 1U) << "byte " << i << " bit " << bit;
      }
      file[i] = kept;
    }
  }
}

TEST(ModelFileDamage, EveryTruncationIsRefused) {
  const std::string file = sample_bytes();
  for (std::size_t size = 1; size < file.size(); ++size) {
    ASSERT_NE(refusal_of(file.substr(0, size)), "accepted") << size;
  }
  EXPECT_THAT(refusal_of(file + "x"), HasSubstr("belong to no tensor"));
}

TEST(ModelFileDamage, IsNamed) {
  std::string file = sample_bytes();
  file[kLengthBytes + header_length(file) + 64] ^= 1;
  const Context context;
  EXPECT_THAT(parse(file).find_damage(context), ElementsAre("halves"));
  EXPECT_THAT(reason_of([&] { parse(file).verify(context); }),
              HasSubstr("m.mhe: damaged: tensor \"halves\" does not match its checksum"));
}

TEST(ModelFileForged, ReasonsAreGiven) {
  const std::string file = sample_bytes();
  EXPECT_EQ(refusal_of(forged(file, "a test", "another test")), "accepted");
  EXPECT_THAT(refusal_of(forged(file, R"("format_version":"1")", R"("format_version":"7")")),
              HasSubstr("this file has format version 7; this mhe reads up to 1"));
  for (const char* version : {"0", "-1", "1.0", "", "one", " 1", "99999999999999999999"}) {
    EXPECT_THAT(refusal_of(forged(file, R"("format_version":"1")",
                                  fmt::format(R"("format_version":"{}")", version))),
                HasSubstr("expected a number"))
        << version;
  }
  EXPECT_THAT(refusal_of(forged(file, "mhe_version", "version")),
              HasSubstr("lack \"mhe_version\""));
  EXPECT_THAT(refusal_of(forged(file, "checksums", "checks")), HasSubstr("lack \"checksums\""));
  EXPECT_THAT(refusal_of(forged(file, R"({\"weights\":)", R"({\"weight\":)")),
              HasSubstr("make no sense for \"weight\""));
  EXPECT_THAT(refusal_of(forged(file, R"({\"weights\":\")", R"({\"weights\":\"0)")),
              HasSubstr("make no sense for \"weights\""));
  EXPECT_THAT(refusal_of(forged(file, R"({\"weights\":\")", R"({\"halves\":\")")),
              HasSubstr("name \"halves\" twice"));
  EXPECT_THAT(refusal_of(forged(file, R"("checksums":"{)", R"("checksums":"[)")),
              HasSubstr("no JSON object"));
  EXPECT_THAT(refusal_of(forged(file, R"({\"weights\":\")", R"({\"weights\":1,\"x\":\")")),
              HasSubstr("no JSON object"));
}

TEST(ModelFileForged, LayoutIsChecked) {
  const std::string file = sample_bytes();
  // The bytes of "weights" and its padding, shared out otherwise.
  EXPECT_THAT(
      refusal_of(forged(file, R"("__pad__.0":{"dtype":"U8")", R"("__pad__.0":{"dtype":"I8")")),
      HasSubstr("is no padding"));
  EXPECT_THAT(refusal_of(forged(file, R"("__pad__.0")", R"("pad")")),
              HasSubstr("\"pad\" begins at byte 24 of the data, which is no multiple of 64"));
  EXPECT_THAT(refusal_of(forged(file, R"("weights":{"dtype":"F32","shape":[2,3])",
                                R"("weights":{"dtype":"F32","shape":[2,4])")),
              HasSubstr("has 24 bytes; its dtype and shape need 32"));
  EXPECT_THAT(refusal_of(forged(file, R"("bytes":{)", R"("halves":{)")), HasSubstr("twice"));
  EXPECT_THAT(refusal_of(forged(file, "[0,24]", "[0,64]")), HasSubstr("has 64 bytes"));
}

TEST(ModelFileForged, ANewTensorNeedsAChecksum) {
  const std::string file = sample_bytes();
  EXPECT_THAT(
      refusal_of(forged(file, R"(,"weights":{)",
                        R"(,"new":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"weights":{)")),
      HasSubstr("tensor \"new\" has no checksum"));
}

std::string plain_safetensors(std::string_view header) {
  std::string file(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, sizeof(length));
  return file.append(header);
}

TEST(ModelFileForged, OtherPeoplesFilesAreRefused) {
  EXPECT_THAT(refusal_of(plain_safetensors("{}")), HasSubstr("not an mhe model"));
  EXPECT_THAT(refusal_of(plain_safetensors(R"({"__metadata__":{"format":"pt"}})")),
              HasSubstr("not an mhe model"));
  EXPECT_THAT(refusal_of(plain_safetensors(R"({"__metadata__":{"format":"mhe"}})")),
              HasSubstr("lack \"format_version\""));
  EXPECT_THAT(
      refusal_of(plain_safetensors(R"({"__metadata__":{"format":"mhe","format_version":"1"}})")),
      HasSubstr("did another program save it?"));
  EXPECT_THAT(
      refusal_of(plain_safetensors(R"({"__metadata__":{"format":"mhe","format_version":"12"}})")),
      HasSubstr("format version 12"));
}

TEST(ModelFileWriter, RefusesWhatItCannotWrite) {
  const ScratchDir dir;
  ModelFileWriter writer(dir.file("m"));
  const std::array<float, 2> values = {1, 2};
  writer.add_tensor<float>("a", {2}, values);
  EXPECT_THAT(reason_of([&] { writer.add_tensor<float>("a", {2}, values); }), HasSubstr("already"));
  EXPECT_THAT(reason_of([&] { writer.add_tensor<float>("b", {3}, values); }),
              HasSubstr("given 8 bytes; its dtype and shape need 12"));
  EXPECT_THAT(reason_of([&] { writer.add_tensor<float>("__b", {2}, values); }),
              HasSubstr("reserved"));
  EXPECT_THAT(reason_of([&] { writer.add_tensor<float>("", {2}, values); }), HasSubstr("reserved"));
  for (const char* key :
       {"format", "format_version", "mhe_version", "checksums", "header_checksum"}) {
    EXPECT_THAT(reason_of([&] { writer.set_metadata(key, "x"); }), HasSubstr("itself")) << key;
  }
  writer.commit();
  EXPECT_THAT(reason_of([&] { writer.commit(); }), HasSubstr("already"));
}

TEST(ModelFileWriter, LeavesNothingIfItFails) {
  const ScratchDir dir;
  {
    ModelFileWriter writer(dir.file("m"));
    writer.set_metadata("key", "\xff no UTF-8");
    EXPECT_THAT(reason_of([&] { writer.commit(); }), HasSubstr("UTF-8"));
  }
  EXPECT_EQ(dir.num_entries(), 0U);
  EXPECT_THROW(ModelFileWriter(dir.file("missing/m")), Error);
}

TEST(ModelFileWriter, EscapesNamesAndText) {
  const ScratchDir dir;
  ModelFileWriter writer(dir.file("m"));
  const std::string odd = "quote \" backslash \\ newline \n tab \t \xe2\x82\xac";
  writer.set_metadata(odd, odd);
  writer.add_copy<float>(odd, {1}, std::array<float, 1>{7});
  writer.commit();
  const ModelFile file = ModelFile::open(dir.file("m"));
  EXPECT_EQ(file.metadata(odd), odd);
  EXPECT_THAT(file.tensor<float>(odd), ElementsAre(7));
  file.verify(Context());
}

// Files of every released version stay readable; see tests/compat/README.md.
TEST(ModelFileCompat, Version1Opens) {
  const ModelFile file = ModelFile::open(std::string(MHE_TESTS_DIR) + "/compat/container-v1.mhe");
  file.verify(Context());
  const Sample sample;
  EXPECT_EQ(file.format_version(), 1U);
  EXPECT_EQ(file.metadata("mhe_version"), "0.1.0");
  EXPECT_EQ(file.metadata("options"), R"({"epochs": 5, "head": "cascade"})");
  EXPECT_THAT(file.tensor<float>("weights", {.shape = Shape{2, 3}}),
              ::testing::ElementsAreArray(sample.weights));
  EXPECT_THAT(file.tensor<std::uint16_t>("halves", {.dtype = Dtype::kBF16}),
              ::testing::ElementsAreArray(sample.halves));
  EXPECT_EQ(file.strings("labels")[2], "gr\xc3\xbcn");
  EXPECT_EQ(file.tensors().size(), 7U);
}

// Wrote the file above; run by hand, once per format version.
TEST(ModelFileCompat, DISABLED_WritesTheFileOfThisVersion) {
  const char* path = std::getenv("MHE_COMPAT_OUT");  // NOLINT(concurrency-mt-unsafe)
  ASSERT_NE(path, nullptr) << "set MHE_COMPAT_OUT to where it shall be written";
  Sample().write(path);
}

}  // namespace
}  // namespace mhe::model
