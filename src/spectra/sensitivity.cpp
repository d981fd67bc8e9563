// Derivatives of eigenvalues with respect to a parameter by extrapolated central differences.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/sensitivity.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kFirstStep = 0.05;  // of |p|: large against rounding, small enough to extrapolate
constexpr double kRatio = 1.6;       // of consecutive steps
constexpr int kRows = 8;             // of the extrapolation table
constexpr std::size_t kAgree = 8;    // best entries of the table whose differences estimate the error
constexpr double kSafety = 3;        // factor on that estimate
constexpr double kShrink = 0.25;     // of the first step, if a point has no linear model
constexpr int kMostShrinks = 8;
constexpr double kSettled = 1e-4;                                 // of the derivative: maximum error, and maximum kink
constexpr double kNoEffect = 1e-9;                                // of lambda, over the first step: a smaller effect need not converge
constexpr double kVisible = 1e-3;                                 // change of A that determines the first step where p = 0
constexpr double kSmallest = 1e-8, kLargest = 1e8, kGrowth = 10;  // steps tried for that, in units of p

/// A on both sides of p.
struct Beside {
  Eigen::MatrixXd above, below;
  Eigen::MatrixXd slope;  // (A(p + h) - A(p - h)) / (2 h)
  Eigen::MatrixXd bend;   // (A(p + h) + A(p - h) - 2 A(p)) / (2 h): half the difference of the one-sided slopes
};

class Differences {
 public:
  Differences(const LinearModel& linear, double p, const LinearModelAt& at) : linear_(linear), p_(p), at_(at) {}

  /// Empty where there is no linear model, or one with other states.
  const std::optional<Beside>& operator()(double h) {
    if (h == step_) return last_;
    step_ = h;
    last_.reset();
    // the actual distance of the points, not the requested one
    const double above = p_ + h, below = p_ - h;
    auto A1 = matrix(above), A0 = A1 ? matrix(below) : std::nullopt;
    if (A0) last_ = {*A1, *A0, (*A1 - *A0) / (above - below), ((*A1 - linear_.A) + (*A0 - linear_.A)) / (above - below)};
    return last_;
  }
  /// Why no model exists.
  const std::string& trouble() const { return trouble_; }

 private:
  std::optional<Eigen::MatrixXd> matrix(double p) {
    try {
      LinearModel moved = at_(p);
      const auto same = [](const LinearVariable& a, const LinearVariable& b) { return a.name == b.name; };
      if (!std::equal(moved.states.begin(), moved.states.end(), linear_.states.begin(), linear_.states.end(), same))
        trouble_ = "other coordinates are independent at a neighbouring value";
      else if (!moved.A.allFinite())
        trouble_ = "the linear model is not finite at a neighbouring value";
      else
        return std::move(moved.A);
    } catch (const Error& error) { trouble_ = error.what(); }
    return std::nullopt;
  }

  const LinearModel& linear_;
  double p_;
  const LinearModelAt& at_;
  double step_ = 0;
  std::optional<Beside> last_;
  std::string trouble_;
};

/// The largest |w_i dA_ij v_j| of all eigenvalues relative to |lambda|: independent of units, and not zero by cancellation.
double effect(const Spectrum& spectrum, const Eigen::MatrixXd& dA) {
  double fastest = 0, largest = 0;
  for (const Eigenvalue& e : spectrum.eigenvalues) {
    fastest = std::max(fastest, std::abs(e.value));
    largest = std::max(largest, (e.left.cwiseAbs().transpose() * dA.cwiseAbs() * e.right.cwiseAbs()).value());
  }
  return fastest > 0 ? largest / fastest : largest;
}

/// The first step: of the size of p, or where p = 0 one with a visible effect on A. Zero: none; `differences` gives the reason.
double first_step(const Spectrum& spectrum, double p, Differences& differences) {
  if (p != 0) {
    double h = kFirstStep * std::abs(p);
    for (int i = 0; i < kMostShrinks; ++i, h *= kShrink)
      if (differences(h)) return h;
    return 0;
  }
  double found = 0;
  for (double h = kSmallest; h <= kLargest; h *= kGrowth) {
    const auto& beside = differences(h);
    if (!beside) break;
    found = h;
    if (2 * h * std::max(effect(spectrum, beside->slope), effect(spectrum, beside->bend)) > kVisible) break;
  }
  return found;
}

