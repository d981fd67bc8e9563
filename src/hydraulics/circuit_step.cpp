// Implicit steps of the circuits: predictor, limits, damping, error estimate.
// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/circuit_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/newton.h"
#include "hydraulics/linear_oil.h"

namespace trunnion {

namespace {

constexpr double kNear = 50;         // [Pa] of a stop
constexpr double kNearStop = 0.5;    // relative distance to a stop at an edge of a component
constexpr double kLeastRange = 1e4;  // [Pa] range of pressures in a circuit
constexpr int kBisections = 60;
constexpr double kSlow = 0.5;    // an increment of reversed sign is at least this much of the last one
constexpr double kBeyond = 100;  // [Pa] above a cracking pressure: the valve has its open slope

/// The pressure drop at which Newton's method stops between dp and next.
double stop_between(const OneWayValve& valve, double dp, double next) {
  const double open = valve.law.cracking + kBeyond;
  return select((dp <= valve.law.cracking) & (next > open), open, next);
}
double stop_in_zone(double limit, double dp, double next) {
  return select(((dp > limit) & (next < -limit)) | ((dp < -limit) & (next > limit)), 0, next);
}
template <class Element>
double stop_between(const Element& orifice, double dp, double next) {
  return stop_in_zone(orifice.zone.limit, dp, next);
}
double stop_between(const Leakage&, double, double next) { return next; }

/// Compressibility of a volume's oil and walls at a pressure over that of liquid.
double softness(const Hydraulics& netlist, std::size_t volume, double p) {
  const double walls = netlist.volumes[volume].mean_wall_compressibility;
  return (netlist.fluid.compressibility_at(p) + walls) / (netlist.fluid.liquid_compressibility(p) + walls);
}

/// The unknowns of a circuit on whose equations the motion of an actuator acts.
std::vector<int> rows_of(const Hydraulics& netlist, const Circuit& circuit, int actuator) {
  const Actuator& a = netlist.actuators[actuator];
  std::vector<int> rows;
  if (netlist.linear_oil != nullptr || !netlist.quasistatic.empty()) {
    rows.resize(circuit.size);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  if (a.A >= 0 && netlist.nodes[a.A].state >= 0) rows.push_back(netlist.nodes[a.A].local);
  if (a.B >= 0 && netlist.nodes[a.B].state >= 0 && a.B != a.A) rows.push_back(netlist.nodes[a.B].local);
  for (const Orifice& o : std::get<std::vector<Orifice>>(netlist.elements))
    if (o.cushion.port == actuator)
      for (const int node : {o.A, o.B})
        if (const PressureNode& n = netlist.nodes[node]; n.state >= 0 && std::find(rows.begin(), rows.end(), n.local) == rows.end())
          rows.push_back(n.local);
  for (int k = 0; k < a.friction_states && !a.friction_local; ++k) rows.push_back(a.local + k);
  add_control_rows(netlist, actuator, rows);
  return rows;
}

}  // namespace

[[gnu::cold]] CircuitStep::CircuitStep(const Hydraulics& netlist, double tolerance_pressure, double tolerance_other)
    : netlist_(netlist),
      ports_(netlist.actuators.size()),
      offset_(netlist.ny),
      s_begin_(ports_),
      mean_(netlist.ny),
      rate_begin_(netlist.ny),
      inflow_begin_(netlist.volumes.size()),
      curvature_(netlist.ny),
      nodes_of_circuit_(netlist.circuits.size()),
      range_(netlist.circuits.size()),
      changes_(netlist.volumes.size()),
      zeros_(ports_),
      strain_(netlist.nodes.size()),
      tolerance_other_(tolerance_other),
      tolerance_(netlist.unknown_state.size()),
      circuit_(tolerance_.size()),
      limited_(tolerance_.size()),
      share_(netlist.circuits.size()),
      turned_(share_.size()),
      last_(tolerance_.size()),
      taken_(share_.size()),
      ahead_(netlist.nodes.size()),
      residual_(ports_),
      stiffness_(ports_ * ports_),
      damping_(ports_ * ports_),
      local_states_(!netlist.quasistatic.empty()) {
  for (std::vector<double>& rates : stage_rates_) rates.resize(netlist.ny);
  for (std::size_t i = 0; i < tolerance_.size(); ++i) {
    limited_[i] = netlist_.unknown_state[i] < static_cast<int>(netlist_.volumes.size());
    tolerance_[i] = limited_[i] ? tolerance_pressure : tolerance_other;
  }
  for (std::size_t c = 0; c < netlist_.circuits.size(); ++c)
    std::fill_n(circuit_.begin() + netlist_.circuits[c].offset, netlist_.circuits[c].size, static_cast<int>(c));
  for (const Component& c : netlist_.components)
    for (std::size_t k = 0; k < c.law->info().states.size(); ++k) {
      const std::size_t i = static_cast<std::size_t>(netlist_.circuits[c.circuit].offset + c.local) + k;
      const ComponentState& s = c.law->info().states[k];
      tolerance_[i] *= s.scale;
      limited_[i] = 1;
      if (!s.rate_of_another) followed_.push_back({c.state + static_cast<int>(k), s.scale});
    }
  const auto add_control = [&](int circuit, int local, int count) {
    for (int k = 0; k < count; ++k) control_.push_back(static_cast<std::size_t>(netlist_.circuits[circuit].offset + local + k));
  };
  for (const ControlBlock& block : netlist_.control) {
    if (block.unknown) add_control(block.circuit, block.local, 1 + block.states());
    for_each_held(block, [&](int i) { held_.push_back(i); });
    if (!block.sampled()) values_.push_back(block.output);
  }
  rows_.resize(ports_);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.actuators) rows_[i] = rows_of(netlist_, c, i);
  for (const Actuator& a : netlist_.actuators) local_states_ = local_states_ || (a.friction_local && a.friction_states > 0);
  for (const Volume& volume : netlist_.volumes) nodes_of_circuit_[netlist_.nodes[volume.node].circuit].push_back(volume.node);
  const auto meet = [&](const auto& nodes) {
    for (int volume : nodes)
      for (int source : nodes) {
        if (netlist_.nodes[volume].state < 0 || netlist_.nodes[source].state >= 0) continue;
        std::vector<int>& met = nodes_of_circuit_[netlist_.nodes[volume].circuit];
        if (std::find(met.begin(), met.end(), source) == met.end()) met.push_back(source);
      }
  };
  for_each_element(netlist_, [&](const auto& element) {
    std::vector<int> nodes;
    for (const int* node : element_nodes(element)) nodes.push_back(*node);
    meet(nodes);
  });
  for (const Component& c : netlist_.components) meet(c.nodes);
}

void CircuitStep::begin_step(double h, double factor, const double* y_begin, const double* ydot_begin, OilMemory<const double*> memory,
                             double* y, double* ydot) {
  y_ = y;
  ydot_ = ydot;
  rule_ = {h, factor, y_begin, offset_.data(), s_begin_.data()};
  std::copy_n(memory.s, ports_, s_begin_.begin());
  std::copy_n(memory.inflow, inflow_begin_.size(), inflow_begin_.begin());
  std::copy_n(ydot_begin, netlist_.ny, rate_begin_.begin());
}

void CircuitStep::begin(const OilRule& oil_rule, const Signals& signals, double t, double h, const double* y_begin,
                        const double* ydot_begin, OilMemory<const double*> memory, double* y, double* ydot, const HydraulicState& state) {
  begin_step(h, oil_rule.factor(h), y_begin, ydot_begin, memory, y, ydot);
  oil_rule_ = oil_rule;
  in_stages_ = false;
  std::fill(taken_.begin(), taken_.end(), 0.0);
  const int volumes = static_cast<int>(netlist_.volumes.size());
  const double carried = OilRule::carried(h, *memory.step);
  for (int i = 0; i < netlist_.ny; ++i) {
    const double rate = i < volumes ? memory.inflow[i] : ydot_begin[i], lag = carried * memory.lag[i];
    offset_[i] = oil_rule.offset(rate, lag);
    mean_[i] = rate + lag;
  }
  for (int i : netlist_.unknown_state) {
    const double ahead = oil_rule.implicit_euler ? 0 : h * ydot[i];
    y[i] = i < volumes ? netlist_.fluid.advance(y[i], ahead, netlist_.volumes[i].mean_wall_compressibility) : y[i] + ahead;
  }
  for (const Spool& spool : netlist_.spools) {
    if (spool.driven()) continue;
    const double end = state.signal[spool.signal];
    double *at = y + spool.state, *rate = ydot + spool.state;
    spool_rates(spool, signals.value(spool.signal, t, Side::right), at, rate);
    for (int k = 0; k < spool.states(); ++k) {
      const int i = spool.state + k;
      const double lag = carried * memory.lag[i];
      offset_[i] = oil_rule.offset(rate[k], lag);
      mean_[i] = rate[k] + lag;
    }
    advance_spool<double>(spool, rule_.factor, offset_.data() + spool.state, end, at);
    spool_rates(spool, end, at, rate);
  }
}

void CircuitStep::begin_stage(int stage, const Signals& signals, double t, double h, const double* y_begin, const double* ydot_begin,
                              OilMemory<const double*> memory, double* y, double* ydot, const HydraulicState& state) {
  const int volumes = static_cast<int>(netlist_.volumes.size());
  if (stage == 1) {
    begin_step(h, Esdirk3::factor(h), y_begin, ydot_begin, memory, y, ydot);
    in_stages_ = true;
    std::vector<double>& rate = stage_rates_[0];
    std::copy_n(ydot_begin, netlist_.ny, rate.begin());
    std::copy_n(memory.inflow, volumes, rate.begin());
    for (const Spool& spool : netlist_.spools)
      if (!spool.driven())
        spool_rates(spool, signals.value(spool.signal, t, Side::right), y_begin + spool.state, rate.data() + spool.state);
  }
  std::fill(taken_.begin(), taken_.end(), 0.0);
  for (int i = 0; i < netlist_.ny; ++i) {
    offset_[i] = 0;
    for (int j = 0; j < stage; ++j) offset_[i] += Esdirk3::weight(stage, j) * stage_rates_[static_cast<std::size_t>(j)][i];
  }
  for (int i : netlist_.unknown_state) {
    const double ahead = Esdirk3::time(stage) * h * ydot_begin[i];
    y[i] = i < volumes ? netlist_.fluid.advance(y_begin[i], ahead, netlist_.volumes[i].mean_wall_compressibility) : y_begin[i] + ahead;
  }
  for (const Spool& spool : netlist_.spools) {
    if (spool.driven()) continue;
    const double end = state.signal[spool.signal];
    std::copy_n(y_begin + spool.state, spool.states(), y + spool.state);
    advance_spool<double>(spool, rule_.factor, offset_.data() + spool.state, end, y + spool.state);
    spool_rates(spool, end, y + spool.state, ydot + spool.state);
  }
}

void CircuitStep::keep_stage(int stage, const double* s) {
  std::vector<double>& rate = stage_rates_[static_cast<std::size_t>(stage)];
  std::copy_n(ydot_, netlist_.ny, rate.begin());
  if (netlist_.linear_oil != nullptr) return;
  const double* changes = find_content_changes(s);
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) rate[i] = rule_.factor * changes[i] - offset_[i];
}

