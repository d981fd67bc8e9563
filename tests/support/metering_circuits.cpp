// Random metering circuits and their residuals.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/metering_circuits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/allocation_counter.h"

namespace trunnion::test {

double uniform(Random& random, double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random); }

namespace {

double log_uniform(Random& random, double lower, double upper) { return std::exp(uniform(random, std::log(lower), std::log(upper))); }
bool chance(Random& random, double p) { return uniform(random, 0, 1) < p; }

}  // namespace

std::string MeteringCase::text() const {
  std::string s = fmt::format("P_M {:.17g} c_b {:.17g} Q {:.17g} u_b {:.17g}", pump.relief, pump.c_bleed, flow, bleed);
  for (std::size_t j = 0; j < actuators.size(); ++j) {
    const MeteringActuator& a = actuators[j];
    const MeteringOpenings& u = openings[j];
    s += fmt::format(
        "\n  A {:.17g} {:.17g} P {:.17g} {:.17g} c {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\n  u ph {:.17g} tr {:.17g} pr {:.17g} "
        "th {:.17g} a {:.17g}\n  beta {:.17g} fbar {:.17g}",
        a.area_h, a.area_r, a.relief_h, a.relief_r, a.c_ph, a.c_tr, a.c_pr, a.c_th, a.c_a, u.ph, u.tr, u.pr, u.th, u.a, beta[j], fbar[j]);
  }
  return s;
}

int random_cases() {
  static const int kCases = allocations_are_counted() ? 20000 : 3000;
  return kCases;
}

MeteringCase printed_case(double u_c, double u_b) {
  const double c = 0.6 * 1e-4 * std::sqrt(2.0 / 850);
  MeteringCase m;
  m.actuators = {{0.024, 0.012, 42e6, 40e6, c, c, c, c, c}};
  m.pump = {36e6, c};
  m.flow = 500e-3 / 60;
  m.bleed = u_b;
  const double up = std::max(u_c, 0.0), down = std::max(-u_c, 0.0);
  m.openings = {{up, up, down, down, 0}};
  m.beta = {1e6};
  m.fbar = {0};
  return m;
}

MeteringCase random_case(Random& random, const MeteringKinds& kinds) {
  MeteringCase c;
  const bool degenerate = kinds.degenerate;
  c.pump.relief = log_uniform(random, 5e6, 6e7);
  c.pump.c_bleed = log_uniform(random, 1e-7, 1e-5);
  c.flow = degenerate && chance(random, 0.05) ? 0 : log_uniform(random, 1e-4, 2e-2);
  c.bleed = degenerate && chance(random, 0.2) ? 0 : uniform(random, 0, 1);
  for (int j = 0; j < kinds.actuators; ++j) {
    MeteringActuator a;
    a.area_h = log_uniform(random, 3e-3, 3e-2);
    a.area_r = a.area_h * log_uniform(random, 0.3, 2);
    if (degenerate && chance(random, 0.05)) a.area_r = a.area_h;
    a.relief_h = log_uniform(random, 5e6, 6e7);
    a.relief_r = log_uniform(random, 5e6, 6e7);
    for (double* coefficient : {&a.c_ph, &a.c_tr, &a.c_pr, &a.c_th, &a.c_a}) *coefficient = log_uniform(random, 5e-7, 1e-5);

    MeteringOpenings u;
    const auto opening = [&] {
      return degenerate && chance(random, 0.2) ? 0 : degenerate && chance(random, 0.1) ? 1e-3 : uniform(random, 0.02, 1);
    };
    const double direction = uniform(random, 0, 1);
    if (direction < 0.1 && degenerate) {
      // all closed
    } else if (direction < 0.15 && degenerate) {  // float
      u.th = opening();
      u.tr = opening();
    } else if (direction < (kinds.regeneration ? 0.8 : 0.55)) {
      u.ph = opening();
      u.tr = opening();
    } else {
      u.pr = opening();
      u.th = opening();
    }
    if (kinds.regeneration && u.pr == 0 && u.th == 0 && !chance(random, 0.15)) u.a = opening();
    c.actuators.push_back(a);
    c.openings.push_back(u);
    const double scale = c.force_scale(j);
    c.beta.push_back(log_uniform(random, 1e-2, 1e3) * scale);
    c.fbar.push_back(uniform(random, -1.5, 1.5) * scale);
    if (degenerate && chance(random, 0.05)) c.fbar.back() = 0;
    if (degenerate && chance(random, 0.03)) c.fbar.back() = a.area_h * a.relief_h;
    if (degenerate && chance(random, 0.03)) c.fbar.back() = -a.area_r * a.relief_r;
  }
  return c;
}

