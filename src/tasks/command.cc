// Copyright 2026 The mhe Authors
// SPDX-License-Identifier: Apache-2.0
#include "tasks/command.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared

namespace mhe::tasks {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

// 0 or an error number.
int spawn(const Command& command, const posix_spawn_file_actions_t* actions, pid_t& child) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return ::posix_spawnp(&child, arguments[0], actions, nullptr, arguments.data(), environ);
}

class CommandSource final : public data::ByteSource {
 public:
  explicit CommandSource(const Command& command) : ByteSource(command_line(command)) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) fail_io(errno);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = spawn(command, &actions, child_);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    descriptor_ = ends[0];
    if (error == 0) return;
    ::close(descriptor_);
    fail_io(error);
  }
  ~CommandSource() override {
    ::close(descriptor_);
    if (child_ > 0) wait_for(child_);  // the closed pipe ends it
  }
  CommandSource(const CommandSource&) = delete;
  CommandSource& operator=(const CommandSource&) = delete;

  [[nodiscard]] std::size_t read(std::span<char> out) override {
    while (true) {
      const ssize_t got = ::read(descriptor_, out.data(), out.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_io(errno);
      consumed_ += static_cast<std::uint64_t>(got);
      if (got == 0) check_exit();
      return static_cast<std::size_t>(got);
    }
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t total() const noexcept override { return 0; }

 private:
  void check_exit() {
    if (child_ <= 0) return;
    const int code = wait_for(std::exchange(child_, -1));
    if (code != 0) fail(ErrorCode::kIo, "{} failed with exit code {}", name(), code);
  }
  [[noreturn]] void fail_io(int error) const {
    fail(ErrorCode::kIo, "cannot run {}: {}", name(), std::generic_category().message(error));
  }

  int descriptor_ = -1;
  pid_t child_ = -1;
  std::uint64_t consumed_ = 0;
};

}  // namespace

std::unique_ptr<data::ByteSource> open_command(const Command& command) {
  return std::make_unique<CommandSource>(command);
}

int run_command(const Command& command) {
  pid_t child = -1;
  return spawn(command, nullptr, child) == 0 ? wait_for(child) : 127;
}

std::string command_line(const Command& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace mhe::tasks