const double* CircuitStep::find_content_changes(const double* s) {
  content_changes(netlist_, rule_.y_begin, s_begin_.data(), y_, s, changes_.data(), strain_.data());
  return changes_.data();
}

void CircuitStep::set_rates() {
  const int first = netlist_.linear_oil != nullptr ? 0 : static_cast<int>(netlist_.volumes.size());
  const double factor = rule_.factor, *y = y_, *y_begin = rule_.y_begin, *offset = offset_.data();
  double* ydot = ydot_;
  for (int i : netlist_.unknown_state)
    if (i >= first) ydot[i] = factor * (y[i] - y_begin[i]) - offset[i];
}

void CircuitStep::finish(const double* s, const double* s_dot, OilMemory<> memory, HydraulicState& state, const double* extra_rate) {
  const int volumes = static_cast<int>(netlist_.volumes.size());
  const bool linear = netlist_.linear_oil != nullptr;
  if (!netlist_.control.empty()) finish_control(netlist_, s, s_dot, rule_, y_, ydot_, state);
  for (const int i : held_) ydot_[i] = 0;
  for (const int i : values_) ydot_[i] = (y_[i] - rule_.y_begin[i]) / rule_.step;  // only for the next prediction
  if (!linear) {
    double* oil_s = state.oil_rate.data();
    for (std::size_t i = 0; i < ports_; ++i) oil_s[i] = extra_rate == nullptr ? s[i] : s[i] + rule_.step * extra_rate[i];
    find_content_changes(oil_s);
  }
  for (int i = 0; i < netlist_.ny; ++i) {
    const bool content = i < volumes && !linear;
    const double change = content ? changes_[i] : y_[i] - rule_.y_begin[i];
    const double rate = content ? rule_.factor * change - offset_[i] : ydot_[i];
    memory.lag[i] = in_stages_ ? 0 : oil_rule_.lag(rule_.step, change, mean_[i], rate);
    if (i < volumes) memory.inflow[i] = rate;
  }
  for (const int i : held_) memory.lag[i] = 0;
  if (!linear) {
    double* oil_rate = state.oil_rate.data();
    for (std::size_t i = 0; i < ports_; ++i) oil_rate[i] = extra_rate == nullptr ? s_dot[i] : s_dot[i] + extra_rate[i];
    pressure_rates(netlist_, s, oil_rate, memory.inflow, y_, ydot_, state);
  }
  *memory.step = rule_.step;
  std::copy_n(s, ports_, memory.s);
  inflow_ = memory.inflow;
}

