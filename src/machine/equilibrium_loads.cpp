// Loads, stiffness and constraints of a machine at rest.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine/equilibrium_loads.h"

#include <algorithm>
#include <cmath>

#include "base/decompositions.h"

namespace trunnion::rest {

namespace {

constexpr int kClosures = 30;

}  // namespace

RangeNullSpace range_null_space(Matrix rows) {
  const Eigen::Index n = rows.cols();
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    if (const double norm = rows.row(i).norm(); norm > 0) rows.row(i) /= norm;
  if (rows.rows() == 0 || n == 0) return {Matrix(n, 0), Matrix::Identity(n, n)};
  const ColumnSpace space = column_space(rows.transpose(), kRedundantRow);
  const Eigen::Index rank = rows.isZero(0) ? 0 : space.rank;
  return {space.Q.leftCols(rank), space.Q.rightCols(n - rank)};
}

Vector smallest(const Matrix& A, const Vector& b, double threshold) {
  if (A.rows() == 0 || A.cols() == 0 || A.isZero(0)) return Vector::Zero(A.cols());
  return smallest_solution(A, b, threshold);
}

Matrix hstack(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return both;
}
Matrix vstack(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows() + B.rows(), A.cols());
  both << A, B;
  return both;
}

template <int D>
StaticLoads<D>::StaticLoads(const CompiledModel& model, double time)
    : model_(model),
      m_(std::get<Mechanism<D>>(model.mechanism)),
      netlist_(with_equations(model.hydraulics)),
      work_(inputs(model, time)),
      oil_(model, work_.hydraulics, StatesAt::rest),
      nv_(m_.tree.nv),
      np_(oil_.unknowns()),
      q_(model.q_start),
      y_(static_cast<std::size_t>(model.layout.ny)),
      still_(static_cast<std::size_t>(std::max(nv_, static_cast<int>(netlist_.actuators.size()))), 0.0),
      r_(static_cast<std::size_t>(nv_)),
      w_(Vector::Ones(nv_)),
      unit_(Vector::Ones(np_)),
      decided_(np_, 0),
      locked_(np_, 0) {
  for (int i = 0; i < nv_; ++i)
    if (!model.start[i].locked) moving_.push_back(i);
}

template <int D>
MachineState<D> StaticLoads<D>::inputs(const CompiledModel& model, double time) {
  MachineState<D> state(model);
  update_inputs(model, {model.signals, nullptr}, time, Side::right, state);
  return state;
}

template <int D>
Hydraulics StaticLoads<D>::with_equations(Hydraulics hydraulics) {
  for (QuasistaticCircuit& q : hydraulics.quasistatic) q.discrete = false;
  return hydraulics;
}

template <int D>
Vector StaticLoads<D>::loads(const Vector& p, const std::vector<double>* q) {
  const double* at = (q != nullptr ? *q : q_).data();
  update_rates<D, double>(m_, still_.data(), still_.data(), mech());
  inverse_dynamics<D, double>(m_, at, still_.data(), true, mech(), r_.data());
  Vector size(nv_);
  for (int k = 0; k < nv_; ++k) {
    const Motion<D>& b = mech().tree.dofs[k].b;
    const auto moved_mass = (mech().tree.nodes[m_.tree.dof_node[k]].I * b).linear;  // sum of m dr/dq
    size[k] = moved_mass.norm() * m_.tree.gravity.norm() + std::abs(r_[k] + moved_mass.dot(m_.tree.gravity));
  }
  const Vector pressure = kUnit * unit_.cwiseProduct(p);
  oil_.write(pressure.data(), y_.data());
  evaluate_forces(netlist_, mech().s.data(), still_.data(), y_.data(), work_.hydraulics);
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i) {
    const PortForces<>& port = work_.hydraulics.ports[i];
    work_.force[i] = port.force + port.friction;
    const Range& path = m_.ports[i].path;
    const Actuator& a = netlist_.actuators[i];
    if (a.A < 0) continue;
    const double parts =
        std::abs(work_.hydraulics.pressure[a.A]) * a.cylinder.area_A + std::abs(work_.hydraulics.pressure[a.B]) * a.cylinder.area_B;
    for (int k = path.begin; k < path.end; ++k) size[m_.paths[k].dof] += parts * std::abs(mech().dofs[k].gradient);
  }
  add_port_forces(m_, work_.force.data(), mech(), r_.data());
  load_ = std::max(load_, largest(size));
  scaled_load_ = std::max(scaled_load_, largest(size.cwiseQuotient(w_)));
  return Eigen::Map<const Vector>(r_.data(), nv_).cwiseQuotient(w_);
}

