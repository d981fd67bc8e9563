// Set-valued friction and generalised Maxwell slip. Reference: elasto-plastic (Jenkins) elements in closed form, Masing's rules of parallel
// elements, equations evaluated independently, the inclusion itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "friction/maxwell_slip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/diagnostic.h"
#include "friction/friction_curve.h"
#include "laws.h"

namespace trunnion {
namespace {

using test::seal;
using test::seal_law;

/// Elements of seal(maxwell_slip): shares of the force 1:2:3, of the stiffness 5:3:2.
constexpr double kShares[] = {1.0 / 6, 2.0 / 6, 3.0 / 6}, kParts[] = {0.5, 0.3, 0.2};

TEST(MaxwellSlip, ForceAndRatesSatisfyTheInclusion) {
  const auto law = std::get<MaxwellSlip>(seal_law(FrictionKind::maxwell_slip));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> speeds(-0.05, 0.05), deflections(-3e-4, 3e-4);
  int holding = 0, slipping = 0;
  for (int n = 0; n < 1000; ++n) {
    const double v = speeds(random) * std::pow(10, -n % 5);
    std::array<double, MaxwellSlip::kStates> x{}, rate{};
    for (int i = 0; i < 3; ++i) x[i] = deflections(random);
    const double g = 210 + 620 * std::exp(-(v / 0.0125) * (v / 0.0125));
    const double force = law.evaluate(v, x, rate);
    double sum = 330 * v;
    for (int i = 0; i < 3; ++i) {
      const double f = 5.77e6 * kParts[i] * x[i] + 2.28e4 * kParts[i] * rate[i], w = v - rate[i];
      sum += f;
      EXPECT_LE(std::abs(f), kShares[i] * g * (1 + 1e-12));
      if (w == 0) {
        ++holding;
        continue;
      }
      ++slipping;
      EXPECT_NEAR(f, std::copysign(kShares[i] * g, w), 1e-9 * g);
    }
    EXPECT_NEAR(force, sum, 1e-9 * 830);
  }
  EXPECT_GT(holding, 100);
  EXPECT_GT(slipping, 100);
}

TEST(MaxwellSlip, SteadySlidingIsTheStribeckCurve) {
  for (const FrictionKind kind : {FrictionKind::set_valued, FrictionKind::maxwell_slip})
    for (const double v : {-0.3, -0.01, -1e-5, 1e-6, 0.004, 0.0125, 0.05})
      EXPECT_NEAR(friction_steady_force(seal_law(kind), v), friction_steady_force(seal_law(FrictionKind::lugre), v), 1e-9) << v;
}

/// Force after the displacements x(0), x(1), ... traversed slowly, without damping: every element is elastic and ideally plastic.
std::vector<double> jenkins(const std::vector<double>& path, double yield, double stiffness) {
  std::vector<double> forces;
  double e[3] = {}, last = 0;
  for (const double x : path) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double limit = kShares[i] * yield / (kParts[i] * stiffness);
      e[i] = std::clamp(e[i] + x - last, -limit, limit);
      sum += kParts[i] * stiffness * e[i];
    }
    last = x;
    forces.push_back(sum);
  }
  return forces;
}

TEST(MaxwellSlip, SlowMotionIsThatOfParallelElasticPlasticElements) {
  FrictionDescription d = seal(FrictionKind::maxwell_slip);
  d.static_force = d.coulomb;
  d.viscous = 0;
  d.bristle_damping = 20;  // element's own time: 3.5 us
  const FrictionLaw law = make_friction(d);
  // two large reversals with a small loop inside
  const double turns[] = {0, 1.2e-4, -0.9e-4, -0.1e-4, -0.5e-4, 1e-4, 0};
  std::vector<double> path;
  for (std::size_t k = 0; k + 1 < std::size(turns); ++k)
    for (int i = 1; i <= 2000; ++i) path.push_back(turns[k] + (turns[k + 1] - turns[k]) * i / 2000.0);
  const double step = 1e-3;
  FrictionStateValues x{};
  const std::vector<double> expected = jenkins(path, 210, 5.77e6);
  double last = 0, largest = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    FrictionResponse r;
    const double none[kMaxFrictionStates] = {};
    respond_local(law, (path[i] - last) / step, step, x.data(), none, x.data(), r);  // implicit Euler rule
    largest = std::max(largest, std::abs(r.force - expected[i]));
    last = path[i];
  }
  EXPECT_LT(largest, 3e-3);  // of 210 N: damping times speed
}

