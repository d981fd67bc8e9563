// Stability of the loop that sampled control blocks close about a reference: the exact map over their common period P,
//   z(t + P) = F z(t),   z = (x; of every sampled block its value w, the value to come if it has a latency, its states)
// which is a product of
//   between two instants   x <- e^(A h) x + int_0^h e^(A s) ds B w           (spectra/response.h)
//   a value takes effect   w <- value to come
//   a sample               states, value <- samples (states, reads (x, w))   (SampledBlock, linear_model.h)
// in the order in which a run makes them; hand-overs of blocks are held. Samples with jitter are taken at their mean lateness. The loop is stable if all eigenvalues of F
// lie within the unit circle; one of them, z, is a mode with the rate ln(z)/P, of which the frequency is that of the machine up to a multiple
// of 1/P.
// Source: G. F. Franklin, J. D. Powell, M. Workman, Digital Control of Dynamic Systems, 3rd ed. (1998), sections 4.3 and 11 (several rates).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "linearise/linear_model.h"
#include "spectra/spectrum.h"

namespace trunnion {

struct SampledLoop {
  double period = 0;  // [s] P; 0: no sampled blocks, or see `none`
  std::string none;   // why there is no map over it; empty: there is, or there are no sampled blocks
  std::vector<LinearVariable> states;
  Eigen::MatrixXd F;  // just before the first instant of the period
  /// Rates ln(z)/P of the eigenvalues z of F, but of those that a period forgets (|z| < 1e-9); as of a linear model, z = 1 is null.
  /// Without vectors and conditions.
  Spectrum spectrum;
};

/// The loop of the sampled blocks of a linear model of this machine.
SampledLoop sampled_loop(const CompiledModel& model, const LinearModel& linear);

}  // namespace trunnion
