// Planned control blocks -> blocks of the netlist in the order of their dependence, and the spools that follow signals or blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "model/netlist_builder.h"

namespace trunnion {

BlockInput NetlistBuilder::input_of(const NumberOrSignal& value) {
  using Kind = BlockInput::Kind;
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr || model_.signals.find(*name) >= 0) return {.kind = Kind::signal, .index = signal(value)};
  const std::size_t dot = name->rfind('.');
  const std::string item = name->substr(0, dot), quantity = dot == std::string::npos ? "" : name->substr(dot + 1);
  if (quantity == "pressure") {
    const PressureNode& n = netlist_.nodes[static_cast<std::size_t>(node(item))];
    if (n.state < 0 && is_block(n.source)) return {.kind = Kind::signal, .index = n.source};
    return {.kind = Kind::pressure, .index = node(item)};
  }
  if (const auto reading = marker_reading(d_, *name))
    for (const MarkerPort& port : model_.marker_ports)
      if (port.marker == reading->marker && port.axis == reading->axis)
        return {.kind = reading->rate ? Kind::rate : Kind::position, .index = port.port};
  for (int i = 0; i < netlist_.pistons; ++i)
    if (netlist_.actuators[i].name == item) return {.kind = quantity == "rate" ? Kind::rate : Kind::position, .index = i};
  if (const auto reading = coordinate_reading(d_, *name))
    for (const JointPort& port : model_.joint_ports)
      if (port.place == reading->place) return {.kind = reading->rate ? Kind::rate : Kind::position, .index = port.port};
  throw Error("there is no quantity '" + *name + "'");
}

void NetlistBuilder::add_control() {
  std::vector<ControlBlock> blocks;
  for (const BlockPlan& plan : plans_) {
    ControlBlock& b = blocks.emplace_back();
    b.name = plan.name;
    b.law = plan.law;
    for (const NumberOrSignal& input : plan.inputs) b.inputs.push_back(input_of(input));
    b.signal = model_.signals.find(plan.name);
    b.period = plan.period;
    b.offset = plan.offset;
    b.latency = plan.latency;
    b.jitter = plan.jitter;
    b.seed = plan.seed;
  }
  netlist_.block_of_signal.assign(static_cast<std::size_t>(model_.signals.size()), -1);
  for (const int i : evaluation_order(blocks)) {
    ControlBlock& b = blocks[static_cast<std::size_t>(i)];
    b.output = add_state(b.name + ".output", std::numeric_limits<double>::quiet_NaN());
    for (const std::string& entry : entry_names(b)) add_state(entry, std::numeric_limits<double>::quiet_NaN());
    if (const int state = plans_[static_cast<std::size_t>(i)].state; state >= 0)
      b.inputs[0].state = netlist_.control[netlist_.block_of_signal[b.inputs[0].index]].output + 1 + state;
    for (BlockInput& input : b.inputs) input.ahead = input.kind == BlockInput::Kind::signal && is_ahead(input.index);
    netlist_.block_of_signal[b.signal] = static_cast<int>(netlist_.control.size());  // not before: a block may read itself
    netlist_.control.push_back(std::move(b));
  }
}

void NetlistBuilder::follow_block(const DrivenLoad& motion) {
  ControlBlock& b = netlist_.control[netlist_.block_of_signal[netlist_.actuators[motion.port].drive]];
  b.followed_port = motion.port;
  const double u = 0, x[2] = {0, 1};
  double rate[2];
  b.law->evaluate(&u, x, rate);
  std::visit(
      [&](auto& m) {
        m.motions[motion.motion].state = b.output + 1;
        m.motions[motion.motion].rate_scale = rate[0];
      },
      model_.mechanism);
}

bool NetlistBuilder::is_ahead(SignalIndex signal) const {
  if (!is_block(signal)) return true;
  const int i = netlist_.block_of_signal[signal];
  if (i < 0) return false;
  const ControlBlock& b = netlist_.control[static_cast<std::size_t>(i)];
  return b.sampled() || b.known();
}

/// `loop`: blocks of which each reads the next, and the last one the first.
Diagnostic NetlistBuilder::algebraic_loop(const std::vector<ControlBlock>& blocks, const std::vector<int>& loop) const {
  std::string members;
  for (const int i : loop) members += blocks[static_cast<std::size_t>(i)].name + " -> ";
  const std::string& first = blocks[static_cast<std::size_t>(loop.front())].name;
  const std::string place = block_path(d_, first);
  return {span_of(d_, place), place, "algebraic loop: each value depends directly on the next, " + members + first,
          "a block with a state in every loop, such as `integrator` or `low_pass`", ""};
}