template <int D>
Matrix StaticLoads<D>::jacobian() {
  Matrix J = Matrix::Zero(m_.rows, nv_);
  for (const ConstraintGroup<D>& g : m_.constraints)
    for (int row = 0; row < g.rows.size(); ++row)
      for (int k = 0; k < g.path.size(); ++k) {
        const int dof = m_.paths[g.path.begin + k].dof;
        J(g.rows.begin + row, dof) += mech().jacobian[g.jacobian + row * g.path.size() + k] / w_[dof];
      }
  return J;
}

template <int D>
Matrix StaticLoads<D>::pressure_loads(const std::vector<HydrostaticGroups::Piston>& pistons, int groups) {
  Matrix A = Matrix::Zero(nv_, groups);
  for (const HydrostaticGroups::Piston& piston : pistons) {
    const Range& path = m_.ports[piston.port].path;
    for (int k = path.begin; k < path.end; ++k)
      A(m_.paths[k].dof, piston.group) += piston.area * mech().dofs[k].gradient / w_[m_.paths[k].dof];
  }
  return A;
}

template <int D>
Vector StaticLoads<D>::volumes() {
  Vector V = Vector::Zero(np_);
  for (const HydrostaticGroups::Piston& piston : oil_.pistons()) V[piston.group] += kUnit * piston.area * mech().s[piston.port];
  return V.cwiseProduct(unit_);
}

template <int D>
Matrix StaticLoads<D>::stiffness(const Vector& multipliers) {
  RowMajor T = RowMajor::Zero(nv_, nv_);
  DenseEntries entries{T.data(), nv_};
  const IncrementFactors rest;
  inverse_dynamics_tangent(m_, rest, mech(), entries);
  for (std::size_t i = 0; i < netlist_.actuators.size(); ++i)
    add_port_force_tangent(m_, m_.ports[i], mech().ports[i], mech().dofs.data() + m_.ports[i].path.begin, work_.force[i],
                           work_.hydraulics.force_s[i], 0, rest, mech().tree, entries);
  add_constraint_curvature(m_, multipliers.data(), mech(), entries);
  const Vector scale = w_.cwiseInverse();
  return scale.asDiagonal() * T * scale.asDiagonal();
}

template <int D>
Matrix StaticLoads<D>::columns(const Matrix& A) const {
  Matrix part(A.rows(), moving_.size());
  for (std::size_t i = 0; i < moving_.size(); ++i) part.col(static_cast<Eigen::Index>(i)) = A.col(moving_[i]);
  return part;
}

template <int D>
Vector StaticLoads<D>::entries(const Vector& x) const {
  Vector part(moving_.size());
  for (std::size_t i = 0; i < moving_.size(); ++i) part[static_cast<Eigen::Index>(i)] = x[moving_[i]];
  return part;
}

template <int D>
std::vector<double> StaticLoads<D>::moved(const std::vector<double>& q, const Vector& x) const {
  std::vector<double> theta(static_cast<std::size_t>(nv_), 0.0), next(q.size());
  for (std::size_t i = 0; i < moving_.size(); ++i) theta[moving_[i]] = x[static_cast<Eigen::Index>(i)] / w_[moving_[i]];
  advance_configuration<D, double>(m_.tree, q.data(), theta.data(), next.data());
  return next;
}

