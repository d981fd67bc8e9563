// Typical faults, one model each in tests/data/faults: each runs at 1 ms and at ten times that, stays finite and above zero
// absolute pressure, and closes the balances of energy and oil with the order of the rule, to 1e-6 of the energy and of the oil transferred
// at the step of the table below. Clamping would leave an error at any step. Reference: closed forms, written out at each fault.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "results/run_case.h"

namespace trunnion {
namespace {

using Settings = std::vector<std::string>;

constexpr double kPi = std::numbers::pi, kGravity = 9.81, kModulus = 1.5e9, kDensity = 850, kTank = 1e5;

double disc(double diameter) { return kPi / 4 * diameter * diameter; }

/// A fault's run.
class Fault {
 public:
  explicit Fault(const std::string& name, const Settings& set = {}) {
    std::vector<Override> overrides;
    for (const std::string& text : set) overrides.push_back(parse_override(text));
    result_ = run_case(compile(load_model(std::string(TRUNNION_SOURCE_DIR) + "/tests/data/faults/" + name + ".yaml", overrides)));
    EXPECT_FALSE(result_.failure) << result_.failure->what();
  }
  const CaseResult& result() const { return result_; }
  const Recording& recording() const { return result_.recorder->recording(); }
  const Ledger& ledger() const { return result_.recorder->ledger(); }
  const std::vector<double>& column(const std::string& name) const {
    const int index = recording().find(name);
    EXPECT_GE(index, 0) << name;
    return recording().columns[static_cast<std::size_t>(std::max(index, 0))];
  }
  /// Index of the record at time t.
  std::size_t row(double t) const {
    const std::vector<double>& time = column("time");
    return static_cast<std::size_t>(std::lower_bound(time.begin(), time.end(), t - 1e-9) - time.begin());
  }
  double at(double t, const std::string& name) const { return column(name).at(row(t)); }
  /// Largest value from time t on.
  double peak(const std::string& name, double from, double to) const {
    const std::vector<double>& values = column(name);
    return *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(row(from)),
                             values.begin() + static_cast<std::ptrdiff_t>(row(to)));
  }
  const CavitationRecord& cavitation(const std::string& volume) const {
    const Hydraulics& h = result_.model->hydraulics;
    for (std::size_t i = 0; i < h.volumes.size(); ++i)
      if (h.nodes[h.volumes[i].node].name == volume) return result_.statistics.cavitation[i];
    ADD_FAILURE() << volume;
    return result_.statistics.cavitation.front();
  }

