// The compiled machine: immutable, flat, names resolved to indices; shared by any number of runs and threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "description/description.h"
#include "hydraulics/circuit.h"
#include "mechanics/joint_reading.h"
#include "mechanics/mechanism.h"
#include "signals/signal.h"

namespace trunnion {

/// An elementary part of a joint (angle, displacement, spherical) and its channels.
struct JointPart {
  NodeJoint joint = NodeJoint::revolute;
  int node = 0;
  int q = 0, v = 0;                          // its first coordinate and velocity; cartesian coordinates: -1 if it is not a coordinate
  std::string position, rate, acceleration;  // names; of a spherical part the stems of its components: `q`, `rate`, ...
  int reading = -1;                          // cartesian coordinates: index in CompiledModel::readings if it is computed from the bodies
};

/// A joint as named by the user, and its nodes.
struct JointInfo {
  std::string name;  // of the child body
  int node = 0;      // last node (the child's)
  int q = 0, v = 0;  // first coordinate and velocity
  int nq = 0, nv = 0;
  std::vector<JointPart> parts;  // from the parent to the child
};

/// A body as named by the user: fixed to a node. Vectors in space also for a planar machine.
struct BodyInfo {
  std::string name;
  int node = 0;
  Mat<3> R_NB = Mat<3>::Identity();  // body axes in the node frame
  Vec<3> r_NB = Vec<3>::Zero();      // [m] body origin, node frame
  double mass = 0;                   // [kg]
  Vec<3> r_NC = Vec<3>::Zero();      // [m] centre of mass, node frame
  Vec<3> r_NC_plane =
      Vec<3>::Zero();  // [m] planar machine: the same in the node's plane axes, then its height over the ground's origin along the normal
  Mat<3> R_NB_plane = Mat<3>::Identity();  // planar machine: body axes in the node's plane axes
  Vec<3> r_NB_plane = Vec<3>::Zero();      // [m] planar machine: origin as r_NC_plane
  bool has_orientation = true;             // false: a point mass, whose node does not rotate with it (cartesian coordinates)
};

/// Start value of a velocity coordinate (its increment direction) and whether it is given or held.
struct StartCoordinate {
  bool given = false;
  bool locked = false;
  bool rate_given = false;
};

/// A given start value that assembly moved to satisfy the constraints.
struct MovedStart {
  std::string name;  // `crank.angle`, `crank.rate`
  double change = 0;
  const char* unit = "";
};

/// A port on a joint coordinate.
struct JointPort {
  CoordinatePlace place;
  int port = 0;  // index of port and actuator
};

/// A port on a component of a marker's position, which control blocks read.
struct MarkerPort {
  std::size_t marker = 0, axis = 0;  // number in the file; of the frame: 0, 1, 2
  int port = 0;                      // index of port and actuator
};

/// A load that a control block drives, or the coordinate that a motion lets follow one: a port of its own.
struct DrivenLoad {
  std::string name, signal;
  int port = 0;       // index of port and actuator
  double factor = 1;  // [N or N m] of a load on a joint coordinate; [-] of one on a body; 0 of a motion
  int motion = -1;    // number of the motion; -1: a load
};

/// Motions that follow control blocks, before the states of these are known: at rest at the coordinate of the start.
template <int D, class S>
void hold_followed_motions(const std::vector<double>& q_start, const Mechanism<D>& m, MechanismState<D, S>& state) {
  for (const auto& g : m.constraints)
    if (g.motion >= 0 && m.motions[g.motion].follows_block()) state.motion[g.motion] = {q_start[g.q], 0, 0};
}

/// Orientation of the plane of a planar machine: columns are its two axes and its normal, ground axes.
struct Plane {
  Mat<3> axes = Mat<3>::Identity();
};

/// Sizes of a machine's state vectors.
struct StateLayout {
  int nq = 0, nv = 0, ny = 0, rows = 0;
  int coupling = 0;       // memory of a co-simulation
  int oil_memory = 0;     // memory of the oil rule between steps, hydraulics/circuit.h
  int inputs = 0;         // courses of the inputs, signals/input_course.h
  int motion_memory = 0;  // memory of the mechanism's rule between steps, solve/motion_rule.h
  bool operator==(const StateLayout&) const = default;
};

/// A named loop closure, motion, coupling, wheel or blade and its constraint rows; in cartesian coordinates also a joint.
struct ConstraintInfo {
  std::string path;  // `loops.E`
  std::string name;  // `E`
  Range rows;
};

struct CompiledModel {
  Description description;  // as read, with overrides applied: the exact settings used
  std::string title;
  StateLayout layout;
  bool planar = false;
  Plane plane;
  std::variant<Mechanism<2>, Mechanism<3>> mechanism;
  Hydraulics hydraulics;
  SignalSet signals;
  std::vector<JointInfo> joints;
  std::vector<BodyInfo> bodies;
  std::unordered_map<std::string, std::size_t> body_numbers;  // name -> index in `bodies` and in `joints` as compiled
  std::vector<ConstraintInfo> constraints;
  std::vector<JointPort> joint_ports;       // in the order of their ports; those of motors and pumps first
  std::vector<MarkerPort> marker_ports;     // after them, likewise
  std::vector<DrivenLoad> driven_loads;     // after them, in the order of their ports
  std::vector<std::string> velocity_names;  // per velocity: `crank.rate`
  std::vector<std::string>
      coordinate_names;                  // per velocity the coordinate that it moves: `crank.angle`; of a spherical part `load.rotation_x`
  std::vector<std::string> state_names;  // per y: `v1.pressure`
  std::vector<StartCoordinate> start;    // per velocity
  std::vector<double> q_start, v_start;  // as given
  std::vector<double> y_start;           // as given; NaN: to be solved for equilibrium
  std::vector<MovedStart> moved_starts;  // given start values moved by assembly
  std::vector<double> jumps;             // times at which any signal in use jumps, ascending
  std::vector<double> force_jumps;       // those at which accelerations or pressure rates jump unfiltered
  std::vector<bool> direct_inputs;       // per input: whether they jump with it
  // cartesian coordinates (model/cartesian.h): the bodies' absolute coordinates as joints to the ground, how joint coordinates are
  // computed, and the same machine in relative coordinates, used for assembly and equilibrium
  std::vector<JointInfo> placements;
  std::variant<std::vector<JointReading<2>>, std::vector<JointReading<3>>> readings;
  std::shared_ptr<const CompiledModel> relative;
  std::shared_ptr<const CompiledModel> like;  // of which this one differs in parameters only; null: none
  std::vector<double> port_starts;            // [m, rad] per port as compiled in relative coordinates: its position at the start
};

/// Compiles a description. Throws InputError with every semantic finding. `like` (may be null): the model of a description that differs in
/// parameters only (schema/parameters.h); its names are not checked again, and its patterns of matrices are used.
std::shared_ptr<const CompiledModel> compile(Description description, const std::shared_ptr<const CompiledModel>& like = nullptr);

/// Whether the parameter of that path (schema/parameters.h) belongs to the oil alone: tree, connections and assembly do not read it.
bool belongs_to_oil(std::string_view parameter);

/// compile() of a description that differs from that of `other`, a model like `like`, in parameters that belong to the oil alone: the same
/// model, whose assembled mechanism is taken from `other`.
std::shared_ptr<const CompiledModel> compile_oil(Description description, const std::shared_ptr<const CompiledModel>& like,
                                                 const CompiledModel& other);

/// Whether states and channels of one model are those of the other.
bool same_structure(const CompiledModel& a, const CompiledModel& b);

}  // namespace trunnion
