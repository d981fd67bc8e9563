// Hydraulic components: elements that connect several nodes, have states or read pilot pressures.
//   Q_e = Q_e(p, x, u)      flow along each of its flow paths, from node to node
//   x_dot = f(p, x, u)      its states: spool, displacement, gas, flow of a line
// p are the pressures at its nodes, u its commands. A law is written once, on any scalar; its exact derivatives come from dual numbers.
// The law defines where the hydraulic power goes: heat, storage, shaft work.
//
// A law is a class with
//   static constexpr int kNodes, kStates, kCommands, kFlows, kPowers
//   static const ComponentInfo& info();
//   template <class S> void evaluate(const ComponentInputs<S>&, S* Q, S* rate) const;
//   template <class S> void powers(const ComponentInputs<S>&, const S* Q, const S* rate, S* power) const;   unless all becomes heat
//   void start(const double* p, const double* u, double* x) const;                                          if kStates > 0
//   double laminar_limit() const;         [Pa] of its orifices: Newton's method stops there; 0: none
//   static constexpr int kEdges; void edges(const ComponentInputs<>&, double* g) const;   optional: see ComponentLaw::edges
//   double outside(const double* x) const;                                                optional: see ComponentLaw::outside
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dual.h"

namespace trunnion {

/// Inputs of a component; pressures in the order of its nodes.
template <class S = double>
struct ComponentInputs {
  const S* p;  // [Pa] absolute
  const S* x;  // its states
  const S* u;  // its commands
};

/// A flow path through a component: a channel and an entry in the balances of its nodes.
struct ComponentFlow {
  const char* name;     // channel: NAME.<name>
  const char* meaning;  // "flow from A to B"
  int from, to;         // index among its nodes; -1: neither (gas, outside)
};
struct ComponentState {
  const char* name;  // channel: NAME.<name>
  const char* unit;
  const char* meaning;
  double scale = 1;              // reference size: its Newton tolerance is solver.tolerance_other times this
  bool rate_of_another = false;  // rate of the state before it: substeps that resolve that state resolve this one, too
};
/// Destination of the hydraulic power.
enum class PowerKind {
  heat,
  store,   // stored: gas, moving oil, moving parts
  supply,  // work of a shaft on the oil, positive into it
};
struct ComponentPower {
  const char* name;  // channel: NAME.<name>
  const char* meaning;
  PowerKind kind;
};
struct ComponentInfo {
  std::vector<const char*> nodes;  // names of its ports, as in the file
  std::vector<ComponentFlow> flows;
  std::vector<ComponentState> states;
  std::vector<ComponentPower> powers;  // [W]; sum over flows of Q (p_from - p_to) = heat + store - supply
};

/// A component's law, type-erased.
class ComponentLaw {
 public:
  virtual ~ComponentLaw() = default;
  const ComponentInfo& info() const { return info_; }
  virtual double laminar_limit() const = 0;
  /// States at the start from pressures and commands there.
  virtual void start(const double* p, const double* u, double* x) const = 0;
  virtual void evaluate(const ComponentInputs<>& in, double* Q, double* rate) const = 0;
  virtual void evaluate(const ComponentInputs<Dual<1>>& in, Dual<1>* Q, Dual<1>* rate) const = 0;
  virtual void powers(const ComponentInputs<>& in, const double* Q, const double* rate, double* power) const = 0;
  virtual void powers(const ComponentInputs<Dual<1>>& in, const Dual<1>* Q, const Dual<1>* rate, Dual<1>* power) const = 0;
  /// Flows and rates with their derivatives by pressures and states: row i of `slopes` holds those of flow i, then of rate i - flows.
  virtual void differentiate(const ComponentInputs<>& in, double* Q, double* rate, double* slopes) const = 0;
  /// Edges at which slopes change: Newton's method coming from g <= 0 stops at g = 1. Returns their number.
  virtual int edges(const ComponentInputs<>& in, double* g) const = 0;
  /// How far its states are outside those that the law can reach, from where it does not lead back, relative to their range; up to 0: inside.
  virtual double outside(const double* x) const = 0;

 protected:
  explicit ComponentLaw(const ComponentInfo& info) : info_(info) {}

