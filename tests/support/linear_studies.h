// Linear studies of an oscillator, and of a four-bar, in a folder of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "studies/linear_study.h"
#include "support/temporary_folder.h"

namespace trunnion::test {

inline constexpr const char* kOscillatorModel = R"(trunnion: 1
title: Oscillator
gravity: [0, 0, 0]
bodies: {mass: {point_mass: {mass: 2 kg}}}
joints: {mass: {prismatic: {parent: ground, axis: x}, position: 0.1 m}}
springs: {spring: {joint: mass, stiffness: 500 N/m, damping: 3 N s/m, rest: 0 m}}
forces: {push: {joint: mass, load: 20 N, signal: command}}
signals: {command: {steps: [[0.5 s, 1], [0.8 s, 0]]}}
solver: {step: 0.1 ms, duration: 2 s}
)";

inline std::vector<std::vector<std::string>> cells_of(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text_of(file));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line + ",");
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// A study in its own folder.
class LinearStudyFolder : public InFolder {
 protected:
  /// 2 kg on a spring and a damper, pushed for a while; 0.1 m from its equilibrium.
  static constexpr double kMass = 2, kDamping = 3, kStiffness = 500;
  static constexpr const char* kOscillator = kOscillatorModel;
  static inline const double kDecay = kDamping / (2 * kMass), kDamped = std::sqrt(kStiffness / kMass - kDecay * kDecay);

  void SetUp() override {
    InFolder::SetUp();
    request_.model_file = write("oscillator.yaml", kOscillator);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string run() const { return linear_study(request_, (folder_ / "out").string()); }
  nlohmann::json json(const std::string& file) const { return nlohmann::json::parse(text_of(folder_ / "out" / file)); }
  std::filesystem::path out(const std::string& file) const { return folder_ / "out" / file; }
  /// Message of the rejected request.
  std::string refusal() const {
    try {
      run();
    } catch (const InputError& error) { return error.what(); }
    return "accepted";
  }
  void use_four_bar() {
    request_.model_file = std::string(TRUNNION_SOURCE_DIR) + "/examples/four_bar.yaml";
    request_.start = StartKind::equilibrium;
  }

  LinearStudyRequest request_;
};

}  // namespace trunnion::test
