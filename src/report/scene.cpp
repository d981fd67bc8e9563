// The animated scene of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "file/input.h"
#include "file/model_file.h"
#include "report/drawn_shape.h"
#include "report/scene_machine.h"
#include "report/skeleton.h"

namespace trunnion {

namespace scene {

namespace {

constexpr double kThin = 0.004;       // of the machine's size: minimum thickness of a bar of a skeleton
constexpr double kThick = 0.02;       // maximum thickness
constexpr double kRodReserve = 0.98;  // of the minimum length: the barrel ends before the rod eye
constexpr double kRod = 0.6;          // of the bore: diameter of a rod without a size

ReportJson json_of(const Mount& m) { return ReportJson{{"body", m.body}, {"at", report_vector(m.at)}}; }

constexpr const char* kJointName[] = {"fixed",  "revolute",  "prismatic",     "cylindrical", "universal",
                                      "planar", "spherical", "point_on_line", "free"};  // in the order of JointKind
constexpr const char* kLoopName[] = {"revolute", "prismatic", "cylindrical",   "universal",
                                     "planar",   "spherical", "point_on_line", "distance"};  // in the order of LoopKind

class SceneBuilder final : public Scene, private SceneMachine {
 public:
  SceneBuilder(const Description& description, const Recording& recording)
      : SceneMachine(description, recording), signals_(signals_over_time(d_), d_.inputs) {
    read_meshes(d_.ground.drawn);
    for (const auto& item : d_.bodies) read_meshes(item.second.drawn);
    if (meshes_.empty()) return;
    DataBlock block(0);
    for (const auto& item : meshes_) {
      block.add(item.second.points, 3);
      block.add(item.second.triangles, 3);
    }
    mesh_size_ = block.packed().size();
  }

  const std::string& missing() const override { return missing_; }
  const std::vector<std::string>& unread() const override { return unread_; }
  std::size_t mesh_size() const override { return mesh_size_; }

  ReportJson json(const std::vector<std::size_t>& rows, const std::set<std::string>& channels, DataBlock& block) override {
    channels_ = &channels;
    box_ = {};
    place(rows.front());
    size_ = extent();
    starts_.clear();
    for (const auto& [name, c] : d_.cylinders) starts_.push_back(length(c));
    std::vector<std::vector<float>> poses(names_.size());
    std::vector<double> shortest(d_.cylinders.size(), std::numeric_limits<double>::infinity());
    std::vector<std::vector<float>> vectors(d_.forces.size()), torques(d_.forces.size());
    std::vector<std::vector<Vec<3>>> paths(d_.markers.size());
    find_in_line(rows);
    draw_bodies(block);
    for (const std::size_t row : rows) {
      place(row);
      for (std::size_t i = 1; i < names_.size(); ++i) append_pose(pose_[i], poses[i]);
      for (std::size_t i = 0; i < d_.cylinders.size(); ++i) shortest[i] = std::min(shortest[i], length(d_.cylinders[i].second));
      append_forces(row, row == 0 ? Side::right : Side::left, vectors, torques);
      append_paths(paths);
      add_to_box();
    }
    draw_paths(paths);
    ReportJson scene{{"up", up()}, {"planar", planar()}, {"box", {{"min", report_vector(box_.min)}, {"max", report_vector(box_.max)}}}};
    if (const auto height = floor()) scene["floor"] = *height;
    ReportJson& bodies = scene["bodies"] = ReportJson::array();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      ReportJson shapes = ReportJson::array();
      for (const DrawnShape& shape : shapes_[i]) shapes.push_back(shape.json);
      ReportJson body{{"name", names_[i]}, {"ground", i == 0}, {"shapes", std::move(shapes)}};
      if (i > 0) {
        body["mass"] = bodies_[i].mass;
        body["center"] = report_vector(center(i));
        body["pose"] = block.add(poses[i], 7);
      }
      bodies.push_back(std::move(body));
    }
    add_cylinders(shortest, scene);
    add_joints(scene);
    add_motors(scene);
    add_wheels(scene);
    add_springs(scene);
    add_resistances(rows, vectors);
    add_forces(vectors, torques, block, scene);
    return scene;
  }