std::vector<int> NetlistBuilder::evaluation_order(const std::vector<ControlBlock>& blocks) const {
  std::vector<int> order, path;
  std::vector<char> done(blocks.size(), 0), open(blocks.size(), 0);
  std::vector<Diagnostic> findings;
  const auto reads_state = [&](int i) { return plans_[static_cast<std::size_t>(i)].state >= 0; };
  const auto visit = [&](auto&& self, int i) -> void {
    const ControlBlock& b = blocks[static_cast<std::size_t>(i)];
    if (done[static_cast<std::size_t>(i)] != 0) return;
    if (reads_state(i) && open[static_cast<std::size_t>(b.inputs[0].index - first_block_signal_)] != 0) return;
    path.push_back(i);
    open[static_cast<std::size_t>(i)] = 1;
    for (int k = 0; k < b.law->inputs(); ++k) {
      const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
      if (input.kind != BlockInput::Kind::signal || !is_block(input.index) || !b.law->direct(k)) continue;
      const int other = input.index - first_block_signal_;
      if (open[static_cast<std::size_t>(other)] == 0) {
        self(self, other);
        continue;
      }
      if (std::any_of(std::find(path.begin(), path.end(), other), path.end(),
                      [&](int at) { return blocks[static_cast<std::size_t>(at)].sampled(); }))
        continue;  // a loop is closed from one sample to the next
      findings.push_back(algebraic_loop(blocks, {std::find(path.begin(), path.end(), other), path.end()}));
    }
    open[static_cast<std::size_t>(i)] = 0;
    path.pop_back();
    const auto add = [&](int block) {
      if (done[static_cast<std::size_t>(block)] == 0) order.push_back(block);
      done[static_cast<std::size_t>(block)] = 1;
    };
    add(i);
    for (int k = 0; k < static_cast<int>(blocks.size()); ++k)  // its states follow it, whatever reads them
      if (reads_state(k) && blocks[static_cast<std::size_t>(k)].inputs[0].index - first_block_signal_ == i) add(k);
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) visit(visit, static_cast<int>(i));
  if (!findings.empty()) throw InputError(std::move(findings));
  return after_what_they_read(blocks, order);
}

/// The order, or one where no block comes before a continuous one on whose value it depends directly: loops are cut where a block reads a
/// value that is held.
std::vector<int> NetlistBuilder::after_what_they_read(const std::vector<ControlBlock>& blocks, const std::vector<int>& order) const {
  std::vector<std::size_t> place(blocks.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
  std::vector<char> done(blocks.size(), 0);
  /// A block that comes later, although this one reads it; -1: none. `held_too`: or before in the order given, with a value that is held.
  const auto waits_for = [&](int i, bool held_too) {
    const ControlBlock& b = blocks[static_cast<std::size_t>(i)];
    for (int k = 0; k < b.law->inputs(); ++k) {
      const BlockInput& input = b.inputs[static_cast<std::size_t>(k)];
      if (input.kind != BlockInput::Kind::signal || !is_block(input.index) || !b.law->direct(k)) continue;
      const int other = input.index - first_block_signal_;
      const auto at = static_cast<std::size_t>(other);
      const bool follows = !blocks[at].sampled() || plans_[static_cast<std::size_t>(i)].state >= 0;
      if (done[at] == 0 && (follows || (held_too && place[at] < place[static_cast<std::size_t>(i)]))) return other;
    }
    return -1;
  };
  std::vector<int> placed;
  while (placed.size() < order.size()) {
    const auto next_of = [&](bool held_too) {
      return std::find_if(order.begin(), order.end(),
                          [&](int i) { return done[static_cast<std::size_t>(i)] == 0 && waits_for(i, held_too) < 0; });
    };
    auto next = next_of(true);
    if (next == order.end()) next = next_of(false);
    if (next == order.end()) {  // each waits for another one
      std::vector<int> path{*std::find_if(order.begin(), order.end(), [&](int i) { return done[static_cast<std::size_t>(i)] == 0; })};
      auto begin = path.end();
      for (int other = waits_for(path.back(), false); (begin = std::find(path.begin(), path.end(), other)) == path.end();
           other = waits_for(path.back(), false))
        path.push_back(other);
      throw InputError({algebraic_loop(blocks, {begin, path.end()})});
    }
    done[static_cast<std::size_t>(*next)] = 1;
    placed.push_back(*next);
  }
  return placed;
}

void NetlistBuilder::add_spool_states(Spool& spool) {
  spool.block = spool.signal < static_cast<int>(netlist_.block_of_signal.size()) ? netlist_.block_of_signal[spool.signal] : -1;
  if (spool.driven() && spool.follows()) {
    spool.state = netlist_.control[spool.block].output;
    return;
  }
  spool.state =
      add_state(spool.name + ".spool", spool.start.value_or(Signals(model_.signals, nullptr).value(spool.signal, 0, Side::right)));
  if (spool.second_order()) add_state(spool.name + ".spool_rate", 0);
}

}  // namespace trunnion
