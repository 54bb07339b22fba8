// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "flags/config_file.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flags/usage_error.h"
#include "scratch_dir.h"

namespace mhe::app {
namespace {

// A verb with a flag of each kind.
struct TestVerb {
  CLI::App command{"test"};
  std::string data;
  std::vector<std::string> columns;
  std::size_t leaf = 3;
  double share = 0.5;
  std::string name;
  bool fast = false;
  std::string config;
  bool dump = false;

  explicit TestVerb(const std::string& line) {
    command.add_option("DATA", data);
    command.add_option("--columns", columns)->delimiter(',');
    command.add_option("--leaf", leaf)->capture_default_str();
    command.add_option("--share", share)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    command.add_option("-n,--name", name);
    command.add_flag("--fast,!--no-fast", fast);
    add_config_flags(command, config, dump);
    command.parse(line);
  }
};

class ConfigFile : public ::testing::Test {
 protected:
  std::string complaint(const std::string& json) {
    TestVerb verb("");
    try {
      apply_config(verb.command, dir_.write("c.json", json));
    } catch (const UsageError& error) {
      const std::string told = error.what();
      return told.substr(told.find("c.json"));
    }
    return "";
  }
  testing::ScratchDir dir_;
};

TEST_F(ConfigFile, HasEveryFlagWithItsValueOrDefault) {
  const TestVerb verb("in.txt --columns a,b --share 0.25 --fast");
  EXPECT_EQ(
      dump_config(verb.command, {}).dump(),
      R"({"data":"in.txt","columns":["a","b"],"leaf":3,"share":0.25,"name":null,"fast":true})");
  EXPECT_EQ(dump_config(verb.command, {{"leaf", 9}}).at("leaf"), 9);
}

TEST_F(ConfigFile, GivesWhatTheCommandLineDoesNot) {
  const TestVerb first("in.txt --columns a,b --leaf 7 --name 2021 --fast");
  const std::string path = dir_.write("c.json", dump_config(first.command, {}).dump());
  TestVerb second("--leaf 8");
  apply_config(second.command, path);
  EXPECT_EQ(second.data, "in.txt");
  EXPECT_EQ(second.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(second.leaf, 8U);
  EXPECT_EQ(second.name, "2021");
  EXPECT_TRUE(second.fast);
  EXPECT_EQ(second.command.count("--columns"), 2U) << "counts as given";
  TestVerb off("");
  apply_config(off.command, dir_.write("c.json", R"({"fast": false, "name": null})"));
  EXPECT_FALSE(off.fast);
  EXPECT_EQ(off.command.count("--name"), 0U) << "null is not given";
}

TEST_F(ConfigFile, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(R"({"leef": 3})"), "c.json: unknown key \"leef\"; did you mean \"leaf\"?");
  EXPECT_EQ(complaint(R"({"config": "x"})"), "c.json: unknown key \"config\"");
  EXPECT_EQ(complaint(R"({"": "x"})"), "c.json: unknown key \"\"");
  EXPECT_EQ(complaint("[1]"), "c.json: expected a JSON object of flags");
  EXPECT_EQ(complaint("{\"leaf\": 3"),
            "c.json: expected a JSON object of flags; no JSON at byte 11");
  EXPECT_EQ(complaint(R"({"fast": 3})"), "c.json: \"fast\": expected true or false, found 3");
  EXPECT_EQ(complaint(R"({"leaf": [3]})"),
            "c.json: \"leaf\": expected a number, a text, true or false, found [3]");
  EXPECT_NE(complaint(R"({"leaf": "many"})").find("c.json: \"leaf\": "), std::string::npos);
  EXPECT_NE(complaint(R"({"share": 2})").find("c.json: \"share\": "), std::string::npos);
  TestVerb verb("");
  EXPECT_THROW(apply_config(verb.command, dir_.file("missing.json")), std::exception);
}

}  // namespace
}  // namespace mhe::app
