// Description -> Model: tree, plane, connections, assembly, netlist, jumps.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/assert.h"
#include "description/integrators.h"
#include "model/cartesian.h"
#include "model/compile_parts.h"
#include "model/coupling_memory.h"
#include "model/validate.h"
#include "schema/schema.h"

namespace trunnion {

template <int D>
MechanismState<D> start_positions(const CompiledModel& model, const Mechanism<D>& m) {
  MechanismState<D> state(m);
  update_inputs(m, Signals(model.signals, nullptr), 0, Side::right, state);
  hold_followed_motions(model.q_start, m, state);
  for (std::size_t i = 0; i < m.motions.size(); ++i)
    if (m.motions[i].follows_block()) state.motion[i].rate = model.v_start[m.motions[i].v];
  update_positions<D, double>(m, model.q_start.data(), nullptr, state);
  return state;
}

template <int D>
void settle(const CompiledModel& model, MechanismState<D>& start, Mechanism<D>& m) {
  for (std::size_t i = 0; i < m.ports.size(); ++i)
    if (Port<D>& port = m.ports[i]; D == 2 && port.kind == PortKind::angle) {
      const double s = unwrapped(start.s[i], port.near);
      port.start += s - start.s[i];
      start.s[i] = s;
    }
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    if (std::isnan(m.springs[i].rest)) m.springs[i].rest = start.springs[i].length;
  for (std::size_t i = 0; i < m.constraints.size(); ++i) {
    ConstraintGroup<D>& g = m.constraints[i];
    if (!std::isnan(g.distance)) continue;
    const bool coupling = g.type == ConstraintType::coupling;
    g.distance = coupling ? model.q_start[g.q] - g.ratio * model.q_start[g.q_driver] : start.constraints[i].line.length;
  }
  for (JointSpring& spring : m.joint_springs)
    if (std::isnan(spring.rest)) spring.rest = model.q_start[spring.q];
}

template MechanismState<2> start_positions<2>(const CompiledModel&, const Mechanism<2>&);
template MechanismState<3> start_positions<3>(const CompiledModel&, const Mechanism<3>&);
template void settle<2>(const CompiledModel&, MechanismState<2>&, Mechanism<2>&);
template void settle<3>(const CompiledModel&, MechanismState<3>&, Mechanism<3>&);

std::vector<double> depths(const Tree<3>& tree, const std::vector<Mat<3>>& frames) {
  std::vector<double> depth(tree.nodes.size(), 0.0);
  for (std::size_t j = 1; j < tree.nodes.size(); ++j) {
    const TreeNode<3>& n = tree.nodes[j];
    depth[j] = depth[n.parent] + frames[n.parent].col(2).dot(n.r_PJ) - frames[j].col(2).dot(n.r_BJ);
  }
  return depth;
}

void project_centers(const Vec<3>& reference, const PointMap& map, CompiledModel& model) {
  for (BodyInfo& body : model.bodies) {
    const Mat<3> to_plane = map.frames[body.node].transpose();
    body.r_NC_plane = to_plane * body.r_NC;
    body.r_NB_plane = to_plane * body.r_NB;
    body.R_NB_plane = to_plane * body.R_NB;
    if (body.node == 0) continue;
    const double height = map.depth[body.node] + model.plane.axes.col(2).dot(reference);
    body.r_NC_plane.z() += height;
    body.r_NB_plane.z() += height;
  }
}

namespace {

/// A wheel lying flat on its plane has no contact point.
template <int D>
void check_wheels(const Description& d, const CompiledModel& model, const Mechanism<D>& m, const MechanismState<D>& start) {
  const int row = singular_wheel_row(m, start);
  if (row < 0) return;
  for (const ConstraintInfo& info : model.constraints)
    if (info.rows.begin <= row && row < info.rows.end)
      throw InputError(
          {{span_of(d, info.path), info.path, "lies flat on its plane at the start: its axis is along the normal",
            "an axis not parallel to the plane's normal", "change `axis`, `plane.normal` or the start orientation of the body"}});
}

/// A cylinder or spring between coincident points has no direction.
template <int D>
void check_lines(const Description& d, const Mechanism<D>& m, const MechanismState<D>& start) {
  constexpr double kCoincide = 1e-12;  // [m, of the extent] rounding
  const double closest = kCoincide * (std::isfinite(m.extent) ? std::max(1.0, m.extent) : 1);
  std::vector<Diagnostic> findings;
  for (std::size_t i = 0; i < d.cylinders.size(); ++i)
    if (const std::string path = "cylinders." + d.cylinders[i].first; !(start.s[i] > closest))
      findings.push_back(
          {span_of(d, path), path, "the cylinder has zero length at the start: its mounts coincide", "two distinct mount points", ""});
  for (std::size_t i = 0; i < m.springs.size(); ++i)
    if (const std::string path = "springs." + m.springs[i].name; !(start.springs[i].length > closest))
      findings.push_back({span_of(d, path), path,
                          "the spring has zero length at the start: its ends coincide and its force has no direction",
                          "two distinct points", "a spring on a joint coordinate (`joint`) may start at its rest value"});
  if (!findings.empty()) throw InputError(std::move(findings));
}

template <int D>
std::vector<double> finish_mechanism(const Description& d, const PointMap& map, CompiledModel& model, Mechanism<D> m) {
  compile_connections(d, map, {}, model, m);
  for (const PrescribedMotion& motion : m.motions) m.force_signals.push_back(motion.signal);
  MechanismState<D> start = start_positions(model, m);
  check_wheels(d, model, m, start);
  if (m.rows > 0) mark_idle_rows(d, model.q_start, start, m);
  assemble(d, m, model, start);
  settle(model, start, m);
  check_lines(d, m, start);
  model.layout = {m.tree.nq, m.tree.nv, 0, m.rows};
  model.layout.motion_memory = motion_memory_size(model.description.solver, m.tree.nv);
  model.mechanism = std::move(m);
  return start.s;
}

}  // namespace

void collect_jumps(CompiledModel& model) {
  const Hydraulics& netlist = model.hydraulics;
  std::set<double> all, direct;
  const auto add = [&](SignalIndex signal, bool filtered) {
    if (signal < 0) return;
    const std::vector<double>& jumps = model.signals.jumps(signal);
    all.insert(jumps.begin(), jumps.end());
    if (filtered) return;
    direct.insert(jumps.begin(), jumps.end());
    for (int i = 0; i < model.signals.inputs(); ++i)
      if (model.signals.depends_on(signal, model.signals.first_input() + i)) model.direct_inputs[static_cast<std::size_t>(i)] = true;
  };
  model.direct_inputs.assign(static_cast<std::size_t>(model.signals.inputs()), false);
  for (const PressureNode& node : netlist.nodes) add(node.source, false);
  for (const FlowSource& source : netlist.flow_sources) add(source.flow, false);
  for (const Spool& spool : netlist.spools) add(spool.signal, !spool.follows());
  for (const ControlBlock& block : netlist.control)
    for (const BlockInput& input : block.inputs)
      if (input.kind == BlockInput::Kind::signal) add(input.index, block.sampled());
  // where the acceleration or the rate of a motion jumps, so do those of the coordinates that it moves
  const auto add_corners = [&](SignalIndex signal) {
    const std::vector<double> corners = model.signals.corners(signal, true);
    all.insert(corners.begin(), corners.end());
    direct.insert(corners.begin(), corners.end());
  };
  std::visit(
      [&](const auto& m) {
        for (SignalIndex signal : m.force_signals) add(signal, false);
        for (const auto& motion : m.motions)
          if (!motion.follows_block()) add_corners(motion.signal);
      },
      model.mechanism);
  model.jumps.assign(all.begin(), all.end());
  model.force_jumps.assign(direct.begin(), direct.end());
}

namespace {

/// The patterns of `like`, which has the same structure, or those of the model.
void set_patterns(const CompiledModel* like, CompiledModel& model) {
  if (like == nullptr) {
    model.hydraulics.blocks = block_patterns(model.hydraulics);
    return;
  }
  model.hydraulics.patterns = like->hydraulics.patterns;
  model.hydraulics.blocks = like->hydraulics.blocks;
  std::visit([&](auto& m) { m.patterns = std::visit([](const auto& other) { return other.patterns; }, like->mechanism); }, model.mechanism);
}

/// Parameters may make rows redundant, such as a length that closes a parallelogram.
void find_redundant_rows(CompiledModel& model) {
  if (model.description.solver.constraints != ConstraintKind::penalty) return;
  std::visit([&](auto& m) { m.redundant = has_redundant_rows(m, model.q_start); }, model.mechanism);
}

}  // namespace

std::shared_ptr<CompiledModel> empty_model() { return std::make_shared<CompiledModel>(); }

namespace {

/// Tree, plane, connections and the assembled start.
void compile_mechanism(const Description& d, Mechanism<3>& space, PointMap& map, CompiledModel& model) {
  compile_tree(d, true, model, space);
  map.space = &space;
  if (const auto plane = find_plane(d, model, space, map.frames)) {
    model.planar = true;
    model.plane = *plane;
    map.depth = depths(space.tree, map.frames);
    Mechanism<2> flat;
    project_tree(space, map.frames, flat);
    project_centers(space.reference, map, model);
    model.port_starts = finish_mechanism(d, map, model, std::move(flat));
  } else {
    model.port_starts = finish_mechanism(d, map, model, space);
  }
}

/// The copy constructor alone: assignments of lists to lists are large.
template <class T>
void copy(const T& from, T& to) {
  to = T(from);
}

/// What compile_mechanism() fills.
void take_mechanism(const CompiledModel& from, CompiledModel& model) {
  model.layout.nq = from.layout.nq;
  model.layout.nv = from.layout.nv;
  model.layout.rows = from.layout.rows;
  model.layout.motion_memory = from.layout.motion_memory;
  model.planar = from.planar;
  model.plane = from.plane;
  std::visit([&]<int D>(const Mechanism<D>& m) { model.mechanism.emplace<Mechanism<D>>(m); }, from.mechanism);
  copy(from.joints, model.joints);
  copy(from.bodies, model.bodies);
  copy(from.body_numbers, model.body_numbers);
  copy(from.constraints, model.constraints);
  copy(from.joint_ports, model.joint_ports);
  copy(from.marker_ports, model.marker_ports);
  copy(from.driven_loads, model.driven_loads);
  copy(from.velocity_names, model.velocity_names);
  copy(from.coordinate_names, model.coordinate_names);
  copy(from.start, model.start);
  copy(from.q_start, model.q_start);
  copy(from.v_start, model.v_start);
  copy(from.moved_starts, model.moved_starts);
  copy(from.port_starts, model.port_starts);
}

/// `assembled` (may be null): the model of the same mechanism; not in cartesian coordinates.
std::shared_ptr<const CompiledModel> compile_with(Description&& description, const std::shared_ptr<const CompiledModel>& like,
                                                  const CompiledModel* assembled) {
  std::vector<Diagnostic> findings = like != nullptr ? check_parameters(description) : check_description(description);
  if (!findings.empty()) throw InputError(std::move(findings));
  const std::shared_ptr<CompiledModel> model = empty_model();
  model->like = like != nullptr && like->like != nullptr ? like->like : like;
  model->description = std::move(description);
  const Description& d = model->description;
  model->title = d.title;
  model->signals = SignalSet(signals_over_time(d), d.inputs, source_of(d).courses);
  Mechanism<3> space;
  PointMap map;
  if (assembled != nullptr)
    take_mechanism(*assembled, *model);
  else
    compile_mechanism(d, space, map, *model);
  compile_hydraulics(d, model->port_starts, *model);
  model->layout.ny = model->hydraulics.ny;
  model->layout.oil_memory = oil_memory_size(model->hydraulics);
  model->layout.inputs = model->signals.inputs() * InputCourse::kSize;
  if (d.solver.coupling == CouplingKind::cosimulation) {
    hydraulic_groups(*model);  // for its findings
    model->layout.coupling = coupling_memory(*model).size();
  }
  collect_jumps(*model);
  const bool cartesian = d.solver.coordinates == CoordinateKind::cartesian;
  set_patterns(like != nullptr && cartesian ? like->relative.get() : like.get(), *model);
  TR_ASSERT(like != nullptr || validate(*model).empty());
  if (!cartesian) {
    if (assembled == nullptr) find_redundant_rows(*model);
    return model;
  }
  std::shared_ptr<CompiledModel> placed = compile_cartesian(model, map);
  placed->like = model->like;
  set_patterns(like.get(), *placed);
  find_redundant_rows(*placed);
  TR_ASSERT(like != nullptr || validate(*placed).empty());
  return placed;
}

}  // namespace

std::shared_ptr<const CompiledModel> compile(Description description, const std::shared_ptr<const CompiledModel>& like) {
  return compile_with(std::move(description), like, nullptr);
}

bool belongs_to_oil(std::string_view parameter) {
  if (parameter.starts_with("cylinders.")) return parameter.find(".at.") == std::string_view::npos;  // of the mounts
  constexpr std::string_view kSections[] = {"fluid.", "volumes.", "sources.", "valves.", "lines.", "accumulators."};
  return std::any_of(std::begin(kSections), std::end(kSections), [&](std::string_view section) { return parameter.starts_with(section); });
}

std::shared_ptr<const CompiledModel> compile_oil(Description description, const std::shared_ptr<const CompiledModel>& like,
                                                 const CompiledModel& other) {
  const bool cartesian = description.solver.coordinates == CoordinateKind::cartesian;  // where joints have coordinates of their own
  return compile_with(std::move(description), like, cartesian ? nullptr : &other);
}

namespace {

bool same_elements(const Hydraulics& a, const Hydraulics& b) {
  const auto same_names = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& i, const auto& j) { return i.name == j.name; });
  };
  return std::apply([&](const auto&... list) { return (same_names(list, std::get<std::decay_t<decltype(list)>>(b.elements)) && ...); },
                    a.elements);
}

