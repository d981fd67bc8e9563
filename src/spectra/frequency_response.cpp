// Frequency response, zeros, margins, modes.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/frequency_response.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trunnion {

namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
constexpr double kFarthestZero = 100;         // zeros beyond this multiple of the largest eigenvalue
constexpr double kOnEigenvalue = 1e-6;        // relative distance of a zero from an eigenvalue that it cancels
constexpr double kLongest = 9;                // decades of the frequencies
constexpr int kPerDecade = 60, kAround = 40;  // frequencies; on either side of an oscillation
constexpr int kBisections = 60;
constexpr int kDecadesBeyond = 6, kPerDecadeBeyond = 20;  // in which margins are searched
constexpr double kNoise = 1e-9;                           // of a value

double turn_of(Complex from, Complex to) { return from == 0.0 || to == 0.0 ? 0 : std::arg(to / from); }

/// Crossings of |G| = 1 and of the negative real axis between frequencies with the values G; imaginary parts below `noise` of the value have
/// no sign.
template <class At>
void find_margins(const At& at, const std::vector<double>& frequencies, const std::vector<Complex>& value, double noise,
                  FrequencyResponse& r) {
  // the place between two points at which `of` changes its sign
  const auto crossing = [&](std::size_t i, auto&& of) {
    double left = frequencies[i], right = frequencies[i + 1];
    const bool rises = of(value[i]) < 0;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = std::sqrt(left * right);
      ((of(at(middle)) < 0) == rises ? left : right) = middle;
    }
    return right;
  };
  const auto gain = [](Complex G) { return std::abs(G) - 1; };
  const auto side = [](Complex G) { return G.imag(); };
  const auto has_side = [&](Complex G) { return std::abs(G.imag()) >= noise * std::abs(G); };
  for (std::size_t i = 0; i + 1 < value.size(); ++i) {
    if ((gain(value[i]) < 0) != (gain(value[i + 1]) < 0)) {
      const double f = crossing(i, gain);
      r.phase_margins.push_back({f, std::arg(-at(f))});
    }
    if ((side(value[i]) < 0) != (side(value[i + 1]) < 0) && has_side(value[i]) && has_side(value[i + 1])) {
      const double f = crossing(i, side);
      if (const Complex G = at(f); G.real() < 0) r.gain_margins.push_back({f, 1 / std::abs(G)});
    }
  }
}

}  // namespace

TransferPath::TransferPath(const LinearModel& linear, int input, int output) : A_(linear.A), D_(linear.D(output, input)) {
  const Eigen::VectorXd scale = balance(A_);
  B_ = linear.B.col(input).cwiseQuotient(scale);
  C_ = linear.C.row(output).transpose().cwiseProduct(scale);
  find_zeros();
}

Complex TransferPath::at(Complex s) const {
  const Eigen::Index n = A_.rows();
  if (n == 0) return D_;
  Eigen::MatrixXcd M = -A_.cast<Complex>();
  M.diagonal().array() += s;
  const Eigen::VectorXcd x = M.partialPivLu().solve(B_.cast<Complex>());
  return C_.cast<Complex>().dot(x) + D_;  // C is real
}

/// Whether G is zero everywhere: the output sees nothing of what the input reaches, at frequencies of any eigenvalue.
bool TransferPath::transmits_nothing(const Eigen::VectorXcd& eigenvalues) const {
  constexpr double kCancelled = 1e-13;  // of the terms that cancel
  if (D_ != 0) return false;
  const auto cancels = [&](Complex s) {
    Eigen::MatrixXcd M = -A_.cast<Complex>();
    M.diagonal().array() += s;
    const Eigen::VectorXcd x = M.partialPivLu().solve(B_.cast<Complex>());
    return std::abs(C_.cast<Complex>().dot(x)) <= kCancelled * C_.cwiseAbs().dot(x.cwiseAbs());
  };
  const Complex beside(0.37, 0.61);
  return cancels(beside) &&
         std::all_of(eigenvalues.begin(), eigenvalues.end(), [&](Complex e) { return e == 0.0 || cancels(beside * std::abs(e)); });
}

void TransferPath::find_zeros() {
  const Eigen::Index n = A_.rows();
  // B and C scaled to the size of A, which moves no zero
  const double size = std::max(A_.lpNorm<Eigen::Infinity>(), 1e-300), b = B_.lpNorm<Eigen::Infinity>(), c = C_.lpNorm<Eigen::Infinity>();
  if ((b == 0 || c == 0) && D_ == 0) return;  // G = 0
  const Eigen::VectorXcd eigenvalues = A_.eigenvalues();
  if (transmits_nothing(eigenvalues)) {
    C_.setZero();
    return;
  }
  const double in = b > 0 ? size / b : 1, out = c > 0 ? size / c : 1;
  Eigen::MatrixXd M(n + 1, n + 1), N = Eigen::MatrixXd::Zero(n + 1, n + 1);
  M << A_, in * B_, out * C_.transpose(), in * out * D_;
  N.topLeftCorner(n, n).setIdentity();
  Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(M, N, false);
  if (solver.info() != Eigen::Success) return;
  double largest = 0;
  for (Eigen::Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(eigenvalues[i]));
  for (Eigen::Index i = 0; i <= n; ++i) {
    const Complex alpha = solver.alphas()[i];
    const double beta = solver.betas()[i];
    if (std::abs(alpha) < kFarthestZero * largest * std::abs(beta)) zeros_.push_back(alpha / beta);
  }
  std::sort(zeros_.begin(), zeros_.end(),
            [](Complex x, Complex y) { return std::abs(x) != std::abs(y) ? std::abs(x) < std::abs(y) : x.imag() > y.imag(); });
}

