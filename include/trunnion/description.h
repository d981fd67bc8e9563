// A machine as data: bodies, joints, loops, hydraulic circuit, signals, solver settings. What a model file says, without text.
//
//   trunnion::Description d;
//   d.gravity = {0, -9.81, 0};
//   d.bodies.add("bob", {.shapes = {trunnion::PointMassShape{.mass = 1, .at = {0, -1, 0}}}});
//   d.joints.add("bob", {.kind = trunnion::JointKind::revolute, .parent = "ground", .coordinate = 0.5});
//   const auto model = trunnion::Model::build(d);
//
// Plain structs in SI units and radians, with the defaults of a model file. What is required and which values are allowed is checked by
// Model::build as in a model file, whose keys have the same names (docs/model_file.md). Positions and directions are in the frame of the
// named body unless stated otherwise.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trunnion/description/control.h"
#include "trunnion/description/power.h"
#include "trunnion/description/solver.h"
#include "trunnion/description/values.h"
#include "trunnion/description/valves.h"

namespace trunnion {

// ---------------------------------------------------------------- bodies

/// Slender rod along its own x axis, starting at the body's origin; no inertia about its axis unless it has a diameter.
struct RodShape {
  double length = 0;    ///< [m]
  double mass = 0;      ///< [kg]
  double diameter = 0;  ///< [m] 0: slender
};
/// Solid box with edges along the body's axes.
struct BoxShape {
  Vec3d size{};     ///< [m]
  double mass = 0;  ///< [kg]
  Vec3d at{};       ///< [m] its centre in the body frame
};
/// Solid cylinder.
struct CylinderShape {
  double length = 0;    ///< [m]
  double radius = 0;    ///< [m]
  double mass = 0;      ///< [kg]
  Vec3d axis{1, 0, 0};  ///< [-] body frame
  Vec3d at{};           ///< [m] its centre in the body frame
};
/// Solid sphere.
struct SphereShape {
  double radius = 0;  ///< [m]
  double mass = 0;    ///< [kg]
  Vec3d at{};         ///< [m] its centre in the body frame
};
/// Mass without extent.
struct PointMassShape {
  double mass = 0;  ///< [kg]
  Vec3d at{};       ///< [m] body frame
};
/// Explicit mass properties.
struct InertiaShape {
  double mass = 0;         ///< [kg]
  Vec3d center_of_mass{};  ///< [m] body frame
  Vec3d moments{};         ///< [kg m2] Jxx, Jyy, Jzz about the centre of mass, body axes
  Vec3d products{};        ///< [kg m2] tensor entries Jxy, Jxz, Jyz (Jxy = -integral of x y dm)
};
/// What gives a body its mass.
using ShapeDescription = std::variant<RodShape, BoxShape, CylinderShape, SphereShape, PointMassShape, InertiaShape>;

/// A flat part drawn in reports, without mass: an outline in a plane perpendicular to a body axis, half the thickness on either side.
struct PlateLook {
  enum class Normal { x, y, z };
  std::vector<Vec2d> outline{};  ///< [m] corners in the body's y and z, x and z, or x and y
  double thickness = 0;          ///< [m]
  Normal normal = Normal::y;
  Vec3d at{};  ///< [m] origin of the outline, body frame
};
/// A box drawn in reports.
struct BoxLook {
  Vec3d size{};         ///< [m]
  Vec3d at{};           ///< [m] its centre in the body frame
  Vec3d orientation{};  ///< [rad] roll, pitch, yaw from the body's axes
};
/// A cylinder drawn in reports.
struct CylinderLook {
  double length = 0;    ///< [m]
  double radius = 0;    ///< [m]
  Vec3d axis{1, 0, 0};  ///< [-] body frame
  Vec3d at{};           ///< [m] its centre in the body frame
};
/// A sphere drawn in reports.
struct SphereLook {
  double radius = 0;  ///< [m]
  Vec3d at{};         ///< [m] its centre in the body frame
};
/// A mesh drawn in reports.
struct MeshLook {
  std::string file{};    ///< STL or OBJ
  Vec3d scale{1, 1, 1};  ///< [m] length of its units along its axes
  Vec3d at{};            ///< [m] its origin in the body frame
  Vec3d orientation{};   ///< [rad] roll, pitch, yaw from the body's axes
};
/// What is drawn.
using LookDescription = std::variant<PlateLook, BoxLook, CylinderLook, SphereLook, MeshLook>;

/// A rigid body.
struct BodyDescription {
  std::vector<ShapeDescription> shapes{};  ///< one or more; their masses add up
  std::vector<LookDescription> drawn{};    ///< drawn in reports instead of the shapes; empty: the shapes
};

/// The world.
struct GroundDescription {
  std::vector<LookDescription> drawn{};  ///< drawn in reports
};

// ---------------------------------------------------------------- friction and limits of joints

/// Laws of friction.
enum class FrictionKind { none, coulomb_viscous, bengisu_akay, brown_mcphee, lugre, modified_lugre, dahl, set_valued, maxwell_slip };
/// How the states of a friction law are integrated.
enum class FrictionStates { monolithic, local };

/// Maximum number of elements of `maxwell_slip`.
inline constexpr int kMaxFrictionElements = 8;

/// Friction of a cylinder's seals or on a displacement of a joint; of a motor or an angle with torques and angular rates. Parameters of
/// unused laws are allowed in the file.
struct FrictionDescription {
  FrictionKind model = FrictionKind::none;
  double coulomb = 0;                         ///< [N] F_c
  double static_force = 0;                    ///< [N] F_s   (key `static`)
  double stribeck_velocity = 0.01;            ///< [m/s] v_s
  double viscous = 0;                         ///< [N s/m] sigma_2
  double decay = 0;                           ///< [s/m] xi (Bengisu-Akay)
  bool viscous_below_stribeck = true;         ///< Bengisu-Akay: viscous term in both branches (false: as in the friction paper (22))
  double viscous_factor = 0.999329299739067;  ///< [-] Brown-McPhee: tanh 4 as in the friction paper (24); 1 in the linearisation paper (8)
  double bristle_stiffness = 0;               ///< [N/m] sigma_0
  double bristle_damping = 0;                 ///< [N s/m] sigma_1
  std::optional<double> bristle_damping_velocity{};                  ///< [m/s] v_d: sigma_1(v) = sigma_1 exp(-(v/v_d)^2); unset: constant
  double exponent = 2;                                               ///< [-] n
  double film_velocity = 0;                                          ///< [m/s] v_b
  double film_time_up = 0, film_time_down = 0, film_time_dwell = 0;  ///< [s] tau_hp, tau_hn, tau_h0
  std::vector<double> element_forces{}, element_stiffnesses{};       ///< [-] weights of the elements of maxwell_slip, 1 to 8
  double pressure_A = 0,
         pressure_B = 0;  ///< [1/Pa] of a cylinder or motor: its friction is 1 + pressure_A p_A + pressure_B p_B times that of the law
  std::optional<double> nominal_load{};  ///< [N] of a joint: its friction is its load / nominal_load times that of the law; unset: once
  FrictionStates states = FrictionStates::monolithic;
  double start_bristle = 0, start_film = 0;  ///< [m], [-] states at the start
  std::vector<double> start_bristles{};      ///< [m] of the elements of maxwell_slip; empty: all start_bristle
};

/// Limits of a joint coordinate: at a depth x beyond one, which grows at the rate x', the load is max(0, k x + c x' x / depth) of elastic
/// ones; of rigid ones k x + c x', between e k x and k x / e, with k and c from inertia and step.
struct LimitsDescription {
  std::optional<double> minimum{}, maximum{};  ///< [rad] or [m]; unset: none; the angle of a loop closure: both or none
  std::optional<double> stiffness{};           ///< [N m/rad] or [N/m] k; unset: from inertia and gravity
  double damping = 0;                          ///< [N m s/rad] or [N s/m] c
  std::optional<double> depth{};               ///< [rad] or [m] at which the damping acts with c; required with it
  bool rigid = false;                          ///< no stiffness, damping or depth is given
  double restitution = 0;                      ///< [-] e of rigid limits: speed after over speed before, below 1
};
/// What acts on a coordinate of a joint or loop closure.
struct CoordinateElements {
  std::optional<FrictionDescription> friction{};
  std::optional<LimitsDescription> limits{};
};

// ---------------------------------------------------------------- joints

/// Kinds of joints of the tree.
enum class JointKind { fixed, revolute, prismatic, cylindrical, universal, planar, spherical, point_on_line, free };

/// A tree joint, named after its child body. The child's frame is at `at` (parent frame), rotated by `orientation`, then
/// moved by the joint coordinate; `child_at` is the position of the joint in the child's frame (default its origin).
struct JointDescription {
  JointKind kind = JointKind::fixed;
  std::string parent{};  ///< body name or "ground"
  Vec3d at{};            ///< [m] parent frame
  Vec3d child_at{};      ///< [m] child frame
  Vec3d orientation{};   ///< [rad] roll, pitch, yaw (about parent x, y, z in this order: Rz Ry Rx) of the child at coordinate zero
  Vec3d axis{0, 0, 1};   ///< [-] in the parent frame turned by `orientation`, i.e. in the child's frame at coordinate zero; planar: normal
  std::array<Vec3d, 2> axes{{{1, 0, 0}, {0, 1, 0}}};  ///< [-] universal: fixed in the parent, fixed in the child; same frame as `axis`
  /// start values; unset ones are determined by assembly
  std::optional<double> coordinate{};       ///< [rad] `angle`, or [m] `position` of prismatic and point_on_line
  std::optional<double> rate{};             ///< [rad/s] `rate` or [m/s] `speed` that belongs to it
  std::optional<double> displacement{};     ///< [m] `position` of cylindrical
  std::optional<double> speed{};            ///< [m/s] cylindrical
  std::optional<Vec2d> pair{};              ///< [rad] `angles` of universal, [m] `position` of planar
  std::optional<Vec2d> pair_rate{};         ///< [rad/s] `rates`, [m/s] `velocity`
  std::optional<Vec3d> position{};          ///< [m] free: the child's point `child_at` from `at`, parent frame
  std::optional<Vec3d> rotation{};          ///< [rad] spherical, point_on_line, free: roll, pitch, yaw from the joint's zero orientation
  std::optional<Vec3d> velocity{};          ///< [m/s] free, parent frame
  std::optional<Vec3d> angular_velocity{};  ///< [rad/s] of joints with a rotation: relative to the parent, parent frame
  bool hold = false;                        ///< assembly and equilibrium keep the start value exactly
  /// friction and limits of its angles and displacements: [0] of the only one; cylindrical: position, angle; universal: angle_1, angle_2;
  /// planar: x, y, angle; point_on_line: position; free: x, y, z
  std::array<CoordinateElements, 3> elements{};
};

/// Kinds of loop closures.
enum class LoopKind { revolute, prismatic, cylindrical, universal, planar, spherical, point_on_line, distance };

/// A loop closure (cut joint) between two bodies.
struct LoopDescription {
  LoopKind kind = LoopKind::revolute;
  std::array<std::string, 2> between{};  ///< body names or "ground"
  std::array<Vec3d, 2> at{};             ///< [m] a point in each body's frame
  /// [-] the joint's axis in each body's frame (one value in the file serves both); planar: normals; universal: the axis fixed in
  /// each body; point_on_line: the line in the first body's frame, the second is unused
  std::array<Vec3d, 2> axis{{{0, 0, 1}, {0, 0, 1}}};
  std::optional<double> distance{};  ///< [m] of a distance constraint; unset: as at the start
  /// friction and limits of its angles and displacements, as of a joint of the same kind; not of planar and spherical ones
  std::array<CoordinateElements, 2> elements{};
};

/// Joint coordinates are named by springs, loads, motions and couplings as `boom` (a joint with one coordinate), `boom.angle` or
/// `slider.position`.

/// A prescribed joint coordinate: a rheonomic constraint `q = signal(t)`.
struct MotionDescription {
  std::string joint{};   ///< coordinate
  std::string signal{};  ///< [rad] or [m]
};

/// What a coupling relates: the coordinates, or only their rates (nonholonomic; positions need not match).
enum class CouplingLevel { position, velocity };

/// Two joint coordinates in a fixed ratio, as by gears or a rack: q_a = ratio q_b + offset at the start; or their rates.
struct CouplingDescription {
  std::array<std::string, 2> joints{};  ///< coordinates a, b
  double ratio = 1;                     ///< [-], [m/rad] or [rad/m]
  CouplingLevel level = CouplingLevel::position;
};

/// Whether a wheel may slip along the projection of its axis.
enum class LateralSlip { none, free };

/// A thin disc on a body that rolls on a plane of another body without slip.
struct WheelDescription {
  std::string body{};   ///< that carries it
  Vec3d at{};           ///< [m] centre, body frame
  Vec3d axis{0, 1, 0};  ///< [-] axis, body frame
  double radius = 0;    ///< [m]
  LateralSlip lateral_slip = LateralSlip::none;
  std::string plane = "ground";  ///< the body that carries the plane
  Vec3d plane_at{};              ///< [m] a point of the plane, that body's frame
  Vec3d plane_normal{0, 0, 1};   ///< [-] towards the side of the disc, that body's frame
};

/// A blade or skate: a point of a body that cannot move sideways.
struct BladeDescription {
  std::string body{};
  Vec3d at{};                 ///< [m] contact point, body frame
  Vec3d across{0, 1, 0};      ///< [-] direction in which it cannot move, body frame
  std::string on = "ground";  ///< the body relative to which it cannot move
};

/// A point of a body whose motion is read.
struct MarkerDescription {
  std::string body{};
  Vec3d at{};                    ///< [m] body frame
  std::string frame = "ground";  ///< the body relative to which, and in whose axes, its motion is given
  bool trace = false;            ///< drawn in the report: its path in the frame
};

// ---------------------------------------------------------------- forces

/// Spring and damper on a joint coordinate (`joint`) or between two points (`between`, `at`).
struct SpringDescription {
  std::optional<std::string> joint{};    ///< coordinate
  std::array<std::string, 2> between{};  ///< otherwise: two bodies
  std::array<Vec3d, 2> at{};             ///< [m] body frames
  double stiffness = 0;                  ///< [N/m] or [N m/rad]
  double damping = 0;                    ///< [N s/m] or [N m s/rad]
  double preload = 0;                    ///< [N] or [N m] tension at the rest value
  std::optional<double> rest{};          ///< [m] or [rad]; unset: as at the start
};

/// Frame of the components of a force.
enum class ForceFrame { world, body };

/// Resistance of soil against the motion of a point.
struct SoilDescription {
  double force = 0;       ///< [N] full resistance
  double depth = 0;       ///< [m] at which it is reached
  double speed = 0;       ///< [m/s] well above which it acts fully
  Vec3d at{};             ///< [m] a point of the surface, ground frame
  Vec3d normal{0, 0, 1};  ///< [-] out of the soil, ground frame
};

/// An applied force, torque or joint load, or the resistance of soil, multiplied by a signal if one is named.
struct ForceDescription {
  std::optional<std::string> joint{};  ///< coordinate that the load acts on
  std::string body{};                  ///< otherwise: the body it acts on
  Vec3d at{};                          ///< [m] point of application of `force`, body frame
  std::optional<Vec3d> force{};        ///< [N]
  std::optional<Vec3d> torque{};       ///< [N m]
  std::optional<double> load{};        ///< [N] or [N m] on the joint coordinate
  ForceFrame frame = ForceFrame::world;
  std::optional<SoilDescription> soil{};
  std::optional<std::string> signal{};  ///< factor; unset: 1
};

// ---------------------------------------------------------------- signals

/// The same value at all times.
struct ConstantSignal {
  double value = 0;
};
/// Piecewise constant from each time on; `before` is the value before the first.
struct StepsSignal {
  std::vector<std::array<double, 2>> steps{};
  double before = 0;
};
/// Piecewise linear through points [t, value]; constant outside; two points at the same time define a jump.
struct RampsSignal {
  std::vector<std::array<double, 2>> points{};
};
/// Table [t, value], linear or smooth (monotone cubic, Fritsch-Carlson), constant outside.
struct TableSignal {
  std::vector<std::array<double, 2>> points{};
  bool smooth = false;
};
/// offset + amplitude sin(2 pi frequency (t - start) + phase), offset + amplitude sin(phase) before start.
struct SineSignal {
  double amplitude = 1;
  double frequency = 1;
  double phase = 0;
  double offset = 0;
  double start = 0;
};
/// Columns of a CSV file with a header line, or column numbers from 1; path relative to the model file. Model::build reads no files: in a
/// description built in code use TableSignal, or set `points`.
struct CsvSignal {
  std::string file{};
  std::string time = "1";
  std::string value = "2";
  bool smooth = false;
  double scale = 1;
  std::vector<std::array<double, 2>> points{};  ///< as in the file, `scale` not applied; set when the model file is read
};
/// Sum of signals, inputs or control blocks, by name. One that contains a block, by itself or through other sums and products, is the block
/// SumBlock of the same inputs, a signal otherwise.
struct SumSignal {
  std::vector<std::string> of{};
};
/// Product of signals, inputs or control blocks, by name; with a block, see SumSignal, the block ProductBlock.
struct ProductSignal {
  std::vector<std::string> of{};
};
/// A value over time.
using SignalDescription =
    std::variant<ConstantSignal, StepsSignal, RampsSignal, TableSignal, SineSignal, CsvSignal, SumSignal, ProductSignal>;

/// A value set from outside during a run; its name stands for a signal.
struct InputDescription {
  std::string unit{};                  ///< SI unit of the value, for channels and linear models
  double initial = 0;                  ///< key `default`
  std::optional<double> min{}, max{};  ///< limits of the value; values beyond them are refused
  std::optional<double> rate_limit{};  ///< [1/s] largest rate: a new value is approached at this rate
};

// ---------------------------------------------------------------- hydraulics

/// Oil in a hose or block: a node with its own pressure.
struct VolumeDescription {
  double volume = 0;                                              ///< [m3] of the hose or block
  double bulk_modulus = std::numeric_limits<double>::infinity();  ///< [Pa] of its wall
  StartPressure pressure{};
};

/// A node with a prescribed pressure.
struct PressureSourceDescription {
  NumberOrSignal pressure = 0.0;  ///< [Pa] absolute
};
/// A prescribed flow.
struct FlowSourceDescription {
  NumberOrSignal flow = 0.0;  ///< [m3/s]
  std::string to{};           ///< volume that it flows into
  std::string from{};         ///< volume or pressure source that it comes from; empty: none
};
/// A source of either kind.
using SourceDescription = std::variant<PressureSourceDescription, FlowSourceDescription>;

/// Force laws of end dampers.
enum class DamperLaw { continuous, rahikainen_2020 };
/// End damper of a cylinder, or of a motor with angles and torques.
struct EndDamperDescription {
  double stiffness = 0;  ///< [N/m]
  double damping = 0;    ///< [N s/m]
  double length = 0;     ///< [m]
  DamperLaw law = DamperLaw::continuous;
};

/// Where a cylinder is attached.
struct MountDescription {
  std::string body{};  ///< or "ground"
  Vec3d at{};          ///< [m] body frame
};

/// Cushioning at one end of the stroke: near it the oil of the chamber leaves through a throttle.
struct CushionDescription {
  std::string node{};                  ///< on the other side of the port
  double length = 0;                   ///< [m] of the chamber, below which the port closes
  OrificeSize port{}, throttle{};      ///< fully open; at the end of the stroke
  std::optional<OrificeSize> check{};  ///< check valve from the node into the chamber
};
/// Cylinder between two points; chamber A pushes, chamber B pulls. A plunger has no chamber B.
struct CylinderDescription {
  MountDescription base{}, rod_end{};
  std::string A{}, B{};                 ///< nodes of the chambers (volumes, or pressure sources); empty: supplied by a quasistatic circuit
  std::optional<double> bore{}, rod{};  ///< [m]
  std::optional<double> area_A{}, area_B{};                       ///< [m2]
  std::optional<double> plunger{};                                ///< [m] diameter of a plunger otherwise
  std::optional<double> chamber_length_A{}, chamber_length_B{};   ///< [m] at the start; unset in a quasistatic circuit: unlimited stroke
  double bulk_modulus = std::numeric_limits<double>::infinity();  ///< [Pa] of the wall
  double viscous = 0;  ///< [N s/m or N m s/rad] viscous coefficient in addition to the friction law
  double leakage = 0;  ///< [m3/(s Pa)] laminar, A to B
  FrictionDescription friction{};
  std::optional<EndDamperDescription> end_damper{};
  std::optional<CushionDescription> cushion_A{}, cushion_B{};
};
/// Case of a motor: laminar leakage from each side to a node.
struct CaseDrainDescription {
  std::string node{};
  double leakage = 0;  ///< [m3/(s Pa)] from each side
};
/// Hydraulic motor or rotary actuator on an angle of a joint; pressure in A drives it forward, in B backward.
struct MotorDescription {
  std::string joint{};                   ///< coordinate, an angle
  std::string A{}, B{};                  ///< nodes of the chambers (volumes, or pressure sources); empty: supplied by a quasistatic circuit
  std::optional<double> displacement{};  ///< [m3/rad] of both sides
  std::optional<double> displacement_A{}, displacement_B{};       ///< [m3/rad] otherwise
  NumberOrSignal fraction = std::string();                        ///< [-] of the displacement, -1 to 1; empty: 1
  double time_constant = 0;                                       ///< [s] of the fraction
  double volume = 0;                                              ///< [m3] oil in either side, independent of the angle
  std::optional<double> chamber_angle_A{}, chamber_angle_B{};     ///< [rad] vane: remaining angle of either side at the start
  double bulk_modulus = std::numeric_limits<double>::infinity();  ///< [Pa] of the wall
  double viscous = 0;  ///< [N s/m or N m s/rad] viscous coefficient in addition to the friction law
  double leakage = 0;  ///< [m3/(s Pa)] laminar, A to B
  double coulomb = 0;  ///< [-] torque loss as a fraction of displacement times pressure difference
  std::optional<CaseDrainDescription> case_drain{};
  FrictionDescription friction{};
  std::optional<EndDamperDescription> end_damper{};
};

/// Valve of a quasistatic circuit: its opening over a command.
struct MeteringValveDescription {
  std::optional<double> diameter{}, area{};                    ///< [m], [m2] either, or `flow`; see OrificeSize
  double discharge = 0.8;                                      ///< [-]
  std::optional<double> flow{}, at_pressure_drop{};            ///< [m3/s], [Pa]
  double laminar_limit = 2e5;                                  ///< [Pa]
  NumberOrSignal command = std::string();                      ///< empty: that of the actuator; bleed valve: open
  std::vector<std::array<double, 2>> opening{{0, 0}, {1, 1}};  ///< [command, opening from 0 to 1], linear between, constant outside
};
/// Forms of the virtual element.
enum class VirtualElementForm { differential, discrete };
/// Virtual viscoelastic element between an actuator and its mechanism.
struct VirtualElementDescription {
  std::optional<double> stiffness{};            ///< [N/m, N m/rad] K; unset: that of the oil in the chambers and lines
  std::optional<double> damping{};              ///< [N s/m, N m s/rad] B; unset: from the settling time
  std::optional<double> settling_time{};        ///< [s] after which a deflection has decayed to 2 %
  double line_volume_A = 0, line_volume_B = 0;  ///< [m3] oil between the valves and the chambers, for the stiffness
};
/// Independent metering of one cylinder or motor.
struct MeteringDescription {
  NumberOrSignal command = 0.0;                                                                   ///< lever position
  double time_constant = 0;                                                                       ///< [s] of the command
  double relief_A = 0, relief_B = 0;                                                              ///< [Pa] above the tank
  MeteringValveDescription P_A{}, B_T{};                                                          ///< open at positive commands
  MeteringValveDescription P_B{.opening = {{-1, 1}, {0, 0}}}, A_T{.opening = {{-1, 1}, {0, 0}}};  ///< open at negative commands
  std::optional<MeteringValveDescription> B_A{};                                                  ///< regeneration
  VirtualElementDescription element{};
};
/// Actuators with independent metering on one pump, without pressure states.
struct QuasistaticDescription {
  std::string tank{};         ///< pressure source
  NumberOrSignal flow = 0.0;  ///< [m3/s] of the pump
  double relief = 0;          ///< [Pa] above the tank
  std::optional<MeteringValveDescription> bleed{};
  std::vector<std::array<double, 2>>
      open_centre;  ///< [|command|, opening] of the bleed valve's sections, one for each actuator, in series; empty: none
  VirtualElementForm form = VirtualElementForm::differential;
  NamedList<MeteringDescription> actuators{};  ///< by the names of cylinders and motors
};

// ---------------------------------------------------------------- the whole

/// What a run records.
struct RecordDescription {
  int every = 1;                        ///< steps between two records
  std::vector<std::string> channels{};  ///< empty: all but those on request; a trailing `*` matches a prefix
  bool csv = true, hdf5 = true;         ///< files
};

/// Where a description was read from; internal.
struct DescriptionSource;

/// The whole machine, with what a model file says about its simulation. Each name path is `<section>.<name>`.
struct Description {
  int version = 1;  ///< of the file format
  std::string title{};
  Vec3d gravity{0, 0, -9.81};  ///< [m/s2]
  GroundDescription ground{};
  NamedList<BodyDescription> bodies{};
  NamedList<JointDescription> joints{};  ///< named after the child body
  NamedList<LoopDescription> loops{};
  NamedList<MotionDescription> motions{};
  NamedList<CouplingDescription> couplings{};
  NamedList<WheelDescription> wheels{};
  NamedList<BladeDescription> blades{};
  NamedList<MarkerDescription> markers{};
  NamedList<SpringDescription> springs{};
  NamedList<ForceDescription> forces{};
  NamedList<SignalDescription> signals{};
  NamedList<InputDescription> inputs{};
  NamedList<BlockDescription> control{};
  FluidDescription fluid{};
  NamedList<VolumeDescription> volumes{};
  NamedList<SourceDescription> sources{};
  NamedList<ValveDescription> valves{};
  NamedList<PumpDescription> pumps{};
  NamedList<AccumulatorDescription> accumulators{};
  NamedList<LineDescription> lines{};
  NamedList<CylinderDescription> cylinders{};
  NamedList<MotorDescription> motors{};
  NamedList<QuasistaticDescription> quasistatic{};
  SolverDescription solver{};
  CosimulationDescription coupling{};
  RecordDescription record{};

  /// For the library: positions in the file it was read from, for messages; null in descriptions built in code.
  std::shared_ptr<const DescriptionSource> source{};
};

}  // namespace trunnion