TEST(MaxwellSlip, ReturnsToThePointWhereALoopBegan) {
  FrictionDescription d = seal(FrictionKind::maxwell_slip);
  d.static_force = d.coulomb;
  const FrictionLaw law = make_friction(d);
  const auto velocity = [](double t) {  // up, a loop down and up again, at 0.1 mm/s
    return t < 0.5 ? 1e-4 : t < 0.7 ? -1e-4 : t < 0.9 ? 1e-4 : 0;
  };
  const auto curve = friction_curve(law, velocity, 1e-4, 12000);
  const auto lugre = friction_curve(make_friction([&] {
                                      FrictionDescription plain = d;
                                      plain.model = FrictionKind::dahl;
                                      return plain;
                                    }()),
                                    velocity, 1e-4, 12000);
  const auto kept = [](const auto& points) { return std::abs(points[8999].force - points[4999].force) / points[4999].force; };
  EXPECT_LT(kept(curve), 1e-3);
  EXPECT_GT(kept(lugre), 0.01);  // one state remembers no loop
}

TEST(MaxwellSlip, HoldsForeverBelowTheStaticFriction) {
  // a force that varies between 0 and 0.8 F_c on a mass, 1000 periods, the mass by an implicit rule
  const auto drift = [](FrictionKind kind) {
    FrictionDescription d = seal(kind);
    d.viscous = 0;
    const FrictionLaw law = make_friction(d);
    const double m = 20, h = 1e-3, period = 0.05;
    double v = 0, s = 0, first = 0;
    FrictionStateValues x{}, rate{};
    for (int i = 1; i <= 50000; ++i) {
      const double load = 210 * (0.4 + 0.4 * std::sin(2 * std::numbers::pi * i * h / period));
      double v_end = v;
      FrictionStateValues end{};
      FrictionResponse r;
      for (int k = 0; k < 50; ++k) {
        respond_local(law, v_end, h / 2, x.data(), rate.data(), end.data(), r);
        const double change = (m * (v_end - v) - h * (load - r.force)) / (m + h * r.force_v);
        v_end -= change;
        if (std::abs(change) < 1e-16) break;
      }
      s += h / 2 * (v + v_end);
      v = v_end;
      x = end;
      for (int k = 0; k < friction_states(law); ++k) rate[k] = r.rate[k];
      if (i == 1000) first = s;
    }
    return s - first;
  };
  EXPECT_LT(std::abs(drift(FrictionKind::set_valued)), 1e-12);
  EXPECT_GT(drift(FrictionKind::lugre), 1e-4);  // creeps
}

TEST(MaxwellSlip, HeatIsNeverNegative) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> speeds(-0.1, 0.1), deflections(-1e-3, 1e-3);
  for (const FrictionKind kind : {FrictionKind::set_valued, FrictionKind::maxwell_slip}) {
    const FrictionLaw law = seal_law(kind);
    for (int n = 0; n < 1000; ++n) {
      FrictionStateValues x{};
      for (double& q : x) q = deflections(random);
      EXPECT_GE(friction_dissipated_power(law, speeds(random), x.data()), -1e-9);
    }
  }
}

TEST(MaxwellSlip, ListsAreChecked) {
  const auto refusal = [](const FrictionDescription& d) -> std::string {
    try {
      make_friction(d);
    } catch (const Error& e) { return e.what(); }
    return "";
  };
  FrictionDescription d = seal(FrictionKind::maxwell_slip);
  d.element_forces.clear();
  EXPECT_NE(refusal(d).find("element_forces"), std::string::npos);
  d = seal(FrictionKind::maxwell_slip);
  d.element_stiffnesses.pop_back();
  EXPECT_NE(refusal(d).find("element_stiffnesses"), std::string::npos);
  d = seal(FrictionKind::maxwell_slip);
  d.element_forces[1] = 0;
  EXPECT_NE(refusal(d).find("element_forces"), std::string::npos);
  d = seal(FrictionKind::set_valued);
  d.bristle_damping = 0;
  EXPECT_NE(refusal(d).find("bristle_damping"), std::string::npos);
  d = seal(FrictionKind::set_valued);
  d.element_forces.clear();
  EXPECT_EQ(refusal(d), "");  // unused
}

}  // namespace
}  // namespace trunnion
