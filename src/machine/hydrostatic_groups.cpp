// Groups of volumes that share one pressure at rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/hydrostatic_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace trunnion {

namespace {

constexpr double kShare = 1e-6;    // of a unit combination of pressures: a volume participates in it
constexpr double kProbe = 1e6;     // [Pa] everywhere: which elements are open does not depend on it
constexpr double kSlack = 1e-9;    // of a pressure: rounding
constexpr double kNoFlow = 1e-12;  // [m3/s] negligible: 0.1 ml a day
constexpr double kGuess = 1e5;     // [Pa]
constexpr double kEmpty = 1;       // [Pa]
constexpr double kHighest = 1e10;  // [Pa] above any realistic pressure
constexpr double kLowest = 1e-11;  // [Pa] no pressure
constexpr double kResolved = 1e-15;
constexpr int kHalvings = 80;
constexpr const char* kNoRest = "oil flows, so no static equilibrium exists";
constexpr const char* kSteady = "; `trunnion steady` finds the steady operation while oil flows";

std::string pressure_path(const PressureNode& node) { return "volumes." + node.name + ".pressure"; }

/// Calls join(A, B) for the paths of a component at which oil is at rest only at equal pressures: oil flows in both directions, at any
/// level of pressure and at any pressure of its other ports (pilots). Examples: resistances, lines, flow dividers, compensators that
/// springs hold open, stopped pumps that leak; not check valves, shuttles, reducing valves, whose pressures differ at rest.
template <class Join>
void for_each_open_way(const Component& c, const FlowInputs<>& in, Join&& join) {
  constexpr double kLevels[] = {1e6, 1e8}, kLeast = 1e5, kDrop = 1e4;  // [Pa]
  const ComponentInfo& info = c.law->info();
  const std::size_t nodes = c.nodes.size(), states = info.states.size(), columns = nodes + states;
  std::vector<double> slopes((info.flows.size() + states) * columns);
  ComponentValues<> values;
  for (std::size_t i = 0; i < c.spools.size(); ++i) values.u[i] = in.spool[c.spools[i]];
  for (std::size_t k = 0; k < info.flows.size(); ++k) {
    const int from = info.flows[k].from, to = info.flows[k].to;
    if (from < 0 || to < 0) continue;
    bool open = true;
    const auto probe = [&](double level, double others) {
      for (const double drop : std::array<double, 3>{0, kDrop, -kDrop}) {
        std::fill_n(values.p, nodes, others);
        values.p[to] = level;
        values.p[from] = level + drop;
        c.law->start(values.p, values.u, values.x);
        const bool flows_on = states == 1 && drop != 0;  // oil with inertia: until its rate is zero
        if (flows_on)
          c.law->differentiate(values.inputs(), values.Q, values.rate, slopes.data());
        else
          c.law->evaluate(values.inputs(), values.Q, values.rate);
        double Q = values.Q[k];
        if (flows_on) {
          const double by_state = slopes[k * columns + nodes], rate = slopes[info.flows.size() * columns + nodes];
          Q += by_state * values.rate[0] / std::max(-rate, 1e-9);
        }
        open = drop == 0 ? std::abs(Q) <= kNoFlow : drop * Q > std::abs(drop) * kNoFlow;
        if (!open) return;
      }
    };
    for (double level : kLevels)
      for (double others : {level, kLeast})
        if (open) probe(level, others);
    if (open) join(c.nodes[from], c.nodes[to]);
  }
}

/// Representative of every node's group, where open flow elements join nodes. One-way valves join none: they are closed at rest.
std::vector<int> join_nodes(const Hydraulics& netlist, const FlowInputs<>& in) {
  std::vector<int> parent(netlist.nodes.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for_each_element(netlist, [&](const auto& element) {
    if constexpr (std::is_same_v<std::decay_t<decltype(element)>, OneWayValve>) return;
    for_each_flow(element, in, [&](const FlowEdge& e) {
      if (e.slope > 0) parent[root(e.A)] = root(e.B);
    });
  });
  for (const Component& c : netlist.components) for_each_open_way(c, in, [&](int A, int B) { parent[root(A)] = root(B); });
  std::vector<int> roots;
  for (std::size_t i = 0; i < netlist.nodes.size(); ++i) roots.push_back(root(static_cast<int>(i)));
  return roots;
}

/// Pistons in numbered groups; a chamber pair in one group acts with the difference of its areas.
std::vector<HydrostaticGroups::Piston> list_pistons(const Hydraulics& netlist, const std::vector<double>& spool,
                                                    const std::vector<int>& root, const std::vector<int>& number) {
  std::vector<HydrostaticGroups::Piston> list;
  for (int port = 0; port < netlist.pistons; ++port) {
    const Actuator& a = netlist.actuators[port];
    const int A = number[root[a.A]], B = number[root[a.B]];
    const double area_A = fraction_of(a, spool) * a.cylinder.area_A, area_B = fraction_of(a, spool) * a.cylinder.area_B;
    if (A >= 0 && A == B) {
      list.push_back({port, A, area_A - area_B});
      continue;
    }
    if (A >= 0) list.push_back({port, A, area_A});
    if (B >= 0) list.push_back({port, B, -area_B});
  }
  return list;
}

}  // namespace

HydrostaticGroups::HydrostaticGroups(const CompiledModel& model, const HydraulicState& inputs, StatesAt states)
    : model_(model),
      netlist_(model.hydraulics),
      states_(states),
      given_(netlist_.nodes.size()),
      value_(netlist_.nodes.size(), std::nan("")),
      unknown_(netlist_.nodes.size(), -1),
      closed_(netlist_.nodes.size(), -1) {
  signal_ = inputs.signal;
  source_ = inputs.pressure;
  place_ports();
  std::vector<double> y = model.y_start;
  start_control(y.data());
  for (const ControlBlock& block : netlist_.control) signal_[block.signal] = y[block.output];
  for (const Spool& spool : netlist_.spools) {
    const double command = signal_[spool.signal];
    spool_.push_back(states == StatesAt::start ? spool.start.value_or(command) : command);
    if (std::isnan(spool_.back())) spool_.back() = unknown_command(spool.signal, "command of `" + spool.name);
  }
  for (const Actuator& a : netlist_.actuators)
    if (a.drive >= 0 && std::isnan(signal_[a.drive])) unknown_command(a.drive, "factor of the load `" + a.name);
  for (const QuasistaticCircuit& q : netlist_.quasistatic)
    if (std::isnan(signal_[q.flow])) unknown_command(q.flow, "flow of the pump of `" + q.name);
  for (const int node : netlist_.driven_sources) {
    const SignalIndex signal = netlist_.nodes[node].source;
    source_[node] = std::isnan(signal_[signal]) ? unknown_command(signal, "pressure of `" + netlist_.nodes[node].name) : signal_[signal];
  }
  for (const FlowSource& source : netlist_.flow_sources)
    flow_.push_back(std::isnan(signal_[source.flow]) ? unknown_command(source.flow, "flow of `" + source.name) : signal_[source.flow]);
  const std::vector<double> probe(netlist_.nodes.size(), kProbe);
  root_ = join_nodes(netlist_, {probe.data(), signal_.data(), spool_.data()});
  std::vector<bool> open(netlist_.nodes.size(), false);  // per representative: has a source
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const int state = netlist_.nodes[i].state;
    given_[i] = state >= 0 ? model.y_start[state] : source_[i];
    if (state < 0) open[root_[i]] = true;
    if (std::isnan(value_[root_[i]])) value_[root_[i]] = given_[i];
  }
  std::vector<double> pressure = given_;
  std::vector<bool> moves(netlist_.nodes.size(), false);  // per representative: has a piston
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (std::isnan(pressure[i])) pressure[i] = value_[root_[i]];
  decide_alone(pressure);
  for (const Actuator& a : pistons_of(netlist_)) moves[root_[a.A]] = moves[root_[a.B]] = true;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const int root = root_[i];
    if (std::isnan(value_[root])) value_[root] = pressure[i];
    if (std::isnan(value_[root]) && moves[root] && unknown_[root] < 0) unknown_[root] = unknowns_++;
    if (!open[root] && closed_[root] < 0) closed_[root] = closed_count_++;
  }
  pistons_ = list_pistons(netlist_, spool_, root_, unknown_);
  closed_pistons_ = list_pistons(netlist_, spool_, root_, closed_);
}

