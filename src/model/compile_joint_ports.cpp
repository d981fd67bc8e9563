// Coordinates of joints and loop closures, and positions of markers -> ports.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include "description/integrators.h"
#include "mechanics/penalty_factors.h"
#include "model/compile_parts.h"

namespace trunnion {

namespace {

/// The coordinate of a tree joint.
template <int D>
Port<D> port_on_coordinate(const JointPart& part, Mechanism<D>& m) {
  Port<D> port;
  port.kind = PortKind::coordinate;
  port.q = part.q;
  port.slides = part.joint == NodeJoint::prismatic;
  port.node_A = m.tree.nodes[part.node].parent;
  port.node_B = part.node;
  port.path = {static_cast<int>(m.paths.size()), static_cast<int>(m.paths.size()) + 1};
  m.paths.push_back({part.v, part.node, 1});
  return port;
}

/// An angle of a loop closure: that from a direction fixed in its first body to one fixed in its second, about an axis.
struct LoopAngle {
  Vec<3> axis, from, to;  // node frames; `axis` in that of the second body if `about_second`
  bool about_second = false;
};
LoopAngle angle_of(const LoopDescription& loop, std::size_t part, const CompiledModel& model) {
  const Vec<3> a = direction(model, loop.between[0], loop.axis[0]), b = direction(model, loop.between[1], loop.axis[1]);
  // of components in the body's frame that follow from those of the axis
  const auto across = [&](int i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Vec<3> axis(loop.axis[k][0], loop.axis[k][1], loop.axis[k][2]), n = normals(axis.normalized())[0];
    return direction(model, loop.between[k], {n.x(), n.y(), n.z()});
  };
  if (loop.kind == LoopKind::universal) return part == 0 ? LoopAngle{a, across(0), b} : LoopAngle{b, a, across(1), true};
  return {a, across(0), across(1)};
}

/// The middle of an angle's limits, of which there are two or none; 0 without.
double middle_of(const CoordinateElements* elements) {
  return elements != nullptr && elements->limits ? (*elements->limits->minimum + *elements->limits->maximum) / 2 : 0;
}

template <int D>
void set_angle(const LoopAngle& angle, double near, const PointMap& map, Port<D>& port) {
  constexpr double kHalfTurn = 1e-9;  // [rad] rounding: half a turn away is counted upwards
  port.near = near + kHalfTurn;
  if constexpr (D == 3) {
    port.angle = angle.about_second ? JointAngle{-angle.axis, angle.to, angle.from} : JointAngle{angle.axis, angle.from, angle.to};
  } else {
    const std::vector<Mat<3>> R = zero_orientations(map.space->tree);
    const Mat<3>&R_A = R[port.node_A], &R_B = R[port.node_B];
    const Vec<3> c = (angle.about_second ? R_B : R_A) * angle.axis, a = R_A * angle.from, b = R_B * angle.to;
    port.turn = std::round(map.frames[0].col(2).dot(c));
    port.start = std::atan2(c.dot(a.cross(b)), a.dot(b));
  }
}

template <int D>
Port<D> port_of_loop(const CoordinatePlace& coordinate, const PointMap& map, const CompiledModel& model, Mechanism<D>& m) {
  const LoopDescription& loop = model.description.loops[coordinate.number].second;
  const PlacedPoint P = place(map, model, loop.between[0], loop.at[0]), Q = place(map, model, loop.between[1], loop.at[1]);
  if (coordinate.name.kind == JointPartKind::displacement) {
    Port<D> port{make_line(map, P, Q, m)};
    port.kind = PortKind::displacement;
    port.axis = seen<D>(map, P.node, direction(model, loop.between[0], loop.axis[0]));
    return port;
  }
  const LoopAngle angle = angle_of(loop, coordinate.part, model);
  // about an axis of the second body in space: that of the first body relative to the second, about the opposite axis
  const bool turned = D == 3 && angle.about_second;
  Port<D> port{turned ? make_line(map, Q, P, m) : make_line(map, P, Q, m)};
  port.kind = PortKind::angle;
  set_angle(angle, middle_of(elements_of(model.description, coordinate)), map, port);
  return port;
}

}  // namespace

template <int D>
Port<D> make_joint_port(const CoordinatePlace& place, const PointMap& map, const CompiledModel& model, Mechanism<D>& m) {
  return place.of_loop ? port_of_loop(place, map, model, m)
                       : port_on_coordinate(find_part(model, place.joint + "." + place.name.position), m);
}

template <int D>
int add_joint_port(const CoordinatePlace& place, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  const Port<D> port = make_joint_port(place, map, model, m);
  const int index = static_cast<int>(m.ports.size());
  m.ports.push_back(port);
  model.joint_ports.push_back({place, index});
  return index;
}

template <int D>
int joint_port(const CoordinatePlace& place, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  for (const JointPort& port : model.joint_ports)
    if (port.place == place) return port.port;
  return add_joint_port(place, map, model, m);
}

template <int D>
void add_marker_port(const MarkerReading& reading, const PointMap& map, CompiledModel& model, Mechanism<D>& m) {
  const MarkerDescription& marker = model.description.markers[reading.marker].second;
  const PlacedPoint P = place(map, model, marker.frame, {}), Q = place(map, model, marker.body, marker.at);
  Vec3d along{};
  along[reading.axis] = 1;
  const Vec<3> axis = direction(model, marker.frame, along);
  Port<D> port{make_line(map, P, Q, m)};
  port.kind = PortKind::displacement;
  port.axis = seen<D>(map, P.node, axis);
  if constexpr (D == 2) port.start = map.frames[P.node].col(2).dot(axis) * port.depth;
  model.marker_ports.push_back({reading.marker, reading.axis, static_cast<int>(m.ports.size())});
  m.ports.push_back(port);
}

namespace {

/// Positions and inertias at the start.
template <int D>
MechanismState<D> inertias_at_start(const CompiledModel& model, const Mechanism<D>& m) {
  MechanismState<D> state(m);
  const std::vector<double> still(static_cast<std::size_t>(m.tree.nv), 0.0);
  std::vector<double> r(still);
  update_positions<D, double>(m, model.q_start.data(), nullptr, state);
  update_rates<D, double>(m, still.data(), still.data(), state);
  inverse_dynamics<D, double>(m, model.q_start.data(), still.data(), true, state, r.data());
  return state;
}

/// 1 / sum s_k^2 / x_k over the coordinates that move the port, s_k = ds/dq_k; x_k: of(k, M_kk, the mass that k carries).
template <class Of>
double in_series(const CompiledModel& model, int port, Of&& of) {
  return std::visit(
      [&]<int D>(const Mechanism<D>& m) {
        const MechanismState<D> state = inertias_at_start(model, m);
        double compliance = 0;
        const Range& path = m.ports[static_cast<std::size_t>(port)].path;
        for (int i = path.begin; i < path.end; ++i) {
          const double gradient = state.dofs[i].gradient;
          const int k = m.paths[i].dof, node = m.tree.dof_node[k];
          if (gradient == 0) continue;
          const bool turns = m.tree.nodes[node].joint != NodeJoint::prismatic;
          compliance += gradient * gradient / of(turns, own_inertia(m.tree, state.tree, k), state.tree.nodes[node].I.mass);
        }
        return compliance > 0 ? 1 / compliance : 0;
      },
      model.mechanism);
}

}  // namespace

namespace {

/// 1 / (s_q (M + J^T alpha J)^-1 s_q^T) with the rows of couplings: of what gears tie to the port in every posture. 0 without them.
template <int D>
double tied_inertia(const CompiledModel& model, const Mechanism<D>& m, int port) {
  const auto is_coupling = [](const ConstraintGroup<D>& g) { return g.type == ConstraintType::coupling; };
  if (std::none_of(m.constraints.begin(), m.constraints.end(), is_coupling)) return 0;
  const MechanismState<D> state = inertias_at_start(model, m);
  std::vector<double> K, x(static_cast<std::size_t>(m.tree.nv), 0.0);
  for (int k = 0; k < m.tree.nv; ++k) K.push_back(own_inertia(m.tree, state.tree, k));
  PenaltyFactors<D> factors(m);
  factors.set(state, K.data());
  std::vector<double> alpha(factors.data(), factors.data() + m.rows);
  for (const ConstraintGroup<D>& g : m.constraints)
    if (!is_coupling(g)) std::fill(alpha.begin() + g.rows.begin, alpha.begin() + g.rows.end, 0.0);
  const auto add_matrix = [&](auto& P) {
    mass_matrix(m.tree, state.tree, P);
    add_penalty(m, alpha.data(), state, P);
  };
  RecordedEntries pattern;
  add_matrix(pattern);
  SystemMatrix P(m.tree.nv, pattern.entries, MatrixStorage::dense);
  P.assemble(add_matrix);
  if (!P.factor()) return 0;
  const Range& path = m.ports[static_cast<std::size_t>(port)].path;
  for (int i = path.begin; i < path.end; ++i) x[static_cast<std::size_t>(m.paths[i].dof)] += state.dofs[i].gradient;
  P.solve(x.data());
  double compliance = 0;
  for (int i = path.begin; i < path.end; ++i) compliance += state.dofs[i].gradient * x[static_cast<std::size_t>(m.paths[i].dof)];
  return compliance > 0 ? 1 / compliance : 0;
}

}  // namespace

double port_inertia(const CompiledModel& model, int port) {
  constexpr double kLocked = 1e7;  // times its own inertia: couplings leave it no freedom
  const double own = in_series(model, port, [](bool, double inertia, double) { return inertia; }),
               tied = std::visit([&](const auto&m) { return tied_inertia(model, m, port); }, model.mechanism);
  return tied > own && tied < kLocked * own ? tied : own;
}

namespace {

/// Step [s] of the mechanism.
double mechanism_step(const Description& d) {
  return grid_step(d) / (d.solver.coupling == CouplingKind::cosimulation ? mechanism_steps_of(d) : 1);
}

/// Speed after a strike over that before, of the law with the factor e (docs/theory.md): a spring k / e on the way in, then the damped one,
/// then a spring e k.
double restitution_of(double e) {
  const double most = 1 / std::max<double>(e, 1 / EndDamper::kStiffest), p = 2 * EndDamper::kDampingRatio, s = std::sqrt(p * p - 4);
  const double in = (most - 1) / p, out = (e - 1) / p;  // x' / (w x) between which the damper acts
  const auto f = [&](double r) { return (std::log(r * r + p * r + 1) - p / s * std::log((2 * r + p - s) / (2 * r + p + s))) / 2; };
  return std::sqrt((out * out + e) / (in * in + most)) * std::exp(f(in) - f(out));
}

/// With k = I w^2 and c = 2 zeta I w a strike lasts about pi / w, the time of kSteps steps. The speed after it is e times that before for
/// any inertia: k only has to be resolved; with explicit integration c as well, also at a tenth of the inertia.
EndDamper rigid_law(const CompiledModel& model, double inertia, double restitution) {
  constexpr double kSteps = 24, kStepsExplicit = 100;
  const Description& d = model.description;
  const bool is_explicit = integrator_of(d.solver).kind == IntegratorClass::explicit_step;
  const double w = std::numbers::pi / ((is_explicit ? kStepsExplicit : kSteps) * mechanism_step(d));
  // the step of `euler` lengthens oscillations by sqrt(1 + (w h)^2), over the strike by exp(pi^2/(2 kStepsExplicit))
  const double growth = d.solver.integrator == IntegratorKind::euler ? std::exp(std::numbers::pi * std::numbers::pi / (2 * kStepsExplicit))
                                                                     : 1.0,
               wanted = restitution / growth;
  double e = wanted;
  for (int i = 0; i < 20; ++i) e = std::max<double>(e + wanted - restitution_of(e), 0);
  return {inertia * w * w, 2 * EndDamper::kDampingRatio * inertia * w, 1, DamperLaw::continuous, true, e};
}

}  // namespace

EndDamper limit_law(const CompiledModel& model, const CoordinatePlace& place, int port, const LimitsDescription& limits) {
  constexpr double kFirm = 1000;
  EndDamper law{limits.stiffness.value_or(0), limits.damping, limits.depth.value_or(1), DamperLaw::continuous};
  if (limits.stiffness) return law;
  const Description& d = model.description;
  if (limits.rigid) {
    law = rigid_law(model, port_inertia(model, port), limits.restitution);
  } else {
    const double g = std::hypot(d.gravity[0], d.gravity[1], d.gravity[2]),
                 lever = std::visit([](const auto&m) { return largest_lever(m); }, model.mechanism);
    // the lever arm at which the mass that an angle carries has its inertia: not below that of its weight
    law.stiffness = in_series(
        model, port, [&](bool turns, double M, double mass) { return kFirm * g * M / (turns && mass > 0 ? std::sqrt(M / mass) : lever); });
  }
  if (law.stiffness > 0 && std::isfinite(law.stiffness)) return law;
  const std::string path = std::string(place.of_loop ? "loops." : "joints.") + place.joint + ".limits" +
                           (place.alone ? std::string() : "." + std::string(place.name.position)) +
                           (limits.rigid ? ".rigid" : ".stiffness");
  throw InputError({{span_of(d, path), path,
                     limits.rigid ? "the coordinate moves no inertia that would strike the limit"
                                  : "the stiffness has no default: the coordinate moves no inertia, or no body has a lever arm",
                     limits.rigid ? "a `stiffness` instead of `rigid`" : "a stiffness", ""}});
}

template Port<2> make_joint_port<2>(const CoordinatePlace&, const PointMap&, const CompiledModel&, Mechanism<2>&);
template Port<3> make_joint_port<3>(const CoordinatePlace&, const PointMap&, const CompiledModel&, Mechanism<3>&);
template int add_joint_port<2>(const CoordinatePlace&, const PointMap&, CompiledModel&, Mechanism<2>&);
template int add_joint_port<3>(const CoordinatePlace&, const PointMap&, CompiledModel&, Mechanism<3>&);
template int joint_port<2>(const CoordinatePlace&, const PointMap&, CompiledModel&, Mechanism<2>&);
template int joint_port<3>(const CoordinatePlace&, const PointMap&, CompiledModel&, Mechanism<3>&);
template void add_marker_port<2>(const MarkerReading&, const PointMap&, CompiledModel&, Mechanism<2>&);
template void add_marker_port<3>(const MarkerReading&, const PointMap&, CompiledModel&, Mechanism<3>&);

}  // namespace trunnion