 private:
  CaseResult result_;
};

/// Root of an increasing function.
double root(const std::function<double(double)>& f, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return low;
}

// ---------------------------------------------------------------- common to all

struct Closure {
  const char* name;
  double step;      // [ms] at which both balances close to 1e-6
  double halvings;  // over which their order is measured: more with many impacts within a step
};
void PrintTo(const Closure& c, std::ostream* os) { *os << c.name; }

Settings step_of(double ms) {
  return {"solver.step=" + std::to_string(ms) + " ms", "record.every=" + std::to_string(std::lround(std::max(1.0, 1 / ms)))};
}

class EveryFault : public ::testing::TestWithParam<Closure> {};

TEST_P(EveryFault, IsFiniteAndAboveZeroPressure) {
  for (double ms : {1.0, 10.0}) {
    const Fault run(GetParam().name, step_of(ms));
    EXPECT_EQ(run.result().end_time, run.result().model->description.solver.duration);
    EXPECT_EQ(run.result().statistics.divided_steps, 0);
    for (std::size_t i = 0; i < run.recording().channels.size(); ++i) {
      const std::string& name = run.recording().channels[i].name;
      for (double value : run.recording().columns[i]) {
        ASSERT_TRUE(std::isfinite(value)) << name << " at " << ms << " ms";
        if (name.ends_with(".pressure")) ASSERT_GT(value, 0) << name << " at " << ms << " ms";
      }
    }
    for (const CavitationRecord& c : run.result().statistics.cavitation) EXPECT_GT(c.lowest_pressure, 0);
  }
}

TEST_P(EveryFault, ClosesEnergyToAMillionthWithTheOrderOfTheRuleAndOilToRounding) {
  const Closure& c = GetParam();
  const auto closed = [&](double ms) {
    const Fault run(c.name, step_of(ms));
    return std::pair{run.ledger().closed_to_percent() / 100, run.ledger().oil().closed_to_percent() / 100};
  };
  const auto [energy, oil] = closed(c.step);
  EXPECT_LT(energy, 1e-6);
  EXPECT_LT(oil, 1e-9);
  const auto [coarse_energy, coarse_oil] = closed(c.step * std::pow(2, c.halvings));
  EXPECT_LT(coarse_oil, 1e-9);
  EXPECT_GT(std::log2(coarse_energy / energy) / c.halvings, 1.7);
}

INSTANTIATE_TEST_SUITE_P(Faults, EveryFault,
                         ::testing::Values(Closure{"valve_shuts", 0.5, 1}, Closure{"pump_stops", 1, 1}, Closure{"hose_bursts", 1, 1},
                                           Closure{"end_stop", 0.0625, 4}, Closure{"relief_chatters", 0.125, 1},
                                           Closure{"load_overruns", 0.5, 1}, Closure{"accumulator_empties", 1, 1}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

// ---------------------------------------------------------------- valve closed in 1 ms

/// The oil below the ram is a spring: a load m at speed v raises its pressure by about v sqrt(m k) / A, k = B A^2 / V. Exactly, from the
/// energy at the depth x where it is at rest, p = p_0 + B ln(V / (V - A x)) there.
TEST(Fault, ValveShutInOneMillisecondRaisesThePressureByTheLoadsEnergy) {
  const Fault run("valve_shuts", {"solver.step=0.1 ms"});
  const double m = 1500, A = 20e-4, A_B = 1e-6, shut = 1.0005;  // halfway through the ramp
  const double v = -run.at(1, "lift.rate"), p_0 = run.at(1, "ram.pressure"), V = 0.2e-3 + A * (run.at(1, "lift.length") - 0.5e-3 * v);
  EXPECT_NEAR(v, 0.5, 1e-4);
  EXPECT_NEAR(p_0, (m * kGravity + A_B * kTank) / A, 1e3);
  const auto pressure = [&](double x) { return p_0 + kModulus * std::log(V / (V - A * x)); };
  const auto work = [&](double x) {  // of the oil, tank and weight
    const double u = A * x / V;
    return A * x * p_0 + kModulus * V * ((1 - u) * std::log(1 - u) + u) - A_B * kTank * x - m * kGravity * x;
  };
  const double x = root([&](double depth) { return work(depth) - m * v * v / 2; }, 0, 0.1);
  const double rise = run.peak("ram.pressure", 1, 1.08) - p_0;
  EXPECT_NEAR(rise, pressure(x) - p_0, 1e-3 * rise);
  const double k = kModulus * A * A / V;
  EXPECT_NEAR(rise, v * std::sqrt(m * k) / A, 0.01 * rise);
  // a quarter period later; then it is thrown up, with a cavity below the ram: free fall
  const std::vector<double>& p = run.column("ram.pressure");
  const auto highest = std::max_element(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(run.row(1.08))) - p.begin();
  EXPECT_NEAR(run.column("time")[static_cast<std::size_t>(highest)] - shut, kPi / 2 * std::sqrt(m / k), 5e-4);
  EXPECT_GT(run.cavitation("ram").steps, 0);
  EXPECT_LT(run.cavitation("ram").first_time, 1.1);
  EXPECT_NEAR(run.at(1.11, "fork.acceleration"), -kGravity, 2e-3 * kGravity);
}

/// Slower, the pressure oscillates about the static one and no cavity opens.
TEST(Fault, ValveShutOnASlowLoadDrawsNoCavity) {
  const Fault run("valve_shuts", {"solver.step=0.1 ms", "signals.lever={ramps: [[0.1 s, 0], [0.3 s, 0.4], [1 s, 0.4], [1.001 s, 0]]}"});
  const double v = -run.at(1, "lift.rate");
  EXPECT_NEAR(v, 0.2, 1e-3);
  EXPECT_EQ(run.cavitation("ram").steps, 0);
  const double k = kModulus * 4e-6 / (0.2e-3 + 20e-4 * run.at(1, "lift.length")), rise = v * std::sqrt(1500 * k) / 20e-4;
  EXPECT_NEAR(run.peak("ram.pressure", 1, 2) - run.at(1, "ram.pressure"), rise, 0.01 * rise);
}

// ---------------------------------------------------------------- pump stopped

struct StoppedPump {
  static constexpr double m = 2000, D = 16e-6 / (2 * kPi), J = 0.15, drag = 6000, full = 90, droop = 60 * 2 * kPi / 60;
  double w = 1500 * 2 * kPi / 60;                                                                     // [rad/s]
  double G = 0.06 * D * w / 200e5, c = 0.5 * (1 / 0.9 - 1) * D * 200e5 / w, f = 0.5 * (1 / 0.9 - 1);  // losses at 1500 rpm, 200 bar
  double A = disc(0.05), A_B = A - disc(0.028), check = 30 / 6e4 / std::sqrt(3e5);
  /// Flow and pressure at a shaft speed where the platform follows.
  std::pair<double, double> steady(double speed) const {
    double Q = D * speed, p = 0;
    for (int i = 0; i < 50; ++i) {
      const double ram = (m * kGravity + A_B * kTank + drag * Q / A) / A, x = Q / check;
      p = ram + (x * x > 3e5 ? x * x : x * std::sqrt(3e5));  // laminar below 3 bar
      Q = std::max(D * speed - G * (p - kTank), 0.0);
    }
    return {Q, p};
  }
};

/// The shaft decelerates by (J + m (D/A)^2 (1 + f)) w_dot = -(D dp (1 + f) + c w), and the platform with it; the check closes when the
/// pump's flow has decreased to its leakage.
TEST(Fault, StoppedPumpRunsDownAgainstItsLoadWhichStaysOnTheCheckValve) {
  const Fault run("pump_stops");
  const StoppedPump pump;
  const double stop = 1.5, leak = 1e-12 * ((pump.m * kGravity + pump.A_B * kTank) / pump.A - kTank) / pump.A;
  const double inertia = pump.J + pump.m * std::pow(pump.D / pump.A, 2) * (1 + pump.f);
  double w = run.at(stop, "main.speed"), t = 0, way = 0;
  for (constexpr double h = 1e-4; pump.steady(w).first > 0; t += h) {
    const auto [Q, p] = pump.steady(w);
    w -= h * (pump.D * (p - kTank) * (1 + pump.f) + pump.c * w) / inertia;
    way += h * (Q / pump.A - leak);
  }
  const std::vector<double>& flow = run.column("hold.flow");
  std::size_t shut = run.row(stop);
  while (flow[shut] > 0) ++shut;
  EXPECT_NEAR(run.column("time")[shut] - stop, t, 0.02 * t);
  EXPECT_NEAR(run.at(stop + t, "platform.position") - run.at(stop, "platform.position"), way, 0.02 * way);
  // held except for the leak past the piston
  EXPECT_NEAR((run.at(2.5, "platform.position") - run.at(3.5, "platform.position")), leak, 0.02 * leak);
  // the line drains through the pump's leakage, and through the pump as far as its engine yields
  const double rate = (pump.G + pump.D * pump.D / (pump.full / pump.droop)) * kModulus / 1e-3;
  EXPECT_NEAR(std::log((run.at(2.7, "line.pressure") - kTank) / (run.at(3.3, "line.pressure") - kTank)) / 0.6, rate, 0.05 * rate);
}

// ---------------------------------------------------------------- hose burst

/// After the hose's own oil has drained, the arm sinks with the flow C sqrt(p - p_T), p that of its weight.
TEST(Fault, BurstHoseLetsTheArmSinkByTheLawOfTheHole) {
  const Fault run("hose_bursts");
  const double C = 0.7 * disc(5e-3) * std::sqrt(2 / kDensity), A = disc(0.07), A_B = A - disc(0.04);
  for (double t : {0.7, 0.8, 0.9}) {
    const double angle = run.at(t, "arm.angle"), x = 0.8 * std::cos(angle) - 0.2, y = 0.8 * std::sin(angle) + 0.8;
    const double arm = 0.8 * (-std::sin(angle) * x + std::cos(angle) * y) / std::hypot(x, y);  // ds/d(angle)
    const double inertia = 300 * 4 / 3. + 500 * 4, weight = (300 * 1 + 500 * 2) * kGravity * std::cos(angle);
    const double rate = run.at(t, "lift.rate"), slowing = inertia * run.at(t, "arm.acceleration") / arm;
    const double p = (weight / arm + slowing + 5000 * rate + A_B * kTank) / A;
    EXPECT_NEAR(run.at(t, "hose.pressure"), p, 1e-3 * p) << t;
    EXPECT_NEAR(rate, -C * std::sqrt(p - kTank) / A, 2e-3 * std::abs(rate)) << t;
    const double quasistatic = -C * std::sqrt((weight / arm + 5000 * rate + A_B * kTank) / A - kTank) / A;
    EXPECT_NEAR(rate, quasistatic, 0.03 * std::abs(rate)) << t;
  }
  EXPECT_LT(run.peak("lift.rate", 0.3, 1), 0);
}

// ---------------------------------------------------------------- end stop

/// Without damping the table enters the stop to m v^2/2 = k x^2/2; the oil pushes slightly more than before. Then it rests at the force
/// of the pump's pressure.
TEST(Fault, EndStopTakesTheEnergyOfTheTable) {
  const double k = 4e7, m = 1000, A = disc(0.05), A_B = A - disc(0.036);
  const Fault bare("end_stop", {"solver.step=0.1 ms", "cylinders.push.end_damper.damping=0"});
  const double v = bare.at(0.59, "push.rate"),
               force = -*std::min_element(bare.column("push.end_damper").begin(), bare.column("push.end_damper").end());
  EXPECT_NEAR(v, 1.39, 0.01);
  EXPECT_NEAR(force, v * std::sqrt(k * m), 0.01 * force);
  const Fault run("end_stop", {"solver.step=0.1 ms"});
  EXPECT_NEAR(run.at(2, "push.end_damper"), -(200e5 * A - kTank * A_B), 1);
  EXPECT_NEAR(run.at(2, "table.position"), 1.58 + (200e5 * A - kTank * A_B) / k, 1e-8);
  EXPECT_GT(run.cavitation("rod").steps, 0);
  EXPECT_LT(run.cavitation("head").steps, 1);
}

// ---------------------------------------------------------------- relief valve

/// Small motions are the roots of (l^2 + 2 zeta w l + w^2)(l + a) + w^2 b = 0 (relief_valve.h): they grow at damping 0.2 until the poppet
/// hits its seat, and decay at 0.7.
TEST(Fault, ReliefChattersAtTheFrequencyOfPoppetAndOil) {
  const Settings fine{"solver.step=0.1 ms"};
  const Fault run("relief_chatters", fine);
  const double V = 1.9e-3 + disc(0.08) * 0.02, Q = 30 / 6e4, range = 20e5, cracking = 100e5, w = 200 * kPi;
  const double C = 60 / 6e4 / std::sqrt(cracking + range);
  const double s = root([&](double x) { return C * x * std::sqrt(cracking + range * x) - Q; }, 0, 1), dp = cracking + range * s;
  const double a = Q / (2 * dp) * kModulus / V, b = C * std::sqrt(dp) * kModulus / (V * range);
  std::complex<double> l(0, 1.1 * w);
  for (int i = 0; i < 50; ++i) {
    const std::complex<double> poppet = l * l + 0.4 * w * l + w * w;
    l -= (poppet * (l + a) + w * w * b) / ((2.0 * l + 0.4 * w) * (l + a) + poppet);
  }
  ASSERT_GT(l.real(), 0);
  // crossings of the mean while motions are small
  const std::vector<double>&spool = run.column("limit.spool"), &time = run.column("time");
  std::vector<double> crossings, peaks;
  double highest = 0;
  for (std::size_t i = run.row(0.02); i < run.row(0.1); ++i) {
    highest = std::max(highest, spool[i] - s);
    if (spool[i - 1] >= s || spool[i] < s) continue;
    crossings.push_back(time[i - 1] + (time[i] - time[i - 1]) * (s - spool[i - 1]) / (spool[i] - spool[i - 1]));
    peaks.push_back(highest);
    highest = 0;
  }
  ASSERT_GT(crossings.size(), 5u);
  const double periods = static_cast<double>(crossings.size() - 1);
  EXPECT_NEAR(periods / (crossings.back() - crossings.front()), l.imag() / (2 * kPi),
              0.01 * l.imag() / (2 * kPi));  // the platform yields slightly
  EXPECT_NEAR(std::log(peaks.back() / peaks[1]) / (crossings.back() - crossings[1]), l.real(), 0.15 * l.real());
  EXPECT_LT(*std::min_element(spool.begin(), spool.end()), 0);  // on its seat
  const Fault damped("relief_chatters", {"solver.step=0.1 ms", "valves.limit.relief.damping=0.7"});
  EXPECT_NEAR(damped.at(0.6, "limit.spool"), s, 1e-3);
  EXPECT_NEAR(damped.at(0.6, "ram.pressure"), dp + kTank, 1e-3 * dp);
}

// ---------------------------------------------------------------- overrunning load

/// The ram falls with the flow of the open edge from the rod side; behind it a cavity with the pressure of its air, which the pump must
/// fill before it can build up pressure.
TEST(Fault, OverrunningLoadDrawsACavityThatThePumpFillsAgain) {
  const Fault run("load_overruns", {"solver.step=0.1 ms"});
  const double m = 800, A = disc(0.063), A_B = A - disc(0.036), C = 60 / 6e4 / std::sqrt(50e5), drag = 1000, Q = 15 / 6e4, p_s = 2e4;
  const double v = root([&](double x) { return A_B * std::pow(A_B * x / C, 2) + drag * x + A_B * kTank - m * kGravity; }, 0, 1);
  EXPECT_NEAR(run.at(0.5, "press.rate"), v, 1e-3 * v);
  EXPECT_GT(A * v, Q);  // outruns the pump
  EXPECT_NEAR(run.at(0.5, "rod.pressure"), kTank + std::pow(A_B * v / C, 2), 1e-3 * 3.5e6);
  // the cavity: the liquid fraction of the volume is the initial liquid plus the inflow
  const CavitationRecord& head = run.cavitation("head");
  const std::size_t begin = run.row(head.first_time);
  const std::vector<double>&time = run.column("time"), &length = run.column("press.length"), &p = run.column("head.pressure");
  const auto volume = [&](std::size_t i) { return 0.5e-3 + A * (0.4 + length[i] - 1); };
  double checked = 0, lowest = 1;
  std::size_t i = begin;
  for (; p[i] < p_s; ++i) {
    const double liquid = (volume(begin) + Q * (time[i] - time[begin])) / volume(i);
    if (time[i] < 0.3 || time[i] > 1.3) continue;
    lowest = std::min(lowest, liquid);
    EXPECT_NEAR(1 / (1 + 0.01 * (p_s / p[i] - 2 + p[i] / p_s)), liquid, 2e-4) << time[i];
    ++checked;
  }
  EXPECT_GT(checked, 1000);
  EXPECT_LT(lowest, 0.9);
  // full when the inflow equals the previous outflow
  const double missing = volume(i) - volume(begin), full = time[i] - time[begin];
  EXPECT_NEAR(full, missing / Q, 2e-3 * full);
  // rod side, which is closed meanwhile, releases the ram when that is thrown up: free fall
  const double t = 0.6;
  EXPECT_LT(run.at(t, "rod.pressure"), p_s);
  EXPECT_NEAR(run.at(t, "ram.acceleration"), -kGravity - drag * run.at(t, "ram.speed") / m, 0.1);
  // the pump builds up pressure again
  const double pressing = kTank + 120e5 + 10e5;
  EXPECT_NEAR(run.at(3, "head.pressure"), pressing, 1e-3 * pressing);
}

// ---------------------------------------------------------------- accumulator emptied

struct EmergencyLift {
  double neck = 0.8 * disc(0.025) * std::sqrt(2 / kDensity), leak = 0.8 * disc(1e-3) * std::sqrt(2 / kDensity);
  double A = disc(0.05), A_B = A - disc(0.028), check = 30 / 6e4 / std::sqrt(3e5), lever = 20 / 6e4 / std::sqrt(50e5);
  double gas(double oil) const { return 100e5 * std::pow(4e-3 / (4e-3 - oil), 1.2); }
  double line(double oil, double Q) const { return gas(oil) - std::pow(Q / neck, 2); }
  /// Flow to the ram driven by the line's pressure through lever and check against load and drag.
  double lift(double p, double opening) const {
    const double rest = (1000 * kGravity + A_B * kTank) / A;
    if (opening == 0 || p < rest) return 0;
    return root([&](double Q) { return rest + 10000 * Q / (A * A) + check_drop(Q) + std::pow(Q / (opening * lever), 2) - p; }, 0, 0.01);
  }
  double check_drop(double Q) const {
    const double x = Q / check;
    return x * x > 3e5 ? x * x : x * std::sqrt(3e5);
  }
};

/// Down to its last per cent an accumulator supplies the flow of its pressure through leak and lift: the time from that quadrature.
TEST(Fault, EmptiedAccumulatorLetsTheLineFallToTheTank) {
  const Fault run("accumulator_empties");
  const EmergencyLift lift;
  double oil = 4e-3 * (1 - std::pow(0.5, 1 / 1.2)), t = 0, height = 0;
  EXPECT_NEAR(run.at(0, "store.oil"), oil, 1e-9);
  constexpr double kStep = 1e-3, kShut = 0.01 * 4e-3;
  for (; oil > kShut; t += kStep) {
    const double p = lift.gas(oil), up = lift.lift(p, std::clamp((t - 0.5) / 0.1, 0.0, 1.0));
    oil -= kStep * (lift.leak * std::sqrt(p - kTank) + up);
    height += kStep * up / lift.A;
  }
  const std::vector<double>& stored = run.column("store.oil");
  std::size_t i = 0;
  while (stored[i] > kShut) ++i;
  EXPECT_NEAR(run.column("time")[i], t, 5e-3 * t);
  EXPECT_NEAR(run.at(12, "platform.position") - 1, height + kShut / lift.A / 2, 0.02 * height);  // the rest, nearly half, upwards
  EXPECT_GT(run.column("line.pressure")[i], 0.95 * 100e5);
  EXPECT_NEAR(run.at(t + 0.5, "line.pressure"), kTank, 1e3);
  for (double v : stored) ASSERT_GE(v, -1e-12 * stored[0]);
  const double locked = (1000 * kGravity + lift.A_B * kTank) / lift.A;
  EXPECT_NEAR(run.at(12, "ram.pressure"), locked, 1e-6 * locked);
  EXPECT_NEAR(run.at(12, "platform.speed"), 0, 1e-9);
}

// ---------------------------------------------------------------- summary

const Incidents& incidents(const Fault& run) { return run.result().statistics.incidents; }

/// Recounted from the records of all steps.
TEST(Fault, SummaryTellsOfStopsReliefsAndAccumulators) {
  const Fault stop("end_stop");
  {
    const EndStopRecord& r = incidents(stop).end_stops.at(0);
    long steps = 0, strikes = 0;
    double depth = 0, first = 0;
    const std::vector<double>& position = stop.column("table.position");
    for (std::size_t i = 1; i < position.size(); ++i) {
      if (position[i] > 1.58) ++steps;
      if (position[i] > 1.58 && position[i - 1] <= 1.58 && strikes++ == 0) first = stop.column("time")[i];
      depth = std::max(depth, position[i] - 1.58);
    }
    EXPECT_EQ(r.name, "push");
    EXPECT_EQ(r.steps, steps);
    EXPECT_EQ(r.strikes, strikes);
    EXPECT_EQ(r.first_time, first);
    EXPECT_NEAR(r.depth, depth, 1e-12);
    EXPECT_NEAR(r.speed, stop.at(0.59, "push.rate"), 1e-3 * r.speed);
  }
  const Fault relief("relief_chatters"), accumulator("accumulator_empties");
  {
    const ReliefRecord& r = incidents(relief).reliefs.at(0);
    const std::vector<double>& flow = relief.column("limit.flow");
    long steps = 0, openings = 0;
    for (std::size_t i = 1; i < flow.size(); ++i) {
      if (flow[i] > 0) ++steps;
      if (flow[i] > 0 && flow[i - 1] <= 0) ++openings;
    }
    EXPECT_GT(openings, 20);
    EXPECT_EQ(r.openings, openings);
    EXPECT_EQ(r.steps, steps);
    EXPECT_DOUBLE_EQ(r.flow, *std::max_element(flow.begin() + 1, flow.end()));
  }
  {
    const EmptyRecord& r = incidents(accumulator).accumulators.at(0);
    const std::vector<double>& oil = accumulator.column("store.oil");
    const auto empty = std::find_if(oil.begin(), oil.end(), [](double x) { return x <= 0.01 * 4e-3; });
    EXPECT_EQ(r.first_time, accumulator.column("time")[static_cast<std::size_t>(empty - oil.begin())]);
    EXPECT_EQ(r.steps, oil.end() - empty);
  }
  EXPECT_NE(summary_text(stop.result(), 0).find("end stop     push struck 4 times, first at 0.598 s"), std::string::npos);
  EXPECT_NE(summary_text(relief.result(), 0).find("relief       limit opened"), std::string::npos);
  EXPECT_NE(summary_text(accumulator.result(), 0).find("EMPTY        store without oil"), std::string::npos);
  const std::string json = summary_json(accumulator.result(), "", 0);
  EXPECT_NE(json.find("\"accumulators_emptied\": {\n    \"store\""), std::string::npos);
}

}  // namespace
}  // namespace trunnion
