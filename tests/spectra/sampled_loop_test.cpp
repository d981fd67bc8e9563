// The loop of sampled control blocks over their common period. References: the algebra of a discretised loop in closed form, columns of the
// map from runs of the same machine, and the continuous loop that short periods approach.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/sampled_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "linearise/linear_model.h"
#include "machine/start.h"
#include "run/run.h"
#include "spectra/spectrum.h"
#include "studies/linear_case.h"
#include "studies/root_locus.h"
#include "support/machines.h"

namespace trunnion {
namespace {

using test::model_from;

SampledLoop loop_of(const std::shared_ptr<const CompiledModel>& model, const StateVector& at) {
  return sampled_loop(*model, linearise(model, at, {}));
}
SampledLoop loop_of(const std::shared_ptr<const CompiledModel>& model) { return loop_of(model, start_state(*model)); }

std::complex<double> z_of(const SampledLoop& loop, std::size_t i) { return std::exp(loop.period * loop.spectrum.eigenvalues[i].value); }
double growth_of(const SampledLoop& loop, std::size_t i = 0) { return loop.spectrum.eigenvalues[i].value.real(); }

/// A volume filled by a flow source, p' = b Q, under a sampled PI controller with backward differences.
std::shared_ptr<const CompiledModel> filling(double gain, const std::string& more = "") {
  return model_from(fmt::format(R"(
trunnion: 1
fluid: {{density: 870 kg/m^3, bulk_modulus: 1500 MPa}}
volumes: {{v: {{volume: 1 L, pressure: 5 MPa}}}}
sources: {{feed: {{flow: command, to: v}}}}
control: {{command: {{pid: {{setpoint: 6e6, measurement: v.pressure, gain: {}, integral_time: 0.3 s}}, period: 20 ms, offset: 5 ms{}}}}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                gain, more));
}

TEST(SampledLoop, IsTheDiscretisedAlgebra) {
  for (const double K : {2e-12, 2e-11, 6.4e-11, 7e-11}) {
    const double b = 1500e6 / 1e-3, T = 20e-3, a = T * K / 0.3;
    // I <- I - a p,  Q = I - K p,  p <- p + b T Q:  z^2 - trace z + determinant = 0 in (p, I)
    const double trace = 2 - b * T * (K + a), determinant = 1 - b * T * K;
    const std::complex<double> root = std::sqrt(std::complex<double>(trace * trace / 4 - determinant));
    const std::complex<double> large = std::abs(trace / 2 + root) > std::abs(trace / 2 - root) ? trace / 2 + root : trace / 2 - root;
    const SampledLoop loop = loop_of(filling(K));
    EXPECT_DOUBLE_EQ(loop.period, T);
    ASSERT_EQ(loop.spectrum.eigenvalues.size(), 2U);  // the held value is forgotten
    const std::complex<double> z0 = z_of(loop, 0), z1 = z_of(loop, 1);
    EXPECT_NEAR(std::abs(z0), std::abs(large), 1e-9) << K;
    EXPECT_NEAR(std::abs(z0 * z1 - determinant), 0, 1e-9) << K;
    EXPECT_NEAR(std::abs(z0 + z1 - trace), 0, 1e-9) << K;
    EXPECT_EQ(loop.spectrum.stability.verdict, std::abs(large) > 1 ? Verdict::unstable : Verdict::asymptotically_stable) << K;
  }
}

/// An arm on a spring under a sampled controller that reads a slower and shifted sampled sensor, with computing times.
std::string arm(const std::string& sensor, const std::string& controller, const std::string& solver = "") {
  return R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, 0, 1]}, angle: 0 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
control:
  seen: {low_pass: {input: arm.angle, time_constant: 8 ms}, )" +
         sensor + R"(}
  smooth: {low_pass: {input: torque_set, time_constant: 3 ms}}
  torque: {gain: {input: smooth, gain: 1}}
  torque_set: {pid: {setpoint: 0, measurement: seen, gain: 150, integral_time: 0.2 s, derivative_time: 30 ms}, )" +
         controller + "}\nsolver: {step: 0.05 ms, duration: 1 s" + solver + "}\n";
}

/// Columns of the map by runs from states a little apart, over the period after the second one.
Eigen::MatrixXd map_by_runs(const std::shared_ptr<const CompiledModel>& model, const LinearModel& linear, const SampledLoop& loop,
                            double begin) {
  Runner run(model);
  run.advance(begin);
  const StateVector before = run.state();
  const auto names = model->state_names;
  std::vector<double*> places;
  StateVector state = before;
  places.push_back(state.q());
  places.push_back(state.v());
  for (std::size_t i = 2; i < loop.states.size(); ++i) {
    const auto at = std::find(names.begin(), names.end(), loop.states[i].name);
    EXPECT_NE(at, names.end()) << loop.states[i].name;
    places.push_back(state.y() + (at - names.begin()));
  }
  const auto after = [&] {
    Runner from(model);
    from.restore(state);
    from.advance(begin + loop.period);
    Eigen::VectorXd z(static_cast<Eigen::Index>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::ptrdiff_t at = places[i] - state.values().data();
      z[static_cast<Eigen::Index>(i)] = from.state().values()[static_cast<std::size_t>(at)];
    }
    return z;
  };
  const Eigen::VectorXd unchanged = after();
  Eigen::MatrixXd F(unchanged.size(), unchanged.size());
  for (std::size_t j = 0; j < places.size(); ++j) {
    const double kept = *places[j];
    *places[j] += 1e-3;
    F.col(static_cast<Eigen::Index>(j)) = (after() - unchanged) / 1e-3;
    *places[j] = kept;
  }
  EXPECT_EQ(linear.sampled.size(), 2U);
  return F;
}

TEST(SampledLoop, IsTheMapOfRuns) {
  const std::string sensor = "period: 4 ms, offset: 1 ms, latency: 1.5 ms", controller = "period: 10 ms, latency: 3 ms";
  const auto model = model_from(arm(sensor, controller));
  const LinearModel linear = linearise(model, start_state(*model), {});
  const SampledLoop loop = sampled_loop(*model, linear);
  EXPECT_DOUBLE_EQ(loop.period, 0.02);
  const Eigen::MatrixXd by_runs = map_by_runs(model, linear, loop, 0.04);
  const double size = by_runs.cwiseAbs().maxCoeff();
  EXPECT_LT((loop.F - by_runs).cwiseAbs().maxCoeff(), 1e-4 * size) << loop.F << "\n\n" << by_runs;
  // another latency, another order of the instants, or another phase is another map
  for (const auto& [other_sensor, other_controller] :
       {std::pair{"period: 4 ms, offset: 1 ms, latency: 0.5 ms", controller.c_str()}, std::pair{sensor.c_str(), "period: 10 ms"},
        std::pair{"period: 4 ms, offset: 2 ms, latency: 1.5 ms", controller.c_str()}}) {
    const SampledLoop other = loop_of(model_from(arm(other_sensor, other_controller)));
    EXPECT_GT(std::abs(growth_of(other) - growth_of(loop)), 1e-3) << other_sensor << ", " << other_controller;
  }
}

/// The same modes wherever the period begins, and at the mean of the jitter.
TEST(SampledLoop, DoesNotDependOnWhereThePeriodBegins) {
  const SampledLoop loop = loop_of(model_from(arm("period: 4 ms, offset: 1 ms", "period: 10 ms, latency: 10 ms")));
  for (const auto& [sensor, controller] : {std::pair{"period: 4 ms, offset: 3.5 ms", "period: 10 ms, offset: 2.5 ms, latency: 10 ms"},
                                           std::pair{"period: 4 ms, offset: 0, jitter: 2 ms", "period: 10 ms, latency: 10 ms"}}) {
    const SampledLoop other = loop_of(model_from(arm(sensor, controller)));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(growth_of(loop, i), growth_of(other, i), 1e-6) << sensor;
  }
}

/// Modes of short periods are those of the same blocks without; the difference is half a period of delay.
TEST(SampledLoop, ApproachesTheContinuousLoop) {
  const auto continuous = model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, 0, 1]}, angle: 0 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
