// Machines in lanes by the general step: the core, compiled with numbers of several lanes (prelude.h).
// SPDX-License-Identifier: BSD-3-Clause
#include "run/general_lanes.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "description/integrators.h"
#include "lanes/lane_machine.h"
#include "schema/compact.h"
#include "schema/parameters.h"

namespace trunnion {

namespace {

static_assert(kLaneCount == lanes::kMachines);

lanes::Row row_of(const LaneNumbers& numbers) { return {numbers.of}; }

/// The machines of a group.
struct Scratch final : LaneScratch {
  std::unique_ptr<lanes::LaneMachine> machine;
  std::vector<LaneNumbers> prepared;  // of the machine
  std::vector<lanes::Row> x;
};

class GeneralLanes final : public LaneStep {
 public:
  /// Throws for what lanes do not have.
  explicit GeneralLanes(const std::shared_ptr<const CompiledModel>& model)
      : model_(model),
        jumps_(model->jumps),
        force_jumps_(model->force_jumps),
        numbers_(StateVector(model->layout).values().size()),
        parameters_(values(*model)) {
    Description description = model->description;
    description.solver.compiled = CompiledKind::off;
    compact_ = compact_text(description);
    made({});
  }

  bool has_ways() const override { return true; }

  LaneStates states() const override {
    LaneStates states;
    states.x.resize(numbers_);
    states.prepared.resize(parameters_.size());
    states.scratch = std::make_unique<Scratch>();
    return states;
  }

  std::optional<std::vector<double>> prepare(const CompiledModel& model) const override {
    const std::shared_ptr<const CompiledModel> own = model_.lock();
    if (&model != own.get() && model.like != own) return std::nullopt;
    if (model.jumps != jumps_ || model.force_jumps != force_jumps_) return std::nullopt;
    return values(model);
  }

  void adopt_parameters(LaneStates& states) const override {
    auto& scratch = static_cast<Scratch&>(*states.scratch);
    if (scratch.machine != nullptr && same(scratch.prepared, states.prepared)) return;
    scratch.prepared = states.prepared;
    try {
      scratch.machine = made(states.prepared);
      scratch.x.resize(static_cast<std::size_t>(scratch.machine->size()));
    } catch (const std::exception&) {
      scratch.machine = nullptr;  // no lane has a step: the machines' own loops report what is wrong
    }
  }

  LaneResult step(LaneStates& states, unsigned lanes, double h) const override {
    auto& scratch = static_cast<Scratch&>(*states.scratch);
    if (scratch.machine == nullptr) return {};
    for (std::size_t i = 0; i < states.x.size(); ++i) scratch.x[i] = row_of(states.x[i]);
    const lanes::LaneMachine::Result result = scratch.machine->step(scratch.x.data(), row_of(states.time), h, lanes, states.ways.data());
    for (std::size_t i = 0; i < states.x.size(); ++i) states.x[i].of = scratch.x[i].of;
    return {result.done, result.behind};
  }

 private:
  static std::vector<double> values(const CompiledModel& model) {
    Description description = model.description;
    std::vector<double> list;
    for (const Parameter& parameter : parameters_of(description)) list.push_back(*parameter.value);
    return list;
  }
  static bool same(const std::vector<LaneNumbers>& a, const std::vector<LaneNumbers>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const LaneNumbers& x, const LaneNumbers& y) { return x.of == y.of; });
  }
  std::unique_ptr<lanes::LaneMachine> made(const std::vector<LaneNumbers>& prepared) const {
    std::vector<lanes::Row> numbers;
    bool own = false;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      numbers.push_back(row_of(prepared[i]));
      for (const double x : prepared[i].of) own = own || x != parameters_[i];
    }
    if (!own) numbers.clear();
    return lanes::machines_by_processor().front().make(compact_, numbers);
  }
  std::weak_ptr<const CompiledModel> model_;  // that of their run, which has these lanes only as long as it is in use
  std::vector<double> jumps_, force_jumps_;   // its
  std::size_t numbers_;                       // of its state
  std::vector<double> parameters_;            // its values
  std::string compact_;
};

/// Empty: there are lanes.
std::string reason_against(const CompiledModel& model) {
  const SolverDescription& solver = model.description.solver;
  if (lanes::machines_by_processor().empty()) return "the processor has no vectors of four numbers (AVX2)";
  if (solver.coupling != CouplingKind::monolithic) return "a co-simulation has none";
  if (!integrator_of(solver).has_fixed_step()) return "the steps of " + std::string(integrator_of(solver).word) + " are its own";
  for (const ControlBlock& block : model.hydraulics.control)
    if (block.changes_between_steps()) return "samples and modes of control blocks change between steps";
  for (const JointPort& port : model.joint_ports)
    if (model.hydraulics.actuators[port.port].load >= 0) return "friction that follows the load of its joint has none";
  return {};
}

std::shared_ptr<const LaneStep> general_lanes(const std::shared_ptr<const CompiledModel>& given, std::string& remark) {
  const std::shared_ptr<const CompiledModel>& model = given->like ? given->like : given;
  static std::mutex mutex;
  static std::map<std::weak_ptr<const CompiledModel>, std::shared_ptr<const LaneStep>, std::owner_less<>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.first.expired(); });
  remark = "lanes: the general step";
  if (const auto found = known.find(model); found != known.end()) return found->second;
  std::string reason = reason_against(*model);
  try {
    if (reason.empty()) { return known[model] = std::make_shared<const GeneralLanes>(model); }
  } catch (const std::exception& e) { reason = e.what(); }
  remark = "no lanes: " + reason;
  return nullptr;
}

}  // namespace

MakeGeneralLanes general_lanes_factory() { return general_lanes; }

}  // namespace trunnion
