// Eigenvalues of a linear model by null-space deflation and the QR algorithm.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/spectrum.h"

#include <fmt/format.h>
#include "external/lapacke.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/diagnostic.h"

namespace trunnion {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kPressureSize = 131072;    // [Pa] equivalent of 1 rad or 1 m: the ratio of their tolerances, 1e5, as a power of two
constexpr double kNegligibleEntry = 1e-13;  // entries below this fraction of their row, both scaled, are rounding of the row's large terms
constexpr double kSlowest = 1e-12;          // [1/s] as are entries below this in any row
constexpr double kZeroPivot = 1e-12;        // pivots below this are zero; rows have size 1
constexpr double kRoundings = 100;          // rounding errors that A and the QR algorithm may contain
constexpr double kPositionPart = 1e-6;      // minimum component of a position in a null vector to represent it,
constexpr double kPart = 0.01;              // and of any other state
constexpr double kAbsent = 1e-11;           // of the largest component of a null vector: below it a state does not participate

bool is_pressure(const LinearVariable& state) { return state.unit == "Pa"; }

bool is_position(const LinearVariable& state) { return (state.unit == "rad" || state.unit == "m") && !state.name.ends_with(".bristle"); }

VectorXd sizes_of(Index n, const std::vector<LinearVariable>& states) {
  VectorXd sizes = VectorXd::Ones(n);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (is_pressure(states[i])) sizes[static_cast<Index>(i)] = kPressureSize;
  return sizes;
}

/// S^-1 A S with scaling S; if the scaling is known, without entries that are only rounding.
MatrixXd in_sizes(const MatrixXd& A, const VectorXd& sizes, bool known) {
  MatrixXd B = sizes.cwiseInverse().asDiagonal() * A * sizes.asDiagonal();
  if (!known) return B;
  for (Index i = 0; i < B.rows(); ++i) {
    const double noise = std::max(kNegligibleEntry * B.row(i).cwiseAbs().maxCoeff(), kSlowest);
    for (Index j = 0; j < B.cols(); ++j)
      if (std::abs(B(i, j)) <= noise) B(i, j) = 0;
  }
  return B;
}

/// Appends columns.
void append(MatrixXd& to, const MatrixXd& columns) {
  const Index old = to.cols();
  to.conservativeResize(columns.rows(), old + columns.cols());
  to.rightCols(columns.cols()) = columns;
}

/// The balanced states x = V_z z + V_y y in coordinates z = W_z^T x, y = W_y^T x that deflate the null eigenvalues:
///   z' = N z with N nilpotent,   y' = B y with B regular;   z' = N z + G y at intermediate steps
struct Staircase {
  MatrixXd V_z, W_z, V_y, W_y, N, G, B;
  std::vector<int> step;  // of each z, from 1
  int steps = 0;

  explicit Staircase(MatrixXd A) : B(std::move(A)) {
    const Index n = B.rows();
    V_y = W_y = MatrixXd::Identity(n, n);
    V_z = W_z = MatrixXd::Zero(n, 0);
    N = MatrixXd::Zero(0, 0);
    G = MatrixXd::Zero(0, n);
    VectorXd row_size = VectorXd::Zero(n);  // of each row of B before cancellation
    if (n > 0) row_size = B.cwiseAbs().rowwise().maxCoeff();
    while (deflate(row_size)) ++steps;
    decouple();
  }

