// Operator model: set points of joint coordinates that move a point of a body along a path, by inverse kinematics with limited rates.
// Set points q of the operator's joints, other coordinates on the way from the ground to the body as measured; r(q) the point, a(q) the
// attitude. With z = q over the maximum rates, error e = target - (r, a) and J = d(r, a)/dz, an iteration of damped least squares is
//   dz = J^T (J J^T + mu 1)^-1 e,   mu = |e| |J| |maximum angular rates|
// mu bounds the curvature of r(z) times the error, so that no iteration steps over the nearest point, and vanishes with the error:
// convergence is quadratic where the target can be reached. Of more joints than conditions it is the smallest change. The attitude counts
// with the length that makes its row of J as large as those of the point.
// A sample, h = speed times period, s the length covered:
//   approach   towards the first point from where r(q) is, by at most h; dq shortened to the maximum rates. Ends at the first point.
//   path       target at s + c h with the largest c of a short sequence from 1 downwards that is reached within the maximum rates;
//              otherwise the target stays at s.
// Source: Y. Nakamura, H. Hanafusa, J. Dyn. Sys. Meas. Control 108 (1986) 163 (damped least squares); J. Fan, Y. Yuan, Computing 74 (2005)
// 23 (damping by the error).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "base/lu.h"
#include "mechanics/tree.inl.h"
#include "model/compile_parts.h"
#include "model/control_plan.h"
#include "schema/check.h"

namespace trunnion {

namespace {

constexpr int kMaxJoints = kMaxOperatorJoints;
constexpr int kMaxConditions = 4;  // point and attitude

/// The joints on the way from the ground to the point. Coordinates: those of the operator first, then the measured ones.
struct ToolChain {
  std::vector<TreeNode<3>> nodes;  // from the ground; their q is the number of the coordinate
  std::vector<double> turn;        // per node: change of the attitude with its coordinate, 1, -1 or 0
  Vec<3> r_NP = Vec<3>::Zero();    // [m] the point, frame of the last node
  int joints = 0;                  // coordinates of the operator
  int base = 0;                    // nodes before the first of them
  std::vector<Vec<3>> directions;  // in which the point can move, frame of the node before that
};

/// Where the tool is, ground axes.
struct ToolState {
  Vec<3> r = Vec<3>::Zero();                               // [m] from the reference point
  double attitude = 0;                                     // [rad]
  std::array<Vec<3>, kMaxJoints> r_q;                      // derivatives of r in the operator's coordinates
  std::array<double, kMaxJoints> attitude_q{}, angular{};  // of the attitude; 1 of an angle, 0 of a displacement
  std::array<Vec<3>, 3> direction;                         // of the chain
};

ToolState place_tool(const ToolChain& chain, const double* q) {
  ToolState tool;
  std::array<Motion<3>, kMaxJoints> axis;
  std::array<NodeState<3>, 2> last;  // of the nodes before and at i, in turn
  last[0].R = Rotation<3>();
  last[0].r = Vec<3>::Zero();
  DofState<3> dof;
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const NodeState<3>& parent = last[i % 2];
    if (static_cast<int>(i) == chain.base)
      for (std::size_t k = 0; k < chain.directions.size(); ++k) tool.direction[k] = parent.R * chain.directions[k];
    const TreeNode<3>& n = chain.nodes[i];
    place_node<3, double>(n, parent, q, nullptr, last[(i + 1) % 2], &dof);
    tool.attitude += chain.turn[i] * q[n.q];
    if (n.q >= chain.joints) continue;
    const auto k = static_cast<std::size_t>(n.q);
    axis[k] = dof.b;
    tool.attitude_q[k] = chain.turn[i];
    tool.angular[k] = n.joint == NodeJoint::revolute ? 1 : 0;
  }
  const NodeState<3>& node = last[chain.nodes.size() % 2];
  tool.r = node.r + node.R * chain.r_NP;
  for (int k = 0; k < chain.joints; ++k) {
    const Motion<3>& b = axis[static_cast<std::size_t>(k)];
    tool.r_q[static_cast<std::size_t>(k)] = b.linear + b.angular.cross(tool.r);
  }
  return tool;
}

struct ToolTarget {
  Vec<3> r = Vec<3>::Zero();  // [m] from the reference point
  double attitude = 0;        // [rad]
};

/// x: set points, their rates, length of path covered (before the first point: minus the distance to it), 1 before the first point.
class OperatorLaw final : public BlockLaw {
 public:
  /// Inputs: the speed, then the chain's coordinates.
  OperatorLaw(int coordinates, int joints) : BlockLaw(1 + coordinates, 2 * joints + 2, 0) {}

