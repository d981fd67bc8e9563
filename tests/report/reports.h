// Reports of runs in a folder of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "report/page.h"
#include "report/report.h"
#include "results/files.h"
#include "results/run_case.h"
#include "support/machines.h"
#include "support/temporary_folder.h"

namespace trunnion::test {

using Rows = std::vector<std::vector<double>>;

inline const char* const kReportedPendulum = R"(
trunnion: 1
title: Pendulum
bodies: {bob: {rod: {length: 1 m, mass: 2 kg}}}
joints: {bob: {revolute: {parent: ground, at: [0, 0, 0], axis: y}, angle: 10 deg}}
solver: {step: 1 ms, duration: 0.05 s}
)";

class Reports : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  /// Runs a model and writes its results.
  std::string run(const std::shared_ptr<const CompiledModel>& model, const std::string& name) const {
    write_case(run_case(model), "model.yaml", in(name), std::chrono::steady_clock::now());
    return in(name);
  }
  static Page page(const ReportRequest& request) { return Page(report_page(make_report(request), kTemplate)); }
  static std::string error(const ReportRequest& request) {
    try {
      make_report(request);
    } catch (const InputError& e) { return e.what(); }
    return "no error";
  }
  static std::string message(const std::vector<std::string>& folders) { return error({.folders = folders, .channels = {}}); }

  const std::string folder_ = temporary_folder();
};

/// results.csv by strtod: names and columns.
inline std::pair<std::vector<std::string>, Rows> csv(const std::string& folder) {
  std::ifstream in(folder + "/results.csv");
  std::string line, cell;
  std::getline(in, line);
  std::vector<std::string> names;
  for (std::stringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  Rows columns(names.size());
  while (std::getline(in, line)) {
    std::stringstream cells(line);
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) columns[k].push_back(std::strtod(cell.c_str(), nullptr));
  }
  return {names, columns};
}

}  // namespace trunnion::test
