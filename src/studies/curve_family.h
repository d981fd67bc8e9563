// Computation of `trunnion curve`: the force-velocity curve of an actuator of a quasistatic circuit, or a family of curves over varied
// values of the model file, levers, and velocities of other actuators on the pump. Like figures 3, 8 and 12 of Kikuuwe, Okada, Yoshihara,
// Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/variation.h"
#include "hydraulics/quasistatic/force_velocity.h"
#include "studies/plot.h"

namespace trunnion {

/// The request, in terms of the command line.
struct CurveRequest {
  std::string model_file;
  std::vector<Override> overrides;
  std::string actuator;                 // empty: the only quasistatic one
  std::vector<VariedPath> vary;         // values of the model file, all combinations
  std::vector<std::string> commands;    // `0.5,1` or `boom=0.5,1`: levers instead of their signals, of the actuator or another
  std::vector<std::string> moving;      // `boom=0.1,0.2`: velocities of others on the pump; at rest otherwise
  std::string at = "0 s";               // time at which signals are read
  std::optional<std::string> velocity;  // `-0.2,1`; unset: between the force saturations by the relief valves, plus a margin
  int points = 201;                     // evenly spaced; zero velocity and breakpoints are added
};

/// An actuator of the quasistatic circuit, including that of the curve.
struct CurveActuator {
  std::string name;
  double command = 0;         // in the unit of its signal
  MeteringOpenings openings;  // [-]
  double velocity = 0;        // [m/s] or [rad/s] given; unused for the actuator of the curve
};

/// One curve and its conditions.
struct ActuatorCurve {
  std::vector<std::string> values;  // of the varied quantities, as given
  std::vector<CurveActuator> actuators;
  double flow = 0, bleed = 0;       // [m3/s] of the pump; [-] opening of the bleed valve
  double tank = 0;                  // [Pa]
  Interval at_rest;                 // [N] Gamma(0)
  Interval saturation;              // [m/s] where f reaches its maximum and its minimum
  double free_velocity = 0;         // [m/s] at zero force
  double area_A = 0, relief_A = 0;  // [m2], [Pa]
  double area_B = 0, relief_B = 0;
  std::vector<ForceVelocityPoint> points;
};

struct CurveFamily {
  std::string actuator, circuit;
  bool is_rotary = false;             // a motor: [rad/s], [N m]
  bool regenerates = false;           // it has a regeneration valve
  double time = 0;                    // [s]
  double lower = 0, upper = 0;        // [m/s]
  std::vector<std::string> varied;    // paths; `command`, `boom.command`, `boom.velocity`
  std::vector<ActuatorCurve> curves;  // all combinations, the last one varied fastest
};

/// All curves. Throws InputError with every finding about the request, and for invalid models.
CurveFamily curve_family(const CurveRequest& request);

/// curve.csv: the varied values, velocity, force, force_low, force_high, segment, absolute pressures and flows; a vertical line of a
/// curve is two rows. SI.
std::string curve_csv(const CurveFamily& family);
/// curve.json: for each curve its conditions, force at rest, velocity at zero force, saturation, and the velocities at which valves open.
std::string curve_json(const CurveFamily& family, const std::string& model_file);
/// One line per curve.
std::string curve_text(const CurveFamily& family);
/// Force over velocity: a single curve by segments of table 1; below it regeneration flow, pump pressure and relief flow where they
/// exist.
Plot curve_plot(const CurveFamily& family);

}  // namespace trunnion
