// Steady operation by continuation in time with the linear model's tangent.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/steady.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/decompositions.h"
#include "base/diagnostic.h"
#include "linearise/differential_form.h"
#include "linearise/locked_oil.h"
#include "linearise/reduction.h"
#include "linearise/steady_blocks.h"
#include "machine/friction_load.h"
#include "machine/start.h"
#include "model/cartesian.h"
#include "solve/stepper.h"

namespace trunnion {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// units of the states: the equations are nearly linear over changes small against them; lengths in extents of the machine
// (Mechanism::unit)
constexpr double kPosition = 1e-3, kVelocity = 1e-2, kPressure = 1e4;  // [rad, extents], per second, [Pa]
constexpr double kFriction = 1e-5, kOther = 1e-3;                      // of friction states; of others, relative to their scale
constexpr double kNoEffect = 1e-9;                                     // of the largest entry of a row: independent of that state
constexpr double kMoved[] = {0, 0.3, 1.1};                             // [rad, extents] positions at which a coordinate must have no effect
constexpr double kFrictionRate = 1e3;                                  // [1/s] decay rate of friction states of actuators at rest
constexpr double kReturnRate = 1;                                      // [1/s] of coordinates, by the oil of marked pressures
constexpr double kFarthest = 100;                                      // units of positions: maximum step
constexpr double kWrong = 0.5, kRight = 0.2, kSmall = 0.05;            // contraction: rejected, target; units: always accepted
constexpr double kLess = 0.25, kMost = 8;                              // limits on the change of the step
constexpr double kLongest = 1e12, kShortest = 1e-14;                   // [s]
constexpr double kSlow = 0.1;                                          // [s] slower than the machine's own dynamics
constexpr double kSlowest = 1;                                         // [s] within which a machine leaves an unstable solution
constexpr double kLong = 10;                                           // [s] from here on Newton's method may converge
constexpr double kSettled = 1e-9;                                      // units: at rest
constexpr double kLastIncrement = 1e-4;                                // units: the last increment of Newton's method may be rounding
constexpr double kUnsolved = 1e-10;                                    // units: what no state can bring to rest is no rounding
constexpr double kChanges = 1e-6;                                      // units per second: the same
constexpr double kOpen = 1e-11;                                        // of the largest singular value: this combination is undetermined
constexpr double kStill = 1e-9;                                        // [rad/s, extents/s] a coordinate that may turn does not
constexpr double kEndless = 1e10;                                      // [Pa] above any realistic pressure
constexpr double kShare = 0.3;                                         // of the largest: a state participates in a combination
constexpr double kGrows = 1e-3;                                        // [1/s] above rounding
constexpr double kOutside = 1e-6;                                      // of its range: a state of a component is not outside
constexpr double kKept = 1e-6;                                         // units: contents of locked oil are kept
constexpr int kMostSolves = 3000;

template <int D>
class SteadySolver {
 public:
  SteadySolver(const std::shared_ptr<const CompiledModel>& model, double time)
      : model_(model),
        m_(std::get<Mechanism<D>>(model->mechanism)),
        netlist_(model->hydraulics),
        reduction_(model),
        time_(time),
        turns_(static_cast<std::size_t>(m_.tree.nv)),
        driven_(turns_.size()),
        unit_of_(static_cast<std::size_t>(netlist_.ny), kOther),
        friction_of_(unit_of_.size(), -1),
        locked_(netlist_) {
    std::fill_n(unit_of_.begin(), netlist_.volumes.size(), kPressure);
    for (const Component& c : netlist_.components)
      for (std::size_t k = 0; k < c.law->info().states.size(); ++k) unit_of_[c.state + k] *= c.law->info().states[k].scale;
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
      for (int k = 0; k < netlist_.actuators[i].friction_states; ++k) {
        unit_of_[netlist_.actuators[i].state + k] = kFriction;
        friction_of_[netlist_.actuators[i].state + k] = static_cast<int>(i);
      }
  }

