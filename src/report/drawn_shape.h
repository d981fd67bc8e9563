// Shapes and appearance of bodies in a report, with bounding boxes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "description/description.h"
#include "file/mesh_file.h"
#include "report/data_block.h"
#include "report/result_files.h"
#include "spatial/spatial.h"

namespace trunnion {

/// Data for the page, and a bounding box in the body frame.
struct DrawnShape {
  ReportJson json;
  Vec<3> at = Vec<3>::Zero(), half = Vec<3>::Zero();
};

/// `thin`, `thick` [m]: thickness of shapes without their own.
struct Thickness {
  double thin, thick;
  double of(double radius) const { return radius < thin ? thin : radius > thick ? thick : radius; }
};

ReportJson report_vector(const Vec<3>& v);

/// Radius [m] of a bar or sphere of steel.
double steel_bar_radius(double mass, double length);
double steel_ball_radius(double mass);

DrawnShape drawn_sphere(double radius, const Vec<3>& at);
/// Bars between points; no box.
DrawnShape drawn_bars(const std::vector<std::pair<Vec<3>, Vec<3>>>& bars, double radius);
/// A shape; nothing if only mass properties are given.
std::optional<DrawnShape> drawn_shape(const ShapeDescription& shape, const Thickness& thickness);
/// `meshes`: those of all looks that are meshes and could be read, by file and scale; without its own a look is nothing. `block` receives
/// their numbers.
using KnownMeshes = std::map<std::pair<std::string, Vec3d>, TriangleMesh>;
std::optional<DrawnShape> drawn_look(const LookDescription& look, const KnownMeshes& meshes, DataBlock& block);

}  // namespace trunnion
