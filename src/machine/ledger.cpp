// Integration of the powers of every element over a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/ledger.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

namespace {

constexpr double kRoundingShare = 1e-11;  // of the stored energy: smaller changes are rounding and Newton residuals

constexpr double kSettled = 1e5;  // [Pa] oil displaced by a smaller pressure change only settles: not a reference for errors

double sum(const StoredEnergy<>& e) { return std::abs(e.kinetic) + std::abs(e.potential) + std::abs(e.spring) + std::abs(e.cylinder); }

/// Whether a limit takes or returns a share of the power that counts; one that a part rests on does not.
bool strikes(const Observer& observer) {
  constexpr double kShare = 0.1;
  double all = 0, limits = 0;
  for (const double power : observer.powers()) all += std::abs(power);
  for (const ImpulseLoad& load : observer.impulse_loads()) limits = std::max(limits, std::abs(load.limit_power));
  return limits > kShare * all;
}

}  // namespace

void Extremes::add(double value, double time) {
  if (value > max) {
    max = value;
    max_time = time;
  }
  if (value < min) {
    min = value;
    min_time = time;
  }
}

void Ledger::begin(const Observer& observer, double time, const std::optional<ImpulseRule>& rule) {
  *this = {};
  time_ = time;
  start_ = stored_ = observer.stored();
  power_ = observer.powers();
  impulse_rule_ = rule;
  begin_impulses(observer);
  work_.assign(power_.size(), 0.0);
  for (const LedgerEntry& entry : observer.entries())
    if (entry.account == Account::actuator) actuator_names_.push_back(entry.name);
  actuator_ranges_.assign(actuator_names_.size(), Extremes{0, 0, time, time});
  open_power_ = open_power(observer);
  drift_range_ = residual_range_ = rule_range_ = actuator_range_ = constraint_range_ = {0, 0, time, time};
  constraint_power_ = observer.constraint_power();
  fastest_ = stored_.kinetic;
  const Observer::Oil oil = observer.oil();
  oil_ = OilBalance(*oil.hydraulics, oil.y, oil.s, oil.outflow);
  measure_oil(oil);
  held_ = sum(stored_) + oil_energy_;
}

void Ledger::measure_oil(const Observer::Oil& oil) {
  const Hydraulics& netlist = *oil.hydraulics;
  const auto add = [&](int node, double size) {
    if (node < 0 || netlist.nodes[node].state < 0) return;
    oil_size_ += size;
    oil_energy_ += std::abs(oil.y[netlist.nodes[node].state]) * size;
  };
  for (const Volume& volume : netlist.volumes) add(volume.node, volume.volume);
  for (const Actuator& a : pistons_of(netlist)) {
    const std::size_t i = static_cast<std::size_t>(&a - netlist.actuators.data());
    add(a.A, a.cylinder.area_A * a.cylinder.chamber_A(oil.s[i]));
    add(a.B, a.cylinder.area_B * a.cylinder.chamber_B(oil.s[i]));
  }
  port_positions_.assign(oil.s, oil.s + netlist.pistons);
  settled_ = kSettled * netlist.fluid.compressibility * oil_size_;
}

