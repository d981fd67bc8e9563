// The parts of compile(): mechanism, then hydraulics. Names have been checked before.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "model/model.h"

namespace trunnion {

constexpr double kParallel = 1e-9;  // [rad] tolerance of axes of a planar motion
inline bool parallel(const Vec<3>& a, const Vec<3>& b) { return a.cross(b).norm() < kParallel; }
inline bool perpendicular(const Vec<3>& a, const Vec<3>& b) { return std::abs(a.dot(b)) < kParallel; }

/// The first axis of a plane: x projected along its normal, or y if the normal is along x. The second is normal x first.
Vec<3> first_plane_axis(const Vec<3>& normal);

/// Whether a loop closure with these axes allows motion of the two bodies in the plane of that normal and is valid there.
bool moves_in_plane(LoopKind kind, const Vec<3>& axis_A, const Vec<3>& axis_B, const Vec<3>& normal);

/// A model without contents. One function for all who need one: its constructor is large.
std::shared_ptr<CompiledModel> empty_model();

/// Nodes, bodies and start values of the tree, always in space. Fixed joints have a node of their own where `nodes_of_fixed` and where
/// `record.channels` names their reaction; the bodies of others share one.
void compile_tree(const Description& description, bool nodes_of_fixed, CompiledModel& model, Mechanism<3>& mechanism);

/// The plane in which the whole machine moves, if there is one: every rotation axis along its normal, every translation axis in it, no
/// spherical joint or wheel; compatible loops, blades and soil surfaces. `frames` receives every node's plane axes in the node frame.
std::optional<Plane> find_plane(const Description& description, const CompiledModel& model, const Mechanism<3>& mechanism,
                                std::vector<Mat<3>>& frames);

/// The tree projected into its plane.
void project_tree(const Mechanism<3>& space, const std::vector<Mat<3>>& frames, Mechanism<2>& plane);

/// Mapping of points and directions of bodies: node frames in space, plane coordinates and depth in the plane.
struct PointMap {
  const Mechanism<3>* space = nullptr;
  std::vector<Mat<3>> frames;  // per node: plane axes in the node frame; empty in space
  std::vector<double> depth;   // [m] per node: offset of its origin along the plane's normal
};

/// Orientation of every node with all coordinates at zero, ground axes.
std::vector<Mat<3>> zero_orientations(const Tree<3>& tree);

/// Two unit vectors perpendicular to `axis` and to each other.
std::array<Vec<3>, 2> normals(const Vec<3>& axis);

/// Depth of every node's origin along the plane's normal.
std::vector<double> depths(const Tree<3>& tree, const std::vector<Mat<3>>& frames);

/// Adds a massless node for one elementary joint, with coordinates of its own.
void add_node(Tree<3>& tree, int parent, NodeJoint joint, const Vec<3>& axis, const Mat<3>& R_PJ, const Vec<3>& r_PJ);

/// A point fixed in a node: [m] node frame (from the reference point for the ground).
struct PlacedPoint {
  int node;
  Vec<3> r;
};
PlacedPoint place(const PointMap& map, const CompiledModel& model, const std::string& body, const Vec3d& at);

/// A point or direction in the coordinates of the mechanism.
template <int D>
Vec<D> seen(const PointMap& map, int node, const Vec<3>& v) {
  if constexpr (D == 3)
    return v;
  else
    return (map.frames[node].transpose() * v).template head<2>();
}

/// One row between an auxiliary coordinate's node and the body that it follows.
struct AuxiliaryRow {
  ConstraintType type = ConstraintType::direction;  // or point
  PlacedPoint P{}, Q{};
  Vec<3> axis_P = Vec<3>::Zero(), axis_Q = Vec<3>::Zero();  // direction: both; point: the first
};
/// A joint as rows: a loop closure, and its auxiliary coordinates.
struct JointRows {
  std::string name;
  std::optional<LoopDescription> loop;
  std::vector<AuxiliaryRow> auxiliary;
};

/// The line between two points, with its path.
template <int D>
Line<D> make_line(const PointMap& map, const PlacedPoint& P, const PlacedPoint& Q, Mechanism<D>& m);
/// A direction of a body, node frame.
Vec<3> direction(const CompiledModel& model, const std::string& body, const Vec3d& axis);
/// The part of a joint given by `name`; already checked to be an angle or a displacement.
const JointPart& find_part(const CompiledModel& model, const std::string& name);

/// A port on a coordinate of a joint or loop closure; adds its path.
template <int D>
Port<D> make_joint_port(const CoordinatePlace& place, const PointMap& map, const CompiledModel& model, Mechanism<D>& m);
/// Adds a port on a coordinate of a joint or loop closure; returns its index. Ports of cylinders, motors and pumps come first.
template <int D>
int add_joint_port(const CoordinatePlace& place, const PointMap& map, CompiledModel& model, Mechanism<D>& m);
/// The same, or the index of one that the coordinate already has: to read it (position, rate), or for loads that are added to others.
/// In cartesian coordinates the coordinates of joints must be among those named (model/cartesian.cpp, named_coordinates).
template <int D>
int joint_port(const CoordinatePlace& place, const PointMap& map, CompiledModel& model, Mechanism<D>& m);

/// Adds a port on a component of a marker's position; its rate is that of its velocity.
template <int D>
void add_marker_port(const MarkerReading& reading, const PointMap& map, CompiledModel& model, Mechanism<D>& m);

/// Inertia [kg m2, kg] that a port moves at the start, every coordinate alone, 1 / sum s_k^2 / M_kk, or with all that couplings tie to it,
/// 1 / (s_q M^-1 s_q^T) on their rows, where that is more; 0: none.
double port_inertia(const CompiledModel& model, int port);
/// Law of the limits of a coordinate. By default its own weight at the largest lever bends them by 1/1000; rigid ones are as stiff as the
/// step resolves. Throws InputError without inertia or lever.
EndDamper limit_law(const CompiledModel& model, const CoordinatePlace& place, int port, const LimitsDescription& limits);

/// Joints as rows (cartesian coordinates), loops, motions, couplings, wheels, blades, springs, loads and ports. Unset rest
/// lengths stay NaN until after assembly.
template <int D>
void compile_connections(const Description& description, const PointMap& map, const std::vector<JointRows>& joints, CompiledModel& model,
                         Mechanism<D>& mechanism);

/// The positions of the start.
template <int D>
MechanismState<D> start_positions(const CompiledModel& model, const Mechanism<D>& mechanism);

/// Finds ConstraintGroup::idle. `state`: the positions at q, before and after.
template <int D>
void mark_idle_rows(const Description& description, const std::vector<double>& q, MechanismState<D>& state, Mechanism<D>& mechanism);

/// Whether constraint rows depend on others at q.
template <int D>
bool has_redundant_rows(const Mechanism<D>& mechanism, const std::vector<double>& q);

/// Sets unset rest lengths from the assembled start, and the turn in which the angles of planar loop closures start, also in `start`.
template <int D>
void settle(const CompiledModel& model, MechanismState<D>& start, Mechanism<D>& mechanism);

/// Centres of mass in the plane.
void project_centers(const Vec<3>& reference, const PointMap& map, CompiledModel& model);

/// Moves model.q_start and model.v_start onto the constraints: held coordinates are kept exactly, given ones as closely as
/// possible (mass-weighted), free ones follow. `start`: the positions of the start, before and after. Throws InputError with the residual
/// of every loop.
template <int D>
void assemble(const Description& description, const Mechanism<D>& mechanism, CompiledModel& model, MechanismState<D>& start);

/// Netlist, states and their names.
void compile_hydraulics(const Description& description, const std::vector<double>& starts, CompiledModel& model);

/// Fills jumps and force_jumps from the signals that mechanism and netlist use.
void collect_jumps(CompiledModel& model);

/// The body of that name; the ground has node 0 and identity placement.
const BodyInfo& find_body(const CompiledModel& model, const std::string& name);

}  // namespace trunnion
