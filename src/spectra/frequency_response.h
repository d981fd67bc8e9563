// Frequency response of one input and one output of a linear model, its zeros and margins, and the participation of each mode:
//   G(s) = C (s I - A)^-1 B + D                                 in the balanced states, one factorisation per frequency
//   zeros: s for which ( A - s I  B; C  D ) is singular         generalized eigenvalues (QZ); those that cancel an eigenvalue are marked
//   G = sum of r_i / (s - lambda_i) + D,  r_i = (C v_i) (w_i^H B)  of simple eigenvalues
//   controllability |w^H B| / sum |w_k B_k|,  observability |C v| / sum |C_k v_k|: independent of units; 0: not at all
// Margins are those of the loop that feeds -y back to u.
// Source: K. Zhou, J. Doyle, K. Glover, Robust and Optimal Control (1996), chapters 3 and 5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "spectra/spectrum.h"

namespace trunnion {

/// One input and one output of a linear model.
class TransferPath {
 public:
  TransferPath(const LinearModel& linear, int input, int output);
  /// G at a complex frequency [1/s]; infinite at an eigenvalue that participates.
  std::complex<double> at(std::complex<double> s) const;
  /// Finite zeros [1/s], by ascending magnitude; magnitudes beyond 100 times the largest eigenvalue count as infinite.
  const std::vector<std::complex<double>>& zeros() const { return zeros_; }

 private:
  bool transmits_nothing(const Eigen::VectorXcd& eigenvalues) const;
  void find_zeros();

  Eigen::MatrixXd A_;
  Eigen::VectorXd B_, C_;
  double D_;
  std::vector<std::complex<double>> zeros_;
};

/// Participation of a mode in a path.
struct ModeParticipation {
  double controllability = 0, observability = 0;
  std::complex<double> residue;  // [output/input 1/s]
  bool cancelled = false;        // a zero lies on the eigenvalue
};
/// Per eigenvalue of the spectrum of the same linear model.
std::vector<ModeParticipation> mode_participations(const LinearModel& linear, const Spectrum& spectrum, int input, int output,
                                                   const TransferPath& path);

/// A crossing of |G| = 1 or of the negative real axis.
struct Crossing {
  double frequency = 0;  // [Hz]
  double margin = 0;     // of the phase [rad]: from -180 degrees; of the gain: 1/|G|
};
struct FrequencyResponse {
  std::vector<double> frequency;                      // [Hz], ascending
  std::vector<std::complex<double>> value;            // G(i w)
  std::vector<double> phase;                          // [rad], continuous from point to point
  std::vector<Crossing> phase_margins, gain_margins;  // all crossings, ascending frequency
};

/// Frequencies [Hz] that resolve the response: evenly spaced on a logarithmic axis, and more around every oscillation. `from`, `to`: their
/// range; 0: from a tenth of the slowest eigenvalue that is not null, at most nine decades below the upper end, to ten times the
/// fastest oscillation, or the fastest eigenvalue if none oscillates.
std::vector<double> resolving_frequencies(const Spectrum& spectrum, double from, double to);
/// `below`, `above`: margins are searched six decades beyond the frequencies, too.
FrequencyResponse frequency_response(const TransferPath& path, const std::vector<double>& frequencies, bool below = false,
                                     bool above = false);

}  // namespace trunnion
