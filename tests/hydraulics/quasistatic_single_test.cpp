// One actuator in closed form: the map Gamma and its inverse Lambda. Reference: tables computed independently, hand-calculated values,
// the original relations of the circuit, and the inclusion that defines Lambda.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/single_actuator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problems/reference_table.h"
#include "support/metering_circuits.h"

namespace trunnion {
namespace {

using test::MeteringCase;
using test::Random;
using test::random_case;
using test::speed_scale;

/// The closed forms of a case's first actuator.
struct Single {
  MeteringConstants constants;
  RegularisedOpenings u;
  PumpSupply supply;
  double scale;  // [N] F_hM + F_rM

  explicit Single(const MeteringCase& c)
      : constants(c.actuators[0]),
        u(constants.regularise(c.openings[0])),
        supply{c.flow, c.pump.c_bleed * c.bleed, c.pump.relief},
        scale(c.force_scale(0)) {}
  Interval force(double v) const { return chamber_forces(constants, u, supply, v).f(); }
  LoadPoint point(double beta, double fbar) const { return point_on_load_line(constants, u, supply, beta, fbar); }
};

// ---------------------------------------------------------------- tables

TEST(QuasistaticMap, AgreesWithTheTableOfFigure3) {
  const auto table = problems::read_reference_table("quasistatic_figure_3");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Single single(test::printed_case(table.at(i, "u_c"), table.at(i, "u_b")));
    const Interval f = single.force(table.at(i, "v"));
    EXPECT_NEAR(f.lower, table.at(i, "f_lower"), 1e-11 * single.scale) << "row " << i;
    EXPECT_NEAR(f.upper, table.at(i, "f_upper"), 1e-11 * single.scale) << "row " << i;
  }
}

TEST(QuasistaticMap, AgreesWithTheRawRelationsAt40Digits) {
  const auto table = problems::read_reference_table("quasistatic_gamma");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const MeteringCase c = test::printed_case(table.at(i, "u_c"), table.at(i, "u_b"));
    const double v = table.at(i, "v"), f = table.at(i, "f_lower");
    if (v == 0) continue;
    EXPECT_NEAR(Single(c).force(v).lower, f, 1e-14 * c.force_scale(0)) << v;
    MeteringSolution scratch(1);
    MeteringFlows flows;
    PumpFlows pump;
    c.circuit().recover_at(c.command(), std::span(&v, 1), scratch, std::span(&flows, 1), pump);
    EXPECT_NEAR(flows.f, f, 1e-14 * c.force_scale(0)) << v;
    EXPECT_NEAR(pump.P, table.at(i, "P"), 2e-14 * c.pump.relief) << v;
    EXPECT_STREQ(name_of(flows.segment), name_of(static_cast<MeteringSegment>(table.at(i, "segment")))) << v;
  }
}

TEST(QuasistaticInverse, AgreesWithTheTable) {
  const auto table = problems::read_reference_table("quasistatic_lambda");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Single single(test::printed_case(table.at(i, "u_c"), table.at(i, "u_b")));
    const LoadPoint point = single.point(table.at(i, "beta"), table.at(i, "fbar"));
    EXPECT_NEAR(point.v, table.at(i, "v"), 1e-11 * std::max(1.0, std::abs(point.v))) << "row " << i;
    EXPECT_NEAR(point.f, table.at(i, "f"), 1e-11 * single.scale) << "row " << i;
  }
}

// ---------------------------------------------------------------- by hand

TEST(QuasistaticMap, HoldsWithShutValvesUpToTheReliefValves) {
  const Single single(test::printed_case(0, 0.2));
  EXPECT_EQ(single.force(0).lower, -480e3);
  EXPECT_EQ(single.force(0).upper, 1008e3);
  for (double fbar : {-480e3, -1.0, 0.0, 5e5, 1008e3}) {
    const LoadPoint point = single.point(1e6, fbar);
    EXPECT_EQ(point.v, 0);
    EXPECT_EQ(point.f, fbar);
    EXPECT_EQ(point.segment, MeteringSegment::hold);
  }
  EXPECT_DOUBLE_EQ(single.point(1e6, -480e3 - 2e6).v, 2);
  EXPECT_DOUBLE_EQ(single.point(1e6, 1008e3 + 3e6).v, -3);
  EXPECT_EQ(single.point(1e6, 2e6).segment, MeteringSegment::hM);
  EXPECT_EQ(single.point(1e6, -2e6).segment, MeteringSegment::rM);
}