 private:
  /// x y z qw qx qy qz; the sign of the quaternion continues that of the previous one.
  static void append_pose(const Pose& pose, std::vector<float>& out) {
    auto e = matrix_quaternion(pose.R);
    if (out.size() >= 4) {
      double along = 0;
      for (std::size_t i = 0; i < 4; ++i) along += e[i] * static_cast<double>(out[out.size() - 4 + i]);
      if (along < 0)
        for (double& part : e) part = -part;
    }
    for (int i = 0; i < 3; ++i) out.push_back(static_cast<float>(pose.r[i]));
    for (const double part : e) out.push_back(static_cast<float>(part));
  }

  // ---------------------------------------------------------------- shapes

  void read_meshes(const std::vector<LookDescription>& looks) {
    for (const LookDescription& look : looks) {
      const auto* mesh = std::get_if<MeshLook>(&look);
      if (mesh == nullptr || meshes_.contains({mesh->file, mesh->scale})) continue;
      try {
        meshes_[{mesh->file, mesh->scale}] = read_mesh(file_text(mesh->file, "mesh"), mesh->file, mesh->scale);
      } catch (const Error& e) {
        meshes_.erase({mesh->file, mesh->scale});
        const std::string why = std::string("a mesh is not drawn: ") + e.what();
        if (std::find(unread_.begin(), unread_.end(), why) == unread_.end()) unread_.push_back(why);
      }
    }
  }

  void draw_bodies(DataBlock& block) {
    shapes_.assign(names_.size(), {});
    const Thickness thickness{kThin * size_, kThick * size_};
    std::vector<char> given(names_.size(), 0);  // has a shape, so that nothing is added
    const auto draw_looks = [&](std::size_t i, const std::vector<LookDescription>& looks) {
      for (const LookDescription& look : looks)
        if (auto shape = drawn_look(look, meshes_, block)) shapes_[i].push_back(std::move(*shape));
      given[i] = shapes_[i].empty() ? 0 : 1;
    };
    draw_looks(0, d_.ground.drawn);
    for (const auto& [name, body] : d_.bodies) {
      const std::size_t i = index(name);
      draw_looks(i, body.drawn);
      if (given[i] != 0) continue;
      for (const ShapeDescription& shape : body.shapes)
        if (auto own = drawn_shape(shape, thickness)) shapes_[i].push_back(std::move(*own));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (given[i] != 0) continue;
      if (shapes_[i].empty())
        draw_skeleton(i, thickness);
      else
        draw_arms(i, thickness);
      for (DrawnShape& shape : shapes_[i])
        if (i == 0 || in_line_[i] != 0) shape.json["hidden_by_default"] = true;
    }
  }

  /// A body without extent: bars between its points.
  void draw_skeleton(std::size_t i, const Thickness& thickness) {
    std::vector<Vec<3>> points = distinct(points_[i], thickness.thin);
    const double mass = i > 0 ? bodies_[i].mass : 0;
    if (mass > 0 && points.size() < 2) {
      points.push_back(center(i));
      points = distinct(points, thickness.thin);
    }
    std::vector<std::pair<Vec<3>, Vec<3>>> bars;
    double length = 0;
    for (const auto& [a, b] : skeleton(points)) {
      length += (points[b] - points[a]).norm();
      bars.emplace_back(points[a], points[b]);
    }
    if (bars.empty()) {
      if (mass > 0) shapes_[i].push_back(drawn_sphere(thickness.of(steel_ball_radius(mass)), center(i)));
      return;
    }
    shapes_[i].push_back(drawn_bars(bars, thickness.of(steel_bar_radius(mass, length))));
  }
  /// Bars to points away from a body's shapes.
  void draw_arms(std::size_t i, const Thickness& thickness) {
    std::vector<std::pair<Vec<3>, Vec<3>>> bars;
    for (const Vec<3>& p : distinct(points_[i], thickness.thin)) {
      const auto distance = [&](const DrawnShape& s) { return ((p - s.at).cwiseAbs() - s.half).cwiseMax(0).norm(); };
      const auto nearest = std::min_element(shapes_[i].begin(), shapes_[i].end(),
                                            [&](const DrawnShape& a, const DrawnShape& b) { return distance(a) < distance(b); });
      if (distance(*nearest) > thickness.thin) bars.emplace_back(p, nearest->at);
    }
    if (!bars.empty()) shapes_[i].push_back(drawn_bars(bars, thickness.thin));
  }

