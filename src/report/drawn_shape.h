// Shapes and appearance of bodies in a report, with bounding boxes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "description/description.h"
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
DrawnShape drawn_look(const LookDescription& look);

}  // namespace trunnion