control: {torque: {pid: {setpoint: 0, measurement: arm.angle, gain: 150, integral_time: 0.2 s, derivative_time: 30 ms}}}
solver: {step: 1 ms, duration: 1 s}
)");
  const LinearModel linear = linearise(continuous, start_state(*continuous), {});
  const double slowest = spectrum(linear.A, linear.states).eigenvalues.front().value.real();
  double last = 0;
  for (const double period : {4e-4, 2e-4, 1e-4}) {
    Description d = continuous->description;
    d.control.find("torque")->period = period;
    const double error = std::abs(growth_of(loop_of(compile(d))) - slowest);
    if (last > 0) EXPECT_NEAR(last / error, 2, 0.1) << period;
    last = error;
  }
  EXPECT_LT(last, 1e-2 * std::abs(slowest));
}

/// A run grows or decays as the modes say, on both sides of the limit of stability, where the continuous loop is stable.
TEST(SampledLoop, SaysWhatRunsDo) {
  for (const double gain : {100.0, 2000.0}) {
    const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{arm: {{rod: {{length: 2 m, mass: 10 kg}}}}}}
joints: {{arm: {{revolute: {{parent: ground, axis: [0, 0, 1]}}, angle: 1 deg}}}}
springs: {{b: {{joint: arm, stiffness: 300, damping: 20, rest: 0}}}}
forces: {{motor: {{joint: arm, load: 1 N m, signal: torque}}}}
control: {{torque: {{gain: {{input: arm.angle, gain: -{}}}, period: 40 ms}}}}
solver: {{step: 1 ms, duration: 10 s}}
)",
                                              gain));
    const SampledLoop loop = loop_of(model);
    Runner run(model);
    run.advance(2);
    const auto size = [&] { return std::hypot(run.state().q()[0], run.state().v()[0] / 20); };
    double first = 0, last = 0;  // over several oscillations
    for (int k = 0; k < 40; ++k, run.advance(run.state().time + 0.04)) first = std::max(first, size());
    run.advance(run.state().time + 4);
    for (int k = 0; k < 40; ++k, run.advance(run.state().time + 0.04)) last = std::max(last, size());
    EXPECT_EQ(loop.spectrum.stability.verdict, gain > 1000 ? Verdict::unstable : Verdict::asymptotically_stable) << gain;
    EXPECT_NEAR(std::log(last / first) / (4 + 40 * 0.04), growth_of(loop), 0.05 * std::abs(growth_of(loop))) << gain;
  }
}