bool CircuitStep::solve(const double* s, const double* s_dot, int max_iterations, int& iterations, HydraulicState& state) {
  const auto increment = [&](int) -> std::optional<double> {
    double largest = 0;
    evaluate_hydraulics(netlist_, s, s_dot, y_, ydot_, rule_, state);
    if (!condense_ports(state)) return std::nullopt;
    eliminate(zeros_.data(), zeros_.data(), state);
    apply(state.R.data(), state, [&](double scaled, int) {
      if (!(scaled <= largest)) largest = scaled;  // NaN is passed on
    });
    return largest;
  };
  if (!netlist_.control.empty()) predict_control(s, s_dot, state);
  set_rates();
  return newton(iterations + max_iterations, iterations, increment, [&](bool, bool) {
           set_rates();
           return NewtonArrival::accepted;
         }) == NewtonVerdict::converged;
}

double CircuitStep::range_of(int circuit, const double* y_0, const double* y_1, const HydraulicState& state) const {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (int node : nodes_of_circuit_[circuit]) {
    const int i = netlist_.nodes[node].state;
    const double at_0 = i < 0 ? state.pressure[node] : y_0[i], at_1 = i < 0 ? state.pressure[node] : y_1[i];
    low = std::min({low, at_0, at_1});
    high = std::max({high, at_0, at_1});
  }
  return std::max(high - low, kLeastRange);
}

