// Eigenvalues by central differences over their increment.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/difference_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/diagnostic.h"
#include "results/files.h"
#include "studies/table.h"

namespace trunnion {

namespace {

std::vector<std::complex<double>> values_of(const Spectrum& spectrum) {
  std::vector<std::complex<double>> values;
  values.reserve(spectrum.eigenvalues.size());
  for (const Eigenvalue& e : spectrum.eigenvalues) values.push_back(e.value);
  return values;
}

/// Those with a relative error; one of a pair.
bool is_drawn(std::complex<double> exact) { return exact != 0.0 && exact.imag() >= 0; }

double relative_error(const DifferenceStudy& study, const DifferencePoint& point, std::size_t i) {
  return std::abs(point.found[i] - study.exact[i]) / std::abs(study.exact[i]);
}

std::string label_of(std::complex<double> z) {
  return z.imag() == 0 ? fmt::format("{:.5g}", z.real()) : fmt::format("{:.5g} + {:.5g}i", z.real(), z.imag());
}

}  // namespace

DifferenceStudy difference_study(const LinearCase& c, std::vector<double> increments) {
  DifferenceStudy study;
  const LinearModel reduced = linearise(c.model, c.reference);
  const Spectrum exact = spectrum(reduced.A, reduced.states);
  study.exact = values_of(exact);
  if (reduced.changes)
    study.notes.emplace_back(
        "the reference moves and the model changes with it: its eigenvalues depend on the coordinates, whatever the increment");
  if (std::any_of(reduced.warnings.begin(), reduced.warnings.end(),
                  [](const std::string& text) { return text.find("on a kink") != std::string::npos; }))
    study.notes.emplace_back("the reference is on a kink: central differences average its two sides, whatever the increment");
  std::sort(increments.begin(), increments.end());
  increments.erase(std::unique(increments.begin(), increments.end()), increments.end());
  for (const double increment : increments) {
    DifferencePoint& point = study.points.emplace_back();
    point.increment = increment;
    LinearOptions options;
    options.method = LinearMethod::counterpart;
    options.step = increment;
    try {
      const LinearModel differences = linearise(c.model, c.reference, options);
      const Spectrum found = spectrum(differences.A, differences.states);
      for (const std::size_t i : nearest_eigenvalues(found, exact)) point.found.push_back(found.eigenvalues[i].value);
    } catch (const Error& error) { point.status = error.what(); }
  }
  return study;
}

std::string difference_csv(const DifferenceStudy& study) {
  std::string text = "increment,number,exact_re,exact_im,re,im,error,relative_error,status\n";
  for (const DifferencePoint& point : study.points)
    for (std::size_t i = 0; i < study.exact.size(); ++i) {
      append_number(text, point.increment);
      text += "," + std::to_string(i + 1);
      append_number(text += ",", study.exact[i].real());
      append_number(text += ",", study.exact[i].imag());
      if (point.found.empty()) {
        text += ",,,,," + quoted(point.status) + "\n";
        continue;
      }
      append_number(text += ",", point.found[i].real());
      append_number(text += ",", point.found[i].imag());
      append_number(text += ",", std::abs(point.found[i] - study.exact[i]));
      text += ",";
      if (study.exact[i] != 0.0) append_number(text, relative_error(study, point, i));
      text += "," + quoted(point.status) + "\n";
    }
  return text;
}

Plot difference_plot(const DifferenceStudy& study) {
  Plot plot;
  plot.title = "Eigenvalues by central differences";
  PlotPanel panel;
  panel.x = {"increment", "", true, {}, {}};
  panel.y = {"relative error", "", true, {}, {}};
  for (std::size_t i = 0; i < study.exact.size(); ++i) {
    if (!is_drawn(study.exact[i])) continue;
    PlotCurve curve{label_of(study.exact[i]), {}, {}, CurveLook::line_and_points};
    for (const DifferencePoint& point : study.points) {
      if (point.found.empty()) continue;
      const double error = relative_error(study, point, i);
      // an error of zero has no place on a logarithmic axis
      curve.x.push_back(point.increment);
      curve.y.push_back(error > 0 ? error : std::numeric_limits<double>::quiet_NaN());
    }
    panel.curves.push_back(std::move(curve));
  }
  plot.panels = {std::move(panel)};
  return plot;
}

std::string difference_text(const DifferenceStudy& study) {
  std::vector<std::vector<std::string>> lines{{"increment", "largest relative error", "of eigenvalue 1/s"}};
  for (const DifferencePoint& point : study.points) {
    double largest = -1;
    std::string of = point.found.empty() ? "failed" : "";
    for (std::size_t i = 0; i < point.found.size(); ++i)
      if (is_drawn(study.exact[i]) && relative_error(study, point, i) > largest) {
        largest = relative_error(study, point, i);
        of = label_of(study.exact[i]);
      }
    lines.push_back({fmt::format("{:g}", point.increment), largest < 0 ? "-" : fmt::format("{:.2g}", largest), of});
  }
  return aligned(lines, 0);
}

}  // namespace trunnion
