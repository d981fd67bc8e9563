// Constants, checks and segment names of actuators with independent metering.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/metering_actuator.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace trunnion {

namespace {

using Named = std::pair<const char*, double>;

template <std::size_t N>
std::string first_fault(const std::array<Named, N>& values, bool (*good)(double), const char* must) {
  for (const auto& [name, value] : values)
    if (!good(value)) return fmt::format("{} = {:g} must be {}", name, value, must);
  return {};
}

bool positive(double x) { return x > 0 && x < kInfinity; }
bool not_negative(double x) { return x >= 0 && x < kInfinity; }
bool share(double x) { return x >= 0 && x <= 1; }

}  // namespace

std::string fault_of(const MeteringActuator& a) {
  const std::array<Named, 4> sizes{{{"area_h", a.area_h}, {"area_r", a.area_r}, {"relief_h", a.relief_h}, {"relief_r", a.relief_r}}};
  const std::array<Named, 5> valves{{{"c_ph", a.c_ph}, {"c_tr", a.c_tr}, {"c_pr", a.c_pr}, {"c_th", a.c_th}, {"c_a", a.c_a}}};
  const std::string fault = first_fault(sizes, positive, "positive");
  return fault.empty() ? first_fault(valves, not_negative, "zero or positive") : fault;
}

std::string fault_of(const MeteringPump& pump) {
  if (!positive(pump.relief)) return fmt::format("relief = {:g} must be positive", pump.relief);
  if (!not_negative(pump.c_bleed)) return fmt::format("c_bleed = {:g} must be zero or positive", pump.c_bleed);
  return {};
}

std::string fault_of(const MeteringOpenings& openings) {
  const std::array<Named, 5> all{
      {{"P_A", openings.ph}, {"B_T", openings.tr}, {"P_B", openings.pr}, {"A_T", openings.th}, {"B_A", openings.a}}};
  if (std::string fault = first_fault(all, share, "between 0 and 1"); !fault.empty()) return fault;
  const auto both = [](const char* a, const char* b) { return fmt::format("valves {} and {} are open together", a, b); };
  if (openings.ph > 0 && openings.th > 0) return both("P_A", "A_T");
  if (openings.pr > 0 && openings.tr > 0) return both("P_B", "B_T");
  if (openings.ph > 0 && openings.pr > 0) return both("P_A", "P_B");
  if (openings.a > 0 && openings.pr > 0) return both("B_A", "P_B");
  if (openings.a > 0 && openings.th > 0) return both("B_A", "A_T");
  return {};
}

bool admissible(const MeteringOpenings& openings) {
  const bool shares = share(openings.ph) && share(openings.tr) && share(openings.pr) && share(openings.th) && share(openings.a);
  return shares && !(openings.ph > 0 && (openings.th > 0 || openings.pr > 0)) && !(openings.pr > 0 && openings.tr > 0) &&
         !(openings.a > 0 && (openings.pr > 0 || openings.th > 0));
}

const char* name_of(MeteringSegment segment) {
  constexpr std::array<const char*, 17> names{"hold", "+0a", "+0b", "+1a", "+1b", "+2a", "+2b", "+3", "-FrM",
                                              "-0a",  "-0b", "-1a", "-1b", "-2a", "-2b", "-3",  "FhM"};
  return names[static_cast<std::size_t>(segment)];
}

MeteringPowers powers(const MeteringFlows& flows) {
  MeteringPowers p;
  p.ph = flows.Q_ph * (flows.P_c - flows.P_h);
  p.pr = flows.Q_pr * (flows.P_c - flows.P_r);
  p.th = flows.Q_th * flows.P_h;
  p.tr = flows.Q_tr * flows.P_r;
  p.a = flows.Q_a * (flows.P_r - flows.P_h);
  p.head_relief = flows.Q_ho * flows.P_h;
  p.rod_relief = flows.Q_ro * flows.P_r;
  p.work = flows.f * flows.v;
  return p;
}

MeteringConstants::MeteringConstants(const MeteringActuator& a)
    : area_h(a.area_h), area_r(a.area_r), F_hM(a.area_h * a.relief_h), F_rM(a.area_r * a.relief_r) {
  const double head = 1 / (area_h * sqrt(area_h)), rod = 1 / (area_r * sqrt(area_r));
  h = {a.c_ph * head, a.c_tr * rod, a.c_pr * rod, a.c_th * head, a.c_a * rod};
}

}  // namespace trunnion