void Ledger::step(const Observer& observer, double time, const OilRule& rule, bool in_parts, const std::optional<double>& defect) {
  const double half = 0.5 * (time - time_);
  const std::vector<double>& power = observer.powers();
  const std::vector<LedgerEntry>& entries = observer.entries();
  add_impulses(observer, time - time_);
  for (std::size_t i = 0; i < power.size(); ++i) {
    work_[i] += half * (power_[i] + power[i]);
    absolute_ += half * (std::abs(power_[i]) + std::abs(power[i]));
    if (entries[i].account == Account::supply) returned_ += half * (std::max(-power_[i], 0.0) + std::max(-power[i], 0.0));
    power_[i] = power[i];
  }
  const double open = open_power(observer);
  correction_ += parabola_correction(since_before_, time - time_, open_power_before_, open_power_, open);
  since_before_ = last_step_ = time - time_;
  open_power_before_ = open_power_;
  open_power_ = open;
  const StoredEnergy<>& now = observer.stored();
  absolute_ +=
      std::abs(now.potential - stored_.potential) + std::abs(now.spring - stored_.spring) + std::abs(now.cylinder - stored_.cylinder);
  stored_ = now;
  fastest_ = std::max(fastest_, now.kinetic);
  held_ = std::max(held_, sum(now) + oil_energy_);
  constraint_work_ += half * (constraint_power_ + observer.constraint_power());
  constraint_power_ = observer.constraint_power();
  constraint_range_.add(constraint_work_, time);
  const Observer::Oil oil = observer.oil();
  for (std::size_t i = 0; i < port_positions_.size() && oil_size_ > 0; ++i) {
    const Actuator& a = oil.hydraulics->actuators[i];
    const double swept = fraction_at(*oil.hydraulics, a, oil.y) * (oil.s[i] - port_positions_[i]);
    displaced_ += (a.cylinder.area_A + a.cylinder.area_B) * std::abs(swept);
    port_positions_[i] = oil.s[i];
  }
  if (defect)
    oil_.communication_step(*defect, oil.y, oil.s, oil.outflow);
  else
    oil_.step(rule, time - time_, oil.y, oil.s, oil.outflow, in_parts);
  time_ = time;
  book(entries, time);
}

void Ledger::begin_impulses(const Observer& observer) {
  if (!impulse_rule_) return;
  impulse_loads_ = observer.impulse_loads();
  impulse_lags_.resize(impulse_loads_.size(), 0.0);
  impulse_powers_.assign(impulse_loads_.size(), 0.0);
  strikes_before_ = strikes_ = strikes(observer);
}

/// Heat by the impulses of a step instead of the integral of its power, to which the rule error still belongs but in strikes.
void Ledger::add_impulses(const Observer& observer, double h) {
  const bool strikes_now = strikes(observer), struck = strikes_before_ || strikes_ || strikes_now;
  for (std::size_t i = 0; i < impulse_loads_.size(); ++i) {
    const ImpulseLoad &begin = impulse_loads_[i], &end = observer.impulse_loads()[i];
    const double mean_begin = begin.force + impulse_rule_->carried(h, last_step_) * impulse_lags_[i],
                 mean_end = impulse_rule_->mean(begin.force, end.force, mean_begin),
                 work = impulse_rule_->impulse(h, mean_begin, mean_end) * (begin.rate + end.rate) / 2,
                 heat = -work - (end.energy - begin.energy), power_begin = power_[begin.entry], power_end = observer.powers()[begin.entry],
                 change = heat - h / 2 * (power_begin + power_end);
    work_[begin.entry] += change;
    correction_ -= struck ? parabola_correction(since_before_, h, impulse_powers_[i], power_begin, power_end) : change;
    impulse_powers_[i] = power_begin;
    impulse_loads_[i] = end;
    impulse_lags_[i] = mean_end - end.force;
  }
  strikes_before_ = strikes_;
  strikes_ = strikes_now;
}

void Ledger::book(const std::vector<LedgerEntry>& entries, double time) {
  totals_ = {};
  std::size_t actuator = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    switch (entries[i].account) {
      case Account::actuator:
        totals_.actuator += work_[i];
        actuator_ranges_[actuator++].add(work_[i], time);
        break;
      case Account::oil:
        totals_.oil += work_[i];
        break;
      case Account::supply:
        totals_.supply += work_[i];
        break;
      case Account::throttling:
        totals_.throttling += work_[i];
        break;
      case Account::friction:
        totals_.friction += work_[i];
        break;
      case Account::damping:
        totals_.damping += work_[i];
        break;
      case Account::external:
        totals_.external += work_[i];
        break;
    }
  }
  totals_.external += impulse_work_;
  const double net_supply = totals_.supply;
  totals_.supply += returned_;
  totals_.tank_return = returned_;
  const double mechanism = (stored_.kinetic - start_.kinetic) + (stored_.potential - start_.potential) + (stored_.spring - start_.spring) +
                           totals_.damping - totals_.external;
  drift_ = mechanism - totals_.actuator;
  residual_ = mechanism + (stored_.cylinder - start_.cylinder) + totals_.oil - net_supply + totals_.throttling + totals_.friction;
  actuator_range_.add(totals_.actuator, time);
  drift_range_.add(drift_, time);
  residual_range_.add(residual_, time);
  rule_range_.add(residual_ + correction_, time);
}