 private:
  const ComponentInfo& info_;  // static, of the class
};

/// Maximum nodes, states, commands, flows of a law: scratch of the circuit.
inline constexpr int kMaxComponentNodes = 6, kMaxComponentStates = 3, kMaxComponentCommands = 3, kMaxComponentFlows = 6,
                     kMaxComponentPowers = 4, kMaxComponentEdges = 8;

namespace detail {

template <class Law>
class ComponentLawOf final : public ComponentLaw {
  static_assert(Law::kNodes <= kMaxComponentNodes && Law::kStates <= kMaxComponentStates && Law::kCommands <= kMaxComponentCommands &&
                Law::kFlows <= kMaxComponentFlows && Law::kPowers <= kMaxComponentPowers);

 public:
  explicit ComponentLawOf(Law law) : ComponentLaw(Law::info()), law_(std::move(law)) {}
  double laminar_limit() const override { return law_.laminar_limit(); }
  void start(const double* p, const double* u, double* x) const override {
    if constexpr (Law::kStates > 0) law_.start(p, u, x);
  }
  int edges(const ComponentInputs<>& in, double* g) const override {
    if constexpr (requires { law_.edges(in, g); }) {
      static_assert(Law::kEdges <= kMaxComponentEdges);
      law_.edges(in, g);
      return Law::kEdges;
    }
    return 0;
  }
  double outside([[maybe_unused]] const double* x) const override {
    if constexpr (requires { law_.outside(x); }) return law_.outside(x);
    return 0;
  }
  void evaluate(const ComponentInputs<>& in, double* Q, double* rate) const override { law_.template evaluate<double>(in, Q, rate); }
  void evaluate(const ComponentInputs<Dual<1>>& in, Dual<1>* Q, Dual<1>* rate) const override {
    law_.template evaluate<Dual<1>>(in, Q, rate);
  }
  void powers(const ComponentInputs<>& in, const double* Q, const double* rate, double* power) const override {
    find_powers(in, Q, rate, power);
  }
  void powers(const ComponentInputs<Dual<1>>& in, const Dual<1>* Q, const Dual<1>* rate, Dual<1>* power) const override {
    find_powers(in, Q, rate, power);
  }
  void differentiate(const ComponentInputs<>& in, double* Q, double* rate, double* slopes) const override {
    constexpr int kInputs = Law::kNodes + Law::kStates;
    using S = Dual<kInputs>;
    S p[Law::kNodes], x[Law::kStates + 1], u[Law::kCommands + 1], flow[Law::kFlows + 1], change[Law::kStates + 1];
    for (int i = 0; i < Law::kNodes; ++i) p[i] = S::variable(in.p[i], i);
    for (int i = 0; i < Law::kStates; ++i) x[i] = S::variable(in.x[i], Law::kNodes + i);
    for (int i = 0; i < Law::kCommands; ++i) u[i] = in.u[i];
    law_.template evaluate<S>(ComponentInputs<S>{p, x, u}, flow, change);
    const auto take = [&](const S& from, double& value) {
      value = from.value;
      for (int j = 0; j < kInputs; ++j) *slopes++ = from.d[j];
    };
    for (int i = 0; i < Law::kFlows; ++i) take(flow[i], Q[i]);
    for (int i = 0; i < Law::kStates; ++i) take(change[i], rate[i]);
  }

 private:
  template <class S>
  void find_powers(const ComponentInputs<S>& in, const S* Q, const S* rate, S* power) const {
    if constexpr (requires { law_.template powers<S>(in, Q, rate, power); }) {
      law_.template powers<S>(in, Q, rate, power);
    } else {
      const ComponentInfo& info = Law::info();
      S heat(0);
      for (int i = 0; i < Law::kFlows; ++i) heat += Q[i] * (in.p[info.flows[i].from] - in.p[info.flows[i].to]);
      *power = heat;
    }
  }

  Law law_;
};

}  // namespace detail

template <class Law>
std::shared_ptr<const ComponentLaw> component_law(Law law) {
  return std::make_shared<detail::ComponentLawOf<Law>>(std::move(law));
}

/// A component of a netlist.
struct Component {
  std::string name, section;  // section of the model file
  std::shared_ptr<const ComponentLaw> law;
  std::vector<int> nodes, spools;                           // of the netlist; spools are its commands
  int state = 0;                                            // first of its states in y
  double start = std::numeric_limits<double>::quiet_NaN();  // of its states, if given; NaN: computed from the pressures
  int circuit = -1;                                         // -1: connects sources only, no unknown
  int local = 0;                                            // its first state in the circuit's block
};

}  // namespace trunnion
