// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

using Complex = std::complex<double>;

constexpr double kFirstStep = 0.05;  // of |p|: far enough for rounding to fall behind, near enough to extrapolate from
constexpr double kRatio = 1.6;       // of consecutive steps
constexpr int kRows = 8;             // of the table
constexpr double kShrink = 0.25;     // of the first step, where a point of it has no linear model
constexpr int kMostShrinks = 8;
constexpr double kSettled = 1e-4;                                 // of the derivative: its largest error
constexpr double kNoEffect = 1e-9;                                // of lambda, over the first step: a smaller effect need not settle
constexpr double kVisible = 1e-3;                                 // change of A by which the first step is found where p = 0
constexpr double kSmallest = 1e-8, kLargest = 1e8, kGrowth = 10;  // steps tried for that, in units of p

/// The change of A between p - h and p + h, divided by 2 h; none where there is no linear model, or on other states.
class Differences {
 public:
  Differences(const LinearModel& linear, double p, const LinearModelAt& at) : linear_(linear), p_(p), at_(at) {}

  std::optional<Eigen::MatrixXd> operator()(double h) {
    // the distance of the points as they are, not as wished
    const double above = p_ + h, below = p_ - h;
    const auto A1 = matrix(above), A0 = A1 ? matrix(below) : std::nullopt;
    if (!A0) return std::nullopt;
    return (*A1 - *A0) / (above - below);
  }
  std::optional<Eigen::MatrixXd> matrix(double p) {
    try {
      LinearModel moved = at_(p);
      const auto same = [](const LinearVariable& a, const LinearVariable& b) { return a.name == b.name; };
      if (std::equal(moved.states.begin(), moved.states.end(), linear_.states.begin(), linear_.states.end(), same))
        return std::move(moved.A);
      trouble_ = "other coordinates are independent beside it";
    } catch (const Error& error) { trouble_ = error.what(); }
    return std::nullopt;
  }
  /// Why the last matrix was not had.
  const std::string& trouble() const { return trouble_; }

 private:
  const LinearModel& linear_;
  double p_;
  const LinearModelAt& at_;
  std::string trouble_;
};

/// The largest |w_i dA_ij v_j| of all eigenvalues, against |lambda|: independent of units, and not zero by cancellation alone.
double effect(const Spectrum& spectrum, const Eigen::MatrixXd& dA) {
  double fastest = 0, largest = 0;
  for (const Eigenvalue& e : spectrum.eigenvalues) {
    fastest = std::max(fastest, std::abs(e.value));
    largest = std::max(largest, (e.left.cwiseAbs().transpose() * dA.cwiseAbs() * e.right.cwiseAbs()).value());
  }
  return fastest > 0 ? largest / fastest : largest;
}

/// The first step: of the size of p, or where p = 0 one that shows in A. Zero: none, and `differences` says why.
double first_step(const Spectrum& spectrum, double p, Differences& differences) {
  if (p != 0) {
    double h = kFirstStep * std::abs(p);
    for (int i = 0; i < kMostShrinks; ++i, h *= kShrink)
      if (differences(h)) return h;
    return 0;
  }
  double found = 0;
  for (double h = kSmallest; h <= kLargest; h *= kGrowth) {
    const auto change = differences(h);
    if (!change) break;
    found = h;
    if (2 * h * effect(spectrum, *change) > kVisible) break;
  }
  return found;
}

/// Extrapolation of one number to step zero.
class Extrapolation {
 public:
  /// The value of the next step, and the error that roundings may make in it.
  void add(Complex value, double rounding) {
    std::array<Complex, kRows> row{};
    row[0] = value;
    double factor = kRatio * kRatio;
    for (int k = 1; k <= rows_; ++k, factor *= kRatio * kRatio) {
      row[k] = (row[k - 1] * factor - last_[k - 1]) / (factor - 1);
      const double error = std::max(std::abs(row[k] - row[k - 1]), std::abs(row[k] - last_[k - 1])) + rounding;
      if (error <= error_) error_ = error, best_ = row[k];
    }
    last_ = row;
    ++rows_;
  }
  Complex value() const { return best_; }
  double error() const { return error_; }

 private:
  std::array<Complex, kRows> last_{};
  int rows_ = 0;
  Complex best_;
  double error_ = std::numeric_limits<double>::infinity();
};

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
    result.refusal = "it cannot be moved to both sides: " + differences.trouble();
    return result;
  }
  const std::vector<Eigenvalue>& eigenvalues = spectrum.eigenvalues;
  std::vector<Extrapolation> tables(eigenvalues.size());
  std::vector<double> rounding;  // of w^H A v
  for (const Eigenvalue& e : eigenvalues)
    rounding.push_back(std::numeric_limits<double>::epsilon() *
                       (e.left.cwiseAbs().transpose() * linear.A.cwiseAbs() * e.right.cwiseAbs()).value());
  double h = result.step;
  for (int i = 0; i < kRows; ++i, h /= kRatio) {
    const auto dA = differences(h);
    if (!dA) {  // a hole between two points that there are
      result.refusal = "it cannot be moved freely: " + differences.trouble();
      return result;
    }
    for (std::size_t k = 0; k < eigenvalues.size(); ++k)
      if (const auto change = eigenvalue_change(eigenvalues[k], *dA)) tables[k].add(*change, rounding[k] / h);
  }
  // null eigenvalues have reasons that hold beside p as well, or else they are not differentiated
  bool stay_null = true;
  if (null_count(spectrum) > 0)
    for (const double beside : {p - result.step, p + result.step}) {
      const auto A = differences.matrix(beside);
      stay_null = stay_null && A && null_count(trunnion::spectrum(*A, linear.states)) == null_count(spectrum);
    }
  for (std::size_t k = 0; k < eigenvalues.size(); ++k) {
    const Eigenvalue& e = eigenvalues[k];
    EigenvalueSensitivity s;
    if (e.chain > 0) {
      if (!stay_null) s.refusal = "it is zero here and not beside";
    } else if (!e.simple) {
      s.refusal = "it is multiple, or too near to another to be told from it";
    } else {
      s.derivative = tables[k].value();
      s.error = tables[k].error();
      const double shows = kNoEffect * std::abs(e.value) / result.step;
      if (!(s.error <= std::max(kSettled * std::abs(s.derivative), shows)))
        s.refusal = "the differences do not settle: the model is not smooth in this parameter, or not known exactly enough";
      s.relative = p * s.derivative / e.value;
    }
    if (!s.refusal.empty()) s.derivative = s.relative = s.error = 0;
    result.of.push_back(s);
  }
  return result;
}

}  // namespace trunnion