/// What only samples change is held, but a quantiser is its input; a free coordinate stays.
TEST(SampledLoop, QuantisersAreTheirInputs) {
  const auto with = [](const std::string& torque) {
    return loop_of(model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}, idle: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, 0, 1]}, angle: 5 deg}, idle: {revolute: {parent: ground, axis: [0, 0, 1]}, angle: 5 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
solver: {step: 1 ms, duration: 1 s}
control:
  torque: {gain: {input: seen, gain: -400}, period: 10 ms}
  seen: )" + torque + "\n"));
  };
  const SampledLoop plain = with("{sensor: {input: arm.angle}, period: 10 ms}");
  EXPECT_EQ(plain.spectrum.stability.verdict, Verdict::drifting) << plain.spectrum.stability.text;
  ASSERT_TRUE(plain.spectrum.eigenvalues[0].chain > 0 && plain.spectrum.eigenvalues[1].chain > 0);
  for (const char* rounding :
       {"{sensor: {input: arm.angle, resolution: 0.1 deg}, period: 10 ms}", "{quantiser: {input: arm.angle, step: 0.1 deg}, period: 10 ms}",
        "{sensor: {input: arm.angle, resolution: 0.1 deg, deviation: 0.1 deg}, period: 10 ms}"}) {
    const SampledLoop loop = with(rounding);
    EXPECT_NEAR(growth_of(loop, 2), growth_of(plain, 2), 1e-9) << rounding;
  }
  const SampledLoop relay = with("{relay: {input: arm.angle, on: 1, off: 0}, period: 10 ms}");
  EXPECT_GT(std::abs(growth_of(relay, 2) - growth_of(plain, 2)), 0.01);
}

