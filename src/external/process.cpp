// Other programs.
// SPDX-License-Identifier: BSD-3-Clause
#include "external/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace trunnion {

ProcessResult run_process(const std::string& folder, std::vector<std::string> words) {
  ProcessResult result;
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    result.error = errno;
    return result;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;  // default handling in the other program of signals that this one ignores
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  result.error = posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (result.error == 0) {
    std::array<char, 512> buffer{};
    for (ssize_t n = 0; (n = read(pipe_ends[0], buffer.data(), buffer.size())) != 0;) {
      if (n > 0)
        result.text.append(buffer.data(), static_cast<std::size_t>(n));
      else if (errno != EINTR)
        break;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  close(pipe_ends[0]);
  return result;
}

}  // namespace trunnion