void HydrostaticGroups::place_ports() {
  if (netlist_.control.empty()) return;
  std::visit(
      [&]<int D>(const Mechanism<D>& m) {
        MechanismState<D> start(m);
        const std::vector<double> still(model_.v_start.size(), 0.0);
        update_inputs(m, Signals(model_.signals, nullptr), 0, Side::right, start);
        update_positions(m, model_.q_start.data(), static_cast<const double*>(nullptr), start);
        update_rates(m, states_ == StatesAt::start ? model_.v_start.data() : still.data(), still.data(), start);
        s_ = start.s;
        s_dot_ = start.s_dot;
      },
      model_.mechanism);
}

void HydrostaticGroups::start_control(double* y) const {
  if (netlist_.control.empty()) return;
  OilValues<> values(netlist_);
  values.signal = signal_;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    values.pressure[i] = netlist_.nodes[i].state >= 0 ? y[netlist_.nodes[i].state] : source_[i];
  start_blocks(netlist_, s_.data(), s_dot_.data(), values, y);
}

double HydrostaticGroups::unknown_command(SignalIndex signal, const std::string& what) const {
  if (states_ == StatesAt::rest) return 0;
  const std::string path = block_path(model_.description, netlist_.control[netlist_.block_of_signal[signal]].name);
  const double* const given = model_.y_start.data();
  const bool open = std::any_of(given, given + netlist_.volumes.size(), [](double pressure) { return std::isnan(pressure); });
  const std::string found = "the " + what + "` at the start ";
  throw InputError({{span_of(model_.description, path), path,
                     found + (open ? "depends on a pressure that static equilibrium is to determine" : "is not a number"),
                     open ? "a given start pressure of the volume that it reads, or a given start of its states"
                          : "finite values at the start, without divisions by 0 and roots of negative numbers",
                     ""}});
}