template <class Change>
double CircuitStep::largest_share(const double* y_0, const double* y_1, const HydraulicState& state, Change&& change) {
  if (netlist_.linear_oil != nullptr) return 0;
  for (std::size_t c = 0; c < range_.size(); ++c) range_[c] = range_of(static_cast<int>(c), y_0, y_1, state);
  double largest = 0;
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i)
    largest = std::max(largest, change(i) / range_[netlist_.nodes[netlist_.volumes[i].node].circuit]);
  for (const Followed& f : followed_) largest = std::max(largest, change(static_cast<std::size_t>(f.state)) / f.scale);
  return largest;
}

bool CircuitStep::jumped(double share, const HydraulicState& state) const {
  if (netlist_.linear_oil != nullptr) return false;
  const double half = rule_.step / 2;
  Mask any = false;
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
    const double by_rate = half * std::abs(ydot_[i] - rate_begin_[i]);
    if (!kRecording && !(by_rate > share * kLeastRange)) continue;
    const double C = state.capacity[i] / softness(netlist_, i, y_[i]);
    const double moved = std::min(by_rate, half * std::abs(inflow_[i] - inflow_begin_[i]) / C);
    if (!kRecording && !(moved > share * kLeastRange)) continue;
    any = any | (moved > share * range_of(netlist_.nodes[netlist_.volumes[i].node].circuit, rule_.y_begin, y_, state));
  }
  for (const Followed& f : followed_) any = any | (half * std::abs(ydot_[f.state] - rate_begin_[f.state]) > share * f.scale);
  return any;
}

