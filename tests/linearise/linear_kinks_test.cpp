// Linear models of machines on a kink, where a valve is about to open: the columns of each side are those of linear models beside it.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "linearise/linear_model.h"
#include "machine/start.h"
#include "support/driven_crane.h"
#include "support/machines.h"

namespace trunnion {
namespace {

TEST(LinearModel, WarnsWhereAValveIsAboutToOpen) {
  const auto warnings = [](const std::string& lever, const std::vector<std::string>& set) {
    const auto model = test::model_from(test::metering_machine("signals: {lever: " + lever + "}\n"), set);
    std::string all;
    for (const std::string& warning : linearise(model, start_state(*model)).warnings)
      if (warning.find("on a kink") != std::string::npos) all += warning + "\n";
    return all;
  };
  EXPECT_EQ(warnings("0.5", {}), "");
  const auto holds = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  const std::string edges = warnings("0", {});
  for (const char* edge : {"bleed", "ph", "tr", "pr", "th"})
    EXPECT_TRUE(holds(edges, std::string(edge) + ".spool = 0 is on a kink: the model holds at and above")) << edge << " in\n" << edges;
  const std::string relief = warnings("0.5", {"volumes.line.pressure=36.1 MPa"}),
                    suction = warnings("0.5", {"volumes.head.pressure=1 bar"});
  EXPECT_TRUE(holds(relief, "line.pressure = 3.61e+07 is on a kink: the model holds at and below this")) << relief;
  EXPECT_TRUE(holds(suction, "head.pressure = 100000 is on a kink: the model holds at and above this"))
      << suction;  // more pressure closes it
  EXPECT_TRUE(holds(warnings("0.5", {"volumes.supply.pressure=4 MPa", "volumes.line.pressure=4 MPa"}), "supply.pressure"));
}

LinearModel linearise_start(const std::string& text) {
  const auto model = test::model_from(text);
  return linearise(model, start_state(*model));
}

/// Closed, on one side of it, or on the other: drift and outputs at the same positions and pressures.
TEST(LinearModel, AClosedValveHasAColumnForEachSide) {
  constexpr double kSmall = 1e-6;
  for (const bool lag : {false, true})
    for (const bool composite : {false, true}) {
      SCOPED_TRACE(std::to_string(lag) + std::to_string(composite));
      StateVector rest;
      const auto linear_at = [&](double lever, double spool) {
        std::string text = test::kDrivenCrane;
        const auto replace = [&](const std::string& part, const std::string& by) { text.replace(text.find(part), part.size(), by); };
        if (!lag) replace("at_signal: 10, time_constant: 20 ms", "at_signal: 10");
        if (composite)
          replace("signal: lever}}", "signal: command}}\nsignals: {command: {product: [lever, half]}, half: {constant: -0.5}}");
        replace("lever: {", fmt::format("lever: {{default: {:.17g}, ", lever));
        const auto model = test::model_from(text);
        StateVector start = start_state(*model);  // of which the pressures follow the valve
        if (rest.values().empty()) rest = start;
        const int own = model->hydraulics.spools[0].state;
        for (int i = 0; i < model->layout.ny; ++i)
          if (i != own) start.y()[i] = rest.y()[i];
        std::copy_n(rest.q(), model->layout.nq, start.q());
        if (lag) start.y()[own] = spool;
        return linearise(model, start);
      };
      const LinearModel closed = linear_at(0, 0);
      const OtherSide* other = nullptr;
      for (const OtherSide& side : closed.other_sides)
        if (side.is_input != lag && (lag || closed.inputs[static_cast<std::size_t>(side.column)].name == "lever")) other = &side;
      ASSERT_NE(other, nullptr);
      if (lag) EXPECT_EQ(closed.states[static_cast<std::size_t>(other->column)].name, "spool.spool");
      const Eigen::VectorXd rates = lag ? closed.A.col(other->column) : closed.B.col(other->column),
                            outputs = lag ? closed.C.col(other->column) : closed.D.col(other->column);
      double asymmetry = 0;
      for (const double sign : {-1.0, 1.0}) {
        const double h = sign * kSmall;
        const LinearModel moved = lag ? linear_at(0, h) : linear_at(h, 0);
        const bool is_other = (sign > 0) == other->above;
        const Eigen::VectorXd slopes = (moved.drift - closed.drift) / h, &expected = is_other ? other->rates : rates,
                              &expected_outputs = is_other ? other->outputs : outputs;
        for (Eigen::Index i = 0; i < slopes.size(); ++i)
          EXPECT_NEAR(expected[i], slopes[i], 1e-4 * (std::abs(slopes[i]) + 1e-3))
              << sign << " " << closed.states[static_cast<std::size_t>(i)].name;
        for (Eigen::Index i = 0; i < expected_outputs.size(); ++i) {
          const std::size_t k = static_cast<std::size_t>(i);
          const double slope = (moved.outputs[k].reference - closed.outputs[k].reference) / h;
          if (closed.outputs[k].name.find("mu") == std::string::npos)
            EXPECT_NEAR(expected_outputs[i], slope, 1e-3 * std::abs(slope) + 1e-2) << sign << " " << closed.outputs[k].name;
        }
        asymmetry = std::max(asymmetry, (other->rates - rates).cwiseAbs().maxCoeff() / rates.cwiseAbs().maxCoeff());
      }
      EXPECT_GT(asymmetry, 0.1);
    }
  const auto open = test::model_from(
      std::string(test::kDrivenCrane).replace(std::string(test::kDrivenCrane).find("lever: {"), 8, "lever: {default: 5, "));
  EXPECT_TRUE(linearise(open, start_state(*open)).other_sides.empty());
}

/// An input that moves several closed valves, by itself, through sums, and backwards: its column on each side is the sum of theirs.
TEST(LinearModel, AnInputOnSeveralKinksHasTheSumsOfBothSides) {
  constexpr double kSmall = 1e-6;
  for (const std::string second : {"s2: {sum: [joy, joy]}", "s2: {product: [joy, back]}\n  back: {constant: -0.7}"})
    for (const std::string first : {"s1", "joy"}) {
      SCOPED_TRACE(first + ", " + second);
      const auto linear_at = [&](double joy) {
        return linearise_start(fmt::format(R"(
trunnion: 1
fluid: {{density: 850, bulk_modulus: 1.5e9}}
volumes:
  a1: {{volume: 0.5 L, pressure: 4 MPa}}
  b1: {{volume: 0.5 L, pressure: 2 MPa}}
  a2: {{volume: 0.7 L, pressure: 5 MPa}}
  b2: {{volume: 0.7 L, pressure: 3 MPa}}
sources: {{pump: {{pressure: 10 MPa}}, tank: {{pressure: 1 bar}}}}
valves:
  v1: {{directional_4_3: {{P: pump, T: tank, A: a1, B: b1, flow: 10 L/min}}, signal: {}}}
  v2: {{directional_4_3: {{P: pump, T: tank, A: a2, B: b2, flow: 10 L/min}}, signal: s2}}
inputs: {{joy: {{default: {:.17g}}}, trim: {{}}}}
signals:
  s1: {{sum: [joy, trim]}}
  {}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                           first, joy, second));
      };
      const LinearModel closed = linear_at(0);
      const auto joy = std::find_if(closed.inputs.begin(), closed.inputs.end(), [](const LinearVariable& v) { return v.name == "joy"; }) -
                       closed.inputs.begin();
      ASSERT_LT(joy, static_cast<std::ptrdiff_t>(closed.inputs.size()));
      for (const double h : {kSmall, -kSmall}) {
        Eigen::VectorXd column = closed.B.col(joy);
        for (const OtherSide& other : closed.other_sides)
          if (other.is_input && other.column == joy && other.above == (h > 0)) column = other.rates;
        const Eigen::VectorXd slopes = (linear_at(h).drift - closed.drift) / h;
        EXPECT_LT((column - slopes).cwiseAbs().maxCoeff(), 1e-9 * slopes.cwiseAbs().maxCoeff()) << h << "\n" << column << "\n" << slopes;
      }
    }
}

/// Three slopes: of two actuators at rest on one pump, above, below, and at zero.
TEST(LinearModel, AKinkMayHaveASlopeOfItsOwnBetweenItsSides) {
  const auto at = [](double lever) {
    const auto model = test::load_example("two_arms_one_pump", {fmt::format("signals.lever_1={:.17g}", lever)});
    return linearise(model, start_state(*model));
  };
  const LinearModel rest = at(0);
  int sides = 0;
  for (const OtherSide& other : rest.other_sides) {
    if (!other.is_input || rest.inputs[static_cast<std::size_t>(other.column)].name != "lift_1.signal") continue;
    ++sides;
    const Eigen::VectorXd expected = at(other.above ? 1e-9 : -1e-9).B.col(other.column);
    EXPECT_LT((other.rates - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff()) << other.above;
  }
  EXPECT_EQ(sides, 2);
  EXPECT_TRUE(std::any_of(rest.warnings.begin(), rest.warnings.end(), [](const std::string& w) {
    return w.find("holds at this value alone, neither above nor below") != std::string::npos;
  }));
}

}  // namespace
}  // namespace trunnion