HydrostaticGroups::Border HydrostaticGroups::border(int root) const {
  Border border{root, {}, {}};
  for (const OneWayValve& valve : std::get<std::vector<OneWayValve>>(netlist_.elements))
    if ((root_[valve.A] == root) != (root_[valve.B] == root)) border.valves.push_back(&valve);
  for (const Component& c : netlist_.components)
    if (std::any_of(c.nodes.begin(), c.nodes.end(), [&](int node) { return root_[node] == root; })) border.components.push_back(&c);
  return border;
}

std::optional<double> HydrostaticGroups::inflow(const Border& border, const std::vector<double>& pressure) const {
  double sum = 0;
  for (const OneWayValve* valve : border.valves) {
    const double drop = pressure[valve->A] - pressure[valve->B];
    if (std::isnan(drop)) return std::nullopt;
    sum += (root_[valve->B] == border.root ? 1 : -1) * one_way_flow(valve->law, drop);
  }
  for (const Component* c : border.components) {
    if (std::any_of(c->nodes.begin(), c->nodes.end(), [&](int node) { return std::isnan(pressure[node]); })) return std::nullopt;
    ComponentValues<> values = component_at(*c, pressure);
    c->law->start(values.p, values.u, values.x);
    c->law->evaluate(values.inputs(), values.Q, values.rate);
    for_each_flow_path(*c, values.Q, [&](int A, int B, double Q) {
      if (B >= 0 && root_[B] == border.root) sum += Q;
      if (A >= 0 && root_[A] == border.root) sum -= Q;
    });
  }
  return sum;
}

bool HydrostaticGroups::Shut::endless() const { return least > kHighest / 2; }