bool same_channels(const Actuator& a, const Actuator& b) {
  return (a.cylinder.viscous > 0) == (b.cylinder.viscous > 0) && (a.cylinder.damper.length > 0) == (b.cylinder.damper.length > 0) &&
         (a.spool >= 0) == (b.spool >= 0);
}

}  // namespace

bool same_structure(const CompiledModel& a, const CompiledModel& b) {
  const Hydraulics &x = a.hydraulics, &y = b.hydraulics;
  return a.layout == b.layout && a.planar == b.planar &&
         std::equal(a.bodies.begin(), a.bodies.end(), b.bodies.begin(), b.bodies.end(),
                    [](const BodyInfo& i, const BodyInfo& j) { return (i.mass > 0) == (j.mass > 0); }) &&
         std::equal(x.spools.begin(), x.spools.end(), y.spools.begin(), y.spools.end(),
                    [](const Spool& i, const Spool& j) { return i.states() == j.states(); }) &&
         std::equal(x.actuators.begin(), x.actuators.end(), y.actuators.begin(), y.actuators.end(), same_channels) &&
         std::equal(x.control.begin(), x.control.end(), y.control.begin(), y.control.end(),
                    [](const ControlBlock& i, const ControlBlock& j) {
                      return i.name == j.name && i.size() == j.size() && i.states() == j.states();
                    }) &&
         same_elements(x, y);
}

}  // namespace trunnion