std::vector<ModeParticipation> mode_participations(const LinearModel& linear, const Spectrum& spectrum, int input, int output,
                                                   const TransferPath& path) {
  const Eigen::VectorXd B = linear.B.col(input), C = linear.C.row(output);
  std::vector<ModeParticipation> parts;
  for (const Eigenvalue& e : spectrum.eigenvalues) {
    ModeParticipation& part = parts.emplace_back();
    const Complex reached = e.left.dot(B.cast<Complex>()), seen = C.cast<Complex>().dot(e.right);
    const double reached_of = e.left.cwiseAbs().dot(B.cwiseAbs()), seen_of = C.cwiseAbs().dot(e.right.cwiseAbs());
    part.controllability = reached_of > 0 ? std::abs(reached) / reached_of : 0;
    part.observability = seen_of > 0 ? std::abs(seen) / seen_of : 0;
    part.residue = seen * reached;
    part.cancelled = std::any_of(path.zeros().begin(), path.zeros().end(),
                                 [&](Complex zero) { return std::abs(zero - e.value) <= kOnEigenvalue * std::abs(e.value) + e.error; });
  }
  return parts;
}

std::vector<double> resolving_frequencies(const Spectrum& spectrum, double from, double to) {
  double slowest = std::numeric_limits<double>::infinity(), oscillation = 0, fastest = 0;
  for (const Eigenvalue& e : spectrum.eigenvalues) {
    if (e.chain > 0) continue;
    const double f = std::abs(e.value) / (2 * kPi);
    slowest = std::min(slowest, f);
    fastest = std::max(fastest, f);
    if (e.value.imag() != 0) oscillation = std::max(oscillation, f);
  }
  if (fastest == 0) slowest = fastest = 1;
  if (oscillation > 0) fastest = oscillation;
  const double high = to > 0 ? to : 10 * std::max(fastest, from),
               low = from > 0 ? from : std::max(std::min(slowest, high) / 10, high * std::pow(10, -kLongest));
  std::vector<double> all;
  const int count = std::max(2, static_cast<int>(std::ceil(kPerDecade * std::log10(high / low))));
  for (int i = 0; i <= count; ++i) all.push_back(i == count ? high : low * std::pow(high / low, static_cast<double>(i) / count));
  for (const Eigenvalue& e : spectrum.eigenvalues) {
    if (!(e.value.imag() > 0)) continue;
    const double center = e.value.imag() / (2 * kPi), width = std::abs(e.value.real()) / (2 * kPi);
    for (int i = -kAround; i <= kAround; ++i)
      if (const double f = center + i * width / 10; f > low && f < high) all.push_back(f);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

FrequencyResponse frequency_response(const TransferPath& path, const std::vector<double>& frequencies, bool below, bool above) {
  FrequencyResponse r;
  r.frequency = frequencies;
  const auto at = [&](double f) { return path.at({0, 2 * kPi * f}); };
  for (const double f : frequencies) {
    r.value.push_back(at(f));
    const std::size_t i = r.value.size() - 1;
    r.phase.push_back(i == 0 ? std::arg(r.value[0]) : r.phase[i - 1] + turn_of(r.value[i - 1], r.value[i]));
  }
  find_margins(at, frequencies, r.value, 0, r);
  const auto beyond = [&](double from, double to) {
    constexpr int kPoints = kDecadesBeyond * kPerDecadeBeyond;
    std::vector<double> f{from};
    std::vector<Complex> G{at(from)};
    for (int i = 1; i <= kPoints; ++i) f.push_back(from * std::pow(to / from, static_cast<double>(i) / kPoints)), G.push_back(at(f.back()));
    find_margins(at, f, G, kNoise, r);
  };
  const double ratio = std::pow(10, kDecadesBeyond);
  if (below) beyond(frequencies.front() / ratio, frequencies.front());
  if (above) beyond(frequencies.back(), frequencies.back() * ratio);
  for (std::vector<Crossing>* all : {&r.phase_margins, &r.gain_margins})
    std::sort(all->begin(), all->end(), [](const Crossing& a, const Crossing& b) { return a.frequency < b.frequency; });
  return r;
}

}  // namespace trunnion
