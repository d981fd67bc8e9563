// What the library adds to descriptions (trunnion/description.h): names of joint coordinates, positions in files.
// Plain data in SI units and radians, no physics. The file module reads it from text; `compile` turns it into a Model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "description/source_map.h"
#include "trunnion/description.h"

namespace trunnion {

/// What belongs to a description that was read, but not to the machine.
struct DescriptionSource {
  SourceMap spans;                        // positions in the file, for errors found after parsing
  std::vector<Diagnostic> unit_warnings;  // doubtful units, which the SI values no longer show (others: schema/plausibility.h)
  std::string input_file;                 // file of the courses of inputs, as given on the command line; empty: none
  std::map<std::string, std::vector<std::array<double, 2>>> courses;  // points [t, value] by input; others are set from outside
};

/// The source of a description; an empty one if it was built in code.
const DescriptionSource& source_of(const Description& d);
/// Position of `path`, or of its nearest ancestor in the file; unknown in descriptions built in code.
SourceSpan span_of(const Description& d, std::string path);
/// Forgets positions and doubtful units, which are those of other values.
void forget_positions(Description& d);

/// Elementary parts of joints: angles about an axis, displacements along an axis, spherical rotations.
enum class JointPartKind { angle, displacement, spherical };

/// An elementary part of a joint and the names of its position, rate and acceleration in channels and in the model file
/// (`boom.angle`); of a spherical part the stems of its components.
struct JointPartName {
  JointPartKind kind;
  const char *position, *rate, *acceleration;
};
/// The parts of a kind of joint, from the parent to the child.
const std::vector<JointPartName>& joint_parts(JointKind kind);

/// A joint coordinate as named by springs, loads, motions and couplings: `boom` (a joint with one coordinate) or `slider.position`.
struct CoordinateName {
  std::string joint;
  std::string part;  // position name of one of the joint's parts; empty: the only one
};
CoordinateName split_coordinate(const std::string& name);
/// Index in joint_parts(kind) of the coordinate that `part` names (empty: the only one); -1: no angle or displacement of that name.
int find_coordinate(JointKind kind, const std::string& part);

/// The angles and displacements of a loop closure that friction and limits act on: those of a joint of the same kind. Angles are those of
/// the second body relative to the first about their axis, displacements those of the second point along the first body's axis. With
/// e(c) = c x X of the axis c in its body's frame, or c x Y where c is within 26 deg of +-X: an angle is 0 where e of both bodies coincide
/// (equal components: where both frames do); of a universal loop `angle_1` is 0 where the second axis is along e of the first body,
/// `angle_2` where the first axis is along e of the second.
const std::vector<JointPartName>& loop_parts(LoopKind kind);

/// An angle or displacement of a joint or loop closure.
struct CoordinatePlace {
  bool of_loop = false;
  std::size_t number = 0;  // of the joint or loop closure in the file
  std::size_t part = 0;    // of joint_parts() or loop_parts()
  std::string joint;       // name of the joint or loop closure
  JointPartName name{};
  bool alone = true;  // its only coordinate

