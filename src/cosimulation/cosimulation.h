// Co-simulation master: advances mechanism and oil from one communication point to the next and exchanges their outputs.
// A Stepper on the state of the whole machine, interchangeable with a monolithic one.
//   jacobi            all subsystems from the same communication point, inputs extrapolated
//   gauss_seidel      one side first, inputs extrapolated; then the other, inputs interpolated with the outputs of the first one
//   iterated_jacobi   as jacobi; then repeated from the same point with interpolated inputs until no output changes. Inputs of the
//                     next pass are the fixed point of a linear model, by least squares over the last differences (interface
//                     quasi-Newton): with outputs G_k of pass k and changes r_k = G_k - (inputs of the pass),
//                       x = G_k - dG gamma,   gamma minimises |r_k - dr gamma|,   dG, dr: differences between passes
//                     Plain iteration diverges for a heavy mechanism on stiff oil with a long step.
//   interface model   (jacobi, gauss_seidel with the oil first) the oil integrates w_dot = b + W F, s_dot = w instead of extrapolating;
//                     W and b are constant, as in the paper
//   sequential        the oil with the interface model, W and b linear in time; then the mechanism with the force linear in time that has
//                     the oil's impulse and moment of impulse
//                       F = c_0 + c_1 tau,  c_1 = 12/H^3 (I_1 - H I_0 / 2),  c_0 = I_0/H - c_1 H/2;  I_k = integral of F tau^k
//   parallel          at once: the oil as above; the mechanism with the oil linearised at the communication point
// In the last two, the length that the oil has not seen (the mechanism's minus the model's) is added to it as extra rate over the next
// step. Quasistatic oil reads the length at every communication point and needs no correction.
//
// Polynomials interpolate the last communication points, at any spacing (extrapolation.h); their order increases from 0 at the start and
// after a jump of forces. Without accelerations, lengths and rates are extrapolated separately, order m; with them, the rate has the known
// derivative at the last point, order m + 1, and the length is its integral, order m + 2.
// Sources: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), section 2.3; Degroote, Bathe, Vierendeels 2009
// (interface quasi-Newton with inverse Jacobian by least squares).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cosimulation/extrapolation.h"
#include "cosimulation/hydraulic_subsystem.h"
#include "cosimulation/mechanism_subsystem.h"
#include "cosimulation/monitor.h"
#include "cosimulation/workers.h"
#include "model/coupling_memory.h"
#include "solve/stepper.h"

namespace trunnion {

/// Prefix of the name of an unknown that is an output on which the subsystems do not agree.
inline constexpr const char* kCouplingVariable = "coupling variable ";

/// Settings and data of a master.
struct CouplingPlan {
  struct Port {
    enum class Kind : unsigned char { piston, reading, load };
    std::string name;               // of the cylinder
    double area_A = 0, area_B = 0;  // [m2] of its chambers
    bool has_pressures = true;      // false for quasistatic oil, whose force depends on the length itself, and without chambers
    Kind kind = Kind::piston;       // of pistons, then joint coordinates that control blocks read, then loads that they drive
  };
  CosimulationDescription settings;
  std::vector<Port> ports;      // in the order of coupling_ports
  int actuators = 0;            // of the machine, for linearised oil
  double step = 1e-3;           // [s] largest communication step
  bool accept_capped = false;   // unconverged iterations are accepted
  std::vector<double> corners;  // [s] of the command signals, ascending
  int volumes = 0;              // of the machine, for linearised oil
  int mechanism_steps = 1;      // per communication step
};

class Cosimulation final : public Stepper {
 public:
  /// The ports of the hydraulic subsystems together are those of the plan. States provide coupling_memory in `coupling`.
  Cosimulation(CouplingPlan plan, std::unique_ptr<MechanismSubsystem> mechanism,
               std::vector<std::unique_ptr<HydraulicSubsystem>> hydraulics);

  StepOutcome step(StateVector& state, double h) override;
  bool restart(StateVector& state) override;
  std::string unknown_name(int unknown) const override;

 private:
  using M = CouplingMemory;
  // indices in the motion of a port
  static constexpr int kLength = 0, kRate = 1, kAcceleration = 2;

