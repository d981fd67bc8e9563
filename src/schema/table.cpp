// The table, part 1: bodies, joints, loops, motions, forces, signals, and the file as a whole.
// SPDX-License-Identifier: BSD-3-Clause
#include "schema/table.h"

#include "schema/table_parts.h"

namespace trunnion {

namespace {

// ---------------------------------------------------------------- bodies

void describe(Visitor& v, RodShape& s) {
  v.leaf({"length", "Length along the body's x axis, from its origin", kLength, kRequired | kPositive}, &s.length);
  v.leaf({"mass", "Mass", kMass, kRequired | kPositive}, &s.mass);
  v.leaf({"diameter", "Diameter; 0: slender, no inertia about its own axis", kLength, kNonNegative}, &s.diameter);
}

void describe(Visitor& v, BoxShape& s) {
  v.leaf({"size", "Edge lengths along x, y, z", kLength, kRequired | kPositive}, &s.size);
  v.leaf({"mass", "Mass", kMass, kRequired | kPositive}, &s.mass);
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
}

void describe_cylinder_size(Visitor& v, double& length, double& radius) {
  double diameter = 2 * radius;
  v.leaf({"length", "Length along its axis", kLength, kRequired | kPositive}, &length);
  v.alternatives({{"radius", "Size by radius", true, [] {},
                   [&](Visitor& w) {
                     w.leaf({"radius", "Radius", kLength, kRequired | kPositive}, &radius);
                   }},
                  {"diameter", "Size by diameter", false, [] {},
                   [&](Visitor& w) {
                     w.leaf({"diameter", "Diameter", kLength, kRequired | kPositive}, &diameter);
                     radius = diameter / 2;
                   }}},
                 true);
}

void describe(Visitor& v, CylinderShape& s) {
  describe_cylinder_size(v, s.length, s.radius);
  v.leaf({"mass", "Mass", kMass, kRequired | kPositive}, &s.mass);
  v.leaf({"axis", "Axis in the body's frame"}, Axis{&s.axis});
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, SphereShape& s) {
  v.leaf({"radius", "Radius", kLength, kRequired | kPositive}, &s.radius);
  v.leaf({"mass", "Mass", kMass, kRequired | kPositive}, &s.mass);
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, PointMassShape& s) {
  v.leaf({"mass", "Mass", kMass, kRequired | kPositive}, &s.mass);
  v.leaf({"at", "Position in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, InertiaShape& s) {
  v.leaf({"mass", "Mass; 0 for a frame on another body", kMass, kRequired | kNonNegative}, &s.mass);
  v.leaf({"center_of_mass", "Centre of mass in the body's frame", kLength}, &s.center_of_mass);
  v.leaf(
      {"inertia",
       "Inertia tensor about the centre of mass, body axes: [Jxx, Jyy, Jzz], or a mapping with the tensor entries xx, yy, zz, xy, xz, yz",
       kInertia, kRequired},
      InertiaTensor{&s.moments, &s.products});
}

void describe(Visitor& v, PlateLook& s) {
  v.leaf({"outline", "Corners in order, each in the two body axes other than the normal: [x, z] if the normal is y", kLength, kRequired},
         Outline{&s.outline});
  v.leaf({"thickness", "Thickness along the normal, half on either side", kLength, kRequired | kPositive}, &s.thickness);
  v.leaf({"normal", "Body axis perpendicular to the plate"}, choice(s.normal, {"x", "y", "z"}));
  v.leaf({"at", "Origin of the outline in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, BoxLook& s) {
  v.leaf({"size", "Edge lengths along x, y, z", kLength, kRequired | kPositive}, &s.size);
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
  v.leaf({"orientation", "Roll, pitch, yaw from the body's axes (R = Rz Ry Rx)", kAngle}, &s.orientation);
}

void describe(Visitor& v, CylinderLook& s) {
  describe_cylinder_size(v, s.length, s.radius);
  v.leaf({"axis", "Axis in the body's frame"}, Axis{&s.axis});
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, SphereLook& s) {
  v.leaf({"radius", "Radius", kLength, kRequired | kPositive}, &s.radius);
  v.leaf({"at", "Centre in the body's frame", kLength}, &s.at);
}

void describe(Visitor& v, MeshLook& s) {
  v.leaf({"file", "STL or OBJ file, relative to the model file", kNumber, kRequired}, &s.file);
  v.leaf({"scale", "Length of its units along its axes; 0.001 of each for a mesh in mm", kLength}, &s.scale);
  v.leaf({"at", "Its origin in the body's frame", kLength}, &s.at);
  v.leaf({"orientation", "Roll, pitch, yaw from the body's axes (R = Rz Ry Rx)", kAngle}, &s.orientation);
}

struct GroupKey {
  const char* key;
  const char* doc;
};

// The form `key: {...}` of a shape or look of type T; `get` returns its storage.
template <class T, class AnyShape>
Alternative shape_form(const char* key, const char* doc, const std::function<AnyShape*()>& get) {
  const AnyShape* now = get();
  return {key, doc, now != nullptr && std::holds_alternative<T>(*now), [get] { *get() = T{}; },
          [get, group = GroupKey{key, doc}](Visitor& v) {
            T& shape = std::get<T>(*get());
            if (std::is_same_v<T, InertiaShape>)
              describe(v, shape);
            else
              v.group({group.key, group.doc, kNumber, kRequired}, {true, {}, [&](Visitor& w) { describe(w, shape); }});
          }};
}

std::vector<Alternative> shape_forms(const std::function<ShapeDescription*()>& get) {
  return {shape_form<RodShape>("rod", "Slender rod along its own x axis, from the body's origin", get),
          shape_form<BoxShape>("box", "Solid box, edges along the body's axes", get),
          shape_form<CylinderShape>("cylinder", "Solid cylinder", get),
          shape_form<SphereShape>("sphere", "Solid sphere", get),
          shape_form<PointMassShape>("point_mass", "Mass without extent", get),
          shape_form<InertiaShape>("inertia", "Explicit mass properties", get)};
}

std::vector<Alternative> look_forms(const std::function<LookDescription*()>& get) {
  return {shape_form<PlateLook>("plate", "Flat part: an outline with a thickness", get), shape_form<BoxLook>("box", "Box", get),
          shape_form<CylinderLook>("cylinder", "Cylinder", get), shape_form<SphereLook>("sphere", "Sphere", get),
          shape_form<MeshLook>("mesh", "Mesh of an STL or OBJ file", get)};
}

void describe_drawn(Visitor& v, std::vector<LookDescription>& drawn, const char* doc) {
  v.list({"drawn", doc}, items(drawn, [](Visitor& w, LookDescription& s) { w.alternatives(look_forms([&s] { return &s; }), true); }));
}

void describe(Visitor& v, GroundDescription& g) { describe_drawn(v, g.drawn, "Shapes drawn in reports; no effect on the motion"); }

void describe(Visitor& v, BodyDescription& b) {
  const bool single = b.shapes.size() == 1;
  std::vector<Alternative> forms = shape_forms([&b]() -> ShapeDescription* { return b.shapes.empty() ? nullptr : &b.shapes[0]; });
  for (Alternative& form : forms) {
    form.active = form.active && single;
    form.activate = [&b, activate = form.activate] {
      b.shapes.resize(1);
      activate();
    };
  }
  const Items shapes = items(b.shapes, [](Visitor& w, ShapeDescription& s) { w.alternatives(shape_forms([&s] { return &s; }), true); });
  forms.push_back({"shapes", "Several shapes, rigidly joined", b.shapes.size() > 1, [&b] { b.shapes.clear(); },
                   [shapes](Visitor& w) {
                     w.list({"shapes", "The shapes, each written as a body of one shape", kNumber, kRequired}, shapes);
                   }});
  v.alternatives(forms, true);
  describe_drawn(v, b.drawn, "Shapes drawn in reports instead of `shapes`; no mass, no effect on the motion");
}

// ---------------------------------------------------------------- joints

void describe_frames(Visitor& v, JointDescription& j) {
  v.leaf({"parent", "Parent body, or `ground`", kNumber, kRequired, Names::body}, &j.parent);
  v.leaf({"at", "Position of the joint in the parent's frame", kLength}, &j.at);
  v.leaf({"child_at", "Position of the joint in the child's frame", kLength}, &j.child_at);
  v.leaf({"orientation", "Roll, pitch, yaw of the child's frame at coordinate zero (R = Rz Ry Rx)", kAngle}, &j.orientation);
  switch (j.kind) {
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::cylindrical:
      v.leaf({"axis", "Axis in the child's frame at coordinate zero"}, Axis{&j.axis});
      break;
    case JointKind::universal:
      v.leaf({"axes", "Axis fixed in the parent and axis fixed in the child, perpendicular, in the child's frame at coordinate zero"},
             AxisPair{&j.axes});
      break;
    case JointKind::planar:
      v.leaf({"normal", "Normal of the plane in the child's frame at coordinate zero"}, Axis{&j.axis});
      break;
    case JointKind::point_on_line:
      v.leaf({"axis", "Direction of the line through `at`, in the child's frame at coordinate zero"}, Axis{&j.axis});
      break;
    case JointKind::fixed:
    case JointKind::spherical:
    case JointKind::free:
      break;
  }
}

void describe_start_rotation(Visitor& v, JointDescription& j) {
  v.leaf({"rotation", "Start roll, pitch, yaw from coordinate zero", kAngle}, &j.rotation);
  v.leaf({"angular_velocity", "Start angular velocity relative to the parent, parent's frame", kAngularRate}, &j.angular_velocity);
}

void describe_start(Visitor& v, JointDescription& j) {
  switch (j.kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
      v.leaf({"angle", "Start angle; if omitted: determined by assembly", kAngle}, &j.coordinate);
      v.leaf({"rate", "Start angular rate", kAngularRate}, &j.rate);
      break;
    case JointKind::prismatic:
      v.leaf({"position", "Start displacement along the axis; if omitted: determined by assembly", kLength}, &j.coordinate);
      v.leaf({"speed", "Start speed", kSpeed}, &j.rate);
      break;
    case JointKind::cylindrical:
      v.leaf({"angle", "Start angle; if omitted: determined by assembly", kAngle}, &j.coordinate);
      v.leaf({"rate", "Start angular rate", kAngularRate}, &j.rate);
      v.leaf({"position", "Start displacement along the axis; if omitted: determined by assembly", kLength}, &j.displacement);
      v.leaf({"speed", "Start speed", kSpeed}, &j.speed);
      break;
    case JointKind::universal:
      v.leaf({"angles", "Start angles about the two axes; if omitted: determined by assembly", kAngle}, &j.pair);
      v.leaf({"rates", "Start angular rates about them", kAngularRate}, &j.pair_rate);
      break;
    case JointKind::planar:
      v.leaf({"position", "Start displacements along the two axes of the plane; if omitted: determined by assembly", kLength}, &j.pair);
      v.leaf({"velocity", "Start speeds along them", kSpeed}, &j.pair_rate);
      v.leaf({"angle", "Start angle about the normal; if omitted: determined by assembly", kAngle}, &j.coordinate);
      v.leaf({"rate", "Start angular rate", kAngularRate}, &j.rate);
      break;
    case JointKind::point_on_line:
      v.leaf({"position", "Start displacement along the line; if omitted: determined by assembly", kLength}, &j.coordinate);
      v.leaf({"speed", "Start speed", kSpeed}, &j.rate);
      describe_start_rotation(v, j);
      break;
    case JointKind::free:
      v.leaf({"position", "Start position of the joint point of the child (`child_at`) relative to `at`, parent's frame", kLength},
             &j.position);
      v.leaf({"velocity", "Start velocity, parent's frame", kSpeed}, &j.velocity);
      [[fallthrough]];
    case JointKind::spherical:
      describe_start_rotation(v, j);
      break;
  }
  v.leaf({"hold", "Keep the start value exactly during assembly and equilibrium"}, &j.hold);
}

/// Friction (or limits) of the coordinates of a joint or loop closure: its own, or by coordinate where there are several.
template <class Joint>
void describe_elements_of(Visitor& v, Joint& j, const std::vector<JointPartName>& parts, bool friction) {
  struct Words {
    const char *key, *one, *several;
  };
  const Words words = friction ? Words{"friction", "Friction in the joint; parameters of unused laws are allowed",
                                       "Friction by coordinate; parameters of unused laws are allowed"}
                               : Words{"limits", "Limits of the coordinate, elastic or rigid", "Limits by coordinate, elastic or rigid"};
  const auto group = [&j, friction](std::size_t k, bool is_angle) {
    CoordinateElements& e = j.elements[k];
    return Group{friction ? e.friction.has_value() : e.limits.has_value(),
                 [&e, friction] { friction ? (void)e.friction.emplace() : (void)e.limits.emplace(); },
                 [&e, friction, is_angle](Visitor& w) { describe_elements(w, e, friction, is_angle); }};
  };
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].kind != JointPartKind::spherical) places.push_back(k);
  if (places.empty()) return;
  if (parts.size() == 1) return v.group({words.key, words.one}, group(0, parts[0].kind == JointPartKind::angle));
  bool present = false;
  for (const std::size_t k : places) present = present || group(k, false).present;
  v.group({words.key, words.several},
          {present, [] {},
           [&parts, places, group](Visitor& w) {
             for (const std::size_t k : places) {
               const bool is_angle = parts[k].kind == JointPartKind::angle;
               w.group({parts[k].position, is_angle ? "Of the angle" : "Of the displacement"}, group(k, is_angle));
             }
           }});
}

void describe(Visitor& v, JointDescription& j) {
  const auto form = [&j](const char* key, const char* doc, JointKind kind) {
    return Alternative{key, doc, j.kind == kind, [&j, kind] { j.kind = kind; },
                       [&j, key, doc](Visitor& w) {
                         w.group({key, doc, kNumber, kRequired}, {true, {}, [&j](Visitor& u) { describe_frames(u, j); }});
                         describe_start(w, j);
                         describe_elements_of(w, j, joint_parts(j.kind), true);
                         describe_elements_of(w, j, joint_parts(j.kind), false);
                       }};
  };
  v.alternatives({form("fixed", "Rigid connection", JointKind::fixed), form("revolute", "Rotation about an axis", JointKind::revolute),
                  form("prismatic", "Translation along an axis", JointKind::prismatic),
                  form("cylindrical", "Rotation about and translation along an axis", JointKind::cylindrical),
                  form("universal", "Rotation about two perpendicular axes", JointKind::universal),
                  form("planar", "Translation in a plane and rotation about its normal", JointKind::planar),
                  form("spherical", "Rotation about a point", JointKind::spherical),
                  form("point_on_line", "A point of the child stays on a line of the parent", JointKind::point_on_line),
                  form("free", "Six degrees of freedom", JointKind::free)},
                 true);
}

/// One direction for both bodies, or one for each.
void describe_axes(Visitor& v, LoopDescription& l, const Key& one_key, const Key& two_key) {
  const bool one = l.axis[0] == l.axis[1];
  v.alternatives({{one_key.name, "One for both bodies", one, [] {},
                   [&l, one_key](Visitor& w) {
                     w.leaf(one_key, Axis{&l.axis[0]});
                     l.axis[1] = l.axis[0];
                   }},
                  {two_key.name, "One for each body", !one, [] {}, [&l, two_key](Visitor& w) { w.leaf(two_key, AxisPair{&l.axis}); }}},
                 false);
}

void describe_directions(Visitor& v, LoopDescription& l) {
  switch (l.kind) {
    case LoopKind::revolute:
    case LoopKind::prismatic:
    case LoopKind::cylindrical:
      return describe_axes(v, l, {"axis", "The joint's axis, the same components in both bodies' frames"},
                           {"axes", "The joint's axis in each body's frame", kNumber, kRequired});
    case LoopKind::planar:
      return describe_axes(v, l, {"normal", "Normal of the plane, the same components in both bodies' frames"},
                           {"normals", "Normal of the plane in each body's frame", kNumber, kRequired});
    case LoopKind::universal:
      return v.leaf({"axes", "Axis fixed in each body, in its frame; the two stay perpendicular", kNumber, kRequired}, AxisPair{&l.axis});
    case LoopKind::point_on_line:
      return v.leaf({"axis", "Direction of the line through the first point, in the first body's frame"}, Axis{&l.axis[0]});
    case LoopKind::distance:
      return v.leaf({"distance", "Distance of the points; if omitted: as at the start", kLength, kPositive}, &l.distance);
    case LoopKind::spherical:
      return;
  }
}

void describe(Visitor& v, LoopDescription& l) {
  const auto form = [&l](const char* key, const char* doc, LoopKind kind) {
    return Alternative{key, doc, l.kind == kind, [&l, kind] { l.kind = kind; },
                       [&l, key, doc](Visitor& w) {
                         w.group({key, doc, kNumber, kRequired},
                                 {true, {}, [&l](Visitor& u) {
                                    u.leaf({"between", "The two bodies, `ground` included", kNumber, kRequired, Names::body}, &l.between);
                                    u.leaf({"at", "A point in each body's frame", kLength, kRequired}, &l.at);
                                    describe_directions(u, l);
                                  }});
                         describe_elements_of(w, l, loop_parts(l.kind), true);
                         describe_elements_of(w, l, loop_parts(l.kind), false);
                       }};
  };
  v.alternatives(
      {form("revolute", "Rotation about a common axis", LoopKind::revolute),
       form("prismatic", "Translation along a common axis", LoopKind::prismatic),
       form("cylindrical", "Rotation about and translation along a common axis", LoopKind::cylindrical),
       form("universal", "The points coincide; an axis of one body stays perpendicular to one of the other", LoopKind::universal),
       form("planar", "Translation in a common plane and rotation about its normal", LoopKind::planar),
       form("spherical", "The points coincide", LoopKind::spherical),
       form("point_on_line", "The second body's point stays on a line of the first body", LoopKind::point_on_line),
       form("distance", "Constant distance between the points", LoopKind::distance)},
      true);
}

void describe(Visitor& v, MotionDescription& m) {
  v.leaf({"joint", "The prescribed joint coordinate", kNumber, kRequired, Names::coordinate}, &m.joint);
  v.leaf({"signal", "Coordinate over time: a signal, an input, or a control block `low_pass` with `frequency`", kNumber, kRequired,
          Names::signal},
         &m.signal);
}

void describe(Visitor& v, CouplingDescription& c) {
  v.leaf({"joints", "Two joint coordinates a, b", kNumber, kRequired, Names::coordinate}, &c.joints);
  v.leaf({"ratio", "Change of a per change of b", kRatio, kRequired | kNotZero}, &c.ratio);
  v.leaf({"level", "Coupled quantities: the coordinates, or only their rates (nonholonomic)"}, choice(c.level, {"position", "velocity"}));
}

void describe_plane(Visitor& v, WheelDescription& w) {
  v.leaf({"body", "The body that carries the plane", kNumber, 0, Names::body}, &w.plane);
  v.leaf({"at", "A point of the plane in that body's frame", kLength}, &w.plane_at);
  v.leaf({"normal", "Normal towards the wheel, in that body's frame"}, Axis{&w.plane_normal});
}

void describe(Visitor& v, WheelDescription& w) {
  v.leaf({"body", "The body that carries the wheel", kNumber, kRequired, Names::body}, &w.body);
  v.leaf({"at", "Centre in the body's frame", kLength}, &w.at);
  v.leaf({"axis", "Axis in the body's frame"}, Axis{&w.axis});
  v.leaf({"radius", "Radius", kLength, kRequired | kPositive}, &w.radius);
  v.group({"plane", "The plane it rolls on; default: z = 0 of the ground"}, {true, {}, [&w](Visitor& u) { describe_plane(u, w); }});
  v.leaf({"lateral_slip", "Lateral slip: none, or free"}, choice(w.lateral_slip, {"none", "free"}));
}

void describe(Visitor& v, BladeDescription& b) {
  v.leaf({"body", "The body that carries the blade", kNumber, kRequired, Names::body}, &b.body);
  v.leaf({"at", "Contact point in the body's frame", kLength}, &b.at);
  v.leaf({"across", "Direction in which the contact point cannot move, in the body's frame"}, Axis{&b.across});
  v.leaf({"on", "The body relative to which it cannot move", kNumber, 0, Names::body}, &b.on);
}

void describe(Visitor& v, MarkerDescription& m) {
  v.leaf({"body", "The body that carries the point", kNumber, kRequired, Names::body}, &m.body);
  v.leaf({"at", "The point in the body's frame", kLength}, &m.at);
  v.leaf({"frame", "The body relative to which its motion is read, in that body's axes", kNumber, 0, Names::body}, &m.frame);
  v.leaf({"trace", "Whether the report draws its path in the frame"}, &m.trace);
}

// ---------------------------------------------------------------- forces

void describe(Visitor& v, SpringDescription& s) {
  const auto law = [&s](Visitor& w, bool joint) {
    w.leaf({"stiffness", "Stiffness", joint ? kJointStiffness : kStiffness, kNonNegative}, &s.stiffness);
    w.leaf({"damping", "Damping", joint ? kJointDamping : kDamping, kNonNegative}, &s.damping);
    w.leaf({"rest", "Coordinate or length without spring force; if omitted: as at the start", joint ? kJointCoordinate : kLength}, &s.rest);
    w.leaf({"preload", "Tension at the rest value", joint ? kJointLoad : kForce}, &s.preload);
  };
  v.alternatives(
      {{"joint", "On a joint coordinate", s.joint.has_value(), [&s] { s.joint = ""; },
        [&s, law](Visitor& w) {
          w.leaf({"joint", "A joint coordinate: `NAME` of a joint that has one, or `NAME.angle`, `NAME.x`, ... as in its channel name",
                  kNumber, kRequired, Names::coordinate},
                 &s.joint);
          law(w, true);
        }},
       {"between", "Between two points", !s.joint || !s.between[0].empty() || !s.between[1].empty(), [&s] { s.joint.reset(); },
        [&s, law](Visitor& w) {
          w.leaf({"between", "The two bodies, `ground` included", kNumber, kRequired, Names::body}, &s.between);
          w.leaf({"at", "A point in each body's frame", kLength, kRequired}, &s.at);
          law(w, false);
        }}},
      true);
}

void describe_soil(Visitor& v, SoilDescription& s) {
  v.leaf({"force", "Full resistance", kForce, kRequired | kNonNegative}, &s.force);
  v.leaf({"depth", "Depth below the surface at which the full resistance is reached", kLength, kRequired | kPositive}, &s.depth);
  v.leaf({"speed", "Speed above which the full resistance acts; below it is viscous", kSpeed, kRequired | kPositive}, &s.speed);
  v.leaf({"at", "A point of the surface, ground frame", kLength}, &s.at);
  v.leaf({"normal", "Normal of the surface out of the soil, ground frame"}, Axis{&s.normal});
}

void describe(Visitor& v, ForceDescription& f) {
  v.alternatives(
      {{"joint", "A load on a joint coordinate", f.joint.has_value() || f.load.has_value(), [&f] { f.joint = ""; },
        [&f](Visitor& w) {
          w.leaf({"joint", "A joint coordinate: `NAME` of a joint that has one, or `NAME.angle`, `NAME.x`, ... as in its channel name",
                  kNumber, kRequired, Names::coordinate},
                 &f.joint);
          w.leaf({"load", "Force or torque along the coordinate", kJointLoad, kRequired}, &f.load);
        }},
       {"body", "A force or torque on a body, or the resistance of soil", !f.joint || !f.body.empty() || f.force || f.torque || f.soil,
        [&f] { f.joint.reset(); },
        [&f](Visitor& w) {
          w.leaf({"body", "The body", kNumber, kRequired, Names::body}, &f.body);
          w.leaf({"at", "Point of application of the force, body's frame", kLength}, &f.at);
          w.leaf({"force", "Force", kForce}, &f.force);
          w.leaf({"torque", "Torque", kTorque}, &f.torque);
          w.leaf({"frame", "Frame of the components"}, choice(f.frame, {"world", "body"}));
          w.group({"soil", "Resistance of soil against the motion of the point `at`"},
                  {f.soil.has_value(), [&f] { f.soil.emplace(); }, [&f](Visitor& u) { describe_soil(u, *f.soil); }});
        }}},
      true);
  v.leaf({"signal", "Factor: a signal or a control block; default: 1", kNumber, 0, Names::command}, &f.signal);
}

// ---------------------------------------------------------------- signals

void describe_sine(Visitor& v, SineSignal& s) {
  v.leaf({"amplitude", "Amplitude", kSignalValue}, &s.amplitude);
  v.leaf({"frequency", "Frequency (cycles per second)", kFrequency, kNonNegative}, &s.frequency);
  v.leaf({"phase", "Phase at `start`", kAngle}, &s.phase);
  v.leaf({"offset", "Mean value", kSignalValue}, &s.offset);
  v.leaf({"start", "Start time; constant before", kTime}, &s.start);
}

void describe_csv(Visitor& v, CsvSignal& s) {
  v.leaf({"file", "The CSV file, relative to the model file", kNumber, kRequired}, &s.file);
  v.leaf({"time", "Column of the time [s]: a name of the header line, or a number from 1"}, &s.time);
  v.leaf({"value", "Column of the value: a name of the header line, or a number from 1"}, &s.value);
  v.leaf({"smooth", "Monotone cubic interpolation; false: linear"}, &s.smooth);
  v.leaf({"scale", "Factor on the values; carries their unit", kSignalValue}, &s.scale);
}

// Form of a signal of type T.
template <class T>
Alternative signal_form(const char* key, const char* doc, SignalDescription& s, void (*describe_form)(Visitor&, T&)) {
  return {key, doc, std::holds_alternative<T>(s), [&s] { s = T{}; }, [&s, describe_form](Visitor& v) { describe_form(v, std::get<T>(s)); }};
}

std::vector<Alternative> point_signal_forms(SignalDescription& s) {
  return {signal_form<StepsSignal>("steps", "Piecewise constant", s,
                                   [](Visitor& v, StepsSignal& f) {
                                     v.leaf({"steps", "Points [time, value]; each value holds from its time onwards", kSignalValue,
                                             kRequired | kIncreasing},
                                            &f.steps);
                                     v.leaf({"before", "Value before the first step", kSignalValue}, &f.before);
                                   }),
          signal_form<RampsSignal>(
              "ramps", "Piecewise linear", s,
              [](Visitor& v, RampsSignal& f) {
                v.leaf({"ramps", "Points [time, value], linear between, constant outside; two points at the same time define a jump",
                        kSignalValue, kRequired},
                       &f.points);
              }),
          signal_form<TableSignal>("table", "Table over time", s, [](Visitor& v, TableSignal& f) {
            v.leaf({"table", "Points [time, value], constant outside", kSignalValue, kRequired}, &f.points);
            v.leaf({"smooth", "Monotone cubic interpolation; false: linear"}, &f.smooth);
          })};
}

void describe(Visitor& v, SignalDescription& s) {
  std::vector<Alternative> forms = point_signal_forms(s);
  forms.insert(forms.begin(),
               signal_form<ConstantSignal>("constant", "Constant; may be written as a plain value", s, [](Visitor& w, ConstantSignal& f) {
                 w.leaf({"constant", "The value", kSignalValue, kRequired}, &f.value);
               }));
  forms.push_back(
      signal_form<SineSignal>("sine", "offset + amplitude sin(2 pi frequency (t - start) + phase)", s, [](Visitor& w, SineSignal& f) {
        w.group({"sine", "Sine wave", kNumber, kRequired}, {true, {}, [&f](Visitor& u) { describe_sine(u, f); }});
      }));
  forms.push_back(signal_form<CsvSignal>("csv", "Columns of a CSV file", s, [](Visitor& w, CsvSignal& f) {
    w.group({"csv", "Columns of a CSV file", kNumber, kRequired}, {true, {}, [&f](Visitor& u) { describe_csv(u, f); }});
  }));
  forms.push_back(signal_form<SumSignal>("sum", "Sum of signals", s, [](Visitor& w, SumSignal& f) {
    w.leaf({"sum", "Names of the signals or control blocks to add", kNumber, kRequired, Names::command}, &f.of);
  }));
  forms.push_back(signal_form<ProductSignal>("product", "Product of signals", s, [](Visitor& w, ProductSignal& f) {
    w.leaf({"product", "Names of the signals or control blocks to multiply", kNumber, kRequired, Names::command}, &f.of);
  }));
  v.alternatives(forms, true);
}

void describe(Visitor& v, InputDescription& i) {
  v.leaf({"unit", "SI unit of the value, for results and linear models; default: dimensionless"}, &i.unit);
  v.leaf({"default", "Value until it is set", kSignalValue}, &i.initial);
  v.leaf({"min", "Minimum value; default: none", kSignalValue}, &i.min);
  v.leaf({"max", "Maximum value; default: none", kSignalValue}, &i.max);
  v.leaf({"rate_limit", "Maximum rate: a new value is approached at this rate, per second; default: none", kSignalValue, kPositive},
         &i.rate_limit);
}

template <class T>
Items named(NamedList<T>& list) {
  return named_items(list, [](Visitor& v, T& item) { describe(v, item); });
}

}  // namespace

// ---------------------------------------------------------------- the file

void describe(Visitor& v, Description& d) {
  v.leaf({"trunnion", "Version of the file format: 1", kNumber, kRequired | kPositive}, &d.version);
  v.leaf({"title", "Title of the model, for reports"}, &d.title);
  v.leaf({"include", "Further files whose sections belong to this model; this file takes precedence"},
         Composed{"name of a file, or a list", Composed::Kind::files});
  v.leaf({"parameters", "Values substituted for `$(name)`; `$(2 * name)` computes with them, in SI units"},
         Composed{"any value by name", Composed::Kind::values});
  v.leaf({"templates", "Groups of sections for repeated use, with `parameters` of their own; those without a value are required"},
         Composed{"sections by name", Composed::Kind::templates});
  v.leaf({"parts",
          "Instances of templates: `template`, its parameters, and `count` for several copies, numbered by `$(index)`. "
          "`$(part)` is the name of the part"},
         Composed{"template and parameters by name", Composed::Kind::parts});
  v.leaf({"gravity", "Gravitational acceleration", kAcceleration}, &d.gravity);
  v.group({"ground", "The world (always present)"}, {!d.ground.drawn.empty(), [] {}, [&d](Visitor& w) { describe(w, d.ground); }});
  v.section({"bodies", "Rigid bodies. `ground` always exists"}, named(d.bodies), nullptr);
  v.section({"joints", "Joint tree: one joint attaches each body to its parent and is named after the child body"}, named(d.joints),
            nullptr);
  v.section({"loops", "Loop closures (cut joints) between two bodies"}, named(d.loops), nullptr);
  v.section({"motions", "Prescribed joint coordinates"}, named(d.motions), nullptr);
  v.section({"couplings", "Joint coordinates in a fixed ratio: gears, rack and pinion"}, named(d.couplings), nullptr);
  v.section({"wheels", "Thin discs that roll on a plane without slip"}, named(d.wheels), nullptr);
  v.section({"blades", "Blades and skates: points that cannot move sideways"}, named(d.blades), nullptr);
  v.section({"markers", "Points of bodies whose motion is recorded"}, named(d.markers), nullptr);
  v.section({"springs", "Springs and dampers"}, named(d.springs), nullptr);
  v.section({"forces", "Applied forces, torques and joint loads"}, named(d.forces), nullptr);
  describe_oil(v, d);
  v.section({"signals", "Values over time"}, named(d.signals), "constant");
  v.section({"inputs", "Values set from outside during a run: by a program, or by `trunnion run --input`. Their names stand for signals"},
            named(d.inputs), "default");
  v.section(
      {"control", "Control blocks: values computed from the machine's quantities, signals and other blocks. Their names stand for signals"},
      named_items(d.control, describe_control_block), nullptr);
  describe_solver(v, d);
}

}  // namespace trunnion
