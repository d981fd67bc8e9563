// Texts of diagnostics, and the nearest known name for a misspelt one.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnostic.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/assert.h"
#include "base/text.h"

namespace trunnion {

bool assertions_are_checked() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

namespace {

// Messages stay readable for any content of a file.
constexpr std::size_t kMostFindings = 200;  // listed; the others are counted
constexpr std::size_t kLongestPart = 1000;  // [bytes] of a part of a finding

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (std::size_t i = 0; i < diagnostics.size() && i < kMostFindings; ++i) text += (text.empty() ? "" : "\n") + diagnostics[i].text();
  if (diagnostics.size() > kMostFindings) text += "\nand " + std::to_string(diagnostics.size() - kMostFindings) + " more findings";
  return text;
}

std::string short_number(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 9).ptr;
  return std::string(buffer.data(), end);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Edit distance with insertions, deletions, replacements and swaps of neighbours, each at cost 1.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string place_of(const SourceSpan& span) {
  std::string out = abridged(span.file, kLongestPart);
  if (span.line > 0) out += ":" + std::to_string(span.line) + (span.column > 0 ? ":" + std::to_string(span.column) : "");
  return out;
}

std::string sentence_of(const Diagnostic& d) {
  const auto shown = [](const std::string& part) { return abridged(part, kLongestPart); };
  std::string out = d.path.empty() ? "" : shown(d.path) + ": ";
  out += shown(d.found);
  if (!d.expected.empty()) out += "; expected " + shown(d.expected);
  if (!d.hint.empty()) out += "; " + shown(d.hint);
  return out;
}

}  // namespace

std::string Diagnostic::text() const {
  const std::string at = place_of(span);
  return at + (at.empty() ? "error: " : ": error: ") + sentence_of(*this);
}

std::string Diagnostic::warning_text() const {
  const std::string at = place_of(span);
  return at + (at.empty() ? "" : ": ") + sentence_of(*this);
}

InputError::InputError(std::vector<Diagnostic> diagnostics) : Error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

SimulationError::SimulationError(double time, std::string equations, std::string cause, std::string remedy)
    : Error("simulation failed at t = " + short_number(time) + " s" + (equations.empty() ? "" : " in " + equations) + ": " +
            std::move(cause) + (remedy.empty() ? "" : "; try: " + remedy)),
      time_(time),
      equations_(std::move(equations)),
      remedy_(std::move(remedy)) {}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 64;  // longer texts are not misspelt names; the cost is quadratic
  if (name.size() < 2 || name.size() > kLongest) return "";
  std::string best;
  int best_cost = 0;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest) continue;
    const int limit = std::max(1, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
    if (std::abs(static_cast<int>(name.size()) - static_cast<int>(candidate.size())) > limit) continue;  // minimum number of insertions
    const int folded = edit_distance(lower(name), lower(candidate));                                     // wrong case is a minor error
    if (folded > limit) continue;
    const int cost = 100 * folded + edit_distance(name, candidate);
    if (best.empty() || cost < best_cost) best = candidate, best_cost = cost;
  }
  return best;
}

}  // namespace trunnion
