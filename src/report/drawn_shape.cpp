// Shapes of bodies for a report.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/drawn_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "spatial/rotation3.h"

namespace trunnion {

namespace {

constexpr double kSteel = 7800;  // [kg/m3] gives a mass without shape a size

Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

DrawnShape round_bar(double radius, double length, const Vec<3>& axis, const Vec<3>& at) {
  const Vec<3> half = 0.5 * length * axis.cwiseAbs() + radius * (Vec<3>::Ones() - axis.cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  return {
      ReportJson{{"type", "cylinder"}, {"radius", radius}, {"length", length}, {"axis", report_vector(axis)}, {"at", report_vector(at)}},
      at, half};
}

struct ShapeDrawer {
  const Thickness& thickness;

  std::optional<DrawnShape> operator()(const RodShape& s) const {
    const double radius = s.diameter > 0 ? s.diameter / 2 : thickness.of(steel_bar_radius(s.mass, s.length));
    return round_bar(radius, s.length, Vec<3>::UnitX(), {s.length / 2, 0, 0});
  }
  std::optional<DrawnShape> operator()(const BoxShape& s) const {
    return DrawnShape{ReportJson{{"type", "box"}, {"size", s.size}, {"at", s.at}}, vec(s.at), vec(s.size) / 2};
  }
  std::optional<DrawnShape> operator()(const CylinderShape& s) const {
    return round_bar(s.radius, s.length, vec(s.axis).normalized(), vec(s.at));
  }
  std::optional<DrawnShape> operator()(const SphereShape& s) const { return drawn_sphere(s.radius, vec(s.at)); }
  std::optional<DrawnShape> operator()(const PointMassShape& s) const {
    return drawn_sphere(std::max(thickness.thin, steel_ball_radius(s.mass)), vec(s.at));
  }
  std::optional<DrawnShape> operator()(const InertiaShape&) const { return {}; }
};

struct LookDrawer {
  const KnownMeshes& meshes;
  DataBlock& block;

  std::optional<DrawnShape> operator()(const PlateLook& s) const {
    // the two body axes of the outline, and the normal
    constexpr std::array<std::array<int, 3>, 3> kAxes{{{1, 2, 0}, {0, 2, 1}, {0, 1, 2}}};
    const auto [first, second, normal] = kAxes[static_cast<std::size_t>(s.normal)];
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Vec<3> least = Vec<3>::Constant(kInfinity), most = -least;
    least[normal] = -s.thickness / 2, most[normal] = s.thickness / 2;
    for (const Vec2d& corner : s.outline) {
      least[first] = std::min(least[first], corner[0]), most[first] = std::max(most[first], corner[0]);
      least[second] = std::min(least[second], corner[1]), most[second] = std::max(most[second], corner[1]);
    }
    ReportJson axes = ReportJson::array({report_vector(Vec<3>::Unit(first)), report_vector(Vec<3>::Unit(second))});
    return DrawnShape{
        ReportJson{{"type", "plate"}, {"outline", s.outline}, {"thickness", s.thickness}, {"axes", std::move(axes)}, {"at", s.at}},
        vec(s.at) + (least + most) / 2, (most - least) / 2};
  }
  std::optional<DrawnShape> operator()(const BoxLook& s) const {
    const Mat<3> R = roll_pitch_yaw(s.orientation);
    ReportJson json{{"type", "box"}, {"size", s.size}, {"at", s.at}};
    if (s.orientation != Vec3d{}) json["rotation"] = matrix_quaternion(R);
    return DrawnShape{std::move(json), vec(s.at), R.cwiseAbs() * vec(s.size) / 2};
  }
  std::optional<DrawnShape> operator()(const CylinderLook& s) const {
    return round_bar(s.radius, s.length, vec(s.axis).normalized(), vec(s.at));
  }
  std::optional<DrawnShape> operator()(const SphereLook& s) const { return drawn_sphere(s.radius, vec(s.at)); }
  std::optional<DrawnShape> operator()(const MeshLook& s) const {
    const auto known = meshes.find({s.file, s.scale});
    if (known == meshes.end()) return {};
    const TriangleMesh& mesh = known->second;
    Vec<3> least = Vec<3>::Constant(std::numeric_limits<double>::infinity()), most = -least;
    for (std::size_t i = 0; i + 2 < mesh.points.size(); i += 3)
      for (int k = 0; k < 3; ++k) {
        const double x = static_cast<double>(mesh.points[i + static_cast<std::size_t>(k)]);
        least[k] = std::min(least[k], x), most[k] = std::max(most[k], x);
      }
    const Mat<3> R = roll_pitch_yaw(s.orientation);
    ReportJson json{{"type", "mesh"},
                    {"points", block.add(mesh.points, 3)},
                    {"triangles", block.add(mesh.triangles, 3)},
                    {"box", {{"min", report_vector(least)}, {"max", report_vector(most)}}},
                    {"at", s.at}};
    if (s.orientation != Vec3d{}) json["rotation"] = matrix_quaternion(R);
    return DrawnShape{std::move(json), vec(s.at) + R * (least + most) / 2, R.cwiseAbs() * (most - least) / 2};
  }
};

}  // namespace

ReportJson report_vector(const Vec<3>& v) { return ReportJson::array({v.x(), v.y(), v.z()}); }

double steel_bar_radius(double mass, double length) { return length > 0 ? std::sqrt(mass / (kSteel * std::numbers::pi * length)) : 0; }
double steel_ball_radius(double mass) { return std::cbrt(0.75 * mass / (kSteel * std::numbers::pi)); }

DrawnShape drawn_sphere(double radius, const Vec<3>& at) {
  return {ReportJson{{"type", "sphere"}, {"radius", radius}, {"at", report_vector(at)}}, at, Vec<3>::Constant(radius)};
}

DrawnShape drawn_bars(const std::vector<std::pair<Vec<3>, Vec<3>>>& bars, double radius) {
  ReportJson segments = ReportJson::array();
  for (const auto& [a, b] : bars) segments.push_back(ReportJson::array({report_vector(a), report_vector(b)}));
  return {ReportJson{{"type", "segments"}, {"points", std::move(segments)}, {"radius", radius}, {"at", {0, 0, 0}}}, Vec<3>::Zero(),
          Vec<3>::Zero()};
}

std::optional<DrawnShape> drawn_shape(const ShapeDescription& shape, const Thickness& thickness) {
  return std::visit(ShapeDrawer{thickness}, shape);
}

std::optional<DrawnShape> drawn_look(const LookDescription& look, const KnownMeshes& meshes, DataBlock& block) {
  return std::visit(LookDrawer{meshes, block}, look);
}

}  // namespace trunnion