  [[gnu::cold]] SteadyOperation solve() {
    StateVector start = start_near_rest(*model_, time_);
    if (!take(start, false)) report_no_start();
    find_turning(start);
    for (int v = 0; v < m_.tree.nv; ++v)
      if (turns_[v]) start.v()[v] = model_->v_start[v];
    if (!take(start, false)) report_no_start();
    for (int v = 0; v < m_.tree.nv; ++v) driven_[v] = !turns_[v] && std::abs(at().v()[v]) > kStill * m_.unit(v);
    keeps_lengths_ = true;
    if (std::find(kind_.begin(), kind_.end(), Kind::marked) != kind_.end() && take(start, false) && follow()) start = at();
    keeps_lengths_ = false;
    obstacle_.clear();
    if (!take(start, false)) report_no_start();
    if (!follow()) report_nowhere();
    return result();
  }

 private:
  // ---------------------------------------------------------------- equations, in units

  /// Makes `state` the reference, on the current partition if `same`. False if the machine cannot be there: see obstacle_.
  bool take(const StateVector& state, bool same) {
    try {
      reduction_.set_reference(state, same ? &reduction_ : nullptr);
    } catch (const Error& error) {
      obstacle_ = "the loops or the equations of motion cannot be solved there";
      error_ = error.what();
      return false;
    }
    StepOutcome report;
    if (!pistons_inside(*model_, mechanism().s.data(), report)) {
      obstacle_ = "a piston would leave its cylinder";
      return false;
    }
    for (std::size_t i = 0; i < netlist_.volumes.size(); ++i)
      if (!(at().y()[i] < kEndless)) {
        obstacle_ = fmt::format("{} would grow beyond {:.0e} Pa", model_->state_names[i], kEndless);
        return false;
      }
    for (const Component& c : netlist_.components)
      if (c.law->outside(at().y() + c.state) > kOutside) {
        obstacle_ = fmt::format("{} would leave its range", model_->state_names[c.state]);
        return false;
      }
    set_kinds();
    linearise();
    return true;
  }
  const StateVector& at() const { return reduction_.reference(); }
  const MechanismState<D>& mechanism() { return reduction_.rates().work().mechanism; }
  Eigen::Index independent() const { return static_cast<Eigen::Index>(reduction_.velocities().size()); }
  Eigen::Index positions_and_rates() const { return 2 * independent() + static_cast<Eigen::Index>(reduction_.velocity_dependent().size()); }
  int first_order(Eigen::Index i) const { return reduction_.states()[static_cast<std::size_t>(i - positions_and_rates())]; }
  /// The velocity of a position or rate.
  int velocity(Eigen::Index i) const {
    const Eigen::Index n = independent();
    return i < 2 * n ? reduction_.velocities()[static_cast<std::size_t>(i % n)]
                     : reduction_.velocity_dependent()[static_cast<std::size_t>(i - 2 * n)];
  }
  bool is_rate(Eigen::Index i) const { return i >= independent() && i < 2 * independent(); }
  bool is_pressure(Eigen::Index i) const {
    return i >= positions_and_rates() && first_order(i) < static_cast<int>(netlist_.volumes.size());
  }
  /// Compressibility of a volume's oil and walls [1/Pa], and the same without air: their ratio is small in a cavity, where not the
  /// pressure but the gas content changes uniformly.
  Dual<1> own_compressibility(int volume) {
    return reduction_.rates().work().hydraulics.compressibility[netlist_.volumes[volume].node] + walls(volume);
  }
  double liquid_compressibility(int volume) const { return netlist_.fluid.liquid_compressibility(at().y()[volume]) + walls(volume); }
  double walls(int volume) const { return netlist_.volumes[volume].mean_wall_compressibility; }
  const std::string& name(Eigen::Index i) const {
    if (i >= positions_and_rates()) return model_->state_names[first_order(i)];
    return is_rate(i) ? model_->velocity_names[velocity(i)] : model_->coordinate_names[velocity(i)];
  }