  ToolChain chain;
  std::vector<double> max_rate;     // [rad/s, m/s]
  std::vector<ToolTarget> corners;  // the first one again at the end of a path that repeats
  std::vector<double> length;       // [m] of path up to each corner
  bool has_attitude = false, repeat = false;

  bool direct(int) const override { return true; }
  bool discrete() const override { return true; }
  double value(const double*, const double* x) const override { return x[2 * chain.joints]; }
  double evaluate(const double*, const double* x, double*) const override { return x[2 * chain.joints]; }
  Dual<1> evaluate(const Dual<1>*, const Dual<1>* x, Dual<1>*) const override { return x[2 * chain.joints]; }
  void restart(const double*, double, double*) const override {}
  bool stale(const double*, const double*) const override { return false; }
  double margin(const double*, const double*, const double*, double value) const override { return value; }
  bool start_depends(int input) const override { return input > 0; }  // not on the speed
  void start(const double* u, double* x) const override {
    const int n = chain.joints;
    std::copy_n(u + 1, n, x);
    std::fill_n(x + n, n, 0.0);
    x[2 * n] = -along(place_tool(chain, u + 1), corners.front().r).norm();
    x[2 * n + 1] = 1;
  }
  void sample(const double* u, double period, double* x) const override;

 private:
  static constexpr double kConverged = 1e-7,
                          kReached = 1e-4;  // of the way in a period, at most that with all joints at their maximum rates

  /// From the tool to a point, without what the joints cannot move.
  Vec<3> along(const ToolState& tool, const Vec<3>& r) const {
    Vec<3> way = Vec<3>::Zero();
    for (std::size_t k = 0; k < chain.directions.size(); ++k) way += tool.direction[k] * tool.direction[k].dot(r - tool.r);
    return way;
  }
  ToolTarget target_at(double s) const;
  bool solve(const ToolTarget& target, double step, double period, double* q) const;
  /// Largest rate of a change of the set points, over its maximum.
  double excess(const double* from, const double* q, double period) const {
    double most = 0;
    for (int k = 0; k < chain.joints; ++k)
      most = std::max(most, std::abs(q[k] - from[k]) / (period * max_rate[static_cast<std::size_t>(k)]));
    return most;
  }
  void shorten(const double* from, double period, double* q) const {
    const double most = excess(from, q, period);
    for (int k = 0; k < chain.joints && most > 1; ++k) q[k] = from[k] + (q[k] - from[k]) / most;
  }
};

ToolTarget OperatorLaw::target_at(double s) const {
  const double whole = length.back();
  if (corners.size() == 1 || !(whole > 0)) return corners.front();
  if (repeat) s -= whole * std::floor(s / whole);
  std::size_t next = 1;
  while (next + 1 < length.size() && length[next] < s) ++next;
  const ToolTarget &a = corners[next - 1], &b = corners[next];
  const double share = std::min(1.0, (s - length[next - 1]) / (length[next] - length[next - 1]));
  return {a.r + share * (b.r - a.r), a.attitude + share * (b.attitude - a.attitude)};
}

/// Moves the operator's part of the coordinates q to the target, `step` [m] from the one before, or as near as iterations come; whether it
/// is reached.
bool OperatorLaw::solve(const ToolTarget& target, double step, double period, double* q) const {
  constexpr int kMostIterations = 12;
  constexpr double kNearer = 0.9;  // of the error before: iterations that improve it less end
  double before = 0;
  const int n = chain.joints, points = static_cast<int>(chain.directions.size()), m = points + (has_attitude ? 1 : 0);
  for (int iteration = 0;; ++iteration) {
    const ToolState tool = place_tool(chain, q);
    double J[kMaxConditions * kMaxJoints], e[kMaxConditions], N[kMaxConditions * kMaxConditions];
    double size = 0, turning = 0, angular = 0, error = 0;  // squares of |J| of the point, of the attitude; of angular rates; of e
    for (int k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (int i = 0; i < points; ++i) {
        const double slope = max_rate[at] * tool.direction[static_cast<std::size_t>(i)].dot(tool.r_q[at]);
        J[i * n + k] = slope;
        size += slope * slope;
      }
      const double rate = max_rate[at] * tool.angular[at], slope = max_rate[at] * tool.attitude_q[at];
      if (has_attitude) J[points * n + k] = slope;
      turning += slope * slope;
      angular += rate * rate;
    }
    for (int i = 0; i < points; ++i) e[i] = tool.direction[static_cast<std::size_t>(i)].dot(target.r - tool.r);
    if (has_attitude) {
      const double lever = std::sqrt(size / turning);
      for (int k = 0; k < n; ++k) J[points * n + k] *= lever;
      e[points] = lever * (target.attitude - tool.attitude);
      size *= 2;
    }
    for (int i = 0; i < m; ++i) error += e[i] * e[i];
    error = std::sqrt(error);
    const double most = period * std::sqrt(size), way = step > 0 ? std::min(step, most) : most;
    if (error <= kConverged * way) return true;
    if (iteration == kMostIterations || (iteration > 0 && error > kNearer * before)) return error <= kReached * way;
    before = error;
    const double damping = error * std::sqrt(size * angular);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double sum = i == j ? damping : 0;
        for (int k = 0; k < n; ++k) sum += J[i * n + k] * J[j * n + k];
        N[i * m + j] = sum;
      }
    int pivot[kMaxConditions];
    if (!lu_factor(N, m, pivot)) return error <= kReached * way;
    lu_solve(N, m, pivot, e);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < m; ++i) q[k] += max_rate[static_cast<std::size_t>(k)] * J[i * n + k] * e[i];
  }
}

