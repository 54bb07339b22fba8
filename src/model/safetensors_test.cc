// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/safetensors.h"

#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mhe/error.h>

namespace mhe::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string with_length(std::uint64_t length, std::string_view rest) {
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes.append(rest);
}

std::string file_of(std::string_view header, std::string_view data) {
  return with_length(header.size(), std::string(header).append(data));
}

SafetensorsFile parse(std::string_view bytes) {
  return SafetensorsFile(MappedFile::in_memory(std::as_bytes(std::span(bytes)), "x"));
}

std::string refusal_of(std::string_view bytes) {
  try {
    (void)parse(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidData);
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "accepted";
}

// One tensor "a" of four bytes whose fields are as given.
std::string refusal_of_tensor(std::string_view fields) {
  return refusal_of(file_of(fmt::format(R"({{"a":{{{}}}}})", fields), "1234"));
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirData) {
  const SafetensorsFile file =
      parse(file_of(R"({"b":{"dtype":"U8","shape":[2,1],"data_offsets":[4,6]},)"
                    R"( "a\u00e9":{"shape":[],"dtype":"F32","data_offsets":[0,4]},)"
                    R"("none":{"dtype":"I64","shape":[3,0],"data_offsets":[4,4]},)"
                    R"("__metadata__":{"format":"pt"}}   )",
                    "1234xy"));
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors()[0].name, "a\xc3\xa9");
  EXPECT_EQ(file.tensors()[0].dtype, Dtype::kF32);
  EXPECT_TRUE(file.tensors()[0].shape.empty());
  EXPECT_EQ(file.tensors()[1].name, "none");
  EXPECT_EQ(file.tensors()[2].name, "b");
  EXPECT_THAT(file.tensors()[2].shape, ElementsAre(2, 1));
  EXPECT_EQ(file.bytes_of(file.tensors()[2])[1], std::byte{'y'});
  EXPECT_EQ(file.find("b"), &file.tensors()[2]);
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.metadata().at("format"), "pt");
}

TEST(Safetensors, ReadsAFileWithoutTensors) {
  EXPECT_TRUE(parse(file_of("{}", "")).tensors().empty());
  EXPECT_TRUE(parse(file_of(R"({"__metadata__":{}}      )", "")).metadata().empty());
}

TEST(Safetensors, KnowsTheSizeOfEveryDtype) {
  for (const auto& [name, size] : std::vector<std::pair<std::string, std::size_t>>{{"BOOL", 1},
                                                                                   {"U8", 1},
                                                                                   {"I8", 1},
                                                                                   {"F8_E4M3", 1},
                                                                                   {"F8_E5M2", 1},
                                                                                   {"F8_E8M0", 1},
                                                                                   {"I16", 2},
                                                                                   {"U16", 2},
                                                                                   {"F16", 2},
                                                                                   {"BF16", 2},
                                                                                   {"I32", 4},
                                                                                   {"U32", 4},
                                                                                   {"F32", 4},
                                                                                   {"F64", 8},
                                                                                   {"I64", 8},
                                                                                   {"U64", 8},
                                                                                   {"C64", 8}}) {
    const SafetensorsFile file = parse(file_of(
        fmt::format(R"({{"a":{{"dtype":"{}","shape":[1],"data_offsets":[0,{}]}}}})", name, size),
        std::string(size, 'x')));
    EXPECT_EQ(name_of(file.tensors()[0].dtype), name);
  }
}