/// Extrapolation of one number to step zero; its error has terms of the powers first, first + 2, ... of the step.
class Extrapolation {
 public:
  explicit Extrapolation(int first) : first_factor_(std::pow(kRatio, first)) {}

  /// The value of the next step, and its rounding error.
  void add(Complex value, double rounding) {
    std::vector<Complex> row{value};
    double factor = first_factor_;
    for (std::size_t k = 1; k <= last_.size(); ++k, factor *= kRatio * kRatio) {
      row.push_back((row[k - 1] * factor - last_[k - 1]) / (factor - 1));
      const double error = std::max(std::abs(row[k] - row[k - 1]), std::abs(row[k] - last_[k - 1]));
      entries_.push_back({row[k], rounding, error + rounding});
    }
    last_ = std::move(row);
  }
  /// The entry with the smallest error estimate; its error from the distance to the next best ones, since one entry may agree with its
  /// neighbours by chance.
  void finish() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.error < b.error; });
    value_ = entries_.front().value;
    error_ = entries_.front().error;
    for (std::size_t i = 0; i < std::min(kAgree, entries_.size()); ++i)
      error_ = std::max(error_, std::abs(entries_[i].value - value_) + entries_[i].rounding);
    error_ *= kSafety;
  }
  Complex value() const { return value_; }
  double error() const { return error_; }

 private:
  struct Entry {
    Complex value;
    double rounding, error;
  };
  double first_factor_;
  std::vector<Complex> last_;
  std::vector<Entry> entries_;
  Complex value_;
  double error_ = 0;
};

/// The eigenvalue with its vectors to the precision of A: the QR algorithm has rounding errors of the largest entries, which matter for
/// slow modes in stiff systems. Two steps of inverse iteration from both sides in extended precision,
///   (A - lambda I) x + v mu = 0,  w^H x = 1;   (A - lambda I)^H y + w nu = 0,  v^H y = 1;   lambda <- lambda - mu
/// each of which squares the error. Empty if they converge to another eigenvalue.
std::optional<Eigenvalue> refined(const Eigenvalue& e, const Eigen::MatrixXd& A) {
  using Wide = std::complex<long double>;
  using WideVector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;
  using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index n = A.rows();
  WideMatrix K = WideMatrix::Zero(n + 1, n + 1);
  K.topLeftCorner(n, n) = A.cast<Wide>();
  const WideVector unit = WideVector::Unit(n + 1, n);
  WideVector v = e.right.cast<Wide>(), w = e.left.cast<Wide>();
  Wide lambda = e.value;
  for (int i = 0; i < 2; ++i) {
    K.diagonal().head(n) = A.diagonal().cast<Wide>().array() - lambda;
    K.topRightCorner(n, 1) = v;
    K.bottomLeftCorner(1, n) = w.adjoint();
    const Eigen::PartialPivLU<WideMatrix> lu(K);
    const WideVector x = lu.solve(unit), y = lu.adjoint().solve(unit);
    lambda -= x[n];
    v = x.head(n);
    w = y.head(n) / std::conj(Wide(y.head(n).dot(v)));
  }
  Eigenvalue out = e;
  out.value = Complex(lambda);
  out.right = v.cast<Complex>();
  out.left = w.cast<Complex>();
  if (!(std::abs(out.value - e.value) <= e.error) || !out.right.allFinite() || !out.left.allFinite()) return std::nullopt;
  return out;
}

/// Effect of roundings of A, a relative epsilon in every entry, on w^H dA v through w and v:
///   sum_j (|w^H dA v_j| |w_j^H E v| + |w^H E v_j| |w_j^H dA v|) / |lambda - lambda_j|,   |E| = epsilon |A|
std::vector<double> vector_errors(const std::vector<Eigenvalue>& eigenvalues, const Eigen::MatrixXd& A, const Eigen::MatrixXd& dA) {
  const Eigen::Index n = A.rows();
  Eigen::MatrixXcd V(n, n), W(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    V.col(j) = eigenvalues[static_cast<std::size_t>(j)].right;
    W.col(j) = eigenvalues[static_cast<std::size_t>(j)].left;
  }
  const Eigen::MatrixXd change = (W.adjoint() * dA * V).cwiseAbs(),
                        rounding = kEpsilon * (W.cwiseAbs().transpose() * A.cwiseAbs() * V.cwiseAbs());
  std::vector<double> errors(eigenvalues.size(), 0.0);
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index j = 0; j < n; ++j) {
      const double mixed = change(k, j) * rounding(j, k) + rounding(k, j) * change(j, k);
      const double distance = std::abs(eigenvalues[static_cast<std::size_t>(k)].value - eigenvalues[static_cast<std::size_t>(j)].value);
      if (j != k && mixed > 0) errors[static_cast<std::size_t>(k)] += mixed / distance;
    }
  return errors;
}