  /// Moves the null space of B into z; false if it is empty.
  bool deflate(VectorXd& row_size) {
    const Index k = B.rows();
    if (k == 0) return false;
    const VectorXd weight = row_size.unaryExpr([](double size) { return size > 0 ? 1 / size : 0; });
    const Eigen::FullPivLU<MatrixXd> lu(weight.asDiagonal() * B);
    Index rank = 0;
    while (rank < k && std::abs(lu.matrixLU()(rank, rank)) > kZeroPivot) ++rank;
    if (rank == k) return false;

    // null vectors: any x_f, and x_d = X x_f
    Eigen::RowVectorXi order = Eigen::RowVectorXi::LinSpaced(static_cast<int>(k), 0, static_cast<int>(k) - 1);
    order = order * lu.permutationQ();
    const std::vector<int> d(order.data(), order.data() + rank), f(order.data() + rank, order.data() + k);
    const auto free = static_cast<Index>(f.size());
    const MatrixXd X =
        -lu.matrixLU().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(lu.matrixLU().topRightCorner(rank, free));

    const MatrixXd B_fd = B(f, d);
    const MatrixXd B_dd = B(d, d) - X * B_fd;
    const VectorXd size_d = row_size(d) + X.cwiseAbs() * row_size(f);
    const Index old = N.rows();
    MatrixXd N_new = MatrixXd::Zero(old + free, old + free), G_new(old + free, rank);
    N_new.topLeftCorner(old, old) = N;
    N_new.topRightCorner(old, free) = G(Eigen::all, f) + G(Eigen::all, d) * X;
    G_new.topRows(old) = G(Eigen::all, d);
    G_new.bottomRows(free) = B_fd;
    append(V_z, V_y(Eigen::all, f) + V_y(Eigen::all, d) * X);
    append(W_z, W_y(Eigen::all, f));
    const MatrixXd V_d = V_y(Eigen::all, d), W_d = W_y(Eigen::all, d) - W_y(Eigen::all, f) * X.transpose();
    V_y = V_d;
    W_y = W_d;
    N = N_new;
    G = G_new;
    B = B_dd;
    row_size = size_d;
    step.insert(step.end(), f.size(), steps + 1);
    return true;
  }

  /// Eliminates P y from z, with P B - N P = -G: then z' = N z, and the two parts are decoupled.
  void decouple() {
    if (N.rows() == 0 || B.rows() == 0) return;
    const Eigen::PartialPivLU<MatrixXd> lu(B.transpose());
    MatrixXd term = -lu.solve(G.transpose()).transpose();
    MatrixXd P = term;
    for (int k = 1; k < steps; ++k) {
      term = N * MatrixXd(lu.solve(term.transpose()).transpose());
      P += term;
    }
    W_z += W_y * P.transpose();
    V_y -= V_z * P;
    G.setZero();
  }
};

/// The null vectors V (columns) one step after the other, and their duals W, transformed to few states each.
class Echelon {
 public:
  Echelon(MatrixXd V, MatrixXd W, const std::vector<int>& step, const std::vector<bool>& position)
      : V_(std::move(V)), W_(std::move(W)), position_(position), state_(static_cast<std::size_t>(V_.cols()), -1) {
    const Index m = V_.cols();
    for (Index begin = 0, end = 0; begin < m; begin = end) {
      while (end < m && step[static_cast<std::size_t>(end)] == step[static_cast<std::size_t>(begin)]) ++end;
      for (Index j = begin; j < end; ++j)
        for (Index i = 0; i < begin; ++i) subtract(j, V_(state(i), j), i);
      for (Index done = begin; done < end; ++done) {
        const auto [row, column] = choose(begin, end);
        state_[static_cast<std::size_t>(column)] = row;
        W_.col(column) *= V_(row, column);
        V_.col(column) /= double(V_(row, column));
        for (Index j = begin; j < end; ++j)
          if (j != column) subtract(j, V_(row, j), column);
      }
    }
    for (Index j = 0; j < m; ++j) drop_rounding(j);
  }

  const MatrixXd& V() const { return V_; }
  const MatrixXd& W() const { return W_; }
  /// Position where column j is 1 and the others of its step and of later steps are 0; positions preferred to other states.
  Index state(Index j) const { return state_[static_cast<std::size_t>(j)]; }

 private:
  struct Place {
    Index row = 0, column = 0;
    double part = 0;  // of the largest in its column
  };

  void subtract(Index from, double times, Index what) {
    if (times == 0) return;
    const double absent = kAbsent * V_.col(from).cwiseAbs().maxCoeff();
    V_.col(from) -= times * V_.col(what);
    W_.col(what) += times * W_.col(from);
    drop_rounding(from, absent);
  }