/// w <- -15 v - 0.1 w every 0.1 s, v' = w: z^2 + 0.6 z - 0.1 = 0, in whichever order the file has the blocks.
TEST(SampledLoop, DoesNotDependOnTheOrderOfBlocks) {
  const std::vector<std::vector<std::string>> loops{
      {"command: {sum: {inputs: [measured, held], gains: [-15, -0.1]}}", "measured: {gain: {input: slide.speed, gain: 1}, period: 100 ms}",
       "held: {gain: {input: command, gain: 1}, period: 100 ms}"},
      {"command: {sum: {inputs: [slide.speed, held], gains: [-15, -0.1]}}", "scaled: {gain: {input: command, gain: 1}}",
       "held: {gain: {input: scaled, gain: 1}, period: 100 ms}"}};
  const double z = 0.3 + std::sqrt(0.19);  // of the slower one, which is negative
  for (std::vector<std::string> blocks : loops) {
    std::sort(blocks.begin(), blocks.end());
    do {
      const auto model = model_from(fmt::format(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {{slide: {{point_mass: {{mass: 1 kg}}}}}}
joints: {{slide: {{prismatic: {{parent: ground, axis: x}}}}}}
forces: {{motor: {{joint: slide, load: 1 N, signal: held}}}}
control: {{{}}}
solver: {{step: 10 ms, duration: 10 s}}
)",
                                                fmt::join(blocks, ", ")));
      const SampledLoop loop = loop_of(model);
      ASSERT_EQ(loop.spectrum.eigenvalues.size(), 3U) << fmt::format("{}", fmt::join(blocks, ", "));
      EXPECT_EQ(loop.spectrum.eigenvalues[0].chain, 1);  // the position
      EXPECT_NEAR(growth_of(loop, 1), std::log(z) / 0.1, 1e-9) << fmt::format("{}", fmt::join(blocks, ", "));
      StateVector start = start_state(*model);
      start.v()[0] = 1;
      Runner run(model, start);
      run.advance(2);
      const double v = run.state().v()[0];
      run.advance(3);
      EXPECT_NEAR(run.state().v()[0] / v, std::pow(z, 10), 1e-6 * std::pow(z, 10)) << fmt::format("{}", fmt::join(blocks, ", "));
    } while (std::next_permutation(blocks.begin(), blocks.end()));
  }
}

/// A loop of continuous blocks is found although another way through it is held.
TEST(SampledLoop, AlgebraicLoopsBesideHeldOnesAreFound) {
  const auto build = [] {
    return model_from(R"(
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 1 L, pressure: 5 MPa}}
control:
  first: {sum: {inputs: [held, second]}}
  second: {gain: {input: first, gain: 0.5}}
  held: {gain: {input: second, gain: 0.1}, period: 10 ms}
solver: {step: 1 ms, duration: 1 s}
)");
  };
  try {
    (void)build();
    FAIL() << "a model with an algebraic loop was built";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("algebraic loop: each value depends directly on the next"), std::string::npos) << error.what();
  }
}