void OperatorLaw::sample(const double* u, double period, double* x) const {
  constexpr int kMostTrials = 10;
  constexpr double kBelow = 0.98;  // of the maximum rate: the way of a joint is not quite proportional to that of the point
  const int n = chain.joints;
  const double step = u[0] > 0 ? u[0] * period : 0;  // 0 also where the speed is no number
  double* const rate = x + n;
  double &covered = x[2 * n], &approaches = x[2 * n + 1];
  double q[kMaxBlockInputs];
  const auto begin = [&] {
    std::copy_n(x, n, q);
    std::copy(u + 1 + n, u + inputs(), q + n);
  };
  begin();
  if (approaches > 0.5) {
    const ToolTarget& first = corners.front();
    const ToolState now = place_tool(chain, q);
    const Vec<3> way = along(now, first.r);
    const double distance = way.norm(), share = distance > step ? step / distance : 1;
    const bool reached =
        solve({now.r + share * way, now.attitude + share * (first.attitude - now.attitude)}, step, period, q) && excess(x, q, period) <= 1;
    shorten(x, period, q);
    if (share == 1 && reached) approaches = 0;
    covered = approaches > 0.5 ? -along(place_tool(chain, q), first.r).norm() : 0;
  } else {
    bool moves = false;
    double share = 1;
    for (int trial = 0; trial < kMostTrials && !moves; ++trial) {
      const double ahead = covered + share * std::min(step, length.back()), s = repeat ? ahead : std::min(ahead, length.back());
      begin();
      const bool reached = solve(target_at(s), step, period, q);
      const double most = excess(x, q, period);
      moves = reached && most <= 1;
      if (moves) covered = s;
      share *= std::min(reached ? 1.0 : 0.5, most > 1 ? kBelow / most : 1.0);
    }
    if (!moves) {
      begin();
      solve(target_at(covered), 0, period, q);
      shorten(x, period, q);
    }
  }
  for (int k = 0; k < n; ++k) {
    rate[k] = (q[k] - x[k]) / period;
    x[k] = q[k];
  }
}

Vec<3> vec(const Vec3d& v) { return {v[0], v[1], v[2]}; }

/// Directions in which the operator's joints move the point: two in a plane, otherwise three. Of the node before the first of them.
void set_directions(const std::vector<Vec<3>>& axes, const Mat<3>& R_base, ToolChain& chain) {
  const auto first = static_cast<std::size_t>(chain.base);
  Vec<3> normal = Vec<3>::Zero();
  for (std::size_t i = first; i < axes.size() && normal.isZero(); ++i)
    if (chain.nodes[i].joint == NodeJoint::revolute) normal = axes[i];
  for (std::size_t i = first + 1; i < axes.size() && normal.isZero(); ++i)
    if (!parallel(axes[first], axes[i])) normal = axes[first].cross(axes[i]).normalized();
  bool planar = !normal.isZero();
  for (std::size_t i = first; i < axes.size(); ++i)
    planar = planar && (chain.nodes[i].joint == NodeJoint::revolute ? parallel(axes[i], normal) : perpendicular(axes[i], normal));
  if (planar)
    for (const Vec<3>& direction : normals(normal)) chain.directions.push_back(R_base.transpose() * direction);
  else
    for (int i = 0; i < 3; ++i) chain.directions.push_back(Vec<3>::Unit(i));
}