  void drop_rounding(Index j, double absent = 0) {
    absent = std::max(absent, kAbsent * V_.col(j).cwiseAbs().maxCoeff());
    for (Index i = 0; i < V_.rows(); ++i)
      if (std::abs(V_(i, j)) <= absent) V_(i, j) = 0;
  }

  /// Entries that the columns have after elimination with this one.
  long entries(const Place& place, Index begin, Index end) const {
    long count = 0;
    for (Index j = begin; j < end; ++j) {
      const double times = j == place.column ? 0 : V_(place.row, j) / V_(place.row, place.column);
      const double absent = kAbsent * V_.col(j).cwiseAbs().maxCoeff();
      for (Index i = 0; i < V_.rows(); ++i) count += std::abs(V_(i, j) - times * V_(i, place.column)) > absent ? 1 : 0;
    }
    return count;
  }

  std::pair<Index, Index> choose(Index begin, Index end) const {
    constexpr std::size_t kCandidates = 16;
    std::vector<Place> places;
    const VectorXd largest = V_.cwiseAbs().colwise().maxCoeff();
    for (const bool wanted : {true, false}) {
      for (Index i = 0; i < V_.rows(); ++i) {
        if (wanted && !position_[static_cast<std::size_t>(i)]) continue;
        Place place{i, -1, wanted ? kPositionPart : kPart};
        for (Index j = begin; j < end; ++j)
          if (state(j) < 0 && std::abs(V_(i, j)) >= place.part * largest[j]) place = {i, j, std::abs(V_(i, j)) / largest[j]};
        if (place.column >= 0) places.push_back(place);
      }
      if (!places.empty()) break;
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.part > b.part; });
    places.resize(std::min(places.size(), kCandidates));
    const Place* best = nullptr;
    long fewest = std::numeric_limits<long>::max();
    for (const Place& place : places) {
      const long count = entries(place, begin, end);
      if (count > fewest || (count == fewest && place.part < best->part * (1 - 1e-6))) continue;
      if (count == fewest && place.row > best->row) continue;  // ties: the first one, independent of rounding
      best = &place;
      fewest = count;
    }
    return {best->row, best->column};
  }

  MatrixXd V_, W_;
  const std::vector<bool>& position_;
  std::vector<Index> state_;
};

void describe(Eigenvalue& e) {
  const double size = std::abs(e.value);
  e.frequency_hz = std::abs(e.value.imag()) / (2 * M_PI);
  if (size > 0) e.damping_ratio = -e.value.real() / size;
  if (e.value.real() != 0) e.time_constant = 1 / std::abs(e.value.real());
}

void set_participation(Eigenvalue& e) {
  e.participation = e.left.cwiseAbs().cwiseProduct(e.right.cwiseAbs());
  const double largest = e.participation.maxCoeff();
  if (largest > 0) e.participation /= largest;
}

/// Scales v to 1 at the most participating state, and w so that w^H v = 1 where they are not orthogonal.
void normalise(Eigenvalue& e) {
  set_participation(e);
  Index first = 0;
  while (e.participation[first] < 1 - 1e-6) ++first;  // ties: the first one, independent of rounding
  e.right /= Complex(e.right[first]);
  const Complex product = e.left.dot(e.right);
  const double sum = e.left.cwiseAbs().dot(e.right.cwiseAbs());
  e.left /= std::abs(product) > kEpsilon * sum ? std::conj(product) : Complex(sum);
}