double CircuitStep::part_error(const HydraulicState& state) {
  // alpha rule minus extrapolated parabola of the last part: their errors are 1/9 and 5/12 of h^3 times the third derivative
  constexpr double kOfForetold = 0.21;
  const double h = rule_.step;
  return largest_share(rule_.y_begin, y_, state, [&](std::size_t i) {
    if (oil_rule_.implicit_euler) return h / 2 * std::abs(ydot_[i] - rate_begin_[i]);
    return kOfForetold * std::abs(y_[i] - rule_.y_begin[i] - h * (rate_begin_[i] + h / 2 * curvature_[i]));
  });
}

void CircuitStep::keep_part() {
  for (std::size_t i = 0; i < curvature_.size(); ++i) curvature_[i] = (ydot_[i] - rate_begin_[i]) / rule_.step;
}

double CircuitStep::part_length(double share, const double* y, const double* ydot, const HydraulicState& state) {
  const double rate = largest_share(y, y, state, [&](std::size_t i) { return std::abs(ydot[i]); });
  return rate > 0 ? share / rate : std::numeric_limits<double>::infinity();
}

int CircuitStep::unresolved(double share, double noticed, double h, const double* y_0, const double* ydot_0, const double* y_1,
                            const double* ydot_1) const {
  if (netlist_.linear_oil != nullptr) return -1;
  const auto apart = [&](std::size_t i) { return std::abs(y_1[i] - y_0[i] - h / 2 * (ydot_0[i] + ydot_1[i])); };
  for (std::size_t i = 0; i < netlist_.volumes.size(); ++i) {
    const double gap = apart(i), own = std::max(y_1[i], kLeastRange) / softness(netlist_, i, y_1[i]);
    if (gap > share * own || (gap > noticed * own && gap > h / 4 * (std::abs(ydot_0[i]) + std::abs(ydot_1[i])))) return static_cast<int>(i);
  }
  for (const Followed& f : followed_)
    if (apart(f.state) > share * f.scale) return f.state;
  return -1;
}

double CircuitStep::moved(int node, const double* increment, double share, const HydraulicState& state) const {
  const PressureNode& n = netlist_.nodes[node];
  if (n.state < 0) return state.pressure[node];
  return netlist_.fluid.advance(y_[n.state], share * increment[netlist_.circuits[n.circuit].offset + n.local],
                                netlist_.volumes[node].mean_wall_compressibility);
}

double CircuitStep::share_until(double stop, int A, int B, const double* increment, const HydraulicState& state) const {
  const auto way = [&](double share) { return moved(A, increment, share, state) - (B < 0 ? 0 : moved(B, increment, share, state)); };
  const double from = pressure_of(A, state) - (B < 0 ? 0 : pressure_of(B, state)), to = B < 0 ? ahead_[A] : ahead_[A] - ahead_[B];
  const double share = (stop - from) / (to - from);
  return has_air(A, state) || (B >= 0 && has_air(B, state)) ? bisect(stop, way, share, from < to, kNear) : share;
}

template <class Way>
double CircuitStep::bisect(double stop, Way&& way, double share, bool rises, double near) {
  double least = 0, most = 1;
  for (int i = 0; i < kBisections && std::abs(way(share) - stop) > near; ++i) {
    (rises == (way(share) > stop) ? most : least) = share;
    share = (least + most) / 2;
  }
  return share;
}

