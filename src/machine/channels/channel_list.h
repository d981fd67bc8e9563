// Channels and ledger entries as the parts of a machine declare them: name, unit, meaning and the place of the value. Declarations depend
// neither on plane or space nor on the scalar that is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

namespace trunnion {

/// A quantity that can be recorded.
struct Channel {
  std::string name;     // `crank.angle`
  std::string unit;     // SI; empty if dimensionless
  std::string meaning;  // one line
  bool error = false;   // of the solution method, not of the machine: has no limit for small steps, or is zero in an exact solution
};

/// Account of a power in the energy ledger, and its positive sign.
enum class Account {
  actuator,    // work of a cylinder or motor on the mechanism; a sum of others, not part of the balance
  oil,         // compression of a volume: p C pdot
  supply,      // of a source into the circuit: p Q; negative where oil returns
  throttling,  // dissipated in a valve or leak
  friction,    // dissipated in a cylinder or motor: seals, viscous drag, end dampers
  damping,     // dissipated in a damper of the mechanism
  external,    // of an applied load or a prescribed motion on the mechanism
};

struct LedgerEntry {
  std::string name;
  Account account;
};

/// The place of a channel's value among the MachineValues: an array and an index.
struct ValuePlace {
  enum class Array {
    cell,  // computed
    q,
    v,
    a,
    y,
    multiplier,  // of the state
    signal,
    input,
    pressure,
    outflow,  // per signal, input, node, node
    port_position,
    port_rate,  // per port
    port_force,
    port_friction,
    port_viscous,
    port_damper,    // of its forces
    spring_length,  // per spring along a line
    joint_position,
    joint_rate,
    joint_acceleration,  // per joint reading: 4, 3, 3
    violation,           // per named constraint
  };
  Array array = Array::cell;
  int index = 0;
};

/// Whether a pattern of `record.channels` names a channel: equal, or everything before a final `*`, of which a channel on request needs the
/// first `spelled` letters of its name (0: any).
bool names_channel(const std::string& pattern, const std::string& name, std::size_t spelled = 0);

class ChannelList {
 public:
  /// `requested`: patterns of record.channels; `offered` (may be null) receives all channels on request.
  ChannelList(const std::vector<std::string>& requested, std::vector<Channel>* offered) : requested_(requested), offered_(offered) {}

  /// A channel whose value is at `place`. If the name exists, the section is prepended.
  void add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, ValuePlace place,
           bool error = false);
  /// A computed channel; returns its cell.
  int add(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, bool error = false);
  void add_entry(const std::string& name, Account account) { entries.push_back({name, account}); }
  /// A channel on request: its cell, or -1 if no pattern of `record.channels` names it. `spelled`: the beginning of its name that a
  /// pattern has to spell out.
  int offer(const std::string& section, const std::string& name, const std::string& spelled, const char* unit, const std::string& meaning);
  /// The same with its value at `place`.
  void offer(const std::string& section, const std::string& name, const char* unit, const std::string& meaning, ValuePlace place);
  /// Three of them, `stem`_x ... _z; false: none is named.
  bool offer_vector(const std::string& section, const std::string& stem, const std::string& spelled, const char* unit,
                    const std::string& meaning, std::array<int, 3>& cells);

  static constexpr const char* kAxis[] = {"x", "y", "z"};
  static constexpr const char* kQuaternion[] = {"w", "x", "y", "z"};

  std::vector<Channel> channels;
  std::vector<ValuePlace> places;  // per channel
  int cells = 0;                   // number of computed values
  std::vector<LedgerEntry> entries;

 private:
  bool is_offered(const std::string& section, const std::string& name, const std::string& spelled, const char* unit,
                  const std::string& meaning);

  const std::vector<std::string>& requested_;
  std::vector<Channel>* offered_;
  std::set<std::string> names_;
};

}  // namespace trunnion