/// The attitude turns with all angles about axes that stay parallel to that of the operator's last angle, in its sense.
void set_attitude(const std::vector<Vec<3>>& axes, ToolChain& chain) {
  chain.turn.assign(axes.size(), 0);
  const auto is_angle = [&](std::size_t i) { return chain.nodes[i].joint == NodeJoint::revolute; };
  std::size_t last = axes.size();
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (is_angle(i) && chain.nodes[i].q < chain.joints) last = i;
  if (last == axes.size()) return;
  const auto add = [&](std::size_t i) {
    if (is_angle(i) && !parallel(axes[i], axes[last])) return false;
    if (is_angle(i)) chain.turn[i] = axes[i].dot(axes[last]) > 0 ? 1 : -1;
    return true;
  };
  for (std::size_t i = last + 1; i > 0 && add(i - 1);) --i;
  for (std::size_t i = last + 1; i < axes.size() && add(i);) ++i;
}

void plan_chain(const Description& d, const OperatorBlock& b, const std::vector<CoordinatePlace>& places, Vec<3>& reference,
                ToolChain& chain) {
  const auto own = empty_model();  // of the tree alone
  CompiledModel& model = *own;
  Mechanism<3> m;
  compile_tree(d, false, model, m);
  reference = m.reference;
  const BodyInfo& body = find_body(model, b.body);
  std::vector<int> way;
  for (int node = body.node; node > 0; node = m.tree.nodes[static_cast<std::size_t>(node)].parent) way.push_back(node);
  std::reverse(way.begin(), way.end());
  chain.joints = static_cast<int>(b.joints.size());
  chain.r_NP = body.r_NB + body.R_NB * vec(b.at);
  chain.base = static_cast<int>(way.size());
  const std::vector<Mat<3>> R_0 = zero_orientations(m.tree);
  std::vector<Vec<3>> axes;  // all coordinates at zero, ground axes
  for (const int number : way) {
    const auto at = static_cast<std::size_t>(number);
    TreeNode<3> n = m.tree.nodes[at];
    for (std::size_t k = 0; k < places.size(); ++k)
      if (find_part(model, places[k].joint + "." + places[k].name.position).node == number) n.q = static_cast<int>(k);
    if (n.q < chain.joints) chain.base = std::min(chain.base, static_cast<int>(chain.nodes.size()));
    axes.push_back(R_0[at] * (n.joint == NodeJoint::revolute ? Vec<3>(n.turn) : n.slide));
    chain.nodes.push_back(n);
  }
  const int before = chain.base > 0 ? way[static_cast<std::size_t>(chain.base) - 1] : 0;
  set_directions(axes, R_0[static_cast<std::size_t>(before)], chain);
  set_attitude(axes, chain);
}

}  // namespace

[[gnu::cold]] BlockPlan plan_operator(const Description& d, const std::string& name, const OperatorBlock& b) {
  const std::vector<CoordinatePlace> places = operator_coordinates(d, b);
  const auto law = std::make_shared<OperatorLaw>(static_cast<int>(places.size()), static_cast<int>(b.joints.size()));
  Vec<3> reference = Vec<3>::Zero();
  plan_chain(d, b, places, reference, law->chain);
  law->has_attitude = !b.attitude.empty();
  law->repeat = b.repeat;
  const std::size_t conditions = law->chain.directions.size() + (law->has_attitude ? 1 : 0);
  if (conditions > b.joints.size()) {
    Findings findings;
    add_finding(d, findings, "control." + name + ".operator.joints", "fewer joints than conditions of the point and its attitude",
                "at least " + std::to_string(conditions));
    throw InputError(std::move(findings));
  }
  law->max_rate = b.max_rates;
  law->max_rate.resize(b.joints.size(), b.max_rates.front());
  const std::size_t count = b.path.size() + (b.repeat ? 1 : 0);
  law->corners.resize(count);
  law->length.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i % b.path.size();
    ToolTarget& corner = law->corners[i];
    corner.r = Eigen::Map<const Vec<3>>(b.path[at].data()) - reference;
    if (law->has_attitude) corner.attitude = b.attitude[b.attitude.size() == 1 ? 0 : at];
    if (i > 0) law->length[i] = law->length[i - 1] + (corner.r - law->corners[i - 1].r).norm();
  }
  BlockPlan plan{name, law, {b.speed}};
  for (const CoordinatePlace& place : places) plan.inputs.emplace_back(place.joint + "." + place.name.position);
  return plan;
}

}  // namespace trunnion