  bool operator==(const CoordinatePlace& other) const { return of_loop == other.of_loop && number == other.number && part == other.part; }
  /// `boom`, or `slider.position` of a joint with several coordinates.
  std::string label() const { return alone ? joint : joint + "." + name.position; }
};
/// The coordinates that friction or limits act on: of joints, then of loop closures, in the order of the file.
std::vector<CoordinatePlace> coordinates_with_elements(const Description& d);
/// The coordinate that a name states, such as `boom`, `slider.position` or, of a loop closure, `E.angle`; none: there is none.
std::optional<CoordinatePlace> place_of_coordinate(const Description& d, const std::string& name);
/// Friction and limits of a coordinate, possibly none; `d`: a description, constant or not.
template <class D>
auto& elements_at(D& d, const CoordinatePlace& place) {
  return place.of_loop ? d.loops[place.number].second.elements[place.part] : d.joints[place.number].second.elements[place.part];
}
/// What acts on a coordinate; null: nothing.
const CoordinateElements* elements_of(const Description& d, const CoordinatePlace& place);

/// The time in a step, in the conditions of a sequence.
inline constexpr const char* kElapsed = "elapsed";
/// Names of the commands of a sequence, in the order of their first use.
std::vector<std::string> commands_of(const SequenceBlock& sequence);
/// Signals of control blocks beside their values: commands of sequences (`cycle.boom`), set points of operators and their rates.
std::vector<std::string> block_outputs(const Description& d);
/// The sums and products among the signals that contain the value of a control block, by themselves or through other sums and products:
/// they are no functions of time but control blocks of the same form, in the order of the file.
NamedList<BlockDescription> blocks_of_signals(const Description& d);
/// The other signals, functions of time, in the order of the file.
NamedList<SignalDescription> signals_over_time(const Description& d);
/// Where an item that is a control block is in the file: `control.NAME`, or `signals.NAME` of one of blocks_of_signals().
std::string block_path(const Description& d, const std::string& name);
/// Whether a name stands for the value of a control block, for another of its signals, or for a signal that contains one.
bool names_block(const Description& d, const std::string& name);
/// Whether a motion can follow that control block: its rate and its rate's rate are known from states, as of a `low_pass` of second order.
bool can_be_followed(const Description& d, const std::string& name);
/// The inputs of a control block in the order of its law; of a sequence those of all its laws; of an operator without coordinates.
std::vector<NumberOrSignal> block_inputs(const BlockDescription& block);
/// A joint coordinate or its rate as control blocks read it: `boom.angle`, `slider.speed`.
struct CoordinateReading {
  CoordinatePlace place;
  bool rate = false;
};
std::optional<CoordinateReading> coordinate_reading(const Description& d, const std::string& name);
/// Joints on the way from a body to the ground.
std::vector<std::string> joints_to_ground(const Description& d, const std::string& body);
/// Coordinates that an operator reads: those of its joints, then the others on the way from the ground to the body.
std::vector<CoordinatePlace> operator_coordinates(const Description& d, const OperatorBlock& b);
/// Names of all joint coordinates and rates, as control blocks read them.
std::vector<std::string> coordinate_reading_names(const Description& d);
/// Those that control blocks read and that no cylinder or motor provides.
std::vector<CoordinateReading> coordinates_read_by_control(const Description& d);
/// A component of a marker's position or velocity as control blocks read it: `teeth.position_x`, `teeth.velocity_x`.
struct MarkerReading {
  std::size_t marker = 0, axis = 0;  // number in the file; of the frame: 0, 1, 2
  bool rate = false;
};
/// Unset: the name is none of a marker, or a joint coordinate has it, too.
std::optional<MarkerReading> marker_reading(const Description& d, const std::string& name);
/// Names of all of them.
std::vector<std::string> marker_reading_names(const Description& d);
/// Those that control blocks read, each component once.
std::vector<MarkerReading> markers_read_by_control(const Description& d);

/// Whether a controller or integrator has a manual value.
template <class Block>
bool hands_over(const Block& block) {
  return block.manual != NumberOrSignal(std::string()) && block.automatic != NumberOrSignal(std::string());
}

inline bool has_command(const MeteringValveDescription& m) { return m.command != NumberOrSignal(std::string()); }

/// The nodes that an edge connects, from its name; unset: it does not name two ports.
inline std::optional<std::pair<std::string, std::string>> edge_nodes(const SpoolValveDescription& valve, const std::string& edge) {
  const auto node = [&](const std::string& port) -> const std::string* {
    for (const auto& [name, item] : valve.ports)
      if (name == port) return &item.node;
    return nullptr;
  };
  for (std::size_t cut = edge.find('_'); cut != std::string::npos; cut = edge.find('_', cut + 1))
    if (const std::string* A = node(edge.substr(0, cut)), *B = node(edge.substr(cut + 1)); A != nullptr && B != nullptr)
      return std::pair{*A, *B};
  return std::nullopt;
}

/// The step [s] of the run's time grid: the communication step of a co-simulation, otherwise solver.step.
double grid_step(const Description& d);
/// Number of equal steps of at most `longest` in H [s]; an excess within rounding needs no further step.
int steps_within(double H, double longest);
/// Steps of the mechanism in a communication step of a co-simulation: as given; otherwise one, as in the paper, or in the
/// schemes sequential and parallel as many as keep each within solver.step.
int mechanism_steps_of(const Description& d);

}  // namespace trunnion