/// The eigenvalues that are not null. `scale`: original states are scale times the balanced ones.
void add_regular(const Staircase& staircase, const VectorXd& scale, std::vector<Eigenvalue>& all) {
  const auto n = static_cast<lapack_int>(staircase.B.rows());
  if (n == 0) return;
  MatrixXd B = staircase.B, left(n, n), right(n, n);
  VectorXd re(n), im(n), balancing(n), cosine(n), separation(n);
  lapack_int first = 0, last = 0;
  double norm = 0;
  const lapack_int failed = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'E', n, B.data(), n, re.data(), im.data(), left.data(), n,
                                           right.data(), n, &first, &last, balancing.data(), &norm, cosine.data(), separation.data());
  if (failed != 0) throw Error(fmt::format("eigenvalues of a matrix of {} rows: the QR algorithm does not converge", n));
  for (Index j = 0; j < n; ++j) {
    Eigenvalue e;
    e.value = {re[j], im[j]};
    e.condition = 1 / std::max(cosine[j], kEpsilon);
    const double rounding = kRoundings * kEpsilon;
    e.error = std::max(norm * std::min(rounding * e.condition, std::cbrt(rounding)), rounding * std::abs(e.value));
    VectorXcd u = right.col(j).cast<Complex>(), l = left.col(j).cast<Complex>();
    if (im[j] != 0) {  // the first of a pair; the second follows
      u += Complex(0, 1) * right.col(j + 1);
      l += Complex(0, 1) * left.col(j + 1);
    }
    e.right = staircase.V_y * u;
    e.left = staircase.W_y * l;
    e.right.array() *= scale.array();
    e.left.array() /= scale.array();
    describe(e);
    normalise(e);
    all.push_back(e);
    if (im[j] == 0) continue;
    e.value = std::conj(e.value);
    e.right = e.right.conjugate().eval();
    e.left = e.left.conjugate().eval();
    all.push_back(std::move(e));
    ++j;
  }
}

/// The null eigenvalues.
void add_null(const Staircase& staircase, const VectorXd& sizes, const VectorXd& balancing, const std::vector<bool>& position,
              std::vector<Eigenvalue>& all) {
  const Echelon echelon(balancing.asDiagonal() * staircase.V_z, balancing.cwiseInverse().asDiagonal() * staircase.W_z, staircase.step,
                        position);
  const MatrixXd &V = echelon.V(), &W = echelon.W();
  std::vector<Index> order(static_cast<std::size_t>(V.cols()));  // within a step ordered by their states, independent of the pivots
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const int step_a = staircase.step[static_cast<std::size_t>(a)], step_b = staircase.step[static_cast<std::size_t>(b)];
    return step_a != step_b ? step_a < step_b : echelon.state(a) < echelon.state(b);
  });
  for (const Index j : order) {
    Eigenvalue e;
    e.chain = staircase.step[static_cast<std::size_t>(j)];
    e.simple = V.cols() == 1;
    e.condition = (W.col(j).cwiseProduct(balancing)).norm() * (V.col(j).cwiseQuotient(balancing)).norm();
    const double own = sizes[echelon.state(j)];
    e.right = (V.col(j).cwiseProduct(sizes) / own).cast<Complex>();
    e.left = (W.col(j).cwiseQuotient(sizes) * own).cast<Complex>();
    describe(e);
    set_participation(e);
    all.push_back(std::move(e));
  }
}

void find_multiple(std::vector<Eigenvalue>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(all[i].value - all[j].value) <= all[i].error + all[j].error) all[i].simple = all[j].simple = false;
}

std::string counted(std::size_t n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

std::string stability_text(const LinearStability& s, const std::vector<Eigenvalue>& all) {
  const int nulls = std::accumulate(s.null_chains.begin(), s.null_chains.end(), 0);
  std::string null_text = counted(static_cast<std::size_t>(nulls), "null eigenvalue", "null eigenvalues");
  if (nulls > 0 && s.null_chains.front() > 1)
    null_text += fmt::format(", the longest chain {}: a disturbance grows with time", s.null_chains.front());
  switch (s.verdict) {
    case Verdict::asymptotically_stable:
      return "asymptotically stable";
    case Verdict::stable_but_null:
      return "stable except for " + null_text;
    case Verdict::drifting:
      return "drifting: " + null_text;
    case Verdict::undamped:
      return "undamped: " + counted(s.undamped.size(), "eigenvalue", "eigenvalues") + " on the imaginary axis within the error" +
             (nulls > 0 ? "; " + null_text : "");
    case Verdict::unstable:
      return fmt::format("unstable: {} with positive real part, the largest {:.6g}/s",
                         counted(s.unstable.size(), "eigenvalue", "eigenvalues"),
                         all[static_cast<std::size_t>(s.unstable.front())].value.real()) +
             (nulls > 0 ? "; " + null_text : "");
  }
  return "";
}

}  // namespace