void CircuitStep::damp(const double* increment) {
  for (std::size_t c = 0; c < netlist_.circuits.size(); ++c) {
    turned_[c] = 1;
    const int begin = netlist_.circuits[c].offset, end = begin + netlist_.circuits[c].size;
    if (taken_[c] > 0) {  // not the first increment of the step
      double along = 0, before = 0, now = 0;
      for (int i = begin; i < end; ++i) {
        const double a = last_[i] / tolerance_[i], b = increment[i] / tolerance_[i];
        along += a * b;
        before += a * a;
        now += b * b;
      }
      const Mask turns = (along < 0) & (now > kSlow * kSlow * before) & (now > 1);
      if (kRecording || turns) turned_[c] = select(turns, taken_[c] * std::sqrt(before) / (std::sqrt(before) + std::sqrt(now)), 1);
    }
    std::copy(increment + begin, increment + end, last_.begin() + begin);
    taken_[c] = turned_[c];
  }
}

void CircuitStep::stop_at_edges(const Component& c, const ComponentValues<>& values, const double* increment, const HydraulicState& state) {
  ComponentValues<> ahead;
  const double* step = increment + netlist_.circuits[c.circuit].offset + c.local;
  const auto edges = [&](double share, double* g) {
    ahead = values;
    for (std::size_t i = 0; i < c.nodes.size(); ++i) ahead.p[i] = moved(c.nodes[i], increment, share, state);
    for (std::size_t i = 0; i < c.law->info().states.size(); ++i) ahead.x[i] += share * step[i];
    return c.law->edges(ahead.inputs(), g);
  };
  double from[kMaxComponentEdges], to[kMaxComponentEdges], g[kMaxComponentEdges];
  ahead = values;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) ahead.p[i] = ahead_[c.nodes[i]];
  for (std::size_t i = 0; i < c.law->info().states.size(); ++i) ahead.x[i] += step[i];
  const int count = c.law->edges(ahead.inputs(), to);
  Mask crossed = false;
  for (int k = 0; k < count; ++k) crossed = crossed | (to[k] > 1);
  if (!crossed) return;
  c.law->edges(values.inputs(), from);
  for (int k = 0; k < count; ++k) {
    if (!((from[k] <= 0) & (to[k] > 1))) continue;
    const auto way = [&](double share) { return edges(share, g), g[k]; };
    share_[c.circuit] = std::min(share_[c.circuit], bisect(1, way, (1 - from[k]) / (to[k] - from[k]), true, kNearStop));
  }
}

template <class Visit>
TR_INLINE void CircuitStep::for_each_stop(const HydraulicState& state, Visit&& visit) const {
  const double* now = state.pressure.data();
  const double liquid = netlist_.fluid.saturation_pressure + kBeyond;
  for (const Volume& volume : netlist_.volumes)
    if (netlist_.fluid.cavitates(now[volume.node])) visit(ahead_[volume.node] > liquid, volume.node, -1, liquid);
  for_each_element(netlist_, [&](const auto& element) {
    const auto stop_of = [&](int A, int B) { return stop_between(element, now[A] - now[B], ahead_[A] - ahead_[B]); };
    if constexpr (!kRecording && !requires { element.P; })
      if (stop_of(element.A, element.B) == ahead_[element.A] - ahead_[element.B]) return;  // for any flow
    element.edges(state.flow_inputs(), [&](int A, int B, auto&& law) {
      const double stop = stop_of(A, B);
      const Mask stops = stop != ahead_[A] - ahead_[B];
      if (!kRecording && !stops) return;
      const Mask open = law(std::numeric_limits<double>::max()) != 0;  // a closed edge does not contribute
      visit(stops & open, A, B, stop);
    });
  });
  for (const Component& c : netlist_.components) {
    if (c.law->laminar_limit() <= 0 || c.circuit < 0) continue;
    ComponentValues<> values;
    bool evaluated = false;
    const double* Q = values.Q;
    for_each_flow_path(c, Q, [&](int A, int B, const double& flow) {
      if (A < 0 || B < 0) return;
      const double to = ahead_[A] - ahead_[B], stop = stop_in_zone(c.law->laminar_limit(), now[A] - now[B], to);
      const Mask stops = stop != to;
      if (!kRecording && !stops) return;
      if (!evaluated) {
        read_component(c, state.flow_inputs(), y_, values);
        c.law->evaluate(values.inputs(), values.Q, values.rate);
        evaluated = true;
      }
      visit(stops & (flow != 0), A, B, stop);
    });
  }
}