  void restore(const StateVector& state);
  void save(StateVector& state) const;
  // points
  bool is_fresh(double time) const;
  bool first_point(double time, bool jump);
  void read_motion();
  void read_efforts();
  bool read_interface();
  void push_point();
  void choose_points(double h);
  // subsystem inputs: cosimulation_inputs.cpp
  void use_points(int order, bool reached, bool with_rate);
  TimePolynomial polynomial(int place) const;
  TimePolynomial polynomial(int place, int place_of_rate) const;
  void set_motion_inputs(bool reached);
  void publish_motion();
  void set_effort_inputs(bool reached);
  void set_interface_model(double h);
  void linearise_oil(const double* point, double h);
  // passes: cosimulation_passes.cpp
  bool run(std::size_t first, std::size_t end, double h);
  bool run_hydraulics(double h);
  bool run_mechanism(double h);
  bool run_all(double h);
  bool jacobi(double h);
  bool gauss_seidel(double h);
  bool iterated_jacobi(const StateVector& origin, double h);
  bool sequential(double h);
  bool parallel(double h);
  bool pass(const StateVector& origin, double h);
  struct OutputScales {
    double length = 0, rate = 0, effort = 0, load = 0;  // [m], [m/s], [N, Pa], [N]
  };
  OutputScales output_scales() const;
  double change_of_outputs();
  void accelerate();
  // steps
  bool is_load(int bond) const { return bond >= layout_.pistons * layout_.efforts; }
  double force_of(int bond, double effort) const;
  void sample_bonds();
  double add_to_defects();
  StepOutcome communicate(const StateVector& origin, double h);
  double proposed_step(double h, double energy) const;
  StepOutcome controlled(StateVector& state, double h);

  const CouplingPlan plan_;
  const CosimulationDescription& settings_;
  const CouplingMemory layout_;
  std::unique_ptr<MechanismSubsystem> mechanism_;
  std::vector<std::unique_ptr<HydraulicSubsystem>> hydraulics_;
  const bool moments_;  // sequential or parallel: W and b linear in time, volume defect corrected in the next step
  const bool models_;   // the oil integrates an interface model
  Workers workers_;

  std::vector<double> memory_;                       // of the present state
  std::vector<double> next_, last_;                  // outputs at the communication point reached; in the previous pass
  std::array<const double*, kMostPoints> chosen_{};  // points in memory_ for polynomials, newest first
  int chosen_count_ = 0;
  std::array<const double*, kMostPoints> node_{};                // points of the current polynomials
  std::array<TimePolynomial, kMostPoints> share_;                // per node
  std::array<TimePolynomial, kMostPoints + 1> share_with_rate_;  // per node, then of the rate at the newest
  int node_count_ = 0;
  int used_order_ = -1;  // for which they were computed, in this communication step
  bool used_reached_ = false;
  std::vector<TimePolynomial> motion_, inputs_;  // length and rate per port; of the ports of one subsystem
  std::vector<TimePolynomial> effort_;           // per bond
  std::vector<double> outputs_;                  // of one subsystem
  std::vector<double> force_;                    // [N] per port
  std::vector<BondSample> bonds_;
  InterfaceModel model_;
  LinearOil oil_;
  std::vector<StepOutcome> reports_;  // of the hydraulic subsystems, then of the mechanism
  StateVector work_;                  // of step control

  // of the current communication step
  double time_ = 0;  // [s] its beginning
  int passes_ = 1;
  bool agreed_ = true;  // the iteration converged
  int failed_ = -1;     // subsystem that failed, as in reports_
  int disagreeing_port_ = 0;
  const char* disagreeing_ = "";
  // of its passes
  static constexpr int kSecants = 10;
  struct Secant {
    std::vector<double> changes, outputs;  // differences between two passes: of scaled changes, of outputs
    std::vector<double> direction;         // orthogonal to those of newer ones
    std::array<double, kSecants> along{};  // components of `changes` along these
    double share = 0;
  };
  std::array<Secant, kSecants> secants_;
  std::vector<double> changes_, changes_before_, left_;  // scaled changes of the outputs, now and in the previous pass; scratch
  std::vector<double> outputs_of_pass_, outputs_before_;
};

/// The subsystems of the machine by its coupling settings, and their master.
std::unique_ptr<Stepper> make_cosimulation(const std::shared_ptr<const CompiledModel>& model);

}  // namespace trunnion