LinearStability judge(const std::vector<Eigenvalue>& all) {
  LinearStability s;
  std::vector<std::size_t> of_step;  // null eigenvalues of each step: the number of chains of at least that length
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Eigenvalue& e = all[i];
    if (e.chain > 0) {
      of_step.resize(std::max(of_step.size(), static_cast<std::size_t>(e.chain)));
      ++of_step[static_cast<std::size_t>(e.chain) - 1];
    } else if (e.value.real() > e.error) {
      s.unstable.push_back(static_cast<int>(i));
    } else if (e.value.real() >= -e.error) {
      s.undamped.push_back(static_cast<int>(i));
    }
  }
  if (!of_step.empty()) s.null_chains.assign(of_step.front(), 0);
  for (const std::size_t count : of_step)
    for (std::size_t i = 0; i < count; ++i) ++s.null_chains[i];
  s.verdict = !s.unstable.empty()     ? Verdict::unstable
              : !s.undamped.empty()   ? Verdict::undamped
              : s.null_chains.empty() ? Verdict::asymptotically_stable
              : s.null_chains[0] == 1 ? Verdict::stable_but_null
                                      : Verdict::drifting;
  s.text = stability_text(s, all);
  return s;
}

namespace {

/// `a`, `a and b`, `a, b and 3 others`.
std::string names(const std::vector<int>& which, const std::vector<LinearVariable>& states, std::size_t from = 0) {
  constexpr std::size_t kMost = 6;
  const std::size_t n = which.size() - from, shown = n > kMost ? kMost - 1 : n;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == shown && shown == n ? " and " : ", ";
    text += states[static_cast<std::size_t>(which[from + i])].name;
  }
  return shown == n ? text : fmt::format("{} and {} others", text, n - shown);
}

/// Why rates do not change along v, an eigenvector.
void explain_direction(NullExplanation& e, const std::vector<LinearVariable>& states) {
  std::vector<int> oil, rest;
  for (const int i : e.states) (is_pressure(states[static_cast<std::size_t>(i)]) ? oil : rest).push_back(i);
  if (e.states.size() == 1) {
    const LinearVariable& state = states[static_cast<std::size_t>(e.states[0])];
    e.kind = NullKind::cyclic;
    e.text = (is_position(state) ? "cyclic: nothing depends on " : "nothing depends on ") + state.name;
  } else if (!oil.empty() && !rest.empty()) {
    e.kind = NullKind::trapped_oil;
    e.text = fmt::format("trapped oil: {} {} with {} without changing the rates", names(oil, states), oil.size() == 1 ? "moves" : "move",
                         names(rest, states));
  } else {
    e.kind = oil.empty() ? NullKind::neutral : NullKind::trapped_oil;
    e.text =
        fmt::format("{}: {} move together without changing the rates", oil.empty() ? "neutral" : "trapped oil", names(e.states, states));
  }
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::asymptotically_stable:
      return "asymptotically_stable";
    case Verdict::stable_but_null:
      return "stable_but_null";
    case Verdict::drifting:
      return "drifting";
    case Verdict::undamped:
      return "undamped";
    case Verdict::unstable:
      return "unstable";
  }
  return "";
}

const char* name_of(NullKind kind) {
  switch (kind) {
    case NullKind::cyclic:
      return "cyclic";
    case NullKind::trapped_oil:
      return "trapped_oil";
    case NullKind::neutral:
      return "neutral";
    case NullKind::drift:
      return "drift";
  }
  return "";
}

