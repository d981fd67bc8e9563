// SPDX-License-Identifier: BSD-3-Clause
#include "machine/start.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace trunnion {

namespace {

constexpr double kRank = 1e-9;     // singular values below this share of the largest count as zero
constexpr double kBalance = 1e-8;  // of the largest generalised force: a machine at rest

/// Nodes that open flow elements connect: at rest they share one pressure.
class PressureGroups {
 public:
  PressureGroups(const Model& model, HydraulicState& oil) : h_(model.hydraulics), parent_(h_.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    std::fill(oil.pressure.begin(), oil.pressure.end(), 1e6);
    for (std::size_t i = 0; i < h_.spools.size(); ++i) oil.spool[i] = model.y_start[h_.spools[i].state];
    const FlowInputs in{oil.pressure.data(), oil.signal.data(), oil.spool.data()};
    for_each_element(h_, [&](const auto& element) {
      element.edges(in, [&](const FlowEdge& e) {
        if (e.slope > 0) parent_[root(e.A)] = root(e.B);
      });
    });
  }
  int root(int node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

 private:
  const Hydraulics& h_;
  std::vector<int> parent_;
};

std::string pressure_path(const PressureNode& node) { return "volumes." + node.name + ".pressure"; }

/// Solves for the pressures of groups that nothing else determines.
template <int D>
class RestPressures {
 public:
  explicit RestPressures(const Model& model)
      : model_(model),
        m_(std::get<Mechanism<D>>(model.mechanism)),
        h_(model.hydraulics),
        work_(model),
        y_(model.y_start),
        group_value_(h_.nodes.size(), std::nan("")),
        column_(h_.nodes.size(), -1) {
    update_inputs(model, 0, Side::right, work_);
    source_pressure_ = work_.hydraulics.pressure;
    PressureGroups groups(model, work_.hydraulics);
    for (std::size_t i = 0; i < h_.nodes.size(); ++i) root_.push_back(groups.root(static_cast<int>(i)));
  }

  std::vector<double> solve() {
    collect_known();
    for (std::size_t i = 0; i < h_.nodes.size(); ++i)
      if (marked(i) && std::isnan(group_value_[root_[i]]) && column_[root_[i]] < 0) column_[root_[i]] = columns_++;
    if (columns_ > 0) balance();
    for (std::size_t i = 0; i < h_.nodes.size(); ++i)
      if (marked(i)) y_[h_.nodes[i].state] = group_value_[root_[i]];
    check_positive();
    return y_;
  }

 private:
  bool marked(std::size_t node) const { return h_.nodes[node].state >= 0 && std::isnan(model_.y_start[h_.nodes[node].state]); }
  double stated(std::size_t node) const {
    return h_.nodes[node].state >= 0 ? model_.y_start[h_.nodes[node].state] : source_pressure_[node];
  }

  /// Groups with a source or a stated volume have its pressure; two different ones leave no rest, nor does a pump that runs.
  void collect_known() {
    std::vector<Diagnostic> findings;
    std::vector<int> giver(h_.nodes.size(), -1);
    for (std::size_t i = 0; i < h_.nodes.size(); ++i) {
      if (marked(i)) continue;
      double& value = group_value_[root_[i]];
      if (std::isnan(value)) {
        value = stated(i);
        giver[root_[i]] = static_cast<int>(i);
      } else if (value != stated(i)) {
        for (std::size_t k = 0; k < h_.nodes.size(); ++k)
          if (marked(k) && root_[k] == root_[i])
            findings.push_back(
                {model_.description.span(pressure_path(h_.nodes[k])), pressure_path(h_.nodes[k]),
                 fmt::format("lies between {} at {:.6g} Pa and {} at {:.6g} Pa through open valves: oil flows, there is no rest",
                             h_.nodes[giver[root_[i]]].name, value, h_.nodes[i].name, stated(i)),
                 "a stated start pressure", "state this pressure, or close the valve at the start"});
      }
    }
    for (const FlowSource& source : h_.flow_sources) {
      if (work_.hydraulics.signal[source.flow] == 0) continue;
      for (std::size_t k = 0; k < h_.nodes.size(); ++k)
        if (marked(k) && ((source.to >= 0 && root_[k] == root_[source.to]) || (source.from >= 0 && root_[k] == root_[source.from])))
          findings.push_back({model_.description.span(pressure_path(h_.nodes[k])), pressure_path(h_.nodes[k]),
                              fmt::format("is fed by {}, which delivers {:.6g} m3/s at the start: oil flows, there is no rest", source.name,
                                          work_.hydraulics.signal[source.flow]),
                              "a stated start pressure", "state this pressure, or let the flow begin later"});
    }
    if (!findings.empty()) throw InputError(std::move(findings));
  }

