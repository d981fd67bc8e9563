// Fuzz target: results in JSON files.
// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/report_folders.h"
#include "fuzz/targets.h"

namespace trunnion::fuzz {

namespace {

constexpr std::array kFiles{"summary.json", "compare.json", "linear.json", "study.json", "curve.json", "fit.json", "sweep.json"};

}  // namespace

void json_results(std::string_view input) {
  const auto [file, text] = split_name(input, kFiles);
  refused_properly([&, file = file, text = text] { report_with(file, text); });
}

}  // namespace trunnion::fuzz