Spectrum spectrum(const MatrixXd& A, const std::vector<LinearVariable>& states) {
  const Index n = A.rows();
  if (A.cols() != n || (!states.empty() && static_cast<Index>(states.size()) != n))
    throw Error(fmt::format("eigenvalues need a square matrix and as many states, not {} x {} and {}", n, A.cols(), states.size()));
  if (!A.allFinite()) throw Error("eigenvalues: the matrix has non-finite entries");
  Spectrum out;
  if (n > 0) {
    const VectorXd sizes = sizes_of(n, states);
    MatrixXd B = in_sizes(A, sizes, !states.empty());
    const VectorXd balancing = balance(B);
    Staircase staircase(std::move(B));
    std::vector<bool> position(static_cast<std::size_t>(n), false);
    std::transform(states.begin(), states.end(), position.begin(), is_position);
    add_null(staircase, sizes, balancing, position, out.eigenvalues);
    add_regular(staircase, sizes.cwiseProduct(balancing), out.eigenvalues);
    find_multiple(out.eigenvalues);
    std::stable_sort(out.eigenvalues.begin(), out.eigenvalues.end(), [](const Eigenvalue& a, const Eigenvalue& b) {
      if (a.value.real() != b.value.real()) return a.value.real() > b.value.real();
      if (std::abs(a.value.imag()) != std::abs(b.value.imag())) return std::abs(a.value.imag()) < std::abs(b.value.imag());
      return a.value.imag() > b.value.imag();
    });
  }
  out.stability = judge(out.eigenvalues);
  return out;
}

std::optional<Complex> eigenvalue_change(const Eigenvalue& eigenvalue, const MatrixXd& dA) {
  if (!eigenvalue.simple) return std::nullopt;
  return eigenvalue.left.dot(dA * eigenvalue.right);
}

std::vector<NullExplanation> explain_null(const Spectrum& spectrum, const MatrixXd& A, const std::vector<LinearVariable>& states) {
  const VectorXd sizes = sizes_of(A.rows(), states);
  const MatrixXd B = in_sizes(A, sizes, true);
  std::vector<NullExplanation> out;
  for (std::size_t k = 0; k < spectrum.eigenvalues.size(); ++k) {
    const Eigenvalue& eigenvalue = spectrum.eigenvalues[k];
    if (eigenvalue.chain == 0) continue;
    NullExplanation e;
    e.eigenvalue = static_cast<int>(k);
    const VectorXd v = eigenvalue.right.real();
    for (Index i = 0; i < v.size(); ++i)
      if (v[i] != 0) e.states.push_back(static_cast<int>(i));
    // the state that is 1 in its own unit represents the vector: it is absent from all other null vectors of the same step
    const auto stands = std::find_if(e.states.begin(), e.states.end(), [&](int i) {
      return v[i] == 1 && std::none_of(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(), [&](const Eigenvalue& other) {
               return &other != &eigenvalue && other.chain == eigenvalue.chain && other.right[i] != 0.0;
             });
    });
    if (stands != e.states.end()) std::rotate(e.states.begin(), stands, stands + 1);
    if (eigenvalue.chain == 1) {
      explain_direction(e, states);
    } else {
      const VectorXd x = v.cwiseQuotient(sizes), rate = B * x, most = B.cwiseAbs() * x.cwiseAbs();
      for (Index i = 0; i < rate.size(); ++i)
        if (std::abs(rate[i]) > kAbsent * most[i]) e.drifting.push_back(static_cast<int>(i));
      e.kind = NullKind::drift;
      e.text = fmt::format("drift: {} {} constant and {} {} with time", names(e.states, states), e.states.size() == 1 ? "stays" : "stay",
                           names(e.drifting, states), e.drifting.size() == 1 ? "grows" : "grow");
    }
    out.push_back(std::move(e));
  }
  return out;
}

Eigen::VectorXd balance(Eigen::MatrixXd& B) {
  const auto n = static_cast<lapack_int>(B.rows());
  VectorXd scale = VectorXd::Ones(n);
  if (n == 0) return scale;
  lapack_int first = 0, last = 0;
  LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, B.data(), n, &first, &last, scale.data());
  return scale;
}

}  // namespace trunnion
