// SPDX-License-Identifier: BSD-3-Clause
#include "machine/ledger.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

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

void Ledger::begin(const Observer& observer, double time) {
  *this = {};
  time_ = time;
  start_ = stored_ = observer.stored();
  power_ = observer.powers();
  work_.assign(power_.size(), 0.0);
  for (const LedgerEntry& entry : observer.entries())
    if (entry.account == Account::actuator) actuator_names_.push_back(entry.name);
  actuator_ranges_.assign(actuator_names_.size(), Extremes{0, 0, time, time});
  drift_range_ = residual_range_ = actuator_range_ = {0, 0, time, time};
  const Observer::Oil oil = observer.oil();
  oil_ = OilBalance(*oil.hydraulics, oil.y, oil.s, oil.outflow);
}

void Ledger::step(const Observer& observer, double time, const OilRule& rule) {
  const double half = 0.5 * (time - time_);
  const std::vector<double>& power = observer.powers();
  const std::vector<LedgerEntry>& entries = observer.entries();
  for (std::size_t i = 0; i < power.size(); ++i) {
    work_[i] += half * (power_[i] + power[i]);
    absolute_ += half * (std::abs(power_[i]) + std::abs(power[i]));
    if (entries[i].account == Account::supply) returned_ += half * (std::max(-power_[i], 0.0) + std::max(-power[i], 0.0));
    power_[i] = power[i];
  }
  absolute_ += std::abs(observer.stored().potential - stored_.potential) + std::abs(observer.stored().spring - stored_.spring);
  stored_ = observer.stored();
  const Observer::Oil oil = observer.oil();
  oil_.step(rule, time - time_, oil.y, oil.s, oil.outflow);
  time_ = time;
  book(entries, time);
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
}

double Ledger::closed_to_percent() const {
  const double worst = std::max(residual_range_.max, -residual_range_.min);
  return absolute_ > 0 ? 100 * worst / absolute_ : 0;
}

const std::vector<Channel>& energy_channels() {
  static const std::vector<Channel> channels{
      {"energy.kinetic", "J", "kinetic energy"},
      {"energy.potential", "J", "potential energy of gravity"},
      {"energy.spring", "J", "energy of the mechanism's springs"},
      {"energy.cylinder", "J", "energy of seal bristles and end dampers"},
      {"energy.oil", "J", "work of compression of the oil since the start; also that kept in accumulators, moving oil and shafts"},
      {"energy.actuator_work", "J", "net work of all cylinders on the mechanism since the start"},
      {"energy.drift", "J", "change of kinetic, potential and spring energy less net work on the mechanism"},
      {"energy.supply", "J", "work of the oil that sources delivered and of the shafts of pumps"},
      {"energy.tank_return", "J", "work of the oil that returned to sources"},
      {"energy.throttling", "J", "heat of valves and leaks"},
      {"energy.friction", "J", "heat of cylinders: seals, viscous drag, end dampers"},
      {"energy.damping", "J", "heat of the mechanism's dampers"},
      {"energy.external", "J", "work of applied loads and prescribed motions"},
      {"energy.residual", "J", "what the balance of all of these leaves open"},
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