std::optional<HydrostaticGroups::Shut> HydrostaticGroups::shut(int root, std::vector<double> pressure) const {
  const Border valves = border(root);
  const std::vector<int> marked = marked_in(root);
  const auto at = [&](double p) {
    for (const int node : marked) pressure[node] = p;
    return inflow(valves, pressure);
  };
  if (!at(kGuess)) return std::nullopt;
  std::array<std::pair<double, double>, kHalvings> tried;  // [Pa], inflow there [m3/s]: both searches halve the same way until one is zero
  int count = 0;
  const double highest = *at(kHighest), lowest = *at(kLowest);
  // where the net inflow, which falls with the pressure, changes sign from above, and from below
  const auto edge = [&](auto&& beyond) {
    if (!beyond(highest)) return std::pair<double, double>(kHighest, kHighest);
    if (beyond(lowest)) return std::pair<double, double>(0, kLowest);
    double low = kLowest, high = kHighest;
    for (int i = 0; i < kHalvings && low < high * (1 - kResolved); ++i) {
      const double middle = (low + high) / 2;
      if (i == count) tried[count++] = {middle, *at(middle)};
      const auto& [p, Q] = tried[i];
      (beyond(p == middle ? Q : *at(middle)) ? high : low) = middle;
    }
    return std::pair<double, double>(low, high);
  };
  return Shut{edge([](double Q) { return Q <= 0; }).second, edge([](double Q) { return Q < 0; }).first};
}

void HydrostaticGroups::set_group(int root, double p, std::vector<double>& pressure) const {
  for (const int node : marked_in(root)) pressure[node] = p;
}

void HydrostaticGroups::decide_alone(std::vector<double>& pressure) const {
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
      if (!std::isnan(pressure[i]) || root_[i] != static_cast<int>(i)) continue;
      const std::optional<Shut> range = shut(root_[i], pressure);
      if (!range || range->endless() || !range->one()) continue;
      set_group(root_[i], range->least, pressure);
      found = true;
    }
  }
}

void HydrostaticGroups::fill(const std::vector<int>& groups, std::vector<double>& pressure) const {
  constexpr int kSweeps = 100;
  for (int root : groups) set_group(root, kEmpty, pressure);
  bool rises = true;
  for (int sweep = 0; sweep < kSweeps && rises; ++sweep) {
    rises = false;
    for (int root : groups) {
      const double least = shut(root, pressure)->least;
      if (!(least > pressure[root])) continue;
      set_group(root, least, pressure);
      rises = true;
    }
  }
}

void HydrostaticGroups::complete(double* y, Undecided undecided) const {
  complete_pressures(y, undecided);
  start_control(y);
}

void HydrostaticGroups::complete_pressures(double* y, Undecided undecided) const {
  std::vector<double> pressure = pressures(y);
  std::vector<int> groups;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (const int root = root_[i]; root == static_cast<int>(i) && unknown_[root] < 0 && std::isnan(value_[root])) groups.push_back(root);
  if (groups.empty()) return;
  fill(groups, pressure);
  std::vector<Diagnostic> findings;
  for (int root : groups) {
    const Shut range = *shut(root, pressure);
    if (!range.endless() && pressure[root] > kEmpty) continue;
    const bool bounded = !range.endless() && range.greatest < kHighest / 2;
    for (int node : marked_in(root))
      findings.push_back(finding(node,
                                 range.endless() ? fmt::format("would rise without limit: {}", kNoRest)
                                                 : fmt::format("is not determined by static equilibrium: any value is possible{}",
                                                               bounded ? fmt::format(" up to {:.6g} Pa", range.greatest) : ""),
                                 "a given pressure such as 3.5 MPa",
                                 fmt::format("set this pressure (--set {}={:.6g}MPa){}", pressure_path(netlist_.nodes[node]),
                                             bounded ? std::min(3.5, range.greatest / 1e6) : 3.5, kSteady)));
    set_group(root, kGuess, pressure);
  }
  if (undecided == Undecided::refused && !findings.empty()) throw InputError(std::move(findings));
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (netlist_.nodes[i].state >= 0) y[netlist_.nodes[i].state] = pressure[i];
  start_components(y);
}

std::vector<int> HydrostaticGroups::marked_in(int root) const {
  std::vector<int> list;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (root_[i] == root && marked(static_cast<int>(i))) list.push_back(static_cast<int>(i));
  return list;
}