TEST(Safetensors, RefusesWhatIsNoSafetensorsFile) {
  EXPECT_THAT(refusal_of("short"), HasSubstr("too few"));
  EXPECT_THAT(refusal_of(with_length(2, "")), HasSubstr("too few"));
  EXPECT_THAT(refusal_of("A text that is no model at all\n"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal_of(with_length(3, " {}")), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal_of(with_length(100'000'001, "{}")), HasSubstr("at most 100000000"));
  EXPECT_THAT(refusal_of(with_length(~std::uint64_t{0}, "{}")), HasSubstr("at most"));
  EXPECT_THAT(refusal_of(with_length(3, "{}")), HasSubstr("ends early"));
  EXPECT_THAT(refusal_of(with_length(0, "{}")), HasSubstr("header"));
}

TEST(Safetensors, RefusesBrokenJson) {
  for (const char* header : {"{",
                             "{}}",
                             "{} {}",
                             "{}x",
                             "{]",
                             R"({"a")",
                             R"({"a":)",
                             R"({"a":1})",
                             R"({"a":[]})",
                             R"({"a":null})",
                             R"({"a":{}})",
                             R"({"a":{},})",
                             "{,}",
                             R"({a:{}})",
                             R"({"__metadata__":[]})",
                             R"({"__metadata__":{"a":1}})",
                             R"({"__metadata__":{"a":{}}})",
                             R"({"__metadata__":null})",
                             R"({"__metadata__":{"a":"\ud800"}})",
                             "{\"__metadata__\":{\"a\":\"\xff\"}}",
                             "{\"__metadata__\":{\"a\":\"\n\"}}",
                             "{\"__metadata__\":{\"a\":\"b\"}\0\0}"}) {
    EXPECT_THAT(refusal_of(file_of(header, "")), HasSubstr("x: ")) << header;
  }
  EXPECT_THAT(refusal_of(file_of(std::string_view("{}\0\0\0\0\0\0", 8), "")), HasSubstr("x: "));
  EXPECT_THAT(refusal_of(file_of("{\"a\":" + std::string(100000, '['), "")), HasSubstr("x: "));
}

TEST(Safetensors, RefusesBrokenTensorFields) {
  constexpr const char* kGood = R"("dtype":"U8","shape":[4],"data_offsets":[0,4])";
  EXPECT_EQ(refusal_of_tensor(kGood), "accepted");
  EXPECT_THAT(refusal_of_tensor(R"("dtype":"U8","shape":[4])"), HasSubstr("lacks one of"));
  EXPECT_THAT(refusal_of_tensor(R"("dtype":"U8","data_offsets":[0,4])"), HasSubstr("lacks"));
  EXPECT_THAT(refusal_of_tensor(std::string(kGood) + R"(,"more":1)"), HasSubstr("unknown field"));
  EXPECT_THAT(refusal_of_tensor(std::string(kGood) + R"(,"dtype":"U8")"), HasSubstr("twice"));
  EXPECT_THAT(refusal_of_tensor(R"("dtype":"U7","shape":[4],"data_offsets":[0,4])"),
              HasSubstr("unknown dtype \"U7\""));
  for (const char* shape : {"4", "[-4]", "[4.0]", "[4e0]", "[\"4\"]", "[[4]]", "[04]", "[4,]",
                            "[18446744073709551616]", "null", "[null]"}) {
    EXPECT_THAT(
        refusal_of_tensor(fmt::format(R"("dtype":"U8","shape":{},"data_offsets":[0,4])", shape)),
        HasSubstr("at \"a\""))
        << shape;
  }
  for (const char* offsets : {"[0]", "[0,4,4]", "[]"}) {
    EXPECT_THAT(
        refusal_of_tensor(fmt::format(R"("dtype":"U8","shape":[4],"data_offsets":{})", offsets)),
        HasSubstr("expected 2"))
        << offsets;
  }
}

TEST(Safetensors, RefusesSizesThatDoNotFit) {
  EXPECT_THAT(refusal_of_tensor(R"("dtype":"U8","shape":[3],"data_offsets":[0,4])"),
              HasSubstr("has 4 bytes; its dtype and shape need 3"));
  EXPECT_THAT(refusal_of_tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"),
              HasSubstr("need 8"));
  EXPECT_THAT(
      refusal_of_tensor(R"("dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4])"),
      HasSubstr("too large to count"));
  EXPECT_THAT(
      refusal_of_tensor(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,4])"),
      HasSubstr("too large to count"));
}

std::string refusal_of_ranges(std::string_view a, std::string_view b) {
  const auto size = [](std::string_view range) {
    const std::size_t comma = range.find(',');
    return std::stoll(std::string(range.substr(comma + 1))) -
           std::stoll(std::string(range.substr(0, comma)));
  };
  return refusal_of(
      file_of(fmt::format(R"({{"a":{{"dtype":"U8","shape":[{}],"data_offsets":[{}]}},)"
                          R"("b":{{"dtype":"U8","shape":[{}],"data_offsets":[{}]}}}})",
                          std::max(0LL, size(a)), a, std::max(0LL, size(b)), b),
              "12345678"));
}

TEST(Safetensors, RefusesOverlapsHolesAndOffsetsOutside) {
  EXPECT_EQ(refusal_of_ranges("0,4", "4,8"), "accepted");
  EXPECT_EQ(refusal_of_ranges("4,8", "0,4"), "accepted");
  EXPECT_THAT(refusal_of_ranges("0,5", "4,8"), HasSubstr("inside the one before"));
  EXPECT_THAT(refusal_of_ranges("0,8", "0,8"), HasSubstr("inside the one before"));
  EXPECT_THAT(refusal_of_ranges("0,3", "4,8"), HasSubstr("bytes 3 to 4 of the data"));
  EXPECT_THAT(refusal_of_ranges("1,4", "4,8"), HasSubstr("belong to no tensor"));
  EXPECT_THAT(refusal_of_ranges("0,4", "4,7"), HasSubstr("1 bytes after the last tensor"));
  EXPECT_THAT(refusal_of_ranges("0,4", "4,9"), HasSubstr("ends early"));
  EXPECT_THAT(refusal_of_ranges("0,4", "8,4"), HasSubstr("before it begins"));
}

TEST(Safetensors, RefusesNamesThatAppearTwice) {
  constexpr const char* kTensor = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_THAT(refusal_of(file_of(fmt::format("{{{},{}}}", kTensor, kTensor), "")),
              HasSubstr("tensor \"a\" appears twice"));
  EXPECT_THAT(refusal_of(file_of(R"({"__metadata__":{},"__metadata__":{}})", "")),
              HasSubstr("appears twice"));
  EXPECT_THAT(refusal_of(file_of(R"({"__metadata__":{"k":"1","k":"2"}})", "")),
              HasSubstr("has \"k\" twice"));
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f", 100), "a\\x1b[2Jb\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b\xc3\xa9", 100), "\\x9b\xc3\xa9");
  EXPECT_EQ(printable("na\xc3\xafve", 3), "na...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(in_quotes("a b"), "\"a b\"");
}

}  // namespace
}  // namespace mhe::model
