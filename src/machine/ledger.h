// The energy ledger of a run: the powers of every element, integrated by the trapezoidal rule on the steps.
//   work_k+1 = work_k + h/2 (P_k + P_k+1),   P_k by its right limit where a force jumps
//   residual = change of (kinetic + potential + spring + cylinder) + oil - supply + throttling + friction + damping - external
// The balance closes pointwise, so the residual measures the time discretisation alone. Its rule error is the same with the integral of a
// parabola through the powers at three ends of steps, which no rule of second order makes exact.
//   scale    = integral of |P| over all entries + sum over the steps of |change| of potential, spring and cylinder energy
//              + largest kinetic energy
// is what a residual is compared with. Kinetic energy counts once: what moves it is a power or one of the other changes, and a body that
// turns freely has no other energy. Residuals and scales below kRoundingShare of the energy that the machine holds are rounding, and their
// ratio is not a figure.
//   drift    = change of (kinetic + potential) - net actuator work, plus the same of springs, dampers and loads where there are any
// is the papers' figure: zero for an exact solution, whatever happens in the oil.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 6.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "machine/observe.h"
#include "machine/oil_balance.h"

namespace trunnion {

/// A quantity's extremes over a run, with their times; the start counts.
struct Extremes {
  double max = 0, min = 0;            // [unit of the quantity]
  double max_time = 0, min_time = 0;  // [s]
  void add(double value, double time);
};

/// Works [J] since the start, per account.
struct LedgerTotals {
  double actuator = 0;     // net, on the mechanism
  double oil = 0;          // compression
  double supply = 0;       // oil that left sources, p Q
  double tank_return = 0;  // oil that came back to sources, p Q
  double throttling = 0, friction = 0, damping = 0, external = 0;
};

class Ledger {
 public:
  /// Starts at the state that `observer` has observed last.
  void begin(const Observer& observer, double time);
  /// Adds the step, whose oil moved by `rule`, that ends at the state observed last; `in_parts`: one of several, because pressures jump.
  /// No allocation.
  void step(const Observer& observer, double time, const OilRule& rule, bool in_parts);
  /// The powers jump: the next step begins with those observed last.
  void jump(const Observer& observer) {
    power_ = observer.powers();
    constraint_power_ = observer.constraint_power();
    open_power_ = open_power(observer);
    since_before_ = 0;
    oil_.jump(observer.oil().outflow);
  }

  const StoredEnergy<>& stored() const { return stored_; }
  const LedgerTotals& totals() const { return totals_; }
  double drift() const { return drift_; }        // [J]
  double residual() const { return residual_; }  // [J]
  const OilBalance& oil() const { return oil_; }
  const std::vector<double>& work() const { return work_; }  // [J] per entry, signed

  const Extremes& drift_range() const { return drift_range_; }
  const Extremes& residual_range() const { return residual_range_; }
  const Extremes& actuator_range() const { return actuator_range_; }                 // summed over actuators
  const std::vector<Extremes>& actuator_ranges() const { return actuator_ranges_; }  // per cylinder
  const std::vector<std::string>& actuator_names() const { return actuator_names_; }
  /// Energy transferred [J]: the integral of |P| over all entries and the changes of gravity, springs, seals and end dampers.
  double absolute_work() const { return absolute_; }
  /// Largest |residual| in percent of the scale; 0 where there is none.
  double closed_to_percent() const { return energy_error().value_or(0); }
  /// The same; none where no energy was transferred.
  std::optional<double> energy_error() const;
  /// Largest residual of the oil in percent of the oil transferred by flows and pistons; none where no oil was.
  std::optional<double> oil_error() const;
  /// Largest rule errors, of energy in percent of the same, of oil in percent of that and what 1 bar compresses; none where nothing was
  /// transferred.
  std::optional<double> energy_rule_error() const;
  std::optional<double> oil_rule_error() const;
  /// Largest drift in percent of the energy transferred; none where none was.
  std::optional<double> drift_error() const;
  /// Work [J] of the constraints on the mechanism, which do none where their rates hold.
  const Extremes& constraint_work() const { return constraint_range_; }
  /// Its largest magnitude in percent of the scale; none where no energy was transferred.
  std::optional<double> constraint_error() const;

 private:
  void book(const std::vector<LedgerEntry>& entries, double time);
  std::optional<double> percent_of_scale(const Extremes& range) const;
  /// All powers with the signs that they have in the residual [W].
  static double open_power(const Observer& observer);
  /// Oil in volumes and chambers [m3] and p V of it [J].
  void measure_oil(const Observer::Oil& oil);

  double time_ = 0;
  StoredEnergy<> start_, stored_;
  LedgerTotals totals_;
  std::vector<double> power_, work_;
  double returned_ = 0, absolute_ = 0, drift_ = 0, residual_ = 0;
  double held_ = 0, fastest_ = 0;                         // [J] largest energy that the machine held; largest kinetic energy
  double open_power_ = 0, open_power_before_ = 0;         // [W] at the end of the last step, and of the one before
  double since_before_ = 0, correction_ = 0;              // [s] the last step, 0 after a jump; [J] of the trapezoidal rule, summed
  double constraint_power_ = 0, constraint_work_ = 0;     // [W], [J]
  double oil_size_ = 0, oil_energy_ = 0, displaced_ = 0;  // [m3], [J] at the start; [m3] by pistons and motors
  double settled_ = 0;                                    // [m3] oil that 1 bar compresses
  std::vector<double> port_positions_;                    // [m, rad] at the end of the last step
  OilBalance oil_;
  Extremes drift_range_, residual_range_, rule_range_, actuator_range_, constraint_range_;
  std::vector<Extremes> actuator_ranges_;
  std::vector<std::string> actuator_names_;
};

/// Channels `energy.*` and the values of a ledger in the same order.
const std::vector<Channel>& energy_channels();
void energy_values(const Ledger& ledger, double* out);

}  // namespace trunnion
