// Root loci.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/root_locus.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <nlohmann/json.hpp>

#include "results/files.h"
#include "spectra/branches.h"
#include "studies/table.h"

namespace trunnion {

namespace {

std::vector<std::string> main_state_names(const RootLocusPoint& point, const Eigenvalue& e) {
  std::vector<std::string> names;
  for (int i : main_states(e)) names.push_back(point.states[static_cast<std::size_t>(i)]);
  return names;
}

/// The oscillation with the minimum damping ratio, or null.
const Eigenvalue* least_damped(const Spectrum& spectrum) {
  const Eigenvalue* found = nullptr;
  for (const Eigenvalue& e : spectrum.eigenvalues)
    if (e.value.imag() > 0 && e.damping_ratio && (found == nullptr || *e.damping_ratio < *found->damping_ratio)) found = &e;
  return found;
}

/// The nonzero eigenvalue with the largest real part, or null.
const Eigenvalue* rightmost(const Spectrum& spectrum) {
  for (const Eigenvalue& e : spectrum.eigenvalues)
    if (e.chain == 0) return &e;
  return nullptr;
}

}  // namespace

int RootLocus::failures() const {
  const auto failed = [](const RootLocusPoint& p) { return p.possible && p.status != "completed"; };
  return static_cast<int>(std::count_if(points.begin(), points.end(), failed));
}

int RootLocus::impossible() const {
  return static_cast<int>(std::count_if(points.begin(), points.end(), [](const RootLocusPoint& p) { return !p.possible; }));
}

RootLocusPoint root_locus_point(std::vector<std::string> values, const LinearCase& c) {
  RootLocusPoint point;
  point.values = std::move(values);
  point.motion = c.motion;
  if (!c.sampled.none.empty()) {
    point.status = c.sampled.none;
    return point;
  }
  const ClosedModes modes = closed_modes(c);
  for (const LinearVariable& x : modes.states) point.states.push_back(x.name);
  point.spectrum = modes.spectrum;
  return point;
}

void follow(RootLocus& locus, const std::vector<int>& sizes) {
  std::vector<Eigen::VectorXcd> points;
  for (const RootLocusPoint& point : locus.points) {
    Eigen::VectorXcd values(static_cast<Eigen::Index>(point.spectrum.eigenvalues.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = point.spectrum.eigenvalues[static_cast<std::size_t>(i)].value;
    points.push_back(std::move(values));
  }
  const auto branches = follow_branches(points, sizes);
  for (std::size_t p = 0; p < branches.size(); ++p) locus.points[p].branches = branches[p];
}

std::string root_locus_csv(const RootLocus& locus) {
  std::string text;
  for (const std::string& path : locus.paths) text += quoted(path) + ",";
  text += "status,verdict,branch,re,im,frequency_hz,damping_ratio,time_constant,chain,states\n";
  for (const RootLocusPoint& point : locus.points) {
    std::string start;
    for (const std::string& value : point.values) start += quoted(value) + ",";
    start += quoted(point.status);
    if (point.spectrum.eigenvalues.empty()) text += start + ",,,,,,,,,\n";
    for (std::size_t i = 0; i < point.spectrum.eigenvalues.size(); ++i) {
      const Eigenvalue& e = point.spectrum.eigenvalues[i];
      text += start + "," + name_of(point.spectrum.stability.verdict) + "," + std::to_string(point.branches[i] + 1);
      append_eigenvalue(text, e);
      text += fmt::format(",{},{}\n", e.chain, fmt::join(main_state_names(point, e), " "));
    }
  }
  return text;
}

std::string root_locus_json(const RootLocus& locus) {
  using Json = nlohmann::ordered_json;
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json points = Json::array();
  for (const RootLocusPoint& point : locus.points) {
    Json values = Json::object(), eigenvalues = Json::array();
    for (std::size_t i = 0; i < locus.paths.size(); ++i) values[locus.paths[i]] = point.values[i];
    for (std::size_t i = 0; i < point.spectrum.eigenvalues.size(); ++i) {
      const Eigenvalue& e = point.spectrum.eigenvalues[i];
      eigenvalues.push_back({{"branch", point.branches[i] + 1},
                             {"re", e.value.real()},
                             {"im", e.value.imag()},
                             {"frequency_hz", e.frequency_hz},
                             {"damping_ratio", optional(e.damping_ratio)},
                             {"time_constant", optional(e.time_constant)},
                             {"chain", e.chain},
                             {"main_states", main_state_names(point, e)}});
    }
    const bool known = point.status == "completed";
    points.push_back({{"values", values},
                      {"status", point.status},
                      {"motion", known ? Json(name_of(point.motion)) : Json(nullptr)},
                      {"verdict", known ? Json(name_of(point.spectrum.stability.verdict)) : Json(nullptr)},
                      {"states", point.states},
                      {"eigenvalues", eigenvalues}});
  }
  return Json{{"varied", locus.paths}, {"points", points}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Plot root_locus_plot(const RootLocus& locus) {
  constexpr double kMargin = 1.15;  // of the axes around the oscillations
  double left = 0, right = 0, top = 0, farthest = 0;
  int branches = 0;
  for (const RootLocusPoint& point : locus.points)
    for (std::size_t i = 0; i < point.spectrum.eigenvalues.size(); ++i) {
      const std::complex<double> z = point.spectrum.eigenvalues[i].value;
      branches = std::max(branches, point.branches[i] + 1);
      farthest = std::min(farthest, z.real());
      if (z.imag() == 0) continue;
      left = std::min(left, z.real());
      right = std::max(right, z.real());
      top = std::max(top, z.imag());
    }
  const bool oscillates = top > 0;
  left = oscillates ? kMargin * std::min(left, -0.2 * top) : kMargin * farthest;
  int outside = 0;
  std::vector<PlotCurve> curves(static_cast<std::size_t>(branches));
  std::vector<PlotCurve> marks;
  const double last = std::max(1.0, static_cast<double>(locus.points.size()) - 1);
  for (std::size_t p = 0; p < locus.points.size(); ++p) {
    const RootLocusPoint& point = locus.points[p];
    PlotCurve mark{
        p == 0 || p + 1 == locus.points.size() ? fmt::format("{}", fmt::join(point.values, ", ")) : "", {}, {}, CurveLook::points};
    mark.style = 0;
    mark.shade = static_cast<double>(p) / last;
    for (std::size_t i = 0; i < point.spectrum.eigenvalues.size(); ++i) {
      const std::complex<double> z = point.spectrum.eigenvalues[i].value;
      if (z.imag() < 0) continue;
      if (z.real() < left) {
        ++outside;
        continue;
      }
      mark.x.push_back(z.real());
      mark.y.push_back(z.imag());
      PlotCurve& curve = curves[static_cast<std::size_t>(point.branches[i])];
      curve.x.push_back(z.real());
      curve.y.push_back(z.imag());
    }
    if (!mark.x.empty()) marks.push_back(std::move(mark));
  }
  PlotPanel panel{"",
                  {"real part", "1/s", false, left, std::max(kMargin * right, -0.03 * left)},
                  {"imaginary part", "1/s", false, 0.0, oscillates ? std::optional(kMargin * top) : std::nullopt},
                  {}};
  if (!oscillates) panel.y.max = 1;
  for (PlotCurve& curve : curves)
    if (curve.x.size() > 1) {
      curve.style = 0;
      curve.shade = 0.5;
      curve.dashed = false;
      panel.curves.push_back(std::move(curve));
    }
  for (PlotCurve& mark : marks) panel.curves.push_back(std::move(mark));
  Plot plot;
  plot.title = fmt::format("Root locus over {}", fmt::join(locus.paths, ", "));
  plot.panel_width = 560;
  plot.panel_height = 420;
  plot.panels = {std::move(panel)};
  if (outside > 0) plot.notes.push_back(fmt::format("eigenvalues left of {:.3g}/s, outside the picture: {}", left, outside));
  return plot;
}

namespace {

/// Whether its conjugate is there, too: the eigenvalue of a sampled loop at the negative real axis has none.
bool begins_pair(const Spectrum& spectrum, const Eigenvalue& e) {
  return std::any_of(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(),
                     [&](const Eigenvalue& other) { return other.value == std::conj(e.value); });
}

}  // namespace

std::string root_locus_text(const RootLocus& locus) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& path : locus.paths) lines[0].push_back(path.substr(path.find_last_of('.') + 1));
  for (const char* title : {"stability", "rightmost 1/s", "least damped Hz", "damping"}) lines[0].emplace_back(title);
  for (const RootLocusPoint& point : locus.points) {
    std::vector<std::string> line = point.values;
    const Eigenvalue *right = rightmost(point.spectrum), *oscillation = least_damped(point.spectrum);
    line.push_back(point.status != "completed" ? "-"
                                               : std::string(name_of(point.spectrum.stability.verdict)) +
                                                     (point.motion == ReferenceMotion::moving ? " (frozen)" : ""));
    line.push_back(right == nullptr ? "-"
                   : right->value.imag() == 0
                       ? fmt::format("{:.6g}", right->value.real())
                       : fmt::format("{:.6g} {} {:.6g}i", right->value.real(), begins_pair(point.spectrum, *right) ? "+-" : "+",
                                     std::abs(right->value.imag())));
    line.push_back(oscillation == nullptr ? "-" : fmt::format("{:.5g}", oscillation->frequency_hz));
    line.push_back(oscillation == nullptr ? "-" : fmt::format("{:.4g}", *oscillation->damping_ratio));
    lines.push_back(std::move(line));
  }
  std::string text = aligned(lines, locus.paths.size() + 1);
  for (const RootLocusPoint& point : locus.points)
    if (point.status != "completed") text += fmt::format("{}: {}\n", fmt::join(point.values, ", "), point.status);
  return text;
}

}  // namespace trunnion