double Ledger::open_power(const Observer& observer) {
  double sum = 0;
  for (std::size_t i = 0; i < observer.powers().size(); ++i) {
    const Account account = observer.entries()[i].account;
    const bool from_outside = account == Account::supply || account == Account::external;
    if (account != Account::actuator) sum += (from_outside ? -1 : 1) * observer.powers()[i];
  }
  return sum;
}

double Ledger::rounding() const { return kRoundingShare * held_; }

std::optional<double> Ledger::percent_of(double scale, const Extremes& range) const {
  const double worst = std::max(range.max, -range.min);
  if (!(scale > rounding())) return std::nullopt;
  return worst > rounding() ? 100 * worst / scale : 0;
}

std::optional<double> Ledger::percent_of_scale(const Extremes& range) const { return percent_of(absolute_ + fastest_, range); }

std::optional<double> Ledger::energy_error() const { return percent_of_scale(residual_range_); }

std::optional<double> Ledger::energy_rule_error() const { return percent_of_scale(rule_range_); }

std::optional<double> Ledger::drift_error() const { return percent_of_scale(drift_range_); }

std::optional<double> Ledger::drift_of_work() const {
  return percent_of(std::max(actuator_range_.max, -actuator_range_.min), drift_range_);
}

std::optional<double> Ledger::constraint_error() const { return percent_of_scale(constraint_range_); }

std::optional<double> Ledger::oil_error() const {
  const double moved = oil_.moved() + displaced_, rounding = kRoundingShare * oil_size_;
  if (!(moved > rounding)) return std::nullopt;
  return oil_.worst_residual() > rounding ? 100 * oil_.worst_residual() / moved : 0;
}

std::optional<double> Ledger::oil_rule_error() const {
  const double moved = oil_.moved() + displaced_, rounding = kRoundingShare * oil_size_;
  if (!(moved > rounding)) return std::nullopt;
  return 100 * oil_.worst_rule_error() / (moved + settled_);
}

[[gnu::cold]] const std::vector<Channel>& energy_channels() {
  static const std::vector<Channel> channels{
      {"energy.kinetic", "J", "kinetic energy"},
      {"energy.potential", "J", "potential energy of gravity"},
      {"energy.spring", "J",
       "energy of the mechanism's springs, and of limits and bristles of its joints (not of friction with `nominal_load`)"},
      {"energy.cylinder", "J", "energy of seal bristles and end dampers"},
      {"energy.oil", "J", "work of compression of the oil since the start, including accumulators, moving oil and shafts"},
      {"energy.actuator_work", "J", "net work of all cylinders on the mechanism since the start"},
      {"energy.drift", "J", "change of kinetic, potential and spring energy minus net work on the mechanism", true},
      {"energy.supply", "J", "work of the oil that sources delivered and of the shafts of pumps"},
      {"energy.tank_return", "J", "work of the oil that returned to sources"},
      {"energy.throttling", "J", "heat of valves and leaks"},
      {"energy.friction", "J", "heat of cylinders: seals, viscous drag, end dampers"},
      {"energy.damping", "J", "heat of the mechanism's dampers, and of friction and limits of its joints"},
      {"energy.external", "J", "work of applied loads and prescribed motions"},
      {"energy.residual", "J", "residual of the energy balance", true},
  };
  return channels;
}

void energy_values(const Ledger& ledger, double* out) {
  const StoredEnergy<>& e = ledger.stored();
  const LedgerTotals& t = ledger.totals();
  for (double value : {e.kinetic, e.potential, e.spring, e.cylinder, t.oil, t.actuator, ledger.drift(), t.supply, t.tank_return,
                       t.throttling, t.friction, t.damping, t.external, ledger.residual()})
    *out++ = value;
}

}  // namespace trunnion