std::size_t null_count(const Spectrum& spectrum) {
  return static_cast<std::size_t>(
      std::count_if(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(), [](const Eigenvalue& e) { return e.chain > 0; }));
}

}  // namespace

Sensitivity eigenvalue_sensitivity(const LinearModel& linear, const Spectrum& spectrum, double p, const LinearModelAt& at) {
  Sensitivity result;
  result.value = p;
  Differences differences(linear, p, at);
  result.step = first_step(spectrum, p, differences);
  if (result.step == 0) {
    result.refusal = "it cannot be varied to both sides: " + differences.trouble();
    return result;
  }
  std::vector<Eigenvalue> eigenvalues = spectrum.eigenvalues;
  for (Eigenvalue& e : eigenvalues)
    if (e.chain == 0 && e.simple) {
      if (auto better = refined(e, linear.A))
        e = std::move(*better);
      else
        e.simple = false;
    }
  const std::size_t nulls = null_count(spectrum);
  bool stay_null = true;
  std::vector<double> by_vectors;
  std::vector<Extrapolation> slopes(eigenvalues.size(), Extrapolation(2)), bends(eigenvalues.size(), Extrapolation(1));
  double h = result.step;
  for (int i = 0; i < kRows; ++i, h /= kRatio) {
    const auto& beside = differences(h);
    if (!beside) {  // a gap between two points that have models
      result.refusal = "it cannot be varied freely: " + differences.trouble();
      return result;
    }
    // null eigenvalues are differentiated only if their reasons also hold at neighbouring values
    if (i == 0 && nulls > 0)
      for (const Eigen::MatrixXd* A : {&beside->above, &beside->below})
        stay_null = stay_null && null_count(trunnion::spectrum(*A, linear.states)) == nulls;
    // entries of A that do not depend on p contribute no rounding errors
    const Eigen::MatrixXd moved = (beside->slope.array() != 0 || beside->bend.array() != 0).select(linear.A.cwiseAbs(), 0);
    for (std::size_t k = 0; k < eigenvalues.size(); ++k) {
      const Eigenvalue& e = eigenvalues[k];
      const auto slope = eigenvalue_change(e, beside->slope), bend = eigenvalue_change(e, beside->bend);
      if (!slope || !bend) continue;
      const double rounding = kEpsilon / h * (e.left.cwiseAbs().transpose() * moved * e.right.cwiseAbs()).value();
      slopes[k].add(*slope, rounding);
      bends[k].add(*bend, rounding);
    }
    if (i + 1 == kRows) by_vectors = vector_errors(eigenvalues, linear.A, beside->slope);
  }
  for (std::size_t k = 0; k < eigenvalues.size(); ++k) {
    const Eigenvalue& e = eigenvalues[k];
    EigenvalueSensitivity s;
    if (e.chain > 0) {
      if (!stay_null) s.refusal = "it is zero here but not at neighbouring values";
    } else if (!e.simple) {
      s.refusal = "it is multiple, or too close to another to be separated";
    } else {
      slopes[k].finish();
      bends[k].finish();
      s.derivative = slopes[k].value();
      const double kink = std::abs(bends[k].value());
      s.error = std::max(slopes[k].error(), kink - bends[k].error()) + by_vectors[k];
      const double small = std::max(kSettled * std::abs(s.derivative), kNoEffect * std::abs(e.value) / result.step);
      if (!(kink <= small))
        s.refusal = "the model is not smooth in this parameter: its one-sided derivatives differ";
      else if (!(s.error <= small))
        s.refusal = "the differences do not converge: the model is not smooth in this parameter, or not accurate enough";
      s.relative = p * s.derivative / e.value;
    }
    if (!s.refusal.empty()) s.derivative = s.relative = s.error = 0;
    result.of.push_back(s);
  }
  return result;
}

}  // namespace trunnion
