// The map of sampled control blocks and machine over a common period, and its eigenvalues.
// SPDX-License-Identifier: BSD-3-Clause
#include "spectra/sampled_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "base/diagnostic.h"
#include "spectra/response.h"

namespace trunnion {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kSame = 1e-9;           // relative: equal times, commensurable periods
constexpr double kTimeRounding = 1e-13;  // of the common period
constexpr double kRoundings = 1e-10;     // of z: minimum error,
constexpr double kOfStiffness = 1e-15;   // and times the largest rate in a period, by the exponential
constexpr int kMostLengths = 100;        // different ones between instants: each costs an exponential
constexpr double kForgotten = 1e-9;      // of |z|
constexpr int kMostPeriods = 1000;       // of the slowest block in a common period
constexpr int kMostSamples = 20000;      // in it

/// Places of a sampled block in z.
struct Place {
  const ControlBlock* block;
  const SampledBlock* sampled;
  Index value, coming, states;  // coming: with a latency, otherwise the value
};

/// A sample, or the effect of one.
struct Instant {
  double time;  // [s] in the common period
  bool is_sample;
  std::size_t place;
};

/// The least multiple of all periods; 0: none is found.
double common_period(const std::vector<Place>& places) {
  double longest = 0;
  for (const Place& p : places) longest = std::max(longest, p.block->period);
  for (int m = 1; m <= kMostPeriods; ++m) {
    const double P = m * longest;
    double samples = 0;
    const bool fits = std::all_of(places.begin(), places.end(), [&](const Place& p) {
      const double count = P / p.block->period;
      samples += count;
      return std::abs(count - std::round(count)) <= kSame * count;
    });
    if (fits && samples <= kMostSamples) return P;
  }
  return 0;
}

/// In the order in which a run has them: at equal times values take effect before samples, and blocks keep their order.
std::vector<Instant> instants_of(const std::vector<Place>& places, double P) {
  std::vector<Instant> instants;
  const auto add = [&](double t, bool is_sample, std::size_t place) {
    const double in_period = std::fmod(t, P);
    instants.push_back({in_period > P * (1 - kSame) ? 0 : in_period, is_sample, place});
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ControlBlock& b = *places[i].block;
    const auto count = static_cast<int>(std::lround(P / b.period));
    for (int k = 0; k < count; ++k) {
      const double t = b.offset + b.jitter / 2 + k * b.period;
      add(t, true, i);
      if (b.delayed()) add(t + b.latency, false, i);
    }
  }
  std::sort(instants.begin(), instants.end(), [](const Instant& a, const Instant& b) { return a.time < b.time; });
  for (std::size_t i = 1; i < instants.size(); ++i)
    if (instants[i].time - instants[i - 1].time <= kSame * P) instants[i].time = instants[i - 1].time;
  std::stable_sort(instants.begin(), instants.end(), [](const Instant& a, const Instant& b) {
    return std::tuple(a.time, a.is_sample, a.place) < std::tuple(b.time, b.is_sample, b.place);
  });
  return instants;
}

/// Names of z, and where each block is.
std::vector<Place> places_in(const CompiledModel& model, const LinearModel& linear, std::vector<LinearVariable>& z) {
  std::vector<Place> places;
  z = linear.states;
  for (const SampledBlock& sampled : linear.sampled) {
    const ControlBlock& b = model.hydraulics.control[static_cast<std::size_t>(sampled.block)];
    const auto next = static_cast<Index>(z.size()), states = sampled.samples.rows() - 1;
    places.push_back({&b, &sampled, next, b.delayed() ? next + 1 : next, next + (b.delayed() ? 2 : 1)});
    z.push_back(linear.inputs[static_cast<std::size_t>(sampled.input)]);
    if (b.delayed()) z.push_back({b.name + ".next_value", z.back().unit, "value to come of control block " + b.name, z.back().reference});
    const std::vector<std::string> names = entry_names(b);
    for (Index k = 0; k < states; ++k) z.push_back({names[static_cast<std::size_t>(k)], "", "state of control block " + b.name, 0});
  }
  return places;
}

/// A length used before that is equal but for rounding, or this one.
double known_length(std::vector<double>& lengths, double h, double P) {
  for (const double known : lengths)
    if (std::abs(known - h) <= kTimeRounding * P) return known;
  return lengths.emplace_back(h);
}

/// False: there are too many different lengths.
bool map_over(double P, const LinearModel& linear, const std::vector<Place>& places, Index size, MatrixXd& F) {
  const std::vector<Instant> instants = instants_of(places, P);
  const Index n = linear.A.rows();
  LinearResponse response(linear);
  std::vector<double> lengths;
  F = MatrixXd::Identity(size, size);
  for (std::size_t i = 0; i < instants.size(); ++i) {
    const auto& [block, sampled, value, coming, states] = places[instants[i].place];
    if (instants[i].is_sample) {
      const Index m = sampled->samples.rows() - 1;
      MatrixXd before(sampled->samples.cols(), size);
      before.topRows(m) = F.middleRows(states, m);
      before.bottomRows(sampled->reads.rows()) = sampled->reads.leftCols(n) * F.topRows(n);
      for (const Place& p : places) before.bottomRows(sampled->reads.rows()) += sampled->reads.col(n + p.sampled->input) * F.row(p.value);
      const MatrixXd after = sampled->samples * before;
      F.middleRows(states, m) = after.topRows(m);
      F.row(coming) = after.row(m);
    } else {
      F.row(value) = F.row(coming).eval();
    }
    const double next = i + 1 < instants.size() ? instants[i + 1].time : instants.front().time + P;
    if (next == instants[i].time) continue;
    if (lengths.size() > kMostLengths) return false;
    const LinearResponse::Transition& hold = response.transition(known_length(lengths, next - instants[i].time, P));
    MatrixXd x = hold.state * F.topRows(n);
    for (const Place& p : places) x += hold.constant.col(p.sampled->input) * F.row(p.value);
    F.topRows(n) = x;
  }
  return true;
}

/// Rates of the eigenvalues of F. `shifted`: of F - 1, where what stays, z = 1, is null. `roundings`: minimum error of z.
std::vector<Eigenvalue> rates_of(double P, double roundings, const Spectrum& shifted) {
  std::vector<Eigenvalue> rates;
  for (const Eigenvalue& of : shifted.eigenvalues) {
    const std::complex<double> z = 1.0 + of.value;
    const double size = std::abs(z);
    if (size < kForgotten) continue;
    Eigenvalue e;
    const double error = std::max(of.error, roundings);
    e.chain = of.chain == 0 && of.value.imag() == 0 && std::abs(of.value) <= error ? 1 : of.chain;
    e.participation = of.participation;
    if (e.chain == 0) {
      e.value = std::log(z) / P;
      e.error = std::log1p(error / size) / P;  // so that value + error is above 0 where |z| + error is above 1
      e.frequency_hz = std::abs(e.value.imag()) / (2 * std::numbers::pi);
      e.damping_ratio = -e.value.real() / std::abs(e.value);
      if (e.value.real() != 0) e.time_constant = 1 / std::abs(e.value.real());
    }
    rates.push_back(std::move(e));
  }
  std::stable_sort(rates.begin(), rates.end(), [](const Eigenvalue& a, const Eigenvalue& b) {
    return std::tuple(-a.value.real(), std::abs(a.value.imag()), -a.value.imag()) <
           std::tuple(-b.value.real(), std::abs(b.value.imag()), -b.value.imag());
  });
  return rates;
}

}  // namespace