Diagnostic HydrostaticGroups::finding(int node, std::string found, std::string expected, std::string hint) const {
  const std::string path = pressure_path(netlist_.nodes[node]);
  return {span_of(model_.description, path), path, std::move(found), std::move(expected), std::move(hint)};
}

void HydrostaticGroups::check_rest(bool whole_machine) const {
  std::vector<Diagnostic> findings;
  std::vector<int> giver(netlist_.nodes.size(), -1);
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const int node = static_cast<int>(i), root = root_[i];
    if (marked(node)) continue;
    if (giver[root] < 0) {
      giver[root] = node;
      continue;
    }
    const int first = giver[root];
    if (given_[first] == given_[i]) continue;
    const std::vector<int> between = marked_in(root);
    for (int k : between)
      findings.push_back(finding(k,
                                 fmt::format("lies between {} at {:.6g} Pa and {} at {:.6g} Pa through open valves: {}",
                                             netlist_.nodes[first].name, given_[first], netlist_.nodes[i].name, given_[i], kNoRest),
                                 "a given start pressure", fmt::format("set this pressure, or close the valve at the start{}", kSteady)));
    if (!whole_machine || !between.empty()) continue;
    const int own = netlist_.nodes[i].state >= 0 ? node : first, other = own == node ? first : node;
    if (netlist_.nodes[own].state < 0) continue;  // between sources oil may flow: it does not affect the machine
    findings.push_back(finding(own,
                               fmt::format("is {:.6g} Pa, connected through open valves to {} at {:.6g} Pa: {}", given_[own],
                                           netlist_.nodes[other].name, given_[other], kNoRest),
                               "the same pressure", fmt::format("mark it `equilibrium`, or close the valve at the start{}", kSteady)));
  }
  for (std::size_t k = 0; k < flow_.size(); ++k) {
    if (flow_[k] == 0) continue;
    const FlowSource& source = netlist_.flow_sources[k];
    for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
      const int node = static_cast<int>(i), root = root_[i];
      const bool fed = (source.to >= 0 && root_[source.to] == root) || (source.from >= 0 && root_[source.from] == root);
      if (fed && netlist_.nodes[i].state >= 0 && (whole_machine || marked(node)))
        findings.push_back(finding(node,
                                   fmt::format("is fed by {}, which delivers {:.6g} m3/s at the start: {}", source.name, flow_[k], kNoRest),
                                   marked(node) ? "a given start pressure" : "no flow at the start",
                                   fmt::format("{}let the flow begin later{}", marked(node) ? "set this pressure, or " : "", kSteady)));
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

std::vector<double> HydrostaticGroups::closed_capacity(const std::vector<double>& node_capacity) const {
  std::vector<double> sum(static_cast<std::size_t>(closed_count_), 0.0);
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (closed_[root_[i]] >= 0) sum[closed_[root_[i]]] += node_capacity[i];
  return sum;
}

void HydrostaticGroups::write(const double* p, double* y) const {
  std::copy(model_.y_start.begin(), model_.y_start.end(), y);
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (marked(static_cast<int>(i))) {
      const int unknown = unknown_[root_[i]];
      const double value = std::isnan(value_[root_[i]]) ? kGuess : value_[root_[i]];
      y[netlist_.nodes[i].state] = unknown < 0 ? value : p[unknown];
    }
  start_control(y);
  for (std::size_t i = 0; i < netlist_.spools.size(); ++i) {
    y[netlist_.spools[i].state] = spool_[i];
    if (netlist_.spools[i].second_order()) y[netlist_.spools[i].state + 1] = 0;
  }
  if (states_ == StatesAt::rest)
    for (const Actuator& a : netlist_.actuators) std::fill_n(y + a.state, a.friction_states, 0.0);
  start_components(y);
}

void HydrostaticGroups::start_components(double* y) const {
  const std::vector<double> pressure = pressures(y);
  for (const Component& c : netlist_.components) {
    const ComponentValues<> values = component_at(c, pressure);
    c.law->start(values.p, values.u, y + c.state);
    for (std::size_t k = 0; states_ == StatesAt::start && k < c.law->info().states.size(); ++k)
      if (const double given = model_.y_start[c.state + k]; !std::isnan(given)) y[c.state + k] = given;
  }
}

/// Of all nodes.
std::vector<double> HydrostaticGroups::pressures(const double* y) const {
  std::vector<double> pressure = given_;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (netlist_.nodes[i].state >= 0) pressure[i] = y[netlist_.nodes[i].state];
  return pressure;
}

/// The inputs of a component, except its states.
ComponentValues<> HydrostaticGroups::component_at(const Component& c, const std::vector<double>& pressure) const {
  ComponentValues<> values;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) values.p[i] = pressure[c.nodes[i]];
  for (std::size_t i = 0; i < c.spools.size(); ++i) values.u[i] = spool_[c.spools[i]];
  return values;
}

