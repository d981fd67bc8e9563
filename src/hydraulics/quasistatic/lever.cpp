// SPDX-License-Identifier: BSD-3-Clause
#include "hydraulics/quasistatic/lever.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

template <class Point>
void check_order(const std::vector<Point>& points) {
  if (points.empty()) throw Error("a table over a lever needs a point");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].lever)) throw Error(fmt::format("lever = {:g} is not a position", points[i].lever));
    if (i > 0 && points[i].lever <= points[i - 1].lever)
      throw Error(fmt::format("lever = {:g} after {:g}: points must rise", points[i].lever, points[i - 1].lever));
  }
}

/// mix(from, to, share) at the lever's place between two points.
template <class Point, class Mix>
auto interpolate(const std::vector<Point>& points, double lever, const Mix& mix) {
  const auto after = std::upper_bound(points.begin(), points.end(), lever, [](double x, const Point& point) { return x < point.lever; });
  if (after == points.begin()) return mix(points.front(), points.front(), 0);
  if (after == points.end()) return mix(points.back(), points.back(), std::isnan(lever) ? lever : 0);
  const Point& before = *(after - 1);
  return mix(before, *after, (lever - before.lever) / (after->lever - before.lever));
}

double line(double from, double to, double share) { return from + share * (to - from); }

MeteringOpenings line(const LeverMap::Point& from, const LeverMap::Point& to, double share) {
  const MeteringOpenings &a = from.openings, &b = to.openings;
  return {line(a.ph, b.ph, share), line(a.tr, b.tr, share), line(a.pr, b.pr, share), line(a.th, b.th, share), line(a.a, b.a, share)};
}

}  // namespace

LeverMap::LeverMap() : points_{{-1, {0, 0, 1, 1, 0}}, {0, {}}, {1, {1, 1, 0, 0, 0}}} {}

LeverMap::LeverMap(std::vector<Point> points) : points_(std::move(points)) {
  check_order(points_);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (const std::string fault = fault_of(points_[i].openings); !fault.empty())
      throw Error(fmt::format("at lever = {:g}: {}", points_[i].lever, fault));
    if (i == 0) continue;
    if (const std::string fault = fault_of(line(points_[i - 1], points_[i], 0.5)); !fault.empty())
      throw Error(fmt::format("between lever = {:g} and {:g}: {}; put a point between them with one of them shut", points_[i - 1].lever,
                              points_[i].lever, fault));
  }
}

MeteringOpenings LeverMap::at(double lever) const {
  return interpolate(points_, lever, [](const Point& a, const Point& b, double share) { return line(a, b, share); });
}

BleedMap::BleedMap(std::vector<Point> points) : points_(std::move(points)) {
  check_order(points_);
  for (const Point& point : points_)
    if (!(point.opening >= 0 && point.opening <= 1))
      throw Error(fmt::format("at lever = {:g}: opening of the bleed valve is {:g}, must be between 0 and 1", point.lever, point.opening));
}

double BleedMap::at(double lever) const {
  return interpolate(points_, lever, [](const Point& a, const Point& b, double share) { return line(a.opening, b.opening, share); });
}

}  // namespace trunnion
