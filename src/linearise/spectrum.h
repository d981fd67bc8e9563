// Eigenvalues of a linear model x' = A x: right and left vectors, participations, stability, and why some of them are zero.
//   A v = lambda v,   w^H A = lambda w^H,   w^H v = 1;    d lambda = w^H dA v for a simple one
// Three steps, because a machine's A mixes radians with pascals, stiff spools with creeping oil, and has null eigenvalues in chains:
// 1. Scaling. Where the states are known, entries that cannot be told from rounding are zero (see kRounding, kSlowest in the source):
//    a coordinate on which nothing depends then has a column of zeros. The rest is balanced (LAPACK, dgebal).
// 2. Null eigenvalues, exactly. Staircase: the null space of A leaves the matrix, then the null space of what remains, and so on; the
//    number of steps is the length of the longest chain x1' = x2, x2' = x3, ... (a Jordan block). QR iterations would scatter a chain of k
//    over a circle of radius (1e-16)^(1/k). Null is what elimination with complete pivoting leaves below 1e-12 of the size that each row
//    had before anything cancelled in it. As this is relative to each row and not to the whole matrix, a slow eigenvalue
//    of 1e-3/s beside a stiff one of 1e10/s stays; one of 1e-9/s in the same rate as 1e4/s becomes zero. Each step
//    changes coordinates, y_d = x_d - X x_f with the null vectors (x_f, X x_f): sums of few states, while a rotation would
//    mix the stiff rows into the slow ones and lose their digits.
// 3. The rest by the QR algorithm (dgeevx), in which pairs are exactly conjugate.
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
  std::complex<double> value;           // [1/s]; exactly 0 of a null one; a pair is exactly conjugate
  double frequency_hz = 0;              // |im| / 2 pi
  std::optional<double> damping_ratio;  // -re / |lambda|, within -1 ... 1; none of a null one
  std::optional<double> time_constant;  // [s] 1 / |re|, of decay or growth; none where re = 0
  double condition = 1;                 // how much of a relative change of the balanced A it can take up; 1: the least; at most 1/epsilon
  double error = 0;    // [1/s] within which it is known: a hundred roundings times condition, up to a threefold defective one; 0: null
  bool simple = true;  // no other one within the errors of both: it has a derivative
  int chain = 0;       // 0: not null; 1: null, an eigenvector; k: null, A^k v = 0 and not A^(k-1) v

  Eigen::VectorXcd right, left;  // v, w in the states' own units, w^H v = 1. The component of v at the state with the largest participation
                                 // is 1. Null: principal vectors, each the dual of the other; v is 1 at one state where its others are 0
  Eigen::VectorXd participation;  // |w_i v_i| of each state, the largest 1: independent of units
};

enum class Verdict {
  asymptotically_stable,  // all real parts negative
  stable_but_null,        // and null eigenvalues, none in a chain: a disturbance leaves a lasting, bounded change
  drifting,               // and null eigenvalues in a chain: a disturbance makes something grow with time
  undamped,               // some real parts are zero within the error, none positive; null ones may be there too
  unstable                // some real part is positive beyond its error
};

/// `asymptotically_stable`, ...: for files.
const char* name_of(Verdict verdict);

struct LinearStability {
  Verdict verdict = Verdict::asymptotically_stable;
  std::vector<int> null_chains;         // lengths of the Jordan blocks at zero, longest first; their sum is the number of null eigenvalues
  std::vector<int> undamped, unstable;  // numbers of these eigenvalues in Spectrum::eigenvalues
  std::string text;                     // one line
};

struct Spectrum {
  std::vector<Eigenvalue> eigenvalues;  // descending real part; equal ones: ascending |im|, then descending im, so that pairs stay together
  LinearStability stability;
};

/// Eigenvalues and all that is said above of `A` (n x n, any n). `states` (n, or none) tell their sizes: 1e5 Pa
/// counts as much as 1 rad, 1 m or 1 of anything else, as in the tolerances of a step. Throws Error if A is not square or has entries that
/// are not finite, or if the QR algorithm does not converge.
Spectrum spectrum(const Eigen::MatrixXd& A, const std::vector<LinearVariable>& states = {});

/// Change of an eigenvalue with dA; none where it is not simple.
std::optional<std::complex<double>> eigenvalue_change(const Eigenvalue& eigenvalue, const Eigen::MatrixXd& dA);

enum class NullKind {
  cyclic,       // nothing depends on one state
  trapped_oil,  // pressures, alone or with positions, change at no change of the rates
  neutral,      // positions or other states do
  drift         // a chain: what is constant here makes something else grow
};

/// `cyclic`, ...: for files.
const char* name_of(NullKind kind);

struct NullExplanation {
  int eigenvalue = 0;  // its number in Spectrum::eigenvalues
  NullKind kind = NullKind::neutral;
  std::vector<int> states;    // that take part in the null vector; the one that is 1 stands first
  std::vector<int> drifting;  // of a chain: the states that grow
  std::string text;           // `trapped oil: v3.pressure moves with crank.angle at no change of the rates`
};

/// Why each null eigenvalue is there, in the order of the eigenvalues. `A` and `states` are those of the spectrum.
std::vector<NullExplanation> explain_null(const Spectrum& spectrum, const Eigen::MatrixXd& A, const std::vector<LinearVariable>& states);

/// B <- D^-1 B D with rows and columns of like size; returns the diagonal of D, powers of two.
Eigen::VectorXd balance(Eigen::MatrixXd& B);

}  // namespace trunnion