  [[gnu::cold]] void set_kinds() {
    const Eigen::Index n = reduction_.size();
    unit_.resize(n);
    kind_.assign(static_cast<std::size_t>(n), Kind::free);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i >= positions_and_rates()) {
        const int y = first_order(i), actuator = friction_of_[y];
        unit_[i] = unit_of_[y];
        if (is_pressure(i)) unit_[i] /= own_compressibility(y).value / liquid_compressibility(y);
        if (actuator >= 0 && !moves(actuator)) kind_[i] = Kind::fading;
        if (y < static_cast<int>(netlist_.volumes.size()) && std::isnan(model_->y_start[y])) kind_[i] = Kind::marked;
      } else {
        unit_[i] = (is_rate(i) ? kVelocity : kPosition) * m_.unit(velocity(i));
        if (!is_rate(i) && turns_[velocity(i)]) kind_[i] = Kind::kept;
      }
    }
  }
  /// Whether an actuator moves in steady operation.
  bool moves(int actuator) const {
    const Range& path = m_.ports[actuator].path;
    return std::any_of(m_.paths.begin() + path.begin, m_.paths.begin() + path.end,
                       [&](const PathDof& p) { return turns_[p.dof] != 0 || driven_[p.dof] != 0; });
  }

  /// A_ and f_ at the reference.
  void linearise() {
    reduction_.jacobian(values_);
    const Eigen::Index n = reduction_.size();
    A_ = Eigen::Map<const Matrix>(values_.data(), n, n);
    f_.resize(n);
    reduction_.drift(f_.data());
    std::vector<double> way(turns_.size());
    if (keeps_lengths_) configuration_difference(m_.tree, model_->q_start.data(), at().q(), way.data());
    for (Eigen::Index i = 0; i < n; ++i) {
      const double rate = kind_[i] == Kind::kept ? 1 : kFrictionRate;
      if (kind_[i] == Kind::kept || kind_[i] == Kind::fading) {
        A_.row(i).setZero();
        A_(i, i) = -rate;
        f_[i] = kind_[i] == Kind::kept ? 0 : -rate * at().y()[first_order(i)];
        continue;
      }
      if (is_pressure(i)) {
        const Dual<1> own = own_compressibility(first_order(i));
        A_(i, i) += f_[i] * own.d[0] / own.value;
      }
      if (kind_[i] == Kind::marked && keeps_lengths_) {
        for (Eigen::Index k = 0; k < independent(); ++k) {
          const double by_rate = A_(i, independent() + k);
          A_(i, k) += kReturnRate * by_rate;
          f_[i] += kReturnRate * by_rate * way[velocity(k)];
        }
      }
    }
    A_ = (unit_.cwiseInverse().asDiagonal() * A_ * unit_.asDiagonal()).eval();
    f_ = f_.cwiseQuotient(unit_).eval();
  }

  /// Coordinates that may turn: neither their position nor that of all that turn with them has an effect, near or far, and no stroke end
  /// limits them.
  [[gnu::cold]] void find_turning(const StateVector& start) {
    const std::size_t nv = turns_.size();
    std::vector<char> without(nv, 0), stroke(nv, 0);
    for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)  // a stroke, or the limits of a joint
      if (netlist_.actuators[i].cylinder.travel > 0)
        for (int k = m_.ports[i].path.begin; k < m_.ports[i].path.end; ++k) stroke[m_.paths[k].dof] = 1;
    for (int v : std::vector<int>(reduction_.rates().loops().admissible())) {
      without[v] = !stroke[v];
      for (double way : kMoved) {
        if (!without[v]) break;
        std::vector<double> theta(nv, 0.0);
        theta[v] = way * m_.unit(v);
        StateVector moved = start;
        advance_configuration(m_.tree, start.q(), theta.data(), moved.q());
        without[v] = take(moved, false) && has_no_effect(v);
      }
    }
    if (!take(start, false)) report_no_start();
    const auto& loops = reduction_.rates().loops();
    for (Eigen::Index i = 0; i < independent(); ++i) {
      std::vector<double> unit(static_cast<std::size_t>(independent()), 0.0), rate(nv, 0.0);
      unit[i] = 1;
      loops.add_rates(unit.data(), rate.data());
      const auto any = [&](const auto& test) {
        for (std::size_t v = 0; v < nv; ++v)
          if (std::abs(rate[v]) > kNoEffect && test(v)) return true;
        return false;
      };
      const std::vector<int>& free = loops.admissible();
      if (any([&](std::size_t v) {
            return stroke[v] || (!without[v] && std::binary_search(free.begin(), free.end(), static_cast<int>(v)));
          }))
        continue;
      any([&](std::size_t v) { return turns_[v] = 1, false; });
    }
  }
  [[gnu::cold]] bool has_no_effect(int v) {
    Eigen::Index j = 0;
    while (j < positions_and_rates() && (is_rate(j) || velocity(j) != v)) ++j;
    if (j == positions_and_rates()) return false;
    for (Eigen::Index i = 0; i < A_.rows(); ++i)
      if (std::abs(A_(i, j)) > kNoEffect * A_.row(i).cwiseAbs().maxCoeff()) return false;
    return true;
  }

  /// The oil at the reference.
  LockedOil::Reference oil() {
    const MechanismState<D>& mech = mechanism();
    return {at(), mech.s, mech.s_dot, reduction_.rates().work().hydraulics.capacity, reduction_.states(), A_, f_, unit_};
  }

  // ---------------------------------------------------------------- continuation

  /// The reference with increments x, in units.
  StateVector moved(const Vector& x) {
    const Vector dx = x.cwiseProduct(unit_);
    const auto& admissible = reduction_.rates().loops().admissible();
    std::vector<double> increments(admissible.size(), 0.0), theta(turns_.size(), 0.0);
    StateVector next = at();
    for (Eigen::Index i = 0; i < positions_and_rates(); ++i)
      if (is_rate(i))
        next.v()[velocity(i)] += dx[i];
      else
        increments[std::lower_bound(admissible.begin(), admissible.end(), velocity(i)) - admissible.begin()] = dx[i];
    reduction_.rates().loops().add_increment(increments.data(), theta.data());
    advance_configuration(m_.tree, at().q(), theta.data(), next.q());
    for (Eigen::Index i = positions_and_rates(); i < dx.size(); ++i) {
      double& y = next.y()[first_order(i)];
      y = is_pressure(i) ? netlist_.fluid.advance(y, dx[i], netlist_.volumes[first_order(i)].mean_wall_compressibility) : y + dx[i];
    }
    return next;
  }

  /// Continues from the reference to a steady state. False: not found.
  bool follow() {
    locked_.begin();
    double dt = kLongest;
    for (Eigen::Index i = 0; i < f_.size(); ++i) dt = std::min(dt, 1 / std::max(std::abs(f_[i]), 1 / kLongest));
    while (iterations_ < kMostSolves && dt > kShortest) {
      const Matrix T = Matrix::Identity(A_.rows(), A_.cols()) / dt - A_;
      const Vector scale = T.rowwise().lpNorm<Eigen::Infinity>().cwiseInverse();
      const Matrix scaled = scale.asDiagonal() * T;
      const Vector excess = locked_.excess(oil());
      const Vector x = solution(scaled, scale.cwiseProduct(f_ - excess / dt));
      ++iterations_;
      const double size = largest(x);
      // where something grows faster than 1/dt, implicit Euler moves in the opposite direction
      const bool turned = dt < kSlowest && size > kSettled && !has_positive_determinant(scaled);
      if (turned || !std::isfinite(size) || farthest(x) > kFarthest) {
        dt *= kLess;
        continue;
      }
      const StateVector here = at();
      if (!keeps_lengths_) locked_.begin_step(oil());
      if (!take(moved(x), true)) {
        dt *= kLess;
        if (!take(here, false)) return false;
        continue;
      }
      // the next Newton increment, with the slopes before the step and behind it: past the closing of a valve those are others, and nothing
      // leads back from there
      const Vector rest = f_ - (x + excess) / dt;
      const Matrix behind = Matrix::Identity(A_.rows(), A_.cols()) / dt - A_;
      const Vector scale_behind = behind.rowwise().lpNorm<Eigen::Infinity>().cwiseInverse();
      const double second = std::max(largest(solution(scaled, scale.cwiseProduct(rest))),
                                     largest(solution(scale_behind.asDiagonal() * behind, scale_behind.cwiseProduct(rest)))),
                   contraction = second <= kSettled ? 0 : second / size;
      if (!(contraction < kWrong || second < kSmall)) {
        dt *= kLess;
        if (!take(here, false)) return false;
        continue;
      }
      if (!keeps_lengths_) locked_.end_step(oil());
      if (dt >= kLong && largest(locked_.excess(oil())) < kKept && polish()) return true;
      // coordinates that must be at rest no longer need their velocity, which may have no damping
      StateVector next = at();
      for (int v = 0; v < m_.tree.nv && dt >= kSlow; ++v)
        if (!turns_[v]) next.v()[v] = 0;
      if ((m_.rows > 0 || dt >= kSlow) && !take(next, false)) return false;
      dt = std::min(kLongest, dt * std::clamp(kRight / std::max(contraction, 1e-12), kLess, kMost));
    }
    return false;
  }
  /// Newton's method with minimum-norm steps, which leave undetermined combinations unchanged. False, with the reference restored, unless
  /// the solution is near; true where only rounding is left.
  bool polish() {
    const StateVector from = at();
    for (double before = kSmall;;) {
      const Vector scale = A_.rowwise().lpNorm<Eigen::Infinity>().cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
      const Vector x = smallest_solution(scale.asDiagonal() * A_, -scale.cwiseProduct(f_), kOpen);
      ++iterations_;
      const double size = largest(x);
      if (!(size < before)) {
        if (before < kLastIncrement && is_solved()) return true;
        take(from, false);
        return false;
      }
      const StateVector here = at();
      const bool taken = take(moved(x), true);
      if (!taken && !take(here, false)) return false;
      if (!taken || size < kSettled) {
        if (is_solved()) return true;
        take(from, false);
        return false;
      }
      before = size / 2;
    }
  }
  /// Whether nothing is left that no state can bring to rest: combinations of rates without influence of any state, as the momentum of
  /// bodies that fall.
  [[gnu::cold]] bool is_solved() const {
    if (A_.rows() == 0) return true;
    const Vector scale = A_.rowwise().lpNorm<Eigen::Infinity>().cwiseMax(kGrows).cwiseInverse();
    const RightSingular left = right_singular(Matrix((scale.asDiagonal() * A_).transpose()));
    for (Eigen::Index k = 0; k < A_.rows(); ++k) {
      if (left.values[k] > kOpen * left.values[0]) continue;
      const Vector u = left.V.col(k);
      const double rest = std::abs(u.dot(scale.cwiseProduct(f_)));
      if (rest > kUnsolved * u.lpNorm<1>() && rest > kChanges * u.cwiseAbs().dot(scale)) return false;
    }
    return true;
  }
  static double largest(const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }
  double farthest(const Vector& x) const {
    double way = 0;
    for (Eigen::Index i = 0; i < positions_and_rates(); ++i)
      if (!is_rate(i)) way = std::max(way, std::abs(x[i]));
    return way;
  }

  // ---------------------------------------------------------------- result

  [[gnu::cold]] SteadyOperation result() {
    SteadyOperation s;
    s.state = at();
    for (int v = 0; v < m_.tree.nv; ++v)
      if (turns_[v] && std::abs(at().v()[v]) > kStill * m_.unit(v)) s.turning.push_back(v);
    s.movement.resize(static_cast<std::size_t>(m_.tree.nv));
    configuration_difference(m_.tree, model_->q_start.data(), at().q(), s.movement.data());
    s.iterations = iterations_;
    Eigen::Index worst = 0;
    if (f_.size() > 0) s.residual = f_.cwiseAbs().maxCoeff(&worst);
    if (f_.size() > 0) s.residual_at = name(worst);
    find_open(s);
    find_growth(s);
    for (std::size_t i = 0; i < kind_.size(); ++i)
      if (kind_[i] == Kind::fading) s.at_rest.push_back(name(static_cast<Eigen::Index>(i)));
    return s;
  }
  /// Names of the states with the largest share in a combination.
  [[gnu::cold]] std::vector<std::string> leading(const Vector& share, const std::vector<Eigen::Index>& states) const {
    std::vector<Eigen::Index> order(states.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) { return std::abs(share[i]) > std::abs(share[j]); });
    std::vector<std::string> names;
    for (Eigen::Index i : order)
      if (std::abs(share[i]) >= kShare * std::abs(share[order.front()])) names.push_back(name(states[i]));
    return names;
  }
  std::vector<Eigen::Index> all_states() const {
    std::vector<Eigen::Index> states(static_cast<std::size_t>(reduction_.size()));
    std::iota(states.begin(), states.end(), 0);
    return states;
  }
  [[gnu::cold]] void find_open(SteadyOperation& s) {
    Matrix A = A_;
    if (A.rows() == 0) return;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (const double most = A.row(i).cwiseAbs().maxCoeff(); most > 0) A.row(i) /= most;
    const RightSingular singular = right_singular(A);
    // participants of an undetermined combination, by kind
    std::vector<std::string> oil, rates, places;
    for (Eigen::Index i = 0; i < A.cols(); ++i) {
      double part = 0;
      for (Eigen::Index k = 0; k < A.cols(); ++k)
        if (singular.values[k] <= kOpen * singular.values[0]) part = std::max(part, std::abs(singular.V(i, k)));
      if (part < kShare) continue;
      (is_pressure(i) ? oil : is_rate(i) ? rates : places).push_back(name(i));
    }
    if (!oil.empty()) s.open.push_back({oil, "oil is trapped: its amount is that of the start and of what flows in from there"});
    if (!rates.empty()) s.open.push_back({rates, "its rate is undetermined"});
    std::vector<std::string> driven;
    for (int v = 0; v < m_.tree.nv; ++v)
      if (driven_[v]) driven.push_back(model_->coordinate_names[v]);
    if (!driven.empty()) s.open.push_back({driven, "a prescribed motion moves it: the solution holds at this instant only"});
    if (!places.empty()) s.open.push_back({places, oil.empty() ? "no restoring force acts on it" : "only trapped oil or nothing holds it"});
  }
  [[gnu::cold]] void find_growth(SteadyOperation& s) {
    std::vector<Eigen::Index> states;
    for (Eigen::Index i : all_states())
      if (kind_[i] == Kind::free || kind_[i] == Kind::marked) states.push_back(i);
    const auto n = static_cast<Eigen::Index>(states.size());
    if (n == 0) return;
    Matrix part(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) part(i, j) = A_(states[i], states[j]);
    const Growth growth = fastest_growth(part);
    s.growth = growth.rate;
    if (s.growth > kGrows) s.growing = leading(growth.share, states);
  }

  // ---------------------------------------------------------------- error messages

  [[noreturn, gnu::cold]] void report_no_start() {
    throw SimulationError(time_, "the start of the search for steady operation", error_.empty() ? obstacle_ : error_,
                          "check the start positions and pressures");
  }
  [[noreturn, gnu::cold]] void report_nowhere() {
    Eigen::Index worst = 0;
    if (f_.size() > 0) f_.cwiseAbs().maxCoeff(&worst);
    const double rate = f_.size() > 0 ? f_[worst] * unit_[worst] : 0;
    std::string cause = fmt::format("no steady operation was found in {} steps: ", iterations_);
    cause += is_pressure(worst) ? fmt::format("this pressure, {:.6g} Pa, still changes by {:.4g} Pa/s", at().y()[first_order(worst)], rate)
                                : fmt::format("it still changes by {:.4g} per second", rate);
    if (!obstacle_.empty()) cause += "; the last step tried was rejected: " + obstacle_;
    const bool of_block = f_.size() > 0 && worst >= positions_and_rates() &&
                          std::any_of(netlist_.control.begin(), netlist_.control.end(), [&](const ControlBlock& b) {
                            return first_order(worst) >= b.output && first_order(worst) < b.output + b.size();
                          });
    throw SimulationError(time_, f_.size() > 0 ? name(worst) : "the machine", cause,
                          of_block ? "give the control block an input at which it rests, or use `trunnion run` to see its motion"
                          : netlist_.volumes.empty()
                              ? "add springs, dampers or stops that bring it to rest, or use `trunnion run` to see its motion"
                              : "give the pump flow a return path (relief valve, bleed), close the valves of "
                                "cylinders that should rest, or use `trunnion run` to see its motion");
  }

  enum class Kind : unsigned char {
    free,
    kept,    // position of a coordinate that turns
    fading,  // friction state of an actuator at rest
    marked   // pressure that the model leaves open
  };

  std::shared_ptr<const CompiledModel> model_;
  const Mechanism<D>& m_;
  const Hydraulics& netlist_;
  Reduction<D> reduction_;
  const double time_;
  std::vector<char> turns_;       // per velocity: its position has no effect
  std::vector<char> driven_;      // per velocity: a prescribed motion moves it, and its position has an effect
  std::vector<double> unit_of_;   // per y
  std::vector<int> friction_of_;  // per y: its actuator, or -1
  LockedOil locked_;
  std::vector<Kind> kind_;      // per state
  Vector unit_, f_;             // per state; rates at the reference [units/s]
  Matrix A_;                    // tangent at the reference, in units
  bool keeps_lengths_ = false;  // marked pressures are set by the oil that keeps coordinates at their start positions
  std::vector<double> values_;  // scratch
  std::string obstacle_, error_;
  int iterations_ = 0;
};

}  // namespace

