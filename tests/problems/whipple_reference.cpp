// The benchmark bicycle: see the header. Names of the coefficients are those of the paper's appendix A.
// SPDX-License-Identifier: BSD-3-Clause
#include "problems/whipple_reference.h"

#include <algorithm>
#include <cmath>

namespace trunnion::problems {

WhippleMatrices whipple_matrices(const Whipple& b) {
  // whole bicycle, about the rear contact
  const double mT = b.mR + b.mB + b.mH + b.mF;
  const double xT = (b.xB * b.mB + b.xH * b.mH + b.w * b.mF) / mT;
  const double zT = (-b.rR * b.mR + b.zB * b.mB + b.zH * b.mH - b.rF * b.mF) / mT;
  const double ITxx = b.IRxx + b.IBxx + b.IHxx + b.IFxx + b.mR * b.rR * b.rR + b.mB * b.zB * b.zB + b.mH * b.zH * b.zH + b.mF * b.rF * b.rF;
  const double ITxz = b.IBxz + b.IHxz - b.mB * b.xB * b.zB - b.mH * b.xH * b.zH + b.mF * b.w * b.rF;
  const double IRzz = b.IRxx, IFzz = b.IFxx;
  const double ITzz = IRzz + b.IBzz + b.IHzz + IFzz + b.mB * b.xB * b.xB + b.mH * b.xH * b.xH + b.mF * b.w * b.w;
  // front assembly, about its centre of mass and about the steer axis
  const double mA = b.mH + b.mF;
  const double xA = (b.xH * b.mH + b.w * b.mF) / mA, zA = (b.zH * b.mH - b.rF * b.mF) / mA;
  const double IAxx = b.IHxx + b.IFxx + b.mH * (b.zH - zA) * (b.zH - zA) + b.mF * (b.rF + zA) * (b.rF + zA);
  const double IAxz = b.IHxz - b.mH * (b.xH - xA) * (b.zH - zA) + b.mF * (b.w - xA) * (b.rF + zA);
  const double IAzz = b.IHzz + IFzz + b.mH * (b.xH - xA) * (b.xH - xA) + b.mF * (b.w - xA) * (b.w - xA);
  const double cosine = std::cos(b.lambda), sine = std::sin(b.lambda);
  const double uA = (xA - b.w - b.c) * cosine - zA * sine;
  const double IAll = mA * uA * uA + IAxx * sine * sine + 2 * IAxz * sine * cosine + IAzz * cosine * cosine;
  const double IAlx = -mA * uA * zA + IAxx * sine + IAxz * cosine;
  const double IAlz = mA * uA * xA + IAxz * sine + IAzz * cosine;
  const double mu = b.c / b.w * cosine;
  // angular momenta of the wheels per speed, and the static moment of the steer
  const double SR = b.IRyy / b.rR, SF = b.IFyy / b.rF, ST = SR + SF;
  const double SA = mA * uA + mu * mT * xT;

  WhippleMatrices out;
  const double cross = IAlx + mu * ITxz;
  out.M << ITxx, cross, cross, IAll + 2 * mu * IAlz + mu * mu * ITzz;
  out.K0 << mT * zT, -SA, -SA, -SA * sine;
  out.K2 << 0, (ST - mT * zT) / b.w * cosine, 0, (SA + SF * sine) / b.w * cosine;
  out.C1 << 0, mu * ST + SF * cosine + ITxz / b.w * cosine - mu * mT * zT, -(mu * ST + SF * cosine),
      IAlz / b.w * cosine + mu * (SA + ITzz / b.w * cosine);
  return out;
}

std::array<std::complex<double>, 4> whipple_eigenvalues(double v, const Whipple& bicycle) {
  using Real = long double;
  using Complex = std::complex<Real>;
  const WhippleMatrices m = whipple_matrices(bicycle);
  // det(M l^2 + v C1 l + g K0 + v^2 K2) = sum c_k l^k from the entries' polynomials
  std::array<std::array<std::array<Real, 3>, 2>, 2> entry;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      entry[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = {
          static_cast<Real>(bicycle.g) * m.K0(i, j) + static_cast<Real>(v) * v * m.K2(i, j), static_cast<Real>(v) * m.C1(i, j), m.M(i, j)};
  std::array<Real, 5> c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c[i + j] += entry[0][0][i] * entry[1][1][j] - entry[0][1][i] * entry[1][0][j];
  const Real leading = c[4];
  for (Real& x : c) x /= leading;
  // Durand-Kerner iteration from points of a circle that is not symmetric to the real axis
  std::array<Complex, 4> root;
  for (std::size_t i = 0; i < 4; ++i) root[i] = std::polar<Real>(10, 0.4L + static_cast<Real>(i) * 2 * std::acos(-1.0L) / 4);
  for (int iteration = 0; iteration < 300; ++iteration)
    for (std::size_t i = 0; i < 4; ++i) {
      const Complex l = root[i];
      Complex rest = 1;
      for (std::size_t j = 0; j < 4; ++j)
        if (j != i) rest *= l - root[j];
      root[i] -= ((((l + c[3]) * l + c[2]) * l + c[1]) * l + c[0]) / rest;
    }
  std::array<std::complex<double>, 4> out;
  for (std::size_t i = 0; i < 4; ++i) {
    const Real im = std::abs(root[i].imag()) < 1e-14L * std::abs(root[i]) ? 0 : root[i].imag();
    out[i] = {static_cast<double>(root[i].real()), static_cast<double>(im)};
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::abs(a.real() - b.real()) > 1e-12 * std::abs(a) ? a.real() > b.real() : a.imag() > b.imag();
  });
  return out;
}

// As printed. Forty digits give -18.15788466125202 for the last one at 7 m/s, and agree with all others.
const std::vector<WhipplePublished>& whipple_published() {
  using C = std::complex<double>;
  static const std::vector<WhipplePublished> kTable{
      {0, {C(5.53094371765393), C(3.13164324790656), C(-3.13164324790656), C(-5.53094371765393)}},
      {1, {C(3.52696170990070, 0.80774027519930), C(3.52696170990070, -0.80774027519930), C(-3.13423125066578), C(-7.11008014637442)}},
      {2, {C(2.68234517512745, 1.68066296590675), C(2.68234517512745, -1.68066296590675), C(-3.07158645641514), C(-8.67387984831735)}},
      {3, {C(1.70675605663975, 2.31582447384325), C(1.70675605663975, -2.31582447384325), C(-2.63366137253667), C(-10.35101467245920)}},
      {4, {C(0.41325331521125, 3.07910818603206), C(0.41325331521125, -3.07910818603206), C(-1.42944427361326), C(-12.15861426576447)}},
      {5, {C(-0.32286642900409), C(-0.77534188219585, 4.46486771378823), C(-0.77534188219585, -4.46486771378823), C(-14.07838969279822)}},
      {6, {C(-0.00406690076970), C(-1.52644486584142, 5.87673060598709), C(-1.52644486584142, -5.87673060598709), C(-16.08537123098026)}},
      {7, {C(0.10268170574766), C(-2.13875644258362, 7.19525913329805), C(-2.13875644258362, -7.19525913329805), C(-18.15788466125262)}},
      {8, {C(0.14327879765713), C(-2.69348683581097, 8.46037971396931), C(-2.69348683581097, -8.46037971396931), C(-20.27940894394569)}},
      {9, {C(0.15790184030917), C(-3.21675402252485, 9.69377351531791), C(-3.21675402252485, -9.69377351531791), C(-22.43788559040858)}},
      {10, {C(0.16105338653172), C(-3.72016840437287, 10.90681139476287), C(-3.72016840437287, -10.90681139476287), C(-24.62459635017404)}},
  };
  return kTable;
}

}  // namespace trunnion::problems