TEST(QuasistaticMap, IsVerticalAtThePumpsFlowWithAShutBleedValve) {
  const MeteringCase c = test::printed_case(0.5, 0);
  const Single single(c);
  const double v = c.flow / 0.024, loss = single.force(v * 0.999999).upper, below = single.force(v).lower;
  EXPECT_NEAR(single.force(v).upper, loss, 1e-5 * single.scale);  // the pump's relief pressure behind the inlet valve
  EXPECT_LT(below, 0);                                            // down to suction
  EXPECT_NEAR(single.force(v * 1.000001).lower, below, 1e-5 * single.scale);
  // any force between has this speed
  for (double share : {0.01, 0.5, 0.99}) {
    const double f = below + share * (single.force(v).upper - below);
    const LoadPoint point = single.point(1e6, f - 1e6 * v);
    EXPECT_DOUBLE_EQ(point.v, v);
    EXPECT_EQ(point.v_fbar, 0);
    EXPECT_NEAR(point.f, f, 1e-14 * single.scale);
  }
}

TEST(QuasistaticMap, TakesItsLimitsWhereOneMainValveIsShut) {
  MeteringCase c = test::printed_case(0.5, 0);
  c.openings[0].ph = 0;  // oil only leaves: the head side sucks
  EXPECT_EQ(Single(c).force(0.1).upper, -std::pow(0.1 / (c.actuators[0].c_tr * 0.5 / std::pow(0.012, 1.5)), 2));
  EXPECT_EQ(Single(c).force(0).lower, 0);
  EXPECT_EQ(Single(c).force(0).upper, 1008e3);
  c = test::printed_case(0.5, 0);
  c.openings[0].tr = 0;  // oil only enters: the rod side is at its relief pressure
  EXPECT_EQ(Single(c).force(0).lower, 864e3 - 480e3);
  const double h = c.actuators[0].c_ph * 0.5 / std::pow(0.024, 1.5);
  EXPECT_DOUBLE_EQ(Single(c).force(0.1).upper, 864e3 - std::pow(0.1 / h, 2) - 480e3);
  EXPECT_GT(Single(c).point(1e6, 0).v, 0);
  EXPECT_EQ(Single(c).point(1e6, 384e3).v, 0);
}

TEST(QuasistaticMap, HasNoPressureFromAPumpWithoutFlow) {
  for (double u_b : {0.0, 0.3}) {
    MeteringCase c = test::printed_case(0.5, u_b);
    c.flow = 0;
    EXPECT_EQ(Single(c).force(0).lower, 0);
    EXPECT_EQ(Single(c).point(1e6, 1e5).v, 0);
    EXPECT_GT(Single(c).point(1e6, -1e5).v, 0);  // pulled out, it sucks
  }
}

TEST(QuasistaticMap, FloatsWithBothValvesToTheTankOpen) {
  MeteringCase c = test::printed_case(0, 0.2);
  c.openings[0].th = c.openings[0].tr = 0.5;
  const Single single(c);
  EXPECT_EQ(single.force(0).lower, 0);
  EXPECT_EQ(single.force(0).upper, 0);
  EXPECT_LT(single.force(0.1).upper, 0);
  EXPECT_GT(single.force(-0.1).lower, 0);
  EXPECT_EQ(single.point(1e6, 0).v, 0);
  EXPECT_DOUBLE_EQ(single.point(1e6, 0).v_fbar, -1e-6);  // nothing resists it
}

// ---------------------------------------------------------------- at random

TEST(QuasistaticMap, NeverRisesWithVelocity) {
  Random random(11);
  for (int i = 0; i < test::random_cases(); ++i) {
    const MeteringCase c = random_case(random, {});
    const Single single(c);
    const double speed = speed_scale(c, 0);
    double last = single.force(-speed).lower;
    for (int k = -19; k <= 20; ++k) {
      const Interval f = single.force(speed * k / 20);
      ASSERT_LE(f.upper, last + 1e-15 * single.scale) << c.text();
      ASSERT_LE(f.lower, f.upper) << c.text();
      last = f.lower;
    }
  }
}