  /// Positions of the traced markers in their frames.
  void append_paths(std::vector<std::vector<Vec<3>>>& paths) const {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const MarkerDescription& marker = d_.markers[i].second;
      const Pose& frame = pose_[index(marker.frame)];
      if (marker.trace) paths[i].push_back(frame.R.transpose() * (placed(mount(marker.body, marker.at)) - frame.r));
    }
  }
  /// Fixed in the body of their frame, so that they move with it.
  void draw_paths(const std::vector<std::vector<Vec<3>>>& paths) {
    constexpr std::size_t kMostBars = 500;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::size_t stride = paths[i].size() / kMostBars + 1;
      std::vector<std::pair<Vec<3>, Vec<3>>> bars;
      for (std::size_t k = stride; k < paths[i].size(); k += stride) bars.emplace_back(paths[i][k - stride], paths[i][k]);
      if (bars.empty()) continue;
      DrawnShape path = drawn_bars(bars, kThin * size_ / 2);
      path.json["trace"] = d_.markers[i].first;
      shapes_[index(d_.markers[i].second.frame)].push_back(std::move(path));
    }
  }

  void add_to_box() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (const Vec<3>& p : points_[i]) box_.add(pose_[i].of(p));
      for (const DrawnShape& shape : shapes_[i])
        if (shape.json.at("type") != "segments") {
          const Vec<3> half = pose_[i].R.cwiseAbs() * shape.half, at = pose_[i].of(shape.at);
          box_.add(at - half);
          box_.add(at + half);
        }
    }
    for (const auto& [name, wheel] : d_.wheels) {
      const Vec<3> at = placed(mount(wheel.body, wheel.at));
      box_.add(at - Vec<3>::Constant(wheel.radius));
      box_.add(at + Vec<3>::Constant(wheel.radius));
    }
  }

  // ---------------------------------------------------------------- views

  ReportJson up() const {
    const Vec<3> g = vec(d_.gravity);
    if (g.norm() > 0) return report_vector(Vec<3>(-g.normalized()));
    return report_vector(plane_ ? Vec<3>(plane_->axes.col(1)) : Vec<3>(Vec<3>::UnitZ()));
  }
  ReportJson planar() const { return plane_ ? ReportJson{{"normal", report_vector(Vec<3>(plane_->axes.col(2)))}} : ReportJson(nullptr); }

  /// Height [m] along `up` of the plane of the first wheel, if level.
  std::optional<double> floor() const {
    const Vec<3> g = vec(d_.gravity);
    if (d_.wheels.empty() || d_.wheels.front().second.plane != "ground") return std::nullopt;
    const WheelDescription& w = d_.wheels.front().second;
    if (!parallel(vec(w.plane_normal).normalized(), g.norm() > 0 ? Vec<3>(g.normalized()) : Vec<3>(Vec<3>::UnitZ()))) return std::nullopt;
    return vec(w.plane_at).dot(g.norm() > 0 ? Vec<3>(-g.normalized()) : Vec<3>(Vec<3>::UnitZ()));
  }

  // ---------------------------------------------------------------- connections and actuators

  /// A channel of the page by its part and quantity.
  void refer(ReportJson& channels, const char* key, const char* section, const std::string& part, const std::string& quantity) const {
    const std::size_t i = channel_of(recording_.channels, section, part, quantity);
    if (i < recording_.channels.size() && channels_->contains(recording_.channels[i].name)) channels[key] = recording_.channels[i].name;
  }
  void refer_pressures(ReportJson& channels, const std::string& name, const auto& a) const {
    const auto chamber = [&](const char* key, const std::string& node, const char* quasistatic) {
      if (node.empty()) return refer(channels, key, "quasistatic", name, quasistatic);
      const bool volume = std::any_of(d_.volumes.begin(), d_.volumes.end(), [&](const auto& item) { return item.first == node; });
      refer(channels, key, volume ? "volumes" : "sources", node, "pressure");
    };
    chamber("pressure_A", a.A, "pressure_A");
    chamber("pressure_B", a.B, "pressure_B");
  }

  void add_cylinders(const std::vector<double>& shortest, ReportJson& scene) const {
    ReportJson& all = scene["cylinders"] = ReportJson::array();
    for (std::size_t i = 0; i < d_.cylinders.size(); ++i) {
      const auto& [name, c] = d_.cylinders[i];
      const auto diameter = [](double area) { return std::sqrt(4 * area / std::numbers::pi); };
      const double bore = c.plunger ? *c.plunger : c.bore ? *c.bore : diameter(c.area_A.value_or(0));
      const double rod = c.plunger                                       ? *c.plunger
                         : c.rod                                         ? *c.rod
                         : c.area_A && c.area_B && *c.area_A > *c.area_B ? diameter(*c.area_A - *c.area_B)
                                                                         : kRod * bore;
      ReportJson channels = ReportJson::object();
      refer(channels, "force", "cylinders", name, "force");
      refer(channels, "length", "cylinders", name, "length");
      refer(channels, "friction", "cylinders", name, "friction");
      refer_pressures(channels, name, c);
      all.push_back({{"name", name},
                     {"base", json_of(mount(c.base.body, c.base.at))},
                     {"rod_end", json_of(mount(c.rod_end.body, c.rod_end.at))},
                     {"bore", bore},
                     {"rod", rod},
                     {"barrel_length", barrel_length(c, starts_[i], shortest[i])},
                     {"channels", std::move(channels)}});
    }
  }
  /// Barrel: from the base to the rod exit, beyond the stroke, before the rod eye when the piston is retracted.
  static double barrel_length(const CylinderDescription& c, double start, double shortest) {
    const double most = kRodReserve * shortest;
    if (!c.chamber_length_A) return most;
    const double drawn_in = start - *c.chamber_length_A, stroke = *c.chamber_length_A + c.chamber_length_B.value_or(0);
    return std::min(most, std::max(stroke, (drawn_in + stroke) / 2));
  }

  void add_joints(ReportJson& scene) const {
    ReportJson& all = scene["joints"] = ReportJson::array();
    for (const auto& [name, j] : d_.joints) {
      if (j.kind == JointKind::fixed) continue;
      const Mat<3> R = roll_pitch_yaw(j.orientation);
      const bool universal = j.kind == JointKind::universal, spherical = j.kind == JointKind::spherical || j.kind == JointKind::free;
      ReportJson joint{{"name", name}, {"type", kJointName[static_cast<int>(j.kind)]}, {"body", index(j.parent)}, {"at", j.at}};
      if (!spherical) joint["axis"] = report_vector(Vec<3>(R * vec(universal ? j.axes[0] : j.axis).normalized()));
      joint["other"] = json_of(mount(name, j.child_at));
      joint["loop"] = false;
      all.push_back(std::move(joint));
    }
    for (const auto& [name, l] : d_.loops) {
      ReportJson loop{{"name", name}, {"type", kLoopName[static_cast<int>(l.kind)]}, {"body", index(l.between[0])}, {"at", l.at[0]}};
      if (l.kind != LoopKind::spherical && l.kind != LoopKind::distance) loop["axis"] = report_vector(Vec<3>(vec(l.axis[0]).normalized()));
      loop["other"] = json_of(mount(l.between[1], l.at[1]));
      loop["loop"] = true;
      ReportJson channels = ReportJson::object();
      refer(channels, "violation", "loops", name, "violation");
      loop["channels"] = std::move(channels);
      all.push_back(std::move(loop));
    }
  }

  /// Motors and pumps on joints; of several on one joint each has the number of those drawn before it.
  void add_motors(ReportJson& scene) const {
    ReportJson& all = scene["motors"] = ReportJson::array();
    struct Ports {
      const std::string &A, &B;
    };
    const auto add = [&](const char* section, const std::string& name, const std::string& on, const Ports& ports) {
      const std::string joint = split_coordinate(on).joint;
      const auto at = std::find_if(d_.joints.begin(), d_.joints.end(), [&](const auto& item) { return item.first == joint; });
      ReportJson channels = ReportJson::object();
      refer(channels, "torque", section, name, "torque");
      refer(channels, "angle", section, name, "angle");
      refer_pressures(channels, name, ports);
      const auto beside = std::count_if(all.begin(), all.end(), [&](const ReportJson& other) { return other.at("joint") == joint; });
      all.push_back({{"name", name},
                     {"joint", joint},
                     {"body", index(at->second.parent)},
                     {"at", at->second.at},
                     {"axis", report_vector(Vec<3>(roll_pitch_yaw(at->second.orientation) * vec(at->second.axis).normalized()))},
                     {"turns", index(joint)},
                     {"beside", beside},
                     {"channels", std::move(channels)}});
    };
    for (const auto& [name, m] : d_.motors) add("motors", name, m.joint, {m.A, m.B});
    for (const auto& [name, p] : d_.pumps)
      if (!p.joint.empty()) add("pumps", name, p.joint, {p.S, p.P});
  }

  void add_wheels(ReportJson& scene) const {
    ReportJson& all = scene["wheels"] = ReportJson::array();
    for (const auto& [name, w] : d_.wheels) {
      ReportJson channels = ReportJson::object();
      for (const char* quantity : {"normal_force", "longitudinal_force", "lateral_force", "contact_x", "contact_y", "contact_z"})
        refer(channels, quantity, "wheels", name, quantity);
      ReportJson plane = json_of(mount(w.plane, w.plane_at));
      plane["normal"] = report_vector(Vec<3>(vec(w.plane_normal).normalized()));
      all.push_back({{"name", name},
                     {"body", index(w.body)},
                     {"at", w.at},
                     {"axis", report_vector(Vec<3>(vec(w.axis).normalized()))},
                     {"radius", w.radius},
                     {"plane", std::move(plane)},
                     {"channels", std::move(channels)}});
    }
  }

  void add_springs(ReportJson& scene) const {
    ReportJson& all = scene["springs"] = ReportJson::array();
    for (const auto& [name, s] : d_.springs) {
      if (s.joint) continue;
      ReportJson spring{{"name", name}, {"from", json_of(mount(s.between[0], s.at[0]))}, {"to", json_of(mount(s.between[1], s.at[1]))}};
      refer(spring, "channel", "springs", name, "force");
      all.push_back(std::move(spring));
    }
  }

  /// Forces and torques at a time, ground axes; records at jumps are the left limit.
  void append_forces(std::size_t row, Side side, std::vector<std::vector<float>>& vectors, std::vector<std::vector<float>>& torques) const {
    const std::vector<double> inputs = recorded_inputs(row);
    const Signals signals(signals_, inputs.data());
    for (std::size_t i = 0; i < d_.forces.size(); ++i) {
      const ForceDescription& f = d_.forces[i].second;
      if (f.joint) continue;
      const std::optional<double> factor = factor_of(d_.forces[i].first, f, signals, row, side);
      if (!factor) continue;
      const auto append = [&](const std::optional<Vec3d>& value, std::vector<float>& out) {
        if (!value) return;
        const Vec<3> v = *factor * vec(*value), ground = f.frame == ForceFrame::body ? Vec<3>(pose_[index(f.body)].R * v) : v;
        for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(ground[k]));
      };
      append(f.force, vectors[i]);
      append(f.torque, torques[i]);
    }
  }
  /// Factor of a load at a record; none: a control block drives it and `NAME.factor` is not recorded.
  std::optional<double> factor_of(const std::string& name, const ForceDescription& f, const Signals& signals, std::size_t row,
                                  Side side) const {
    if (!f.signal) return 1;
    if (const SignalIndex signal = signals_.find(*f.signal); signal >= 0) return signals.value(signal, recording_.columns[0][row], side);
    const std::size_t channel = channel_of(recording_.channels, "forces", name, "factor");
    if (channel == recording_.channels.size()) return std::nullopt;
    return recording_.columns[channel][row];
  }
  /// The inputs' courses at a record; those that are not recorded at their defaults.
  std::vector<double> recorded_inputs(std::size_t row) const {
    std::vector<double> inputs(d_.inputs.size() * InputCourse::kSize);
    for (std::size_t i = 0; i < d_.inputs.size(); ++i) {
      const std::size_t channel = channel_of(recording_.channels, "inputs", d_.inputs[i].first, "input");
      if (channel < recording_.channels.size())
        InputCourse{InputCourse::kSet, recording_.columns[0][row], recording_.columns[channel][row], 0, 0}.write(inputs.data() +
                                                                                                                 i * InputCourse::kSize);
    }
    return inputs;
  }
  /// Resistances act against the motion from the previous record to the next one.
  void add_resistances(const std::vector<std::size_t>& rows, std::vector<std::vector<float>>& vectors) {
    for (std::size_t i = 0; i < d_.forces.size(); ++i) {
      const auto& [name, f] = d_.forces[i];
      const std::vector<double>* const amount = resistance(name);
      if (amount == nullptr || f.joint) continue;
      const Mount point = mount(f.body, f.at);
      vectors[i].clear();
      for (const std::size_t row : rows) {
        place(row > 0 ? row - 1 : 0);
        const Vec<3> before = placed(point);
        place(std::min(row + 1, recording_.rows() - 1));
        const Vec<3> way = placed(point) - before;
        const Vec<3> force = way.norm() > 0 ? Vec<3>(-(*amount)[row] * way.normalized()) : Vec<3>(Vec<3>::Zero());
        for (int k = 0; k < 3; ++k) vectors[i].push_back(static_cast<float>(force[k]));
      }
    }
  }
  void add_forces(const std::vector<std::vector<float>>& vectors, const std::vector<std::vector<float>>& torques, DataBlock& block,
                  ReportJson& scene) const {
    ReportJson& all = scene["forces"] = ReportJson::array();
    for (std::size_t i = 0; i < d_.forces.size(); ++i) {
      const auto& [name, f] = d_.forces[i];
      if (f.joint) continue;
      ReportJson force{{"name", name}, {"body", index(f.body)}, {"at", f.at}};
      if (!vectors[i].empty()) force["vector"] = block.add(vectors[i], 3);
      if (!torques[i].empty()) force["torque"] = block.add(torques[i], 3);
      all.push_back(std::move(force));
    }
  }

  SignalSet signals_;
  KnownMeshes meshes_;
  std::vector<std::string> unread_;
  std::size_t mesh_size_ = 0;
  std::vector<std::vector<DrawnShape>> shapes_;  // per body
  std::vector<double> starts_;                   // [m] per cylinder: its length at the first record
  Box box_;
  const std::set<std::string>* channels_ = nullptr;
};

}  // namespace

}  // namespace scene

std::unique_ptr<Scene> make_scene(const Description& description, const Recording& recording) {
  return std::make_unique<scene::SceneBuilder>(description, recording);
}

}  // namespace trunnion
