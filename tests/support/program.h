// Runs the program as a user does.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#ifdef TRUNNION_PROGRAM

namespace trunnion::test {

/// Path of the program: the one of this build, or that of an environment variable (with sanitizers, say).
inline std::string program() {
  const char* const other = std::getenv("TRUNNION_PROGRAM");
  return other != nullptr ? other : TRUNNION_PROGRAM;
}

struct Outcome {
  int code = -1;       // exit code; -1: it did not exit
  std::string output;  // its output
  bool printed(const std::string& text) const { return output.find(text) != std::string::npos; }
};

/// Calls the program with these arguments in a folder; `streams`: shell redirections of its output.
inline Outcome call_program(const std::filesystem::path& folder, const std::string& arguments, const std::string& streams = "2>&1") {
  const std::string command = "cd '" + folder.string() + "' && '" + program() + "' " + arguments + " " + streams;
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

}  // namespace trunnion::test

#endif
