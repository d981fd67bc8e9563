// The energy ledger of a run: the powers of every element, integrated by the trapezoidal rule on the steps.
//   work_k+1 = work_k + h/2 (P_k + P_k+1),   P_k by its right limit where a force jumps
//   residual = change of (kinetic + potential + spring + cylinder) + oil - supply + throttling + friction + damping - external
// A strike on a rigid limit lasts a few steps, which the powers at their ends do not resolve. In machines with such limits, the heat of
// friction and limits of joints and of springs' dampers is what the element takes from the mechanism in the discrete step,
//   heat_k+1 = heat_k - impulse (v_k + v_k+1)/2 - (E_k+1 - E_k)   impulse by the rule of the velocities, impulse_rule.h; E: stored in it
// The power balance closes at every instant, so the residual measures the time discretisation alone. Its rule error uses the integral of
// a parabola through the powers at three step ends, which no second-order rule reproduces exactly; of that heat, in a strike, the residual
// alone: it lasts the same number of steps whatever their length.
//   scale    = integral of |P| over all entries + sum over the steps of |change| of potential, spring and cylinder energy
//              + largest kinetic energy
// is the reference for a residual. Kinetic energy counts once: its changes are powers or changes of the other energies, and a body that
// turns freely has no other energy. Residuals and scales below kRoundingShare of the stored energy are rounding, and their ratio is not
// meaningful.
//   drift    = change of (kinetic + potential) - net actuator work, likewise with springs, dampers and loads where there are any
// is the papers' measure: zero for an exact solution, whatever happens in the oil.
// Source: Jaiswal, Sopanen, Mikkola 2021 (friction), section 6.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>

#include "machine/impulse_rule.h"
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
  double tank_return = 0;  // oil that returned to sources, p Q
  double throttling = 0, friction = 0, damping = 0, external = 0;
};

class Ledger {
 public:
  /// Starts at the state last observed by `observer`, with velocities integrated by `rule`; none: from states within the steps, too.
  void begin(const Observer& observer, double time, const std::optional<ImpulseRule>& rule = {});
  /// Adds the step that ends at the state observed last, with oil integrated by `rule`; `in_parts`: one of several substeps, because
  /// pressures jump; `defect` [m3]: of a communication step, see OilBalance. No allocation.
  void step(const Observer& observer, double time, const OilRule& rule, bool in_parts, const std::optional<double>& defect = {});
  /// The powers jump: the next step begins with those observed last. The kinetic energy jumps by the work of the impulses of motions.
  void jump(const Observer& observer) {
    const double impulses = observer.stored().kinetic - stored_.kinetic;
    impulse_work_ += impulses;
    absolute_ += std::abs(impulses);
    stored_.kinetic += impulses;
    fastest_ = std::max(fastest_, stored_.kinetic);
    power_ = observer.powers();
    constraint_power_ = observer.constraint_power();
    open_power_ = open_power(observer);
    since_before_ = 0;
    begin_impulses(observer);
    oil_.jump(observer.oil().y, observer.oil().outflow);
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
  /// Energies [J] below it are rounding.
  double rounding() const;
  /// Largest |residual| in percent of the scale; 0 where there is none.
  double closed_to_percent() const { return energy_error().value_or(0); }
  /// The same; empty if no energy was transferred.
  std::optional<double> energy_error() const;
  /// Largest residual of the oil in percent of the oil transferred by flows and pistons; empty if none was.
  std::optional<double> oil_error() const;
  /// Largest rule errors, of energy in percent of the same, of oil in percent of that and of the volume that 1 bar compresses; empty if
  /// nothing was transferred.
  std::optional<double> energy_rule_error() const;
  std::optional<double> oil_rule_error() const;
  /// Largest drift in percent of the energy transferred; empty if none was.
  std::optional<double> drift_error() const;
  /// In percent of the largest net work, as in the papers; empty if there was none.
  std::optional<double> drift_of_work() const;
  /// Work [J] of the constraints on the mechanism; zero where their rates hold.
  const Extremes& constraint_work() const { return constraint_range_; }
  /// Its largest magnitude in percent of the scale; empty if no energy was transferred.
  std::optional<double> constraint_error() const;

 private:
  void book(const std::vector<LedgerEntry>& entries, double time);
  /// Loads begin with those observed last; their lags are kept, as by the rule (solve/motion_rule.h).
  void begin_impulses(const Observer& observer);
  void add_impulses(const Observer& observer, double h);
  std::optional<double> percent_of_scale(const Extremes& range) const;
  std::optional<double> percent_of(double scale, const Extremes& range) const;
  /// All powers with their signs in the residual [W].
  static double open_power(const Observer& observer);
  /// Oil in volumes and chambers [m3] and p V of it [J].
  void measure_oil(const Observer::Oil& oil);

  double time_ = 0;
  StoredEnergy<> start_, stored_;
  LedgerTotals totals_;
  std::vector<double> power_, work_;
  double returned_ = 0, absolute_ = 0, drift_ = 0, residual_ = 0;
  double held_ = 0, fastest_ = 0;                         // [J] maximum stored energy; maximum kinetic energy
  double open_power_ = 0, open_power_before_ = 0;         // [W] at the end of the last step, and of the one before
  double last_step_ = 0;                                  // [s]; 0 before the first
  double since_before_ = 0, correction_ = 0;              // [s] the same, 0 after a jump; [J] of the trapezoidal rule, summed
  double constraint_power_ = 0, constraint_work_ = 0;     // [W], [J]
  double impulse_work_ = 0;                               // [J] of motions whose rate jumped
  double oil_size_ = 0, oil_energy_ = 0, displaced_ = 0;  // [m3], [J] at the start; [m3] by pistons and motors
  double settled_ = 0;                                    // [m3] oil that 1 bar compresses
  std::vector<double> port_positions_;                    // [m, rad] at the end of the last step
  OilBalance oil_;
  Extremes drift_range_, residual_range_, rule_range_, actuator_range_, constraint_range_;
  std::vector<Extremes> actuator_ranges_;
  std::vector<std::string> actuator_names_;
  std::optional<ImpulseRule> impulse_rule_;
  std::vector<ImpulseLoad> impulse_loads_;         // at the end of the last step
  std::vector<double> impulse_lags_;               // per load [N, N m]: mean minus force there
  std::vector<double> impulse_powers_;             // per load [W]: its power at the end of the step before the last
  bool strikes_ = false, strikes_before_ = false;  // whether a part struck at the ends of the last step and of the one before
};

/// Channels `energy.*` and the values of a ledger in the same order.
const std::vector<Channel>& energy_channels();
void energy_values(const Ledger& ledger, double* out);

}  // namespace trunnion
