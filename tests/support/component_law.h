// Properties of every component law at any point: its powers balance, and its derivatives are those of its values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hydraulics/component.h"

namespace trunnion {

/// Values at a component's ports and the results of its law.
struct ComponentPoint {
  std::vector<double> p, x, u;
  std::vector<double> Q, rate, power;
};
inline void evaluate(const ComponentLaw& law, ComponentPoint& point) {
  const ComponentInfo& info = law.info();
  point.Q.resize(info.flows.size());
  point.rate.resize(info.states.size());
  point.power.resize(info.powers.size());
  const ComponentInputs<> in{point.p.data(), point.x.data(), point.u.data()};
  law.evaluate(in, point.Q.data(), point.rate.data());
  law.powers(in, point.Q.data(), point.rate.data(), point.power.data());
}
/// The sum of powers of one kind.
inline double power(const ComponentLaw& law, const ComponentPoint& point, PowerKind kind) {
  double sum = 0;
  for (std::size_t i = 0; i < point.power.size(); ++i)
    if (law.info().powers[i].kind == kind) sum += point.power[i];
  return sum;
}

using DrawPoint = std::function<ComponentPoint(std::mt19937&)>;

/// sum Q (p_from - p_to) = heat + store - supply, and heat is not negative.
inline void expect_balance(const std::string& name, const ComponentLaw& law, const DrawPoint& draw) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    ComponentPoint point = draw(random);
    evaluate(law, point);
    double oil = 0, size = 0;
    for (std::size_t k = 0; k < point.Q.size(); ++k) {
      const ComponentFlow& flow = law.info().flows[k];
      const double from = flow.from < 0 ? 0 : point.p[flow.from], to = flow.to < 0 ? 0 : point.p[flow.to];
      oil += point.Q[k] * (from - to);
      size += std::abs(point.Q[k]) * (from + to);
    }
    for (double w : point.power) size += std::abs(w);
    const double heat = power(law, point, PowerKind::heat);
    EXPECT_NEAR(oil, heat + power(law, point, PowerKind::store) - power(law, point, PowerKind::supply), 1e-13 * size) << name << " " << i;
    EXPECT_GE(heat, -1e-13 * size) << name << " " << i;
  }
}

/// Derivatives compared with central differences where those of both sides agree; the kinks are few.
inline void expect_slopes(const std::string& name, const ComponentLaw& law, const DrawPoint& draw) {
  std::mt19937 random(11);
  const ComponentInfo& info = law.info();
  int checked = 0, all = 0;
  for (int i = 0; i < 500; ++i) {
    ComponentPoint point = draw(random);
    evaluate(law, point);
    const std::size_t inputs = point.p.size() + point.x.size(), outputs = info.flows.size() + info.states.size();
    std::vector<double> Q(info.flows.size()), rate(info.states.size()), slopes(inputs * outputs);
    law.differentiate({point.p.data(), point.x.data(), point.u.data()}, Q.data(), rate.data(), slopes.data());
    for (std::size_t k = 0; k < Q.size(); ++k) EXPECT_NEAR(Q[k], point.Q[k], 1e-12 * std::abs(Q[k])) << name;
    for (std::size_t k = 0; k < rate.size(); ++k) EXPECT_NEAR(rate[k], point.rate[k], 1e-12 * std::abs(rate[k])) << name;
    for (std::size_t j = 0; j < inputs; ++j) {
      const auto results = [&](double by) {
        ComponentPoint moved = point;
        (j < point.p.size() ? moved.p[j] : moved.x[j - point.p.size()]) += by;
        evaluate(law, moved);
        std::vector<double> all_of = moved.Q;
        all_of.insert(all_of.end(), moved.rate.begin(), moved.rate.end());
        return all_of;
      };
      const double h = j < point.p.size() ? 10 : 1e-5 * info.states[j - point.p.size()].scale;
      const std::vector<double> below = results(-h), at = results(0), above = results(h);
      for (std::size_t k = 0; k < outputs; ++k) {
        const double left = (at[k] - below[k]) / h, right = (above[k] - at[k]) / h, slope = slopes[k * inputs + j];
        const double size = std::max(std::abs(slope), 1e-8 * std::abs(at[k]) / h);
        ++all;
        if (std::abs(right - left) > 1e-3 * size + 1e-300) continue;
        ++checked;
        EXPECT_NEAR((left + right) / 2, slope, 2e-6 * size + 1e-300) << name << " output " << k << " input " << j << " point " << i;
      }
    }
  }
  EXPECT_GT(checked, 0.95 * all) << name;
}

}  // namespace trunnion
