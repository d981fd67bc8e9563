// Matrices of control blocks from linear.json.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/linear_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<double>>;

struct LinearFile {
  std::vector<std::string> inputs, outputs;
  Rows A, B, C, D;
};

/// Throws std::exception where the text is no such system.
LinearFile parse(const std::string& text) {
  const Json json = Json::parse(text);
  LinearFile f;
  json.at("inputs").get_to(f.inputs);
  json.at("outputs").get_to(f.outputs);
  json.at("A").get_to(f.A);
  json.at("B").get_to(f.B);
  json.at("C").get_to(f.C);
  json.at("D").get_to(f.D);
  const auto expect = [](const char* name, const Rows& rows, std::size_t count, std::size_t length) {
    const auto wrong = [&](const std::vector<double>& row) { return row.size() != length; };
    if (rows.size() != count || std::any_of(rows.begin(), rows.end(), wrong))
      throw std::runtime_error(fmt::format("`{}` is not {} x {}", name, count, length));
  };
  const std::size_t n = f.A.size();
  expect("A", f.A, n, n), expect("B", f.B, n, f.inputs.size());
  expect("C", f.C, f.outputs.size(), n), expect("D", f.D, f.outputs.size(), f.inputs.size());
  return f;
}

}  // namespace

void read_linear_file(StateSpaceBlock& block, const std::string& folder, const std::string& path, const SourceSpan& span,
                      std::vector<Diagnostic>& diagnostics, double limit) {
  const std::string file = (std::filesystem::path(folder) / block.file).string();
  const auto report = [&](const std::string& key, const std::string& found, const std::string& expected, const std::string& suggestion) {
    diagnostics.push_back({span, path + "." + key, found, expected, suggestion});
  };
  const std::string as_written = std::exchange(block.file, {}), output = std::exchange(block.output, {});
  LinearFile f;
  try {
    f = parse(file_text(file, "file of a linear model", limit));
  } catch (const Error& error) {
    return report("file", error.what(), "the file linear.json of `trunnion linearize`", "");
  } catch (const std::exception& error) {
    return report("file", fmt::format("{} is no linear model: {}", file, error.what()),
                  "`inputs`, `outputs`, `A`, `B`, `C` and `D`, as in linear.json of `trunnion linearize`", "");
  }
  if (f.inputs.size() != block.inputs.size())
    return report("inputs", fmt::format("{} for a system with {}", block.inputs.size(), f.inputs.size()),
                  f.inputs.empty() ? "a linear model with inputs" : "a value for each of " + fmt::format("{}", fmt::join(f.inputs, ", ")),
                  "");
  const auto it = std::find(f.outputs.begin(), f.outputs.end(), output);
  if (it == f.outputs.end() && (!output.empty() || f.outputs.size() != 1)) {
    const std::string near = nearest_name(output, f.outputs);
    return report("output",
                  output.empty() ? fmt::format("{} has {} outputs", as_written, f.outputs.size())
                                 : fmt::format("{} has no output `{}`", as_written, output),
                  "the name of one of its outputs", near.empty() ? "" : "did you mean `" + near + "`?");
  }
  const auto row = static_cast<std::size_t>(output.empty() ? 0 : it - f.outputs.begin());
  block.A = std::move(f.A);
  block.B = std::move(f.B);
  block.C = f.C[row];
  block.D = f.D[row];
  if (std::all_of(block.D.begin(), block.D.end(), [](double d) { return d == 0; })) block.D.clear();  // it does not pass its inputs on
}

}  // namespace trunnion
