// trunnion friction: the seal friction of a cylinder against velocity.
//   friction_steady.csv    steady sliding: the Stribeck curve; for a law without states also its first-order approximation at rest
//   friction_cycle.csv     a slow sinusoidal velocity: larger force during acceleration than during deceleration (frictional lag)
//   friction_preslip.csv   a motion within the presliding range: the seal as a spring
// With --all the laws of the paper side by side, with the cylinder's parameters:
//   friction_laws.csv      the slow cycle, the force of each law a column
//   friction_laws_steady.csv, friction_laws.svg
// Like figure 9b of Jaiswal, Sopanen, Mikkola 2021 (friction) and figure 13 of Nonlinear Dynamics 111 (2023), doi
// 10.1007/s11071-023-08345-6 (linearisation).
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/units.h"
#include "commands.h"
#include "friction/friction_curve.h"
#include "results/files.h"
#include "schema/table.h"
#include "studies/plot.h"

namespace trunnion::cli {

namespace {

constexpr double kAmplitudeShare = 4;   // maximum speed of the cycle, in Stribeck velocities
constexpr double kPreslipShare = 0.25;  // of the deflection at which the bristles slip
constexpr int kSteadyPoints = 801;

struct FrictionOptions {
  ModelOptions model;
  std::string cylinder, folder, amplitude, frequency = "1 Hz";
  bool all = false;  // laws
};

double quantity(const std::string& text, const Measure& measure, const std::string& option) {
  const QuantityText read = read_quantity(text);
  if (read.quantity && (!read.quantity->has_unit || fits(read.quantity->dimension, measure)) && read.quantity->value > 0)
    return read.quantity->value;
  throw Error(fmt::format("{}: '{}' is not {} greater than 0, such as {}", option, text, measure.name, measure.example));
}

const std::pair<std::string, CylinderDescription>& find_cylinder(const CompiledModel& model, const std::string& name) {
  const auto& cylinders = model.description.cylinders;
  if (cylinders.empty()) throw Error("the model has no cylinder");
  if (name.empty()) return cylinders.front();
  std::vector<std::string> names;
  for (const auto& cylinder : cylinders) {
    if (cylinder.first == name) return cylinder;
    names.push_back(cylinder.first);
  }
  throw Error(fmt::format("there is no cylinder '{}'; the model has {}", name, fmt::join(names, ", ")));
}

/// `slope`: of the force at rest, for a column with the first-order approximation; NaN: none.
void write_curve(const std::vector<FrictionPoint>& curve, const FrictionLaw& law, const std::string& path, double slope = std::nan("")) {
  std::string text = "time,velocity,displacement,force";
  const auto states = friction_state_info(law);
  for (const FrictionStateInfo& state : states) text += "," + std::string(state.name);
  if (!std::isnan(slope)) text += ",first_order";
  text += "\n";
  for (const FrictionPoint& point : curve) {
    append_number(text, point.time);
    for (double value : {point.velocity, point.displacement, point.force}) append_number(text += ",", value);
    for (std::size_t i = 0; i < states.size(); ++i) append_number(text += ",", point.states[i]);
    if (!std::isnan(slope)) append_number(text += ",", slope * point.velocity);
    text += "\n";
  }
  write_text(text, path);
}

/// A law with its curves.
struct LawCurves {
  std::string name;
  std::vector<FrictionPoint> steady, slow;
};

/// A row per point of `curve`, a column with the force of each law.
std::string laws_csv(const std::vector<LawCurves>& laws, std::vector<FrictionPoint> LawCurves::*curve, bool over_time) {
  std::string text = over_time ? "time,velocity,displacement" : "velocity";
  for (const LawCurves& law : laws) text += "," + law.name;
  text += "\n";
  const std::vector<FrictionPoint>& first = laws.front().*curve;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (over_time) append_number(text, first[i].time), text += ",";
    append_number(text, first[i].velocity);
    if (over_time) append_number(text += ",", first[i].displacement);
    for (const LawCurves& law : laws) append_number(text += ",", (law.*curve)[i].force);
    text += "\n";
  }
  return text;
}

/// Like figure 9b of the paper: the slow cycle, and steady sliding beside it.
Plot laws_plot(const std::vector<LawCurves>& laws, const std::string& cylinder) {
  Plot plot;
  plot.title = "Friction of " + cylinder;
  plot.columns = 2;
  for (const auto& [title, curve] : {std::pair{"slow cycle", &LawCurves::slow}, std::pair{"steady sliding", &LawCurves::steady}}) {
    PlotPanel& panel = plot.panels.emplace_back();
    panel.title = title;
    panel.x = {"velocity", "m/s", false, {}, {}};
    panel.y = {"friction", "N", false, {}, {}};
    for (const LawCurves& law : laws) {
      PlotCurve& drawn = panel.curves.emplace_back();
      drawn.label = law.name;
      for (const FrictionPoint& point : law.*curve) drawn.x.push_back(point.velocity), drawn.y.push_back(point.force);
    }
  }
  return plot;
}

FrictionPoint greatest(const std::vector<FrictionPoint>& curve) {
  return *std::max_element(curve.begin(), curve.end(), [](const FrictionPoint& a, const FrictionPoint& b) { return a.force < b.force; });
}

/// The laws of the paper, and the cylinder's own if it is another one. A law without its parameters is left out.
int all_laws(const std::string& name, const FrictionDescription& own, const FrictionCycle& cycle, const std::string& folder) {
  std::vector<FrictionKind> kinds{FrictionKind::bengisu_akay, FrictionKind::brown_mcphee, FrictionKind::lugre,
                                  FrictionKind::modified_lugre};
  if (std::find(kinds.begin(), kinds.end(), own.model) == kinds.end() && own.model != FrictionKind::none) kinds.push_back(own.model);
  std::vector<LawCurves> laws;
  std::printf("%s: friction against velocity, up to %g m/s at %g Hz\n", name.c_str(), cycle.amplitude, cycle.frequency);
  for (const FrictionKind kind : kinds) {
    FrictionDescription f = own;
    f.model = kind;
    const char* const word = friction_words()[static_cast<std::size_t>(kind)];
    try {
      const FrictionLaw law = make_friction(f);
      laws.push_back({word, steady_friction_curve(law, -cycle.amplitude, cycle.amplitude, kSteadyPoints), friction_curve(law, cycle)});
    } catch (const Error& error) {
      std::fprintf(stderr, "%s is omitted; %s\n", word, error.what());
      continue;
    }
    std::printf("  %-15s at most %.1f N in steady sliding, %.1f N in the cycle\n", word, greatest(laws.back().steady).force,
                greatest(laws.back().slow).force);
  }
  if (laws.empty()) throw Error(fmt::format("the friction of {} has the parameters of no law", name));
  make_folder(folder);
  write_text(laws_csv(laws, &LawCurves::slow, true), folder + "/friction_laws.csv");
  write_text(laws_csv(laws, &LawCurves::steady, false), folder + "/friction_laws_steady.csv");
  const std::string missing = draw(laws_plot(laws, name), folder + "/friction_laws.svg");
  std::printf("files: %s/friction_laws.csv, friction_laws_steady.csv%s\n", folder.c_str(), missing.empty() ? ", friction_laws.svg" : "");
  if (!missing.empty()) std::fprintf(stderr, "the picture is missing: %s\n", missing.c_str());
  return kDone;
}

int friction(const FrictionOptions& options) {
  const auto model = options.model.load();
  const auto& [name, cylinder] = find_cylinder(*model, options.cylinder);
  const FrictionDescription& f = cylinder.friction;
  FrictionCycle cycle;
  cycle.amplitude = options.amplitude.empty() ? kAmplitudeShare * f.stribeck_velocity : quantity(options.amplitude, kSpeed, "--amplitude");
  cycle.frequency = quantity(options.frequency, kFrequency, "--frequency");
  cycle.steps_per_cycle = 2000;
  const std::string folder = options.folder.empty() ? options.model.stem() + "_friction" : options.folder;
  if (options.all) return all_laws(name, f, cycle, folder);
  const FrictionLaw law = make_friction(f);
  make_folder(folder);
  const auto steady = steady_friction_curve(law, -cycle.amplitude, cycle.amplitude, kSteadyPoints);
  const auto slow = friction_curve(law, cycle);
  FrictionResponse at_rest;
  const double no_states[kMaxFrictionStates] = {};
  respond(law, 0, no_states, at_rest);
  write_curve(steady, law, folder + "/friction_steady.csv", friction_states(law) == 0 ? at_rest.force_v : std::nan(""));
  write_curve(slow, law, folder + "/friction_cycle.csv");
  const FrictionPoint steady_peak = greatest(steady), peak = greatest(slow);
  std::printf("%s: friction against velocity, up to %g m/s at %g Hz\n", name.c_str(), cycle.amplitude, cycle.frequency);
  std::printf("  steady sliding  at most %.1f N, at %.3g m/s\n", steady_peak.force, steady_peak.velocity);
  std::printf("  in the cycle    at most %.1f N, at %.3g m/s\n", peak.force, peak.velocity);
  if (f.pressure_A > 0 || f.pressure_B > 0)
    std::printf("  at a pressure of 0: the machine's pressures multiply it by 1 + %g p_A + %g p_B\n", f.pressure_A, f.pressure_B);
  std::string files = "friction_steady.csv, friction_cycle.csv";
  if (friction_states(law) > 0) {
    // small enough not to slip: displacement amplitude / pi / frequency = velocity amplitude
    FrictionCycle preslip = cycle;
    preslip.amplitude = kPreslipShare * f.coulomb / f.bristle_stiffness * std::numbers::pi * cycle.frequency;
    const auto curve = friction_curve(law, preslip);
    write_curve(curve, law, folder + "/friction_preslip.csv");
    const FrictionPoint top = greatest(curve);
    std::printf("  before slip     %.1f N at a displacement of %.3g m\n", top.force, top.displacement);
    files += ", friction_preslip.csv";
  }
  std::printf("files: %s/%s\n", folder.c_str(), files.c_str());
  return kDone;
}

}  // namespace

void add_friction(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("friction", "write the friction of a cylinder against velocity");
  auto options = std::make_shared<FrictionOptions>();
  options->model.add_to(*command);
  command->add_option("--cylinder", options->cylinder, "name of the cylinder [the first]")->type_name("NAME");
  command->add_option("--amplitude", options->amplitude, "maximum speed [4 Stribeck velocities]")->type_name("SPEED");
  command->add_option("--frequency", options->frequency, "of the cycle")->type_name("FREQUENCY")->capture_default_str();
  command->add_flag("--all", options->all, "Bengisu-Akay, Brown-McPhee, LuGre, modified LuGre and the model's law in one file and picture");
  command->add_option("-o,--output", options->folder, "folder for the results [MODEL_friction]")->type_name("DIR");
  command->callback([options, &action] { action = [options] { return friction(*options); }; });
}

}  // namespace trunnion::cli
