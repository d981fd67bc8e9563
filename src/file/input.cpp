// Reading files from outside: limits, kinds of file, UTF-8.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "base/units.h"
#include "file/model_file.h"
#include "schema/tree.h"

namespace trunnion {

namespace {

constexpr std::array<std::pair<const char*, double InputLimits::*>, 5> kLimits{{{"input_size", &InputLimits::input_size},
                                                                                {"includes", &InputLimits::includes},
                                                                                {"values", &InputLimits::values},
                                                                                {"text_size", &InputLimits::text_size},
                                                                                {"parts", &InputLimits::parts}}};

/// A limit as written in messages: 4000000, not 4e+06.
std::string count_text(double count) {
  constexpr double kExact = 1e15;
  return count < kExact ? std::to_string(static_cast<long long>(count)) : number_text(count);
}

std::string option(const char* name) { return std::string("`--set limits.") + name + "=NUMBER` allows more"; }

/// Adds to a count; throws above the limit.
void add(std::size_t& count, std::size_t more, double limit, const char* name, const char* what, const InputPlace& at) {
  count += more;
  if (static_cast<double>(count) <= limit) return;
  throw InputError({Diagnostic{
      {at.file, at.line, at.column}, at.path, std::string(what) + " exceed the limit of " + count_text(limit), "", option(name)}});
}

/// An owned file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int id) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int id() const { return id_; }

 private:
  int id_;
};

}  // namespace

InputLimits limits_of(const std::vector<Override>& overrides) {
  InputLimits limits;
  for (const Override& setting : overrides) {
    if (!setting.path.starts_with(kLimitsPrefix)) continue;
    const std::string name = setting.path.substr(std::strlen(kLimitsPrefix));
    const auto limit = std::find_if(kLimits.begin(), kLimits.end(), [&](const auto& l) { return l.first == name; });
    std::vector<std::string> names;
    names.reserve(kLimits.size());
    for (const auto& l : kLimits) names.emplace_back(l.first);
    const auto refuse = [&](const std::string& found, const std::string& expected) {
      throw InputError({Diagnostic{{"--set", 0, 0}, setting.path, found, expected, ""}});
    };
    if (limit == kLimits.end()) {
      std::string all;
      for (const std::string& known : names) all += (all.empty() ? "`" : ", `") + known + "`";
      refuse("there is no such limit", "one of " + all);
    }
    const QuantityText read = read_quantity(setting.value);
    if (!read.quantity || read.quantity->has_unit || !(read.quantity->value > 0))
      refuse("found `" + setting.value + "`", "a number greater than 0");
    limits.*limit->second = read.quantity->value;
  }
  return limits;
}

void InputBudget::add_input(std::size_t bytes, const InputPlace& at) {
  add(input_, bytes, limits_.input_size, "input_size", "the bytes of the model and the files it includes", at);
}
void InputBudget::add_include(const InputPlace& at) { add(includes_, 1, limits_.includes, "includes", "the included files", at); }
void InputBudget::add_values(std::size_t count, const InputPlace& at) {
  add(values_, count, limits_.values, "values", "the values of the model", at);
}
void InputBudget::add_text(std::size_t bytes, const InputPlace& at) {
  add(text_, bytes, limits_.text_size, "text_size", "the bytes of texts inserted by $(...) and by parts", at);
}
void InputBudget::add_part(const InputPlace& at) { add(parts_, 1, limits_.parts, "parts", "the parts of the model", at); }

void InputBudget::add_copy(const FileTree& tree, const InputPlace& at) {
  add_values(1, at);
  add_text(tree.text.size(), at);
  for (const FileTree& item : tree.items) add_copy(item, at);
  for (const FileTree::Entry& entry : tree.entries) {
    add_text(entry.key.size(), at);
    add_copy(entry.value, at);
  }
}

std::string file_text(const std::string& path, const std::string& what, double limit, const std::string& option) {
  const auto refuse = [&](const std::string& found, const std::string& hint = "") {
    throw InputError({Diagnostic{{path, 0, 0}, "", found, "", hint}});
  };
  const std::string unreadable = "the " + what + " cannot be read";
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe without a writer must not block
  if (file.id() < 0) refuse(unreadable + (errno == ENOENT ? "" : std::string(": ") + std::strerror(errno)));
  struct stat status {};
  if (fstat(file.id(), &status) != 0) refuse(unreadable + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(unreadable + ": it is a folder");
  if (!S_ISREG(status.st_mode)) refuse(unreadable + ": it is not a regular file");
  const auto check_size = [&](std::size_t size) {
    if (limit > 0 && static_cast<double>(size) > limit)
      refuse("the " + what + " has more than " + count_text(limit) + " bytes, the limit", "`" + option + "` allows more");
  };
  check_size(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)));
  std::string text;
  text.reserve(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)));
  std::array<char, 1 << 16> buffer{};
  for (ssize_t n = 0; (n = read(file.id(), buffer.data(), buffer.size())) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(unreadable + ": " + std::strerror(errno));
    text.append(buffer.data(), static_cast<std::size_t>(n));
    check_size(text.size());  // it may have grown, and some system files have no size
  }
  return text;
}

void check_text(const std::string& text, const std::string& file) {
  const std::size_t control = find_control_character(text), wrong = std::min(find_invalid_utf8(text), control);
  if (wrong == std::string::npos) return;
  const auto begin = text.begin(), at = begin + static_cast<std::ptrdiff_t>(wrong);
  const auto line = std::count(begin, at, '\n');
  const std::size_t line_begin = wrong == 0 ? std::string::npos : text.rfind('\n', wrong - 1);
  const std::size_t column = line_begin == std::string::npos ? wrong : wrong - line_begin - 1;
  throw InputError({Diagnostic{{file, static_cast<int>(line) + 1, static_cast<int>(column) + 1},
                               "",
                               wrong == control ? "the text contains the control character " + control_character_at(text, wrong)
                                                : "the byte " + printable(text.substr(wrong, 1)) + " is not UTF-8",
                               wrong == control ? "a text without control characters" : "a text in UTF-8",
                               wrong == control ? "remove it" : "convert Latin-1 by: iconv -f latin1 -t utf-8"}});
}

}  // namespace trunnion
