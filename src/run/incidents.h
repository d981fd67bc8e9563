// Events of a run to be reported to the user, detected at the ends of its steps: pistons that reach their end dampers and joints that
// reach their limits, emptied accumulators, relief valves that open, control blocks that switch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace trunnion {

/// A piston in its end dampers, or a joint coordinate beyond its limits; angles for a motor or an angle.
struct EndStopRecord {
  std::string name;                  // of the cylinder, motor or coordinate; after its section where an earlier record has that name
  bool is_rotary = false;            // an angle
  long strikes = 0;                  // number of entries
  long steps = 0;                    // number of steps spent inside
  double first_time = 0;             // [s]
  double speed = 0;                  // [m/s, rad/s] maximum speed at entry: mean over the step that led there
  double depth = 0, depth_time = 0;  // [m, rad] maximum depth, [s]
};
/// An accumulator without usable oil: only the volume retained by its poppet is left.
struct EmptyRecord {
  std::string name;
  long steps = 0;
  double first_time = 0;  // [s] first time that it became empty after holding oil
};
/// An open relief valve.
struct ReliefRecord {
  std::string name;
  long openings = 0, steps = 0;
  double first_time = 0;           // [s]
  double flow = 0, flow_time = 0;  // [m3/s] maximum, [s]
};

/// A control block whose mode changes in continuous time: a relay, the condition of a timer, the number of a counter, the step of a
/// sequence, a hand-over.
struct SwitchRecord {
  static constexpr std::size_t kMostKept = 100;
  struct Event {
    double time = 0;  // [s]
    bool on = false;  // the mode increased: a relay went on, a condition began to hold, a controller became automatic
  };
  std::string name;
  long on = 0, off = 0;       // numbers of changes
  std::vector<Event> events;  // the first ones
};

struct Incidents {
  std::vector<EndStopRecord> end_stops;   // per cylinder or motor with end dampers and coordinate with limits
  std::vector<EmptyRecord> accumulators;  // per accumulator
  std::vector<ReliefRecord> reliefs;      // per relief valve
  std::vector<SwitchRecord> switches;     // per continuous block with modes
};

class IncidentWatch {
 public:
  explicit IncidentWatch(const CompiledModel& model);
  /// Empty records of everything monitored.
  Incidents nothing() const;
  /// An initial state: conditions that already hold are not events.
  void begin(const StateVector& state);
  /// The end of a step; states in order. No allocation.
  void step(const StateVector& state, Incidents& incidents);

 private:
  double pressure(int node, const StateVector& state) const;
  /// Depth in an end damper or beyond a limit [m, rad]; not positive: in none.
  double depth(std::size_t stop) const;
  /// Flow through a relief valve [m3/s].
  double flow(std::size_t relief, const StateVector& state) const;

  const CompiledModel* model_;
  // in the order of the records
  std::vector<int> actuators_;
  std::vector<const Component*> stores_;
  std::vector<double> least_;  // [m3] oil at which a poppet begins to close
  struct Relief {
    const OneWayValve* valve = nullptr;    // at once, or
    const Component* component = nullptr;  // with a poppet that moves
  };
  std::vector<Relief> reliefs_;
  std::vector<int> modes_;                                    // index in y
  std::vector<double> last_modes_;                            // at the end of the step before
  std::function<const double*(const StateVector&)> lengths_;  // [m, rad] of the ports; empty if no end stop needs them
  const double* s_ = nullptr;                                 // as last computed
  std::vector<double> last_;                                  // [m, rad] per record: length at the end of the step before
  std::vector<bool> inside_, empty_, open_;
  double time_ = 0;
};

}  // namespace trunnion