/// Small numbers of a flow beside pressures and lengths are no rounding: the eigenvalues are those of F.
TEST(SampledLoop, SmallFlowsCount) {
  for (const double K : {2e-14, 1.4e-13}) {
    const SampledLoop loop = loop_of(model_from(fmt::format(R"(
trunnion: 1
fluid: {{density: 870 kg/m^3, bulk_modulus: 1500 MPa}}
volumes: {{v: {{volume: 1 cm^3, pressure: 5 MPa}}}}
sources: {{feed: {{flow: command, to: v}}}}
control:
  smooth: {{low_pass: {{input: v.pressure, time_constant: 5 ms}}}}
  command: {{pid: {{setpoint: 5e6, measurement: smooth, gain: {}, integral_time: 20 ms}}, period: 10 ms}}
solver: {{step: 1 ms, duration: 1 s}}
)",
                                                            K)));
    Eigen::MatrixXd balanced = loop.F;
    balance(balanced);
    Eigen::VectorXcd z = balanced.eigenvalues();
    std::sort(z.begin(), z.end(), [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
    EXPECT_NEAR(growth_of(loop), std::log(std::abs(z[0])) / loop.period, 1e-6 * std::abs(growth_of(loop))) << K;
    EXPECT_EQ(loop.spectrum.eigenvalues[0].chain, 0);
  }
}

/// Trapped oil stays whatever the period, also of a stiff machine; one that leaves the reference beyond all numbers has no map.
TEST(SampledLoop, StiffAndUnstableMachinesAreJudgedToo) {
  for (const char* period : {"10 ms", "1 s", "100 s"}) {
    const SampledLoop loop = loop_of(model_from(std::string(R"(
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {large: {volume: 1 L, pressure: 5 MPa}, small: {volume: 1 mL, pressure: 5 MPa}}
valves: {between: {orifice: {A: large, B: small, flow: 100 L/min, at_pressure_drop: 1 bar}}}
control: {seen: {gain: {input: large.pressure, gain: 1}, period: )") +
                                                period + "}}\nsolver: {step: 1 ms, duration: 1 s}\n"));
    EXPECT_EQ(loop.spectrum.stability.verdict, Verdict::stable_but_null) << period << ": " << loop.spectrum.stability.text;
  }
  const SampledLoop none = loop_of(model_from(R"(
trunnion: 1
gravity: [0, 0, 0]
bodies: {slide: {point_mass: {mass: 1 kg}}}
joints: {slide: {prismatic: {parent: ground, axis: x}}}
forces: {away: {joint: slide, load: 1 N, signal: push}}
control: {push: {gain: {input: slide.position, gain: 1e6}}, seen: {gain: {input: slide.position, gain: 1}, period: 1 s}}
solver: {step: 1 ms, duration: 1 s}
)"));
  EXPECT_EQ(none.period, 0);
  EXPECT_NE(none.none.find("beyond all numbers"), std::string::npos) << none.none;
}

TEST(SampledLoop, NeedsACommonPeriod) {
  const SampledLoop loop = loop_of(model_from(arm("period: 4 ms", "period: 7.0710678118654755 ms")));
  EXPECT_EQ(loop.period, 0);
  EXPECT_NE(loop.none.find("no common multiple"), std::string::npos) << loop.none;
  EXPECT_TRUE(loop.spectrum.eigenvalues.empty());
  const auto continuous = model_from(arm("seed: 1", "seed: 1"));
  EXPECT_TRUE(loop_of(continuous).none.empty() && loop_of(continuous).states.empty());
}

TEST(SampledLoop, IsReportedWithTheLinearModel) {
  const auto report = [](const std::shared_ptr<const CompiledModel>& model) {
    const LinearCase c = make_linear_case(model, start_state(*model), StartKind::given, LinearOptions{});
    return std::pair(linear_text(c), linear_json(c, "model.yaml"));
  };
  const auto [text, json] = report(filling(7e-11));
  EXPECT_NE(text.find("over the common period of 0.02 s"), std::string::npos) << text;
  EXPECT_NE(text.find("its stability       unstable: 1 eigenvalue"), std::string::npos) << text;
  EXPECT_NE(json.find("\"sampled_loop\": {"), std::string::npos);
  const auto [none, why] = report(model_from(arm("period: 4 ms", "period: 7.0710678118654755 ms")));
  EXPECT_NE(none.find("sampled loop        none: the periods"), std::string::npos) << none;
  EXPECT_NE(why.find("no common multiple"), std::string::npos);
}

/// Root loci have the loops of sampled blocks closed: the gain at the limit of stability, det = -1 - trace, of the algebra above.
TEST(SampledLoop, IsInRootLoci) {
  const auto point = [](double gain) {
    const auto model = filling(gain);
    return root_locus_point({"gain"}, make_linear_case(model, start_state(*model), StartKind::given, LinearOptions{}));
  };
  // z = -1: 2 - b T K + 2 - b T (K + T K/0.3) = 0
  const double b = 1500e6 / 1e-3, T = 20e-3, limit = 4 / (b * T * (2 + T / 0.3));
  EXPECT_EQ(point(0.999 * limit).spectrum.stability.verdict, Verdict::asymptotically_stable);
  EXPECT_EQ(point(1.001 * limit).spectrum.stability.verdict, Verdict::unstable);
  EXPECT_EQ(point(limit).states.size(), 3U);
  const auto model = model_from(arm("period: 4 ms", "period: 7.0710678118654755 ms"));
  const RootLocusPoint none = root_locus_point({"gain"}, make_linear_case(model, start_state(*model), StartKind::given, LinearOptions{}));
  EXPECT_NE(none.status.find("no common multiple"), std::string::npos) << none.status;
}

}  // namespace
}  // namespace trunnion
