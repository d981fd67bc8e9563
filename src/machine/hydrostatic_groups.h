// Pressures at rest, before any balance of forces: volumes joined through open flow elements share one pressure. A group with a source or
// a given volume has its pressure; a group of volumes that are all marked `equilibrium` is an unknown, found as the reaction of its
// trapped oil:
//   F_i = (given part) + sum_g A_ig p_g,      V_g = sum_i A_ig s_i + const,      A_ig = area of port i's pistons in group g
// positive where the pressure extends the cylinder. Where valves let oil in or out at every pressure but one (the outlet of a shuttle or
// of a relieving reducing valve), a group has that pressure. A group without a piston that oil can only enter (behind a check valve) has
// the minimum pressure at which none enters. Used by start pressures and static solutions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "model/model.h"

namespace trunnion {

/// First-order states other than pressures: at rest (spools at their commands, friction states zero, no flow in lines), or at the start
/// values given for some of them.
enum class StatesAt { rest, start };

class HydrostaticGroups {
 public:
  /// At the signals and sources of `inputs`.
  HydrostaticGroups(const CompiledModel& model, const HydraulicState& inputs, StatesAt states);

  /// Throws InputError where oil cannot be at rest: two different pressures in one group, a flow source that feeds it. Groups without a
  /// marked volume count only for `whole_machine`.
  void check_rest(bool whole_machine) const;

  int unknowns() const { return unknowns_; }
  /// Area of port i's pistons in group g [m2].
  struct Piston {
    int port, group;
    double area;
  };
  /// Of the unknown groups.
  const std::vector<Piston>& pistons() const { return pistons_; }
  /// Of all groups without a source, renumbered: oil that cannot leave while valves do not move.
  const std::vector<Piston>& closed_pistons() const { return closed_pistons_; }
  /// Sums a value per node [m3/Pa] over the closed groups.
  std::vector<double> closed_capacity(const std::vector<double>& node_capacity) const;

  /// Whether a volume's pressure was marked, and whether it belongs to an unknown group.
  bool marked(int node) const { return netlist_.nodes[node].state >= 0 && std::isnan(model_.y_start[netlist_.nodes[node].state]); }
  int unknown_of(int node) const { return unknown_[root_[node]]; }

  /// All first-order states with unknown groups at pressure p [Pa]. Pressures that only valves determine are at a guess until complete().
  void write(const double* p, double* y) const;
  /// Writes the pressures that valves determine into y. Undetermined ones keep their guess, or throw InputError that names them and the
  /// pressures without flow.
  enum class Undecided { guessed, refused };
  void complete(double* y, Undecided undecided) const;

  /// InputError that names every marked volume in a group with a share in `open` (unknowns x n, undetermined combinations of pressures);
  /// returns if there is none.
  void report_open(const std::vector<std::vector<double>>& open) const;
  /// InputError if a marked pressure of y is not above vacuum, or opens a valve that would pass oil; for `whole_machine` also if a given
  /// pressure opens one.
  void check_pressures(const double* y, bool whole_machine) const;

 private:
  /// Lengths and rates of the ports at the start, for control blocks.
  void place_ports();
  /// Values and states of control blocks at the pressures in y.
  void start_control(double* y) const;
  /// A command that depends on a pressure which is still to be determined, `what` follows it: 0 at rest, otherwise InputError.
  double unknown_command(SignalIndex signal, const std::string& what) const;
  void complete_pressures(double* y, Undecided undecided) const;
  /// Pressures of a group at which valves neither admit nor discharge oil [Pa].
  struct Shut {
    double least, greatest;
    bool one() const { return greatest - least <= 1e-6 * greatest; }
    /// Oil enters at any pressure.
    bool endless() const;
  };
  /// One-way valves and components at the border of a group.
  struct Border {
    int root;
    std::vector<const OneWayValve*> valves;
    std::vector<const Component*> components;
  };
  Border border(int root) const;
  /// Oil that enters a group through its border [m3/s], at given pressures of all nodes; empty if one of the pressures involved is NaN.
  std::optional<double> inflow(const Border& border, const std::vector<double>& pressure) const;
  std::optional<Shut> shut(int root, std::vector<double> pressure) const;
  /// Groups whose pressure is NaN get the one at which valves close, if it is unique and depends on nothing unknown.
  void decide_alone(std::vector<double>& pressure) const;
  /// The pressures of empty groups: the minimum at which nothing enters any of them.
  void fill(const std::vector<int>& groups, std::vector<double>& pressure) const;
  void set_group(int root, double p, std::vector<double>& pressure) const;

  std::vector<int> marked_in(int root) const;
  ComponentValues<> component_at(const Component& c, const std::vector<double>& pressure) const;
  std::vector<double> pressures(const double* y) const;
  void start_components(double* y) const;
  Diagnostic finding(int node, std::string found, std::string expected, std::string hint) const;

  const CompiledModel& model_;
  const Hydraulics& netlist_;
  const StatesAt states_;
  std::vector<int> root_;          // per node: representative of its group
  std::vector<double> given_;      // per node: given or source pressure [Pa]; NaN where marked
  std::vector<double> spool_;      // per spool
  std::vector<double> signal_;     // at the start; of control blocks as far as the pressures are known
  std::vector<double> source_;     // per node [Pa]: of sources
  std::vector<double> s_, s_dot_;  // per port at the start, if there are control blocks
  std::vector<double> flow_;       // per flow source [m3/s]
  std::vector<double> value_;      // per representative [Pa]; NaN: unknown
  std::vector<int> unknown_;       // per representative: index among the unknowns, or -1
  std::vector<int> closed_;        // per representative: index among the closed groups, or -1
  int unknowns_ = 0, closed_count_ = 0;
  std::vector<Piston> pistons_, closed_pistons_;
};

}  // namespace trunnion