namespace {

/// A steady state of the machine in differential form in its own discrete states.
template <int D>
[[gnu::cold]] StateVector with_discrete_states(const CompiledModel& model, const CompiledModel& in_equations, StateVector steady) {
  MachineState<D> work(in_equations);
  ConsistentRates<D>(in_equations).solve(steady, Side::right, work);
  StateVector state = in_form(model, in_equations, steady);
  for (std::size_t i = 0; i < model.hydraulics.quasistatic.size(); ++i)
    set_discrete_states(model.hydraulics.quasistatic[i], work.hydraulics.quasistatic[i], work.mechanism.s.data(), state.y());
  make_consistent(model, state);
  return state;
}

[[gnu::cold]] SteadyOperation find_steady(const std::shared_ptr<const CompiledModel>& model, double time) {
  std::string unsolved;
  if (const auto continuous = continuous_form(model); continuous != model) {
    try {
      SteadyOperation steady = find_steady(continuous, time);
      steady.state = with_samples(*model, *continuous, steady.state);
      steady.continuous = true;
      return steady;
    } catch (const SimulationError& error) { unsolved = error.what(); }  // a block that never rests: held
  }
  if (const auto in_equations = differential_form(model); in_equations != model) {
    SteadyOperation steady = find_steady(in_equations, time);
    steady.state = model->planar ? with_discrete_states<2>(*model, *in_equations, steady.state)
                                 : with_discrete_states<3>(*model, *in_equations, steady.state);
    steady.unsolved = unsolved;
    return steady;
  }
  SteadyOperation steady = model->planar ? SteadySolver<2>(model, time).solve() : SteadySolver<3>(model, time).solve();
  steady.unsolved = unsolved;
  return steady;
}

}  // namespace

SteadyOperation solve_steady(const std::shared_ptr<const CompiledModel>& model, double time) {
  if (model->relative) return solve_steady(model->relative, time);
  refuse_friction_loads(*model, "steady operation does not follow the load of a joint", "start at rest and run until the motion is steady");
  SteadyOperation steady = find_steady(model, time);
  find_held_blocks(*model, steady);
  return steady;
}

StateVector steady_state(const std::shared_ptr<const CompiledModel>& model, std::vector<std::string>* warnings) {
  const SteadyOperation found = solve_steady(model);
  const StateVector& steady = found.state;
  for (const OpenStates& open : found.open)
    if (warnings != nullptr && open.leaves)
      for (const std::string& name : open.states) warnings->push_back(name + ": " + open.why);
  StateVector state(model->layout);
  state.time = steady.time;
  if (model->relative) {
    set_cartesian(*model, steady.q(), steady.v(), state.q(), state.v());
  } else {
    std::copy_n(steady.q(), model->layout.nq, state.q());
    std::copy_n(steady.v(), model->layout.nv, state.v());
  }
  std::copy_n(steady.y(), model->layout.ny, state.y());
  make_consistent(*model, state);
  return state;
}

}  // namespace trunnion