TEST(QuasistaticInverse, LiesOnTheMapAndOnTheLoadLine) {
  Random random(12);
  for (int i = 0; i < 20000; ++i) {
    const MeteringCase c = random_case(random, {});
    const Single single(c);
    const LoadPoint point = single.point(c.beta[0], c.fbar[0]);
    // rounding of v and of f: the map may be vertical
    const double dv = 4e-16 * std::abs(point.v), df = 2e-15 * (single.scale + std::abs(c.fbar[0]));
    EXPECT_NEAR(point.f, c.beta[0] * point.v + c.fbar[0], df);
    EXPECT_GE(point.f, single.force(point.v + dv).lower - df) << c.text();
    EXPECT_LE(point.f, single.force(point.v - dv).upper + df) << c.text();
  }
}

TEST(QuasistaticInverse, HasTheSlopeOfItsDifferences) {
  Random random(13);
  int smooth = 0;
  for (int i = 0; i < 5000; ++i) {
    const MeteringCase c = random_case(random, {});
    const Single single(c);
    const double h = 1e-5 * single.scale, beta = c.beta[0], fbar = c.fbar[0];
    const double before = single.point(beta, fbar - h).v, at = single.point(beta, fbar).v, after = single.point(beta, fbar + h).v;
    const double right = (after - at) / h, left = (at - before) / h, slope = single.point(beta, fbar).v_fbar;
    EXPECT_LE(slope, 0);
    EXPECT_GE(slope, -1 / beta);
    if (std::abs(right - left) > 1e-4 / beta) {  // a kink or a strong curvature: between the slopes
      EXPECT_GE(slope, std::min(left, right) - 0.02 / beta) << c.text();
      EXPECT_LE(slope, std::max(left, right) + 0.02 / beta) << c.text();
      continue;
    }
    ++smooth;
    EXPECT_NEAR((left + right) / 2, slope, 2e-5 / beta) << c.text();
    const double db = 1e-5 * beta, by_beta = (single.point(beta + db, fbar).v - single.point(beta - db, fbar).v) / (2 * db);
    EXPECT_NEAR(by_beta, at * slope, 1e-4 * std::abs(at) / beta) << c.text();
  }
  EXPECT_GT(smooth, 4000);
}

// ---------------------------------------------------------------- table 1

/// A row: head relief, head suction, pump relief, rod suction, rod relief; o open, x closed, - either.
const char* row_of(MeteringSegment segment) {
  using enum MeteringSegment;
  switch (segment) {
    case rM:
      return "xo-xo";
    case p3:
      return "xo-xx";
    case p2b:
      return "xxoxo";
    case p2a:
      return "xxoxx";
    case p1b:
      return "xxxxo";
    case p1a:
      return "xxxxx";
    case p0b:
      return "ox-xo";
    case p0a:
      return "ox-xx";
    case hold:
      return "-x-x-";  // closed in the source; a pump above the chamber's relief pressure opens it
    case m0a:
      return "xx-xo";
    case m0b:
      return "ox-xo";
    case m1a:
      return "xxxxx";
    case m1b:
      return "oxxxx";
    case m2a:
      return "xxoxx";
    case m2b:
      return "oxoxx";
    case m3:
      return "xx-ox";
    case hM:
      return "ox-ox";
  }
  return "";
}

TEST(QuasistaticSegment, SaysWhichValvesAreOpen) {
  Random random(14);
  int seen[17] = {};
  for (int i = 0; i < 20000; ++i) {
    const MeteringCase c = random_case(random, {1, false, false});
    MeteringSolution solution(1);
    MeteringFlows q;
    PumpFlows pump;
    c.circuit().recover(c.command(), c.beta, c.fbar, solution, std::span(&q, 1), pump);
    const bool open[] = {q.head_relief, q.head_suction, pump.relief_open, q.rod_suction, q.rod_relief};
    const char* row = row_of(q.segment);
    for (int k = 0; k < 5; ++k)
      EXPECT_TRUE(row[k] == '-' || (row[k] == 'o') == open[k]) << name_of(q.segment) << " " << k << "\n" << c.text();
    EXPECT_EQ(name_of(Single(c).point(c.beta[0], c.fbar[0]).segment), name_of(q.segment)) << c.text();
    ++seen[static_cast<int>(q.segment)];
  }
  for (int count : seen) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace trunnion
