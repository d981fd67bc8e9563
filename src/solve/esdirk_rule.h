// The ESDIRK3 rule of the motion (base/runge_kutta.h): q' = v and v' = a in three implicit stages per step,
//   v_s = f theta_s - sum_j w_sj v_j,   a_s = f (v_s - v_0) - sum_j w_sj a_j,   f = 1/(h gamma)
// with theta_s the increment from the start of the step. Order 3; of rotations of spherical joints, whose increments commute with the
// angular velocity to order h^2 only, order 2. No memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/runge_kutta.h"
#include "solve/motion_rule.h"

namespace trunnion {

class EsdirkRule final : public MotionRule {
 public:
  explicit EsdirkRule(int nv) {
    for (auto* list : {&v_, &a_})
      for (std::vector<double>& x : *list) x.resize(static_cast<std::size_t>(nv));
  }
  int stages() const override { return Esdirk3::kStages; }
  double time(int stage) const override { return Esdirk3::time(stage); }

  void begin(int stage, const StateVector& from, double h, MotionRelation& relation) override {
    if (stage == 1) keep(0, from);
    const double f = Esdirk3::factor(h), to = Esdirk3::time(stage) * h;
    relation.factors = {f, f * f};
    for (std::size_t i = 0; i < v_[0].size(); ++i) {
      double sum_v = 0, sum_a = 0;
      for (int j = 0; j < stage; ++j) {
        sum_v += Esdirk3::weight(stage, j) * v_[static_cast<std::size_t>(j)][i];
        sum_a += Esdirk3::weight(stage, j) * a_[static_cast<std::size_t>(j)][i];
      }
      relation.theta[i] = to * (v_[0][i] + to / 2 * a_[0][i]);
      relation.v_offset[i] = -sum_v;
      relation.a_offset[i] = f * (relation.v_offset[i] - v_[0][i]) - sum_a;
    }
  }
  void keep(int stage, const StateVector& end) override {
    std::copy_n(end.v(), v_[0].size(), v_[static_cast<std::size_t>(stage)].begin());
    std::copy_n(end.a(), a_[0].size(), a_[static_cast<std::size_t>(stage)].begin());
  }

 private:
  std::array<std::vector<double>, Esdirk3::kStages> v_, a_;  // per stage but the last
};

}  // namespace trunnion