double speed_scale(const MeteringCase& c, std::size_t j) {
  const MeteringActuator& a = c.actuators[j];
  return (c.flow + a.c_tr * std::sqrt(a.relief_r) + a.c_th * std::sqrt(a.relief_h)) / std::min(a.area_h, a.area_r);
}

double distance_from_relations(const MeteringCase& c, const std::vector<MeteringFlows>& flows, const PumpFlows& pump) {
  double worst = 0;
  const auto note = [&](double distance) { worst = distance <= worst ? worst : distance; };  // keeps NaN
  double Q_p = 0;
  double Q_scale = c.flow, P_scale = c.pump.relief;
  for (std::size_t j = 0; j < flows.size(); ++j) {
    const MeteringFlows& q = flows[j];
    for (double x : {q.Q_h, q.Q_r, q.Q_ph, q.Q_pr, q.Q_th, q.Q_tr, q.Q_a, q.Q_ho, q.Q_ro}) Q_scale = std::max(Q_scale, std::abs(x));
    P_scale = std::max({P_scale, c.actuators[j].relief_h, c.actuators[j].relief_r});
  }
  const auto flow = [&](double distance) { note(std::abs(distance) / Q_scale); };
  const auto pressure = [&](double distance) { note(std::abs(distance) / P_scale); };
  // Q = cu R(dp); with a check valve none for dp < 0
  const auto orifice = [&](double Q, double cu, double dp, bool checked = false) {
    if (checked && dp < 0) dp = 0;
    const double along_Q = std::abs(Q - cu * std::copysign(std::sqrt(std::abs(dp)), dp)) / Q_scale;
    const double x = cu > 0 ? Q / cu : 0, along_P = cu > 0 ? std::abs(dp - x * std::abs(x)) / P_scale : along_Q;
    note(std::min(along_Q, along_P));
  };
  // Q in N_[0, P_M](P)
  const auto relief = [&](double Q, double P, double P_M) {
    pressure(std::max({0.0, -P, P - P_M}));
    if (Q > 0) note(std::min(Q / Q_scale, (P_M - P) / P_scale));
    if (Q < 0) note(std::min(-Q / Q_scale, P / P_scale));
  };
  for (std::size_t j = 0; j < flows.size(); ++j) {
    const MeteringFlows& q = flows[j];
    const MeteringActuator& a = c.actuators[j];
    const MeteringOpenings& u = c.openings[j];
    flow(q.Q_hn - (q.Q_ph - q.Q_th));         // (39a)
    flow(q.Q_rn - (q.Q_pr - q.Q_tr));         // (39b)
    flow(q.Q_h - (q.Q_hn + q.Q_a - q.Q_ho));  // (39c) with regeneration, (92a)
    flow(q.Q_r - (q.Q_rn - q.Q_a - q.Q_ro));  // (39d), (92b)
    flow(q.Q_t - (q.Q_th + q.Q_tr));          // (39e)
    flow(q.Q_p - (q.Q_ph + q.Q_pr));          // (39f)
    Q_p += q.Q_p;
    orifice(q.Q_ph, a.c_ph * u.ph, q.P_c - q.P_h);     // (39h)
    orifice(q.Q_th, a.c_th * u.th, q.P_h);             // (39i)
    orifice(q.Q_pr, a.c_pr * u.pr, q.P_c - q.P_r);     // (39j)
    orifice(q.Q_tr, a.c_tr * u.tr, q.P_r);             // (39k)
    orifice(q.Q_a, a.c_a * u.a, q.P_r - q.P_h, true);  // (91)
    if (q.Q_p < 0) flow(q.Q_p);                        // (39m)
    if (q.P_c < pump.P) pressure(pump.P - q.P_c);
    note(std::min(std::abs(q.Q_p) / Q_scale, std::abs(q.P_c - pump.P) / P_scale));
    relief(q.Q_ho, q.P_h, a.relief_h);                                               // (39n)
    relief(q.Q_ro, q.P_r, a.relief_r);                                               // (39o)
    flow(q.v * a.area_h - q.Q_h);                                                    // (39p)
    flow(q.v * a.area_r + q.Q_r);                                                    // (39q)
    note(std::abs(q.f - (a.area_h * q.P_h - a.area_r * q.P_r)) / c.force_scale(j));  // (39r)
  }
  flow(pump.Q - c.flow);
  flow(pump.Q_p - Q_p);
  flow(pump.Q - pump.Q_p - pump.Q_bleed - pump.Q_relief);   // (39g)
  orifice(pump.Q_bleed, c.pump.c_bleed * c.bleed, pump.P);  // (39l)
  relief(pump.Q_relief, pump.P, c.pump.relief);
  if (pump.Q_relief < 0) flow(pump.Q_relief);
  return worst;
}

}  // namespace trunnion::test
