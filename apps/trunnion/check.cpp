// trunnion check: read a model, assemble it, and print its properties: degrees of freedom, constraints, redundancy, start.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "commands.h"
#include "machine/analyse.h"
#include "machine/observe.h"
#include "machine/start.h"
#include "results/run_case.h"
#include "run/element_steps.h"
#include "schema/plausibility.h"
#include "solve/start_partition.h"

namespace trunnion::cli {

namespace {

void line(const std::string& key, const std::string& text) { std::fputs(fmt::format("  {:<14} {}\n", key, text).c_str(), stdout); }

std::string count(std::size_t n, const std::string& one, const std::string& many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

template <class List>
std::string joined(const List& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string vector_text(const Vec<3>& v) {
  const auto clean = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", clean(v.x()), clean(v.y()), clean(v.z()));
}

void print_mechanism(const CompiledModel& model) {
  const Description& d = model.description;
  line("mechanism", fmt::format("{}, {}, {}", count(model.bodies.size(), "body", "bodies"), count(model.joints.size(), "joint", "joints"),
                                count(static_cast<std::size_t>(model.layout.nv), "velocity coordinate", "velocity coordinates")));
  line("", model.planar ? "planar: motion in the plane normal to " + vector_text(model.plane.axes.col(2)) : "spatial");
  if (model.relative) line("coordinates", "cartesian: " + joined(model.coordinate_names));
  for (const ConstraintInfo& info : model.constraints)
    line(info.path, count(static_cast<std::size_t>(info.rows.size()), "equation", "equations"));
  const std::size_t forces = d.springs.size() + d.forces.size();
  if (forces > 0)
    line("forces",
         fmt::format("{}, {}", count(d.springs.size(), "spring", "springs"), count(d.forces.size(), "applied load", "applied loads")));
}

void print_constraints(const Analysis& a) {
  const std::string freedom = count(static_cast<std::size_t>(a.degrees_of_freedom), "degree of freedom", "degrees of freedom");
  if (a.rows == 0) return line("freedom", freedom + ": no loop, motion or coupling");
  line("freedom",
       fmt::format("{}: {} minus {} of rank {}", freedom, count(static_cast<std::size_t>(a.velocities), "coordinate", "coordinates"),
                   count(static_cast<std::size_t>(a.rows), "equation", "equations"), a.rank));
  if (a.position_degrees_of_freedom != a.degrees_of_freedom)
    line("", fmt::format("of velocities; {} of positions, which velocity-level constraints do not reduce", a.position_degrees_of_freedom));
  if (a.redundant.empty()) line("redundant", "none");
  for (const RedundantRows& rows : a.redundant)
    line("redundant", fmt::format("{} {} of {} at the start: implied by the equations before",
                                  rows.equations.size() == 1 ? "equation" : "equations", joined(rows.equations), rows.path));
}

/// Partition by elimination in the double-step treatment, where there are loops.
void print_partition(const CompiledModel& model) {
  if (model.layout.rows == 0) return;
  const StartPartition partition = find_start_partition(model);
  if (!partition.singular_configuration.empty())
    return line("independent", fmt::format("not determined: {} is at a dead point (penalty passes it, double_step does not)",
                                           partition.singular_configuration));
  const auto names = [&](const std::vector<int>& velocities) {
    std::vector<std::string> list;
    for (int v : velocities) list.push_back(model.coordinate_names[static_cast<std::size_t>(v)]);
    return joined(list);
  };
  line("independent", partition.independent.empty() ? "none: the machine is a structure"
                                                    : names(partition.independent) + ", by the largest pivots at the start");
  if (!partition.velocity_dependent.empty())
    line("", names(partition.velocity_dependent) + " in position only: velocity-level constraints determine the rates");
}

void print_circuit(const CompiledModel& model) {
  const Description& d = model.description;
  if (d.cylinders.empty() && d.motors.empty() && d.volumes.empty()) return;
  const std::string motors = d.motors.empty() ? "" : count(d.motors.size(), "motor", "motors") + ", ";
  line("oil",
       fmt::format("{}, {}, {}, {}, {}in {}", count(d.volumes.size(), "volume", "volumes"), count(d.sources.size(), "source", "sources"),
                   count(d.valves.size(), "valve", "valves"), count(d.cylinders.size(), "cylinder", "cylinders"), motors,
                   count(model.hydraulics.circuits.size(), "circuit", "circuits")));
  line("states", model.state_names.empty() ? "none" : joined(model.state_names));
}

/// The start of a joint, in degrees, millimetres and the like.
std::string start_text(const JointInfo& joint, const StateVector& state) {
  constexpr double kDegree = std::numbers::pi / 180;
  std::vector<std::string> parts;
  for (const JointPart& part : joint.parts) {
    const double *q = state.q() + part.q, v = state.v()[part.v];
    const std::string name = joint.parts.size() > 1 && part.joint != NodeJoint::spherical ? part.position + " " : "";
    if (part.joint == NodeJoint::revolute)
      parts.push_back(fmt::format("{}{:.6f} deg ({:.9g} rad), {:.6g} rad/s", name, q[0] / kDegree, q[0], v));
    else if (part.joint == NodeJoint::prismatic)
      parts.push_back(fmt::format("{}{:.9g} m, {:.6g} m/s", name, q[0], v));
    else
      parts.push_back(fmt::format("quaternion [{:.6g}, {:.6g}, {:.6g}, {:.6g}]", q[0], q[1], q[2], q[3]));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

const std::string kEndDamper = ".end_damper";

void print_start(const std::shared_ptr<const CompiledModel>& shared, const StateVector& state) {
  const CompiledModel& model = *shared;
  std::puts("start, after assembly");
  // joints as they were stated, whatever the coordinates
  const CompiledModel& given = model.relative ? *model.relative : model;
  StateVector at_start(given.layout);
  std::copy(given.q_start.begin(), given.q_start.end(), at_start.q());
  std::copy(given.v_start.begin(), given.v_start.end(), at_start.v());
  for (const JointInfo& joint : given.joints)
    if (joint.nv > 0)
      line(joint.name, start_text(joint, at_start) + (given.start[static_cast<std::size_t>(joint.v)].locked ? ", held" : ""));
  for (const Volume& volume : model.hydraulics.volumes) {
    const PressureNode& node = model.hydraulics.nodes[static_cast<std::size_t>(volume.node)];
    const bool solved = std::isnan(model.y_start[static_cast<std::size_t>(node.state)]);
    line(node.name, fmt::format("{:.6f} MPa{}", state.y()[node.state] / 1e6, solved ? ", solved" : ", given"));
  }
  const auto observer = make_observer(shared);
  observer->observe(state, Side::right);
  std::vector<double> values(observer->channels().size());
  observer->values(values.data());
  std::unordered_map<std::string_view, std::size_t> dampers;  // channels of the kind, by name
  for (std::size_t i = 0; i < observer->channels().size(); ++i)
    if (const std::string& channel = observer->channels()[i].name; channel.ends_with(kEndDamper)) dampers.emplace(channel, i);
  for (const Actuator& a : pistons_of(model.hydraulics)) {
    const std::string name = a.name + kEndDamper;
    auto channel = dampers.find(std::string(a.section) + "." + name);
    if (channel == dampers.end()) channel = dampers.find(name);
    const std::size_t k = channel == dampers.end() ? values.size() : channel->second;
    if (k < values.size() && values[k] != 0)
      line("end damper", fmt::format("{} starts inside the range of an end damper, which pushes with {:.4g} {}", a.name, values[k],
                                     a.is_rotary ? "N m" : "N"));
  }
  int largest = -1;
  for (int i = 0; i < state.layout().nv; ++i)
    if (largest < 0 || std::abs(state.a()[i]) > std::abs(state.a()[largest])) largest = i;
  constexpr double kRest = 1e-6;  // [rad/s2, m/s2]
  line("accelerations", largest < 0 || std::abs(state.a()[largest]) < kRest
                            ? "none: the machine is at rest or in steady motion"
                            : fmt::format("up to {:.3g} rad/s^2 or m/s^2, of {}: not in equilibrium, it will start to move",
                                          std::abs(state.a()[largest]), model.coordinate_names[static_cast<std::size_t>(largest)]));
}

void print_run(const CompiledModel& model) {
  const SolverDescription& s = model.description.solver;
  std::puts("run");
  line("steps", fmt::format("{:.0f} of {:g} s to {:g} s", std::ceil(s.duration / s.step - 1e-9), s.step, s.duration));
  std::vector<std::string> jumps;
  for (double t : model.jumps)
    if (t >= 0 && t < s.duration) jumps.push_back(fmt::format("{:g}", t));
  if (!jumps.empty()) line("signal jumps", joined(jumps) + " s");
  line("units", "SI internally; numbers without a unit are SI, angles in radians");
}

int check(const ModelOptions& options) {
  const auto model = options.load();
  std::printf("%s%s%s\n", options.file.c_str(), model->title.empty() ? "" : ": ", model->title.c_str());
  print_mechanism(*model);
  print_constraints(analyse(*model));
  print_partition(*model);
  const MissingInertia missing = find_missing_inertia(*model);
  if (!missing.velocities.empty())
    line("no inertia",
         joined(missing.velocities) + (missing.singular ? ": the machine cannot be simulated" : ": held by constraints only"));
  print_circuit(*model);
  if (missing.singular) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: nothing resists the acceleration of %s; give the body an inertia about that axis (a rod: a diameter)\n",
                 joined(missing.velocities).c_str());
    return kWrongInput;
  }
  const StateVector start = start_state(*model);
  print_start(model, start);
  if (const std::string moved = moved_starts_text(*model); !moved.empty()) line("moved", moved);
  print_run(*model);
  for (const std::string& warning : plausibility_warnings(model->description)) line("WARNING", warning);
  for (const std::string& warning : element_step_warnings(*model, start)) line("WARNING", warning);
  std::puts("the model is ready to run");
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "read and analyse a model: degrees of freedom, redundancy, start");
  auto options = std::make_shared<ModelOptions>();
  options->add_to(*command);
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace trunnion::cli