void HydrostaticGroups::report_open(const std::vector<std::vector<double>>& open) const {
  std::vector<Diagnostic> findings;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i) {
    const int node = static_cast<int>(i), unknown = unknown_[root_[i]];
    if (!marked(node) || unknown < 0) continue;
    double share = 0;
    for (const std::vector<double>& combination : open) share = std::max(share, std::abs(combination[unknown]));
    if (share < kShare) continue;
    findings.push_back(finding(node, "is not determined by static equilibrium: any value is possible", "a given pressure such as 3.5 MPa",
                               fmt::format("set this pressure (--set {}=3.5MPa), or the pressure at the other side of the piston{}",
                                           pressure_path(netlist_.nodes[i]), kSteady)));
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

void HydrostaticGroups::check_pressures(const double* y, bool whole_machine) const {
  std::vector<Diagnostic> findings;
  for (std::size_t i = 0; i < netlist_.nodes.size(); ++i)
    if (const int node = static_cast<int>(i); marked(node) && !(y[netlist_.nodes[i].state] > 0))
      findings.push_back(finding(node, fmt::format("would have to be {:.6g} Pa at rest, below vacuum", y[netlist_.nodes[i].state]),
                                 "a positive absolute pressure",
                                 "raise the given pressure on the other side of the piston, or reverse the cylinder"));
  const auto other_pressure = [&](int node) {
    return marked(node) ? "set this pressure" : "change this pressure, or mark it `equilibrium`";
  };
  const auto pressure = [&](int node) { return netlist_.nodes[node].state >= 0 ? y[netlist_.nodes[node].state] : given_[node]; };
  for (const OneWayValve& valve : std::get<std::vector<OneWayValve>>(netlist_.elements)) {
    const double A = pressure(valve.A), B = pressure(valve.B), beyond = A - B - valve.law.cracking;
    if (!(beyond > kSlack * std::abs(A))) continue;
    for (int node : {valve.A, valve.B})
      if (marked(node) || (whole_machine && netlist_.nodes[node].state >= 0))
        findings.push_back(finding(node,
                                   fmt::format("would be {:.6g} Pa, where {} is open ({:.6g} Pa above its cracking pressure): {}",
                                               pressure(node), valve.name, beyond, kNoRest),
                                   marked(node) ? "a given start pressure" : "a pressure at which the valve is closed",
                                   fmt::format("{}, or raise the valve's cracking_pressure{}", other_pressure(node), kSteady)));
  }
  const std::vector<double> all = pressures(y);
  for (const Component& c : netlist_.components) {
    ComponentValues<> values = component_at(c, all);
    std::copy_n(y + c.state, c.law->info().states.size(), values.x);
    c.law->evaluate(values.inputs(), values.Q, values.rate);
    for_each_flow_path(c, values.Q, [&](int A, int B, double Q) {
      if (!(std::abs(Q) > kNoFlow)) return;
      for (int node : {A, B})
        if (node >= 0 && (marked(node) || (whole_machine && netlist_.nodes[node].state >= 0)))
          findings.push_back(finding(
              node, fmt::format("would be {:.6g} Pa, where {:.6g} m3/s flow through {}: {}", pressure(node), Q, c.name, kNoRest),
              marked(node) ? "a given start pressure" : "a pressure without flow", fmt::format("{}{}", other_pressure(node), kSteady)));
    });
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace trunnion