void CircuitStep::limit(const double* increment, const HydraulicState& state) {
  for (const std::size_t i : control_) {
    const int k = netlist_.unknown_state[i];
    tolerance_[i] = tolerance_other_ * std::max({1.0, std::abs(rule_.y_begin[k]), std::abs(y_[k])});
  }
  damp(increment);
  std::copy(turned_.begin(), turned_.end(), share_.begin());
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) ahead_[i] = moved(static_cast<int>(i), increment, 1, state);
  for (const Component& c : netlist_.components) {
    if (c.law->laminar_limit() <= 0 || c.circuit < 0) continue;
    ComponentValues<> values;
    read_component(c, state.flow_inputs(), y_, values);
    stop_at_edges(c, values, increment, state);
  }
  if (kRecording) {  // one branch for all stops: most increments have none
    Mask any = false;
    for_each_stop(state, [&](const Mask& stops, int, int, double) { any = any | stops; });
    if (!any) return;
  }
  const auto stop_at = [&](const Mask& stops, int node, double share) {
    if (node < 0 || netlist_.nodes[node].state < 0) return;
    double& least = share_[netlist_.nodes[node].circuit];
    least = select(stops & (share < least), share, least);
  };
  for_each_stop(state, [&](const Mask& stops, int A, int B, double stop) {
    if (!kRecording && !stops) return;
    const double share = share_until(stop, A, B, increment, state);
    stop_at(stops, A, share);
    stop_at(stops, B, share);
  });
}

void CircuitStep::update_residuals(const double* s, const double* s_dot, HydraulicState& state) {
  evaluate_residual(netlist_, s, s_dot, y_, ydot_, rule_, state);
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.acting) {
      const double *w = state.F_y.data() + state.column[i], *R = state.R.data() + c.offset;
      residual_[i] = 0;
      for (int k = 0; k < c.size; ++k) residual_[i] += w[k] * R[k];
    }
}

double CircuitStep::size_of(const double* increment) const {
  double size = 0;
  for (std::size_t i = 0; i < tolerance_.size(); ++i) size = larger(size, std::abs(increment[i]) / tolerance_[i]);
  return size;
}

void CircuitStep::apply_last(const double* increment) {
  for (std::size_t i = 0; i < tolerance_.size(); ++i) {
    const int k = netlist_.unknown_state[i];
    y_[k] = k < static_cast<int>(netlist_.volumes.size())
                ? netlist_.fluid.advance(y_[k], increment[i], netlist_.volumes[k].mean_wall_compressibility)
                : y_[k] + increment[i];
  }
}

bool CircuitStep::condense_ports(HydraulicState& state) {
  int circuit = 0;
  if (!condense(netlist_, state, &circuit)) return false;
  for (const Circuit& c : netlist_.circuits)
    for (int i : c.acting) {
      const double* w = state.F_y.data() + state.column[i];
      double wR = 0;
      for (int k = 0; k < c.size; ++k) wR += w[k] * state.R[c.offset + k];
      residual_[i] = wR;
      for (int j : c.actuators) {
        const double *R_s = state.R_s.data() + state.column[j], *R_v = state.R_v.data() + state.column[j];
        double stiffness = 0, damping = 0;
        for (const int k : rows_[j]) {
          stiffness += w[k] * R_s[k];
          damping += w[k] * R_v[k];
        }
        stiffness_[i * ports_ + j] = stiffness;
        damping_[i * ports_ + j] = damping;
      }
    }
  return true;
}

}  // namespace trunnion
