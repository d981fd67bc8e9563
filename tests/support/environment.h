// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "support/temporary_folder.h"

namespace trunnion::test {

/// Sets a variable of the environment for a time.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Writes into KEY.model of compiled code that the library KEY.so, which was replaced, belongs to it.
inline void sign_library(const std::filesystem::path& library) {
  const std::filesystem::path model = std::filesystem::path(library).replace_extension(".model");
  std::string text = text_of(model);
  text.erase(text.rfind("library "));
  std::ofstream(model, std::ios::binary) << text << fmt::format("library {:x}\n", std::hash<std::string>()(text_of(library)));
}

/// Tests with a folder and a cache of compiled code of their own.
class WithCache : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    cache_.emplace("XDG_CACHE_HOME", folder_.string());
  }

 private:
  std::optional<Environment> cache_;
};

}  // namespace trunnion::test
