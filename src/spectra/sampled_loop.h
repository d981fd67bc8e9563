// Stability of the loop that sampled control blocks close about a reference: the exact map over their common period P,
//   z(t + P) = F z(t),   z = (x; of every sampled block its value w, the value to come if it has a latency, its states)
// which is a product of
//   between two instants   x <- e^(A h) x + int_0^h e^(A s) ds B w           (spectra/response.h)
//   a value takes effect   w <- value to come
//   a sample               states, value <- samples (states, reads (x, w))   (SampledBlock, linear_model.h)
// in the order in which a run makes them. Samples with jitter are taken at their mean lateness. The loop is stable if all eigenvalues of F
// lie within the unit circle; one of them, z, is a mode with the rate ln|z|/P and the frequency arg(z)/(2 pi P), which is that of the
// machine up to a multiple of 1/P.
// Source: G. F. Franklin, J. D. Powell, M. Workman, Digital Control of Dynamic Systems, 3rd ed. (1998), sections 4.3 and 11 (several rates).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "spectra/spectrum.h"

namespace trunnion {

/// An eigenvalue of F.
struct SampledMode {
  std::complex<double> z;         // exactly 1 if null; pairs are exactly conjugate
  double growth = 0;              // [1/s] ln|z|/P; -infinity: a period forgets it
  double frequency_hz = 0;        // |arg z| / (2 pi P)
  double error = 0;               // uncertainty of z
  bool null = false;              // a disturbance stays
  Eigen::VectorXd participation;  // of each state, the largest 1
};

struct SampledLoop {
  double period = 0;  // [s] P; 0: no sampled blocks, or see `none`
  std::string none;   // why there is no common period; empty: there is, or there are no sampled blocks
  std::vector<LinearVariable> states;
  Eigen::MatrixXd F;               // just before the first instant of the period
  std::vector<SampledMode> modes;  // by descending |z|; pairs are adjacent
  Verdict verdict = Verdict::asymptotically_stable;
  std::string text;  // of the verdict, one line
};

/// The loop of the sampled blocks of a linear model of this machine. Throws Error where the QR algorithm does not converge.
SampledLoop sampled_loop(const CompiledModel& model, const LinearModel& linear);

}  // namespace trunnion
