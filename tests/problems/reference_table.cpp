// Reference tables: see the header.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/reference_table.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace trunnion::problems {
namespace {

std::string path_of(const std::string& name) { return std::string(TRUNNION_SOURCE_DIR) + "/tests/data/" + name + ".csv"; }

/// Fixed notation without trailing zeros.
std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string s = text;
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

}  // namespace

std::size_t ReferenceTable::index(const std::string& column) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == column) return i;
  throw std::out_of_range("the reference table has no column " + column);
}

ReferenceTable read_reference_table(const std::string& name) {
  std::ifstream in(path_of(name));
  if (!in) throw std::runtime_error("cannot read " + path_of(name));
  ReferenceTable table;
  std::string line, cell;
  while (std::getline(in, line)) {
    if (line.rfind("# ", 0) == 0) {
      table.comment = line.substr(2);
      continue;
    }
    std::istringstream cells(line);
    if (table.columns.empty()) {
      while (std::getline(cells, cell, ',')) table.columns.push_back(cell);
      continue;
    }
    std::vector<double> row;
    while (std::getline(cells, cell, ',')) row.push_back(std::strtod(cell.c_str(), nullptr));
    if (row.size() != table.columns.size()) throw std::runtime_error("a row of " + path_of(name) + " has the wrong length");
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_reference_table(const std::string& name, const ReferenceTable& table, const std::vector<int>& decimals) {
  std::ofstream out(path_of(name));
  out << "# " << table.comment << '\n';
  for (std::size_t i = 0; i < table.columns.size(); ++i) out << (i > 0 ? "," : "") << table.columns[i];
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out << (i > 0 ? "," : "") << number(row[i], decimals[i]);
    out << '\n';
  }
  if (!out) throw std::runtime_error("cannot write " + path_of(name));
}

bool tables_are_to_be_written() { return std::getenv("TRUNNION_WRITE_TABLES") != nullptr; }

}  // namespace trunnion::problems