template <int D>
double StaticLoads<D>::size_of(const Vector& x) const {
  double size = 0;
  for (std::size_t i = 0; i < moving_.size(); ++i) size = std::max(size, std::abs(x[static_cast<Eigen::Index>(i)]) / w_[moving_[i]]);
  return size;
}

template <int D>
void StaticLoads<D>::set_scales() {
  RowMajor M = inertia();
  const double most = nv_ > 0 ? std::max(M.diagonal().maxCoeff(), 1e-12) : 1;
  for (int i = 0; i < nv_; ++i) w_[i] = std::sqrt(std::max(M(i, i), kLeastInertia * most));
  scaled_load_ = 0;
  loads(Vector::Zero(np_));
  const Matrix A = pressure_loads();
  for (int g = 0; g < np_; ++g)
    if (const double norm = A.col(g).norm(); norm > 0) unit_[g] = 1 / norm;
  volumes_start_ = volumes();
}

template <int D>
RowMajor StaticLoads<D>::inertia() {
  RowMajor M = RowMajor::Zero(nv_, nv_);
  DenseEntries entries{M.data(), nv_};
  mass_matrix(m_.tree, mech().tree, entries);
  return M;
}

template <int D>
Vector StaticLoads<D>::position_errors() {
  Vector c(m_.rows + locked_.cols());
  c << Eigen::Map<const Vector>(mech().Phi.data(), m_.rows), locked_.transpose() * (volumes() - volumes_start_);
  return c;
}

template <int D>
bool StaticLoads<D>::close(std::vector<double>& q) {
  for (int i = 0; i < kClosures; ++i) {
    place(q);
    const Vector c = position_errors();
    if (!c.allFinite()) return false;
    const Vector x = smallest(position_rows(), -c);
    const double size = size_of(x);
    if (!(size < 2 * kLargestStep)) return false;
    if (size > 0) q = moved(q, x);
    if (size < 1e-13 || (i > 3 && size < kSameStep)) break;
  }
  place(q);
  return largest(position_errors()) < kLargestViolation;
}

template <int D>
void StaticLoads<D>::choose_locked() {
  const Matrix Z = range_null_space(jacobian()).null, B = Z.transpose() * pressure_loads();
  const RangeNullSpace determined = np_ > 0 ? column_range_null_space(B) : RangeNullSpace{Matrix(0, 0), Matrix(0, 0)};
  std::vector<std::vector<double>> open;
  for (Eigen::Index i = 0; i < determined.null.cols(); ++i) {
    const Vector combination = determined.null.col(i);
    open.emplace_back(combination.begin(), combination.end());
  }
  oil_.report_open(open);
  Matrix locked(nv_ - static_cast<Eigen::Index>(moving_.size()), nv_);
  locked.setZero();
  for (int i = 0, row = 0; i < nv_; ++i)
    if (model_.start[i].locked) locked(row++, i) = 1;
  const Matrix Y = hold_directions(locked * Z);
  const RangeNullSpace decided = np_ > 0 ? column_range_null_space(Y.transpose() * B) : RangeNullSpace{Matrix(0, 0), Matrix(0, 0)};
  decided_ = decided.range;
  locked_ = decided.null;
}

template <int D>
Matrix StaticLoads<D>::hold_directions(const Matrix& rows) {
  if (rows.rows() == 0 || rows.cols() == 0) return Matrix(rows.cols(), 0);
  const RightSingular svd = right_singular(rows);
  return svd.V.leftCols((svd.values.array() > kRedundantRow).count());
}

template <int D>
RangeNullSpace StaticLoads<D>::column_range_null_space(const Matrix& B) {
  const Eigen::Index n = B.cols();
  if (B.rows() == 0) return {Matrix(n, 0), Matrix::Identity(n, n)};
  const RightSingular svd = right_singular(B);
  const Eigen::Index rank = (svd.values.array() > kRedundantRow).count();
  return {svd.V.leftCols(rank), svd.V.rightCols(n - rank)};
}

template class StaticLoads<2>;
template class StaticLoads<3>;

}  // namespace trunnion::rest
