// Eigenvalues of a linear model x' = A x: right and left vectors, participations, stability, and why some of them are zero.
//   A v = lambda v,   w^H A = lambda w^H,   w^H v = 1;    d lambda = w^H dA v for a simple one
// Three steps, because the A of a machine mixes radians with pascals, stiff spools with slow oil flows, and has null eigenvalues in
// chains:
// 1. Scaling. Where the states are known, entries indistinguishable from rounding are set to zero (kNegligibleEntry, kSlowest): a
// coordinate on which nothing depends then has a column of zeros. The rest is balanced (LAPACK, dgebal).
// 2. Null eigenvalues, exactly. Staircase: the null space of A is deflated, then the null space of the remainder, and so on; the number
// of steps is the length of the longest chain x1' = x2, x2' = x3, ... (a Jordan block). QR iterations would scatter a chain of k over a
// circle of radius (1e-16)^(1/k). Null is what elimination with complete pivoting reduces below 1e-12 of the size that each row had
// before cancellation. As this is relative to each row and not to the whole matrix, a slow eigenvalue of 1e-3/s together with a stiff one
// of 1e10/s is kept; one of 1e-9/s in the same rate as 1e4/s becomes zero. Each step changes coordinates, y_d = x_d - X x_f with the null
// vectors (x_f, X x_f): sums of few states. A rotation would mix the stiff rows into the slow ones and lose their digits.
// 3. The rest by the QR algorithm (dgeevx), where pairs are exactly conjugate.
// Sources: V. N. Kublanovskaya, USSR Computational Mathematics 6 (1966) (staircase); I. J. Perez-Arriaga, G. C. Verghese, F. C. Schweppe,
// IEEE Transactions on Power Apparatus and Systems 101 (1982) (participation).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "linearise/linear_model.h"

namespace trunnion {

struct Eigenvalue {
  std::complex<double> value;           // [1/s]; exactly 0 if null; pairs are exactly conjugate
  double frequency_hz = 0;              // |im| / 2 pi
  std::optional<double> damping_ratio;  // -re / |lambda|, within -1 ... 1; empty if null
  std::optional<double> time_constant;  // [s] 1 / |re|, of decay or growth; empty if re = 0
  double condition = 1;                 // amplification of a relative change of the balanced A; from 1 to 1/epsilon
  double error = 0;                     // [1/s] uncertainty: a hundred roundings times condition, up to a threefold defective one; 0: null
  bool simple = true;                   // no other one within the errors of both: it has a derivative
  int chain = 0;                        // 0: not null; 1: null, an eigenvector; k: null, A^k v = 0 and not A^(k-1) v

  Eigen::VectorXcd right, left;   // v, w in the states' own units, w^H v = 1; v is 1 at the state with the largest participation.
                                  // Null: principal vectors, dual to each other; v is 1 at one state where the others of its step are 0
  Eigen::VectorXd participation;  // |w_i v_i| of each state, the largest 1: independent of units
};

enum class Verdict {
  asymptotically_stable,  // all real parts negative
  stable_but_null,        // plus null eigenvalues, none in a chain: a disturbance leaves a lasting, bounded change
  drifting,               // plus null eigenvalues in a chain: a disturbance grows with time
  undamped,               // some real parts are zero within the error, none positive; null ones are possible
  unstable                // some real part is positive beyond its error
};

/// `asymptotically_stable`, ...: for files.
const char* name_of(Verdict verdict);

struct LinearStability {
  Verdict verdict = Verdict::asymptotically_stable;
  std::vector<int> null_chains;         // lengths of the Jordan blocks at zero, longest first; their sum is the number of null eigenvalues
  std::vector<int> undamped, unstable;  // indices of these eigenvalues in Spectrum::eigenvalues
  std::string text;                     // one line
};

struct Spectrum {
  std::vector<Eigenvalue> eigenvalues;  // descending real part; ties: ascending |im|, then descending im, so that pairs are adjacent
  LinearStability stability;
};

/// Eigenvalues and the above of `A` (n x n, any n). `states` (n, or none) give their scale: 1e5 Pa counts as much as 1 rad, 1 m or 1 of
/// anything else, as in the step tolerances. Throws Error if A is not square or has non-finite entries, or if the QR algorithm does not
/// converge.
Spectrum spectrum(const Eigen::MatrixXd& A, const std::vector<LinearVariable>& states = {});

/// The verdict on all eigenvalues [1/s] by their values, errors and chains.
LinearStability judge(const std::vector<Eigenvalue>& all);

/// Change of an eigenvalue with dA; empty where it is not simple.
std::optional<std::complex<double>> eigenvalue_change(const Eigenvalue& eigenvalue, const Eigen::MatrixXd& dA);

enum class NullKind {
  cyclic,       // nothing depends on one state
  trapped_oil,  // pressures, alone or with positions, change without changing the rates
  neutral,      // the same for positions or other states
  drift         // a chain: a constant state makes another one grow
};

/// `cyclic`, ...: for files.
const char* name_of(NullKind kind);

struct NullExplanation {
  int eigenvalue = 0;  // its index in Spectrum::eigenvalues
  NullKind kind = NullKind::neutral;
  std::vector<int> states;    // participating states of the null vector; the one that is 1 comes first
  std::vector<int> drifting;  // of a chain: the states that grow
  std::string text;           // `trapped oil: v3.pressure moves with crank.angle without changing the rates`
};

/// Why each null eigenvalue exists, in the order of the eigenvalues. `A` and `states` are those of the spectrum.
std::vector<NullExplanation> explain_null(const Spectrum& spectrum, const Eigen::MatrixXd& A, const std::vector<LinearVariable>& states);

/// B <- D^-1 B D with rows and columns of similar size; returns the diagonal of D, powers of two.
Eigen::VectorXd balance(Eigen::MatrixXd& B);

}  // namespace trunnion