  /// Static balance of the mechanism for the unknown group pressures and the multipliers.
  void balance() {
    MechanismState<D>& mech = work_.mechanism;
    const int nv = m_.tree.nv;
    std::vector<double> zero(nv, 0.0), r(nv, 0.0);
    update_positions<D, double>(m_, model_.q_start.data(), nullptr, mech);
    update_rates<D, double>(m_, zero.data(), zero.data(), mech);
    inverse_dynamics<D, double>(m_, model_.q_start.data(), zero.data(), false, mech, r.data());
    // known part of the port forces: stated pressures and end dampers
    std::vector<double> force(h_.actuators.size(), 0.0), still(h_.actuators.size(), 0.0);
    std::vector<double> known = y_;
    for (std::size_t i = 0; i < h_.nodes.size(); ++i) {
      const double value = group_value_[root_[i]];
      if (h_.nodes[i].state >= 0) known[h_.nodes[i].state] = marked(i) ? (std::isnan(value) ? 0 : value) : stated(i);
    }
    work_.hydraulics.pressure = source_pressure_;
    evaluate_forces(h_, mech.s.data(), still.data(), known.data(), work_.hydraulics);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] = work_.hydraulics.ports[i].force + work_.hydraulics.ports[i].friction;
    add_port_forces(m_, force.data(), mech, r.data());

    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(nv, columns_ + m_.rows);
    for (std::size_t i = 0; i < h_.actuators.size(); ++i) add_columns(h_.actuators[i], m_.ports[i].path, A);
    for (const ConstraintGroup<D>& g : m_.constraints)
      for (int row = 0; row < g.rows.size(); ++row)
        for (int k = 0; k < g.path.size(); ++k)
          A(m_.paths[g.path.begin + k].dof, columns_ + g.rows.begin + row) -= mech.jacobian[g.jacobian + row * g.path.size() + k];
    solve_balance(A, Eigen::Map<const Eigen::VectorXd>(r.data(), nv));
  }

  void add_columns(const Actuator& a, const Range& path, Eigen::MatrixXd& A) const {
    const auto add = [&](int node, double area) {
      const int column = column_[root_[node]];
      if (column < 0 || !marked(node)) return;
      for (int k = path.begin; k < path.end; ++k) A(m_.paths[k].dof, column) += area * kUnit * work_.mechanism.dofs[k].gradient;
    };
    add(a.A, a.cylinder.area_A);
    add(a.B, -a.cylinder.area_B);
  }

  void solve_balance(const Eigen::MatrixXd& A, const Eigen::VectorXd& r) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
    svd.setThreshold(kRank);
    const Eigen::VectorXd x = svd.solve(r), residual = A * x - r;
    report_open(svd.matrixV().rightCols(A.cols() - svd.rank()));
    const double scale = std::max(r.cwiseAbs().maxCoeff(), 1e-6);
    Eigen::Index worst = 0;
    if (residual.cwiseAbs().maxCoeff(&worst) > kBalance * scale) report_unbalanced(worst, residual[worst]);
    for (std::size_t i = 0; i < h_.nodes.size(); ++i)
      if (column_[i] >= 0) group_value_[i] = x[column_[i]] * kUnit;
  }

  void report_open(const Eigen::MatrixXd& null_space) const {
    std::vector<Diagnostic> findings;
    for (std::size_t i = 0; i < h_.nodes.size(); ++i) {
      const int column = column_[root_[i]];
      if (!marked(i) || column < 0 || null_space.cols() == 0 || null_space.row(column).norm() < kRank) continue;
      findings.push_back({model_.description.span(pressure_path(h_.nodes[i])), pressure_path(h_.nodes[i]),
                          "is not determined by rest: the machine can rest at any value of it", "a stated pressure such as 3.5 MPa",
                          "state this pressure, or the pressure at the other side of the piston"});
    }
    if (!findings.empty()) throw InputError(std::move(findings));
  }
  [[noreturn]] void report_unbalanced(Eigen::Index worst, double load) const {
    std::vector<Diagnostic> findings;
    for (std::size_t i = 0; i < h_.nodes.size(); ++i)
      if (marked(i)) {
        findings.push_back({model_.description.span(pressure_path(h_.nodes[i])), pressure_path(h_.nodes[i]),
                            fmt::format("cannot be found for rest: no pressure balances {} (a load of {:.6g} N or N m remains)",
                                        model_.velocity_names[worst], load),
                            "a machine that its cylinders can hold still",
                            "state the start pressures, or start where the free coordinates are at rest"});
      }
    throw InputError(std::move(findings));
  }
  void check_positive() const {
    std::vector<Diagnostic> findings;
    for (std::size_t i = 0; i < h_.nodes.size(); ++i)
      if (marked(i) && y_[h_.nodes[i].state] <= 0)
        findings.push_back({model_.description.span(pressure_path(h_.nodes[i])), pressure_path(h_.nodes[i]),
                            fmt::format("would have to be {:.6g} Pa at rest, below vacuum", y_[h_.nodes[i].state]),
                            "a positive absolute pressure",
                            "raise the stated pressure on the other side of the piston, or turn the cylinder around"});
    if (!findings.empty()) throw InputError(std::move(findings));
  }

  static constexpr double kUnit = 1e6;  // [Pa] unknowns are counted in MPa so that columns are of like size

  const Model& model_;
  const Mechanism<D>& m_;
  const Hydraulics& h_;
  MachineState<D> work_;
  std::vector<double> y_, source_pressure_;
  std::vector<int> root_;            // per node: representative of its group
  std::vector<double> group_value_;  // per representative [Pa]
  std::vector<int> column_;          // per representative: unknown
  int columns_ = 0;
};

template <int D>
State start_state_in(const Model& model) {
  State state(model.layout);
  const std::vector<double> y = start_states(model);
  std::copy(model.q_start.begin(), model.q_start.end(), state.q());
  std::copy(model.v_start.begin(), model.v_start.end(), state.v());
  std::copy(y.begin(), y.end(), state.y());
  MachineState<D> work(model);
  if (!ConsistentRates<D>(model).solve(state, Side::right, work))
    throw SimulationError(0, "accelerations at the start", "the mass matrix is singular on the constraints",
                          "give every body that turns an inertia about that axis");
  return state;
}

}  // namespace

std::vector<double> start_states(const Model& model) {
  return model.planar ? RestPressures<2>(model).solve() : RestPressures<3>(model).solve();
}

State start_state(const Model& model) { return model.planar ? start_state_in<2>(model) : start_state_in<3>(model); }

}  // namespace trunnion
