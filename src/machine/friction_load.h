// Loads of joints that friction follows: the friction of a coordinate is f times that of its law,
//   f = R / N        R = |F|                 joints that turn: the magnitude of the reaction force
//                    R = |F - a (a . F)|     joints that slide along an axis a: normal to it
// R is found once a step, from its end (machine/channels/reactions.h). It follows from the accelerations, so that the next step
// extrapolates it,
//   f_(n+1) = max(0, R_n + h_(n+1) (R_n - R_(n-1)) / h_n) / N
// which is of second order, and constant in Newton's iterations. Where accelerations are found for a state (start, jumps) f and they agree,
// and the rate is unknown: 0 over the next step.
// Source: Coulomb's law of the contact; extrapolation: docs/elements/joint_friction.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

class FrictionLoads {
 public:
  explicit FrictionLoads(const CompiledModel& model);
  ~FrictionLoads();
  /// Whether friction follows any.
  bool any() const { return reader_ != nullptr; }
  /// A time [s] after the start of a step, from the loads there: those that act.
  void apply(double time, StateVector& state) const;
  /// At the end of a step of h [s]: the loads there, and their rates since the start; of a step so short that its change is rounding, the
  /// rates before. No allocation.
  void advance(StateVector& state, double h);
  /// Repeats solve(), which finds the accelerations of the state and may fail, until its loads agree with their friction; the loads have no
  /// rates then. No allocation. Throws SimulationError where friction grows with the load by more than it may.
  template <class Solve>
  bool agree(StateVector& state, Side side, Solve&& solve) {
    for (int pass = 0;; ++pass) {
      if (!solve()) return false;
      if (!any() || settled(state, side, pass)) return true;
    }
  }
  /// The loads of accelerations just found, without rates; the change of f, relative where f > 1. No allocation.
  double renew(StateVector& state, Side side);

 private:
  bool settled(StateVector& state, Side side, int pass);
  class Reader;
  template <int D>
  class ReaderIn;

  const CompiledModel& model_;
  double shortest_ = 0;             // [s] step from which rates follow
  std::unique_ptr<Reader> reader_;  // null: none
};

/// Refuses machines with them by name, file and line. Throws InputError.
void refuse_friction_loads(const CompiledModel& model, const char* problem, const char* remedy);

#if defined(TRUNNION_RECORDING) || defined(TRUNNION_LANES)  // these steps have none: recording/record_run.cpp, lanes/general_lanes.cpp
class FrictionLoads::Reader {};
inline FrictionLoads::FrictionLoads(const CompiledModel& model) : model_(model) {}
inline FrictionLoads::~FrictionLoads() = default;
inline void FrictionLoads::apply(double, StateVector&) const {}
inline void FrictionLoads::advance(StateVector&, double) {}
inline double FrictionLoads::renew(StateVector&, Side) { return 0; }
inline bool FrictionLoads::settled(StateVector&, Side, int) { return true; }
#endif

}  // namespace trunnion