SampledLoop sampled_loop(const CompiledModel& model, const LinearModel& linear) {
  SampledLoop loop;
  if (linear.sampled.empty()) return loop;
  const std::vector<Place> places = places_in(model, linear, loop.states);
  loop.period = common_period(places);
  if (loop.period == 0) {
    loop.none = fmt::format("the periods of the sampled blocks have no common multiple within {} of the longest and {} samples",
                            kMostPeriods, kMostSamples);
    return loop;
  }
  const auto without = [&](const char* why) {
    SampledLoop none;
    none.none = why;
    return none;
  };
  if (!map_over(loop.period, linear, places, static_cast<Index>(loop.states.size()), loop.F))
    return without("the instants of the sampled blocks are apart by too many different times");
  if (!loop.F.allFinite()) return without("within their common period the machine leaves the reference beyond all numbers");
  Spectrum shifted;
  try {
    // without the states: those of blocks have no scale, so that no entry is rounding by its size
    shifted = spectrum(loop.F - MatrixXd::Identity(loop.F.rows(), loop.F.cols()));
  } catch (const Error&) { return without("the eigenvalues of the map over their common period are not found"); }
  MatrixXd balanced = linear.A;
  balance(balanced);
  const double stiffness = linear.A.size() > 0 ? balanced.cwiseAbs().colwise().sum().maxCoeff() * loop.period : 0;
  loop.spectrum.eigenvalues = rates_of(loop.period, std::max(kRoundings, kOfStiffness * stiffness), shifted);
  loop.spectrum.stability = judge(loop.spectrum.eigenvalues);
  return loop;
}

}  // namespace trunnion
