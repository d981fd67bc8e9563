// Transfer paths of a linear model.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/frequency_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "results/files.h"
#include "spectra/response.h"
#include "studies/table.h"

namespace trunnion {

namespace {

constexpr int kStepPoints = 1000;
constexpr double kParticipates = 1e-9;  // of controllability and observability: less is rounding

double degrees(double angle) { return angle * 180 / std::numbers::pi; }
double decibels(double ratio) { return 20 * std::log10(ratio); }

int number_of_input(const LinearModel& linear, const std::string& name) {
  std::vector<std::string> names;
  for (const LinearVariable& input : linear.inputs) names.push_back(input.name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  const std::string near = nearest_name(name, names);
  throw InputError({Diagnostic{{"--input", 0, 0},
                               "",
                               "the linear model has no input '" + name + "'",
                               names.empty() ? "a model with signals or inputs" : "one of its inputs such as " + names.front(),
                               near.empty() ? "" : "did you mean '" + near + "'?"}});
}

bool participates(const ModeParticipation& part) { return part.controllability > kParticipates && part.observability > kParticipates; }

/// Responses of all outputs to a unit step of an input, one after the other, at `times`.
std::vector<std::vector<double>> step_responses(LinearModel linear, int input, const std::vector<double>& times) {
  linear.drift.setZero();  // of the deviations that the input causes
  for (LinearVariable& output : linear.outputs) output.reference = 0;
  LinearResponse response(linear);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(linear.B.cols());
  u[input] = 1;
  std::vector<std::vector<double>> values(linear.outputs.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i > 0) response.step(times[1] - times[0], u, u);
    const Eigen::VectorXd y = response.outputs(u);
    for (std::size_t k = 0; k < values.size(); ++k) values[k].push_back(y[static_cast<Eigen::Index>(k)]);
  }
  return values;
}

/// G(0) from values on a circle inside all eigenvalues that are not null; none if G has a pole there.
std::optional<double> value_at_zero(const TransferPath& path, const std::vector<Eigenvalue>& eigenvalues) {
  constexpr int kPoints = 8, kHighest = 3;  // order of a pole
  constexpr double kInside = 0.01, kPole = 1e-6;
  double slowest = std::numeric_limits<double>::infinity();
  for (const Eigenvalue& e : eigenvalues)
    if (e.chain == 0) slowest = std::min(slowest, std::abs(e.value));
  const double radius = kInside * (std::isfinite(slowest) ? slowest : 1);
  std::complex<double> mean = 0, poles[kHighest] = {};
  double largest = 0;
  for (int i = 0; i < kPoints; ++i) {
    const std::complex<double> along = std::polar(1.0, (2 * i + 1) * std::numbers::pi / kPoints), G = path.at(radius * along);
    mean += G;
    largest = std::max(largest, std::abs(G));
    for (int k = 0; k < kHighest; ++k) poles[k] += G * std::pow(along, k + 1);
  }
  const bool pole = std::any_of(poles, poles + kHighest, [&](std::complex<double> p) { return std::abs(p) > kPole * kPoints * largest; });
  return pole ? std::nullopt : std::optional<double>(mean.real() / kPoints);
}

std::string ratio_unit(const FrequencyPath& path) {
  const std::string over = path.input.unit.empty() ? "" : "/(" + path.input.unit + ")";
  return path.output.unit.empty() && over.empty() ? "" : (path.output.unit.empty() ? "1" : path.output.unit) + over;
}

}  // namespace

FrequencyStudy frequency_study(const LinearCase& c, const FrequencyRequest& request) {
  FrequencyStudy study;
  study.eigenvalues = c.spectrum.eigenvalues;
  std::vector<int> inputs;
  for (const std::string& name : request.inputs) inputs.push_back(number_of_input(c.linear, name));
  const std::vector<double> frequencies = resolving_frequencies(c.spectrum, request.from.value_or(0), request.to.value_or(0));
  if (request.step)
    for (int i = 0; i <= kStepPoints; ++i) study.times.push_back(*request.step * i / kStepPoints);
  for (const int input : inputs) {
    const auto steps = request.step ? step_responses(c.linear, input, study.times) : std::vector<std::vector<double>>{};
    for (std::size_t output = 0; output < c.linear.outputs.size(); ++output) {
      const TransferPath path(c.linear, input, static_cast<int>(output));
      FrequencyPath& p = study.paths.emplace_back();
      p.input = c.linear.inputs[static_cast<std::size_t>(input)];
      p.output = c.linear.outputs[output];
      p.zeros = path.zeros();
      p.response = frequency_response(path, frequencies, !request.from, !request.to);
      p.modes = mode_participations(c.linear, c.spectrum, input, static_cast<int>(output), path);
      if (request.step) p.step = steps[output];
      p.static_gain = value_at_zero(path, study.eigenvalues);
    }
  }
  return study;
}

std::string frequency_csv(const FrequencyStudy& study) {
  std::string text = "frequency_hz";
  for (const FrequencyPath& p : study.paths)
    for (const char* part : {".magnitude", ".phase_deg", ".re", ".im"}) text += "," + quoted(p.name() + part);
  text += "\n";
  for (std::size_t i = 0; !study.paths.empty() && i < study.paths[0].response.frequency.size(); ++i) {
    append_number(text, study.paths[0].response.frequency[i]);
    for (const FrequencyPath& p : study.paths) {
      const std::complex<double> G = p.response.value[i];
      for (const double x : {std::abs(G), degrees(p.response.phase[i]), G.real(), G.imag()}) append_number(text += ",", x);
    }
    text += "\n";
  }
  return text;
}

std::string step_csv(const FrequencyStudy& study) {
  std::string text = "time";
  for (const FrequencyPath& p : study.paths) text += "," + quoted(p.name());
  text += "\n";
  for (std::size_t i = 0; i < study.times.size(); ++i) {
    append_number(text, study.times[i]);
    for (const FrequencyPath& p : study.paths) append_number(text += ",", p.step[i]);
    text += "\n";
  }
  return text;
}

std::string frequency_json(const FrequencyStudy& study) {
  using Json = nlohmann::ordered_json;
  const auto complex = [](std::complex<double> z) { return Json{{"re", z.real()}, {"im", z.imag()}}; };
  Json paths = Json::array();
  for (const FrequencyPath& p : study.paths) {
    Json zeros = Json::array(), modes = Json::array(), phases = Json::array(), gains = Json::array();
    for (const auto& zero : p.zeros) zeros.push_back(complex(zero));
    for (std::size_t i = 0; i < p.modes.size(); ++i) {
      const ModeParticipation& m = p.modes[i];
      modes.push_back({{"eigenvalue", complex(study.eigenvalues[i].value)},
                       {"controllability", m.controllability},
                       {"observability", m.observability},
                       {"residue", study.eigenvalues[i].simple ? complex(m.residue) : Json(nullptr)},
                       {"cancelled", m.cancelled}});
    }
    for (const Crossing& x : p.response.phase_margins) phases.push_back({{"frequency_hz", x.frequency}, {"margin_deg", degrees(x.margin)}});
    for (const Crossing& x : p.response.gain_margins)
      gains.push_back({{"frequency_hz", x.frequency}, {"factor", x.margin}, {"margin_db", decibels(x.margin)}});
    paths.push_back({{"input", p.input.name},
                     {"output", p.output.name},
                     {"unit", ratio_unit(p)},
                     {"static_gain", p.static_gain ? Json(*p.static_gain) : Json(nullptr)},
                     {"zeros", zeros},
                     {"phase_margins", phases},
                     {"gain_margins", gains},
                     {"modes", modes}});
  }
  return Json{{"paths", paths}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string frequency_text(const FrequencyStudy& study) {
  std::vector<std::vector<std::string>> lines{{"path", "static gain", "zeros", "gain margin dB", "at Hz", "phase margin deg", "at Hz"}};
  const auto least = [](const std::vector<Crossing>& all) {
    return std::min_element(all.begin(), all.end(),
                            [](const Crossing& a, const Crossing& b) { return std::abs(a.margin) < std::abs(b.margin); });
  };
  for (const FrequencyPath& p : study.paths) {
    const auto &gains = p.response.gain_margins, &phases = p.response.phase_margins;
    const auto gain = least(gains), phase = least(phases);
    lines.push_back({p.name(), p.static_gain ? fmt::format("{:.6g}", *p.static_gain) : "-", std::to_string(p.zeros.size()),
                     gain == gains.end() ? "-" : fmt::format("{:.4g}", decibels(gain->margin)),
                     gain == gains.end() ? "-" : fmt::format("{:.4g}", gain->frequency),
                     phase == phases.end() ? "-" : fmt::format("{:.4g}", degrees(phase->margin)),
                     phase == phases.end() ? "-" : fmt::format("{:.4g}", phase->frequency)});
  }
  std::string text = aligned(lines, 1);
  for (const FrequencyPath& p : study.paths) {
    std::string without;
    for (std::size_t i = 0; i < p.modes.size(); ++i) {
      const Eigenvalue& e = study.eigenvalues[i];
      if (e.chain > 0 || e.value.imag() < 0 || participates(p.modes[i])) continue;
      const bool reached = p.modes[i].controllability > kParticipates;
      without += fmt::format("{}{:.5g}{} ({})", without.empty() ? "" : ", ", e.value.real(),
                             e.value.imag() > 0 ? fmt::format(" +- {:.5g}i", e.value.imag()) : "",
                             reached ? "not observable" : "not controllable");
    }
    if (!without.empty()) text += p.name() + ": eigenvalues without participation: " + without + "\n";
  }
  return text;
}

namespace {

PlotPanel panel_of(const FrequencyStudy& study, PlotAxis x, PlotAxis y) {
  PlotPanel panel{"", std::move(x), std::move(y), {}};
  for (std::size_t k = 0; k < study.paths.size(); ++k) {
    PlotCurve& curve = panel.curves.emplace_back();
    curve.label = study.paths[k].name();
    curve.style = static_cast<int>(k);
  }
  return panel;
}

}  // namespace

Plot bode_plot(const FrequencyStudy& study) {
  Plot plot;
  plot.title = "Frequency response";
  plot.panel_width = 640;
  const PlotAxis frequency{"frequency", "Hz", true, {}, {}};
  PlotPanel gain = panel_of(study, frequency, {"magnitude, SI", "dB", false, {}, {}}),
            phase = panel_of(study, frequency, {"phase", "degrees", false, {}, {}});
  for (std::size_t k = 0; k < study.paths.size(); ++k) {
    const FrequencyResponse& r = study.paths[k].response;
    gain.curves[k].x = phase.curves[k].x = r.frequency;
    for (std::size_t i = 0; i < r.frequency.size(); ++i) {
      gain.curves[k].y.push_back(decibels(std::abs(r.value[i])));
      phase.curves[k].y.push_back(degrees(r.phase[i]));
    }
  }
  plot.panels = {std::move(gain), std::move(phase)};
  return plot;
}

Plot nyquist_plot(const FrequencyStudy& study) {
  Plot plot;
  plot.title = "Nyquist plot";
  plot.panel_width = plot.panel_height = 480;
  PlotPanel panel = panel_of(study, {"real part, SI", "", false, {}, {}}, {"imaginary part, SI", "", false, {}, {}});
  for (std::size_t k = 0; k < study.paths.size(); ++k)
    for (const std::complex<double> G : study.paths[k].response.value) {
      panel.curves[k].x.push_back(G.real());
      panel.curves[k].y.push_back(G.imag());
    }
  panel.curves.push_back({"-1", {-1}, {0}, CurveLook::points, static_cast<int>(study.paths.size())});
  plot.panels = {std::move(panel)};
  return plot;
}

Plot step_plot(const FrequencyStudy& study) {
  Plot plot;
  plot.title = "Response to a unit step";
  plot.panel_width = 640;
  for (std::size_t k = 0; k < study.paths.size(); ++k) {
    const FrequencyPath& p = study.paths[k];
    PlotCurve curve{p.name(), study.times, p.step, CurveLook::line, static_cast<int>(k)};
    plot.panels.push_back({"", {"time", "s", false, {}, {}}, {p.output.name, p.output.unit, false, {}, {}}, {std::move(curve)}});
  }
  return plot;
}

}  // namespace trunnion
