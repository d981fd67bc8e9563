// Tables as text.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/table.h"

#include <fmt/format.h>

namespace trunnion {

std::string aligned(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  std::vector<std::size_t> width;
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (k >= width.size()) width.push_back(0);
      width[k] = std::max(width[k], line[k].size());
    }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k)
      row += k < left ? fmt::format("{:<{}}  ", line[k], width[k]) : fmt::format("{:>{}}  ", line[k], width[k]);
    while (!row.empty() && row.back() == ' ') row.pop_back();
    text += row + "\n";
  }
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace trunnion
