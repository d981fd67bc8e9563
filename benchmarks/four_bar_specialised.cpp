// The four-bar case (examples/four_bar.yaml) by the method of the general program, written by hand for this mechanism alone: the same iterations
// and the same final state. It shows what the step costs without generality; step_benchmark compares generated code with it.
//
// One step is a trapezoidal Newton iteration on the angles and the three pressures with the exact tangent, penalty constraints with multiplier
// iteration, iterations of the oil alone with a held tangent, projections of velocities and accelerations, and Brown-McPhee friction.
//
//   four_bar_specialised [repeats] [trace]
//
// prints ns per step (the fastest of `repeats`, 20), mean and largest number of iterations, and the final state; any second
// argument also prints the motion every 0.5 s. SI units; constants as in the example.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {
constexpr double g = 9.81, L1 = 2, L2 = 8, L3 = 5, m1 = 16, m2 = 64, m3 = 40, xE = 10;
constexpr double pP = 7.6e6, pT = 0.1e6, Boil = 1.5e9, Bh = 1.5e8, Bc = 3.15e10;
constexpr double Vh1 = 3.14e-5, Vh2 = 7.85e-5, Vh3 = 4.71e-5, A2 = 5.026548245743669e-3, A3 = 4.064435495581794e-3, stroke = 1.0;
constexpr double rho = 850, Cd = 0.8, At = 2.827433388e-5, Cvd = 2.13808993e-8, tau = 4.547284088e-3, plim = 2e5;
constexpr double Fc = 210, Fs = 830, vs = 1.25e-2, sig2 = 330;
constexpr double dt = 1e-3, alpha = 1e11;

// Flow and its derivative in the pressure drop.
struct Flow {
  double Q, d;
};
inline Flow orifice(double C, double dp) {
  if (std::abs(dp) < plim) {
    const double k = C / std::sqrt(plim);
    return {k * dp, k};
  }
  const double r = std::sqrt(std::abs(dp));
  return {C * std::copysign(r, dp), 0.5 * C / r};
}
inline void friction(double v, double& F, double& dF) {
  const double x = v / vs, th = std::tanh(4 * x), q = 0.25 * x * x + 0.75, iq2 = 1 / (q * q);
  F = Fc * th + (Fs - Fc) * x * iq2 + sig2 * v * std::tanh(4.0);
  dF = Fc * 4 / vs * (1 - th * th) + (Fs - Fc) / vs * (iq2 - x * x * iq2 / q) + sig2 * std::tanh(4.0);
}
template <int N>
inline bool solve(double (&A)[N][N], double (&b)[N]) {  // Gaussian elimination, partial pivoting
  for (int k = 0; k < N; ++k) {
    int piv = k;
    for (int i = k + 1; i < N; ++i)
      if (std::abs(A[i][k]) > std::abs(A[piv][k])) piv = i;
    if (piv != k) {
      for (int j = k; j < N; ++j) std::swap(A[k][j], A[piv][j]);
      std::swap(b[k], b[piv]);
    }
    const double inv = 1 / A[k][k];
    for (int i = k + 1; i < N; ++i) {
      const double f = A[i][k] * inv;
      for (int j = k + 1; j < N; ++j) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = N - 1; i >= 0; --i) {
    double s = b[i];
    for (int j = i + 1; j < N; ++j) s -= A[i][j] * b[j];
    b[i] = s / A[i][i];
  }
  return true;
}

template <int N>
inline void factor(double (&A)[N][N], int (&piv)[N]) {
  for (int k = 0; k < N; ++k) {
    int p = k;
    for (int i = k + 1; i < N; ++i)
      if (std::abs(A[i][k]) > std::abs(A[p][k])) p = i;
    piv[k] = p;
    if (p != k)
      for (int j = 0; j < N; ++j) std::swap(A[k][j], A[p][j]);
    const double inv = A[k][k] = 1 / A[k][k];
    for (int i = k + 1; i < N; ++i) {
      const double f = A[i][k] *= inv;
      for (int j = k + 1; j < N; ++j) A[i][j] -= f * A[k][j];
    }
  }
}
template <int N>
inline void resolve(const double (&A)[N][N], const int (&piv)[N], double (&b)[N]) {
  for (int k = 0; k < N; ++k) std::swap(b[k], b[piv[k]]);
  for (int i = 1; i < N; ++i) {
    double t = b[i];
    for (int j = 0; j < i; ++j) t -= A[i][j] * b[j];
    b[i] = t;
  }
  for (int i = N - 1; i >= 0; --i) {
    double t = b[i];
    for (int j = i + 1; j < N; ++j) t -= A[i][j] * b[j];
    b[i] = t * A[i][i];
  }
}
}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 20;
  const bool trace = argc > 2;  // any second argument: print the motion every 0.5 s
  double best = 1e300;
  double meanIt = 0;
  int maxIt = 0;
  std::array<double, 6> fin{};
  for (int rep = 0; rep < repeats; ++rep) {
    double z1 = 60 * M_PI / 180;  // close the loop for the other two angles
    double a[3] = {z1, (60 - 37.90) * M_PI / 180, (60 - 37.90 - 93.58) * M_PI / 180}, v[3] = {}, w[3] = {};
    for (int it = 0; it < 20; ++it) {
      const double f0 = L1 * cos(a[0]) + L2 * cos(a[1]) + L3 * cos(a[2]) - xE, f1 = L1 * sin(a[0]) + L2 * sin(a[1]) + L3 * sin(a[2]);
      const double j00 = -L2 * sin(a[1]), j01 = -L3 * sin(a[2]), j10 = L2 * cos(a[1]), j11 = L3 * cos(a[2]), det = j00 * j11 - j01 * j10;
      a[1] -= (j11 * f0 - j01 * f1) / det;
      a[2] -= (-j10 * f0 + j00 * f1) / det;
    }
    double p[3], pd[3] = {}, U = 0, lam[2] = {};
    auto geom = [&](double a1, double& s, double& ds, double& dds) {
      const double c = cos(a1), sn = sin(a1), h = L1 / 2;  // F = h(c, sn), G = (-h, 0)
      const double dx = h * c + h, dy = h * sn;
      s = std::sqrt(dx * dx + dy * dy);
      const double n = -h * sn * dx + h * c * dy;
      ds = n / s;  // ds/da1
      dds = (h * h * (sn * sn + c * c) - h * c * dx - h * sn * dy) / s - ds * ds / s;
    };
    double s0, ds0, dds0;
    geom(a[0], s0, ds0, dds0);
    {
      const double q0 = -g * (m1 / 2 + m2 + m3) * L1 * cos(a[0]), q1 = -g * (m2 / 2 + m3) * L2 * cos(a[1]),
                   q2 = -g * m3 / 2 * L3 * cos(a[2]);
      // multipliers from rows 2, 3 of the static balance Phi^T lam = Q, then the cylinder force from row 1
      const double b00 = -L2 * sin(a[1]), b01 = L2 * cos(a[1]), b10 = -L3 * sin(a[2]), b11 = L3 * cos(a[2]), det = b00 * b11 - b01 * b10;
      lam[0] = (b11 * q1 - b01 * q2) / det;
      lam[1] = (-b10 * q1 + b00 * q2) / det;
      const double F0 = (-L1 * sin(a[0]) * lam[0] + L1 * cos(a[0]) * lam[1] - q0) / ds0;
      p[2] = 3.5e6;
      p[1] = (F0 + A3 * p[2]) / A2;
      p[0] = p[1];
    }
    const double l20 = s0 - stroke, l30 = stroke - l20;
    long its = 0;
    int mx = 0;
    const auto t0 = std::chrono::steady_clock::now();
    for (int k = 0; k < 10000; ++k) {
      const double t = (k + 1) * dt;
      const double tm = t - dt / 2;  // jumps of the signal lie on step boundaries
      const double Ur = (tm > 1 && tm < 2.5) ? 10 : (tm > 5 && tm < 8) ? -10 : 0;
      const double Uold = U;
      U = (Uold * (1 - dt / (2 * tau)) + Ur * dt / tau) / (1 + dt / (2 * tau));
      double an[3], vn[3], wn[3], pn[3], pdn[3];
      for (int i = 0; i < 3; ++i) an[i] = a[i] + dt * v[i] + 0.5 * dt * dt * w[i];
      for (int i = 0; i < 3; ++i) pn[i] = p[i] + dt * pd[i];
      double va[3], wa[3], pa[3];
      for (int i = 0; i < 3; ++i) {
        va[i] = -(2 / dt * a[i] + v[i]);
        wa[i] = -(4 / (dt * dt) * a[i] + 4 / dt * v[i] + w[i]);
        pa[i] = -(2 / dt * p[i] + pd[i]);
      }
      double M[3][3], W[3][3], J[2][3], cn[3], sn_[3];
      int it = 0;
      for (; it < 20; ++it) {
        for (int i = 0; i < 3; ++i) {
          vn[i] = 2 / dt * an[i] + va[i];
          wn[i] = 4 / (dt * dt) * an[i] + wa[i];
          pdn[i] = 2 / dt * pn[i] + pa[i];
        }
        double c[3], sn[3];
        for (int i = 0; i < 3; ++i) {
          c[i] = cos(an[i]);
          sn[i] = sin(an[i]);
        }
        const double k12 = (m2 / 2 + m3) * L1 * L2, k13 = m3 / 2 * L1 * L3, k23 = m3 / 2 * L2 * L3;
        const double c12 = c[0] * c[1] + sn[0] * sn[1], s12 = sn[0] * c[1] - c[0] * sn[1];
        const double c13 = c[0] * c[2] + sn[0] * sn[2], s13 = sn[0] * c[2] - c[0] * sn[2];
        const double c23 = c[1] * c[2] + sn[1] * sn[2], s23 = sn[1] * c[2] - c[1] * sn[2];
        M[0][0] = m1 * L1 * L1 / 12 + m1 * L1 * L1 / 4 + (m2 + m3) * L1 * L1;
        M[1][1] = m2 * L2 * L2 / 12 + m2 * L2 * L2 / 4 + m3 * L2 * L2;
        M[2][2] = m3 * L3 * L3 / 12 + m3 * L3 * L3 / 4;
        M[0][1] = M[1][0] = k12 * c12;
        M[0][2] = M[2][0] = k13 * c13;
        M[1][2] = M[2][1] = k23 * c23;
        double s, ds, dds;
        geom(an[0], s, ds, dds);
        const double sd = ds * vn[0];
        double Fm, dFm;
        friction(sd, Fm, dFm);
        const double F = pn[1] * A2 - pn[2] * A3 - Fm;
        const double G1 = g * (m1 / 2 + m2 + m3) * L1, G2 = g * (m2 / 2 + m3) * L2, G3 = g * m3 / 2 * L3;
        const double v0 = vn[0] * vn[0], v1 = vn[1] * vn[1], v2 = vn[2] * vn[2];
        const double ph0 = L1 * c[0] + L2 * c[1] + L3 * c[2] - xE, ph1 = L1 * sn[0] + L2 * sn[1] + L3 * sn[2];
        J[0][0] = -L1 * sn[0];
        J[0][1] = -L2 * sn[1];
        J[0][2] = -L3 * sn[2];
        J[1][0] = L1 * c[0];
        J[1][1] = L2 * c[1];
        J[1][2] = L3 * c[2];
        const double l0 = lam[0] + alpha * ph0, l1 = lam[1] + alpha * ph1;
        double r[6];
        r[0] = M[0][0] * wn[0] + M[0][1] * wn[1] + M[0][2] * wn[2] + k12 * s12 * v1 + k13 * s13 * v2 + G1 * c[0] - F * ds + J[0][0] * l0 +
               J[1][0] * l1;
        r[1] =
            M[1][0] * wn[0] + M[1][1] * wn[1] + M[1][2] * wn[2] - k12 * s12 * v0 + k23 * s23 * v2 + G2 * c[1] + J[0][1] * l0 + J[1][1] * l1;
        r[2] =
            M[2][0] * wn[0] + M[2][1] * wn[1] + M[2][2] * wn[2] - k13 * s13 * v0 - k23 * s23 * v1 + G3 * c[2] + J[0][2] * l0 + J[1][2] * l1;
        // hydraulics
        const double l2 = l20 + (s - s0), l3 = l30 - (s - s0);
        const double V2 = Vh2 + A2 * l2, V3 = Vh3 + A3 * l3;
        const double B1 = 1 / (1 / Boil + 1 / Bh), B2 = 1 / (1 / Boil + Vh2 / (V2 * Bh) + A2 * l2 / (V2 * Bc)),
                     B3 = 1 / (1 / Boil + Vh3 / (V3 * Bh) + A3 * l3 / (V3 * Bc));
        // d1: Q into volume 1, d3: Q out of volume 3; d = dQ/d(dp)
        Flow d1 = U >= 0 ? orifice(Cvd * U, pP - pn[0]) : orifice(-Cvd * U, pn[0] - pT);
        if (U < 0) {
          d1.Q = -d1.Q;
          d1.d = -d1.d;
        }
        Flow d3 = U >= 0 ? orifice(Cvd * U, pn[2] - pT) : orifice(-Cvd * U, pP - pn[2]);
        if (U < 0) {
          d3.Q = -d3.Q;
          d3.d = -d3.d;
        }
        const Flow q = orifice(Cd * At * std::sqrt(2 / rho), pn[0] - pn[1]);
        const double e1 = B1 / Vh1, e2 = B2 / V2, e3 = B3 / V3;
        r[3] = pdn[0] - e1 * (d1.Q - q.Q);
        r[4] = pdn[1] - e2 * (q.Q - A2 * sd);
        r[5] = pdn[2] - e3 * (A3 * sd - d3.Q);
        double T[6][6] = {};
        const double h2 = 2 / dt, h4 = 4 / (dt * dt);
        const double dsd = dds * vn[0] + ds * h2;  // d(sdot)/da1, velocity eliminated
        W[0][0] =
            h4 * M[0][0] + k12 * c12 * v1 + k13 * c13 * v2 - k12 * s12 * wn[1] - k13 * s13 * wn[2] - G1 * sn[0] - F * dds + dFm * dsd * ds;
        W[0][1] = h4 * M[0][1] + k12 * s12 * wn[1] - k12 * c12 * v1 + 2 * k12 * s12 * vn[1] * h2;
        W[0][2] = h4 * M[0][2] + k13 * s13 * wn[2] - k13 * c13 * v2 + 2 * k13 * s13 * vn[2] * h2;
        W[1][0] = h4 * M[1][0] - k12 * s12 * wn[0] - k12 * c12 * v0 - 2 * k12 * s12 * vn[0] * h2;
        W[1][1] = h4 * M[1][1] + k12 * s12 * wn[0] + k12 * c12 * v0 - k23 * s23 * wn[2] + k23 * c23 * v2 - G2 * sn[1];
        W[1][2] = h4 * M[1][2] + k23 * s23 * wn[2] - k23 * c23 * v2 + 2 * k23 * s23 * vn[2] * h2;
        W[2][0] = h4 * M[2][0] - k13 * s13 * wn[0] - k13 * c13 * v0 - 2 * k13 * s13 * vn[0] * h2;
        W[2][1] = h4 * M[2][1] - k23 * s23 * wn[1] - k23 * c23 * v1 - 2 * k23 * s23 * vn[1] * h2;
        W[2][2] = h4 * M[2][2] + k13 * s13 * wn[0] + k13 * c13 * v0 + k23 * s23 * wn[1] + k23 * c23 * v1 - G3 * sn[2];
        const double Lk[3] = {L1, L2, L3};
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) T[i][j] = W[i][j] + alpha * (J[0][i] * J[0][j] + J[1][i] * J[1][j]);
          T[i][i] += -Lk[i] * (c[i] * l0 + sn[i] * l1);
        }
        T[0][4] = -A2 * ds;
        T[0][5] = A3 * ds;
        T[3][3] = h2 + e1 * (q.d + (U >= 0 ? d1.d : -d1.d));
        T[3][4] = -e1 * q.d;
        T[4][0] = e2 * A2 * dsd;
        T[4][3] = -e2 * q.d;
        T[4][4] = h2 + e2 * q.d;  // volume derivative below
        T[5][0] = -e3 * A3 * dsd;
        T[5][5] = h2 + e3 * std::abs(d3.d);
        const double dV2 = A2 * ds, dV3 = -A3 * ds;
        T[4][0] += (e2 * e2 * dV2 * (1 / Boil + 1 / Bc)) * (q.Q - A2 * sd);
        T[5][0] += (e3 * e3 * dV3 * (1 / Boil + 1 / Bc)) * (A3 * sd - d3.Q);
        int piv[6];
        factor<6>(T, piv);
        resolve<6>(T, piv, r);
        double ea = 0, ep = 0;
        for (int i = 0; i < 3; ++i) {
          an[i] -= r[i];
          pn[i] -= r[3 + i];
          ea = std::max(ea, std::abs(r[i]));
          ep = std::max(ep, std::abs(r[3 + i]));
        }
        double sl = s, sdl = sd, Fl = F;  // linearised
        ++it;
        while (!(ea < 1e-7 && ep < 1e-2) && it < 20) {
          ++it;
          // r holds the increments: advance port linearly
          sl -= ds * r[0];
          sdl -= dsd * r[0];
          Fl -= A2 * r[4] - A3 * r[5] - dFm * dsd * r[0];
          double Fm2, dFm2;
          friction(sdl, Fm2, dFm2);
          const double F2 = pn[1] * A2 - pn[2] * A3 - Fm2;
          const double l2b = l20 + (sl - s0), l3b = l30 - (sl - s0), V2b = Vh2 + A2 * l2b, V3b = Vh3 + A3 * l3b;
          const double B2b = 1 / (1 / Boil + Vh2 / (V2b * Bh) + A2 * l2b / (V2b * Bc)),
                       B3b = 1 / (1 / Boil + Vh3 / (V3b * Bh) + A3 * l3b / (V3b * Bc));
          Flow d1b = U >= 0 ? orifice(Cvd * U, pP - pn[0]) : orifice(-Cvd * U, pn[0] - pT);
          Flow d3b = U >= 0 ? orifice(Cvd * U, pn[2] - pT) : orifice(-Cvd * U, pP - pn[2]);
          if (U < 0) d1b.Q = -d1b.Q, d3b.Q = -d3b.Q;
          const Flow qb = orifice(Cd * At * std::sqrt(2 / rho), pn[0] - pn[1]);
          for (int i = 0; i < 3; ++i) pdn[i] = 2 / dt * pn[i] + pa[i];
          r[0] = -(F2 - Fl) * ds;
          r[1] = r[2] = 0;
          Fl = F2;
          r[3] = pdn[0] - B1 / Vh1 * (d1b.Q - qb.Q);
          r[4] = pdn[1] - B2b / V2b * (qb.Q - A2 * sdl);
          r[5] = pdn[2] - B3b / V3b * (A3 * sdl - d3b.Q);
          resolve<6>(T, piv, r);
          ea = ep = 0;
          for (int i = 0; i < 3; ++i) {
            an[i] -= r[i];
            pn[i] -= r[3 + i];
            ea = std::max(ea, std::abs(r[i]));
            ep = std::max(ep, std::abs(r[3 + i]));
          }
        }
        for (int i = 0; i < 3; ++i) {
          cn[i] = cos(an[i]);
          sn_[i] = sin(an[i]);
        }
        lam[0] += alpha * (L1 * cn[0] + L2 * cn[1] + L3 * cn[2] - xE);
        lam[1] += alpha * (L1 * sn_[0] + L2 * sn_[1] + L3 * sn_[2]);
        break;
      }
      its += it;
      mx = std::max(mx, it);
      for (int i = 0; i < 3; ++i) {
        vn[i] = 2 / dt * an[i] + va[i];
        wn[i] = 4 / (dt * dt) * an[i] + wa[i];
        pdn[i] = 2 / dt * pn[i] + pa[i];
      }
      double P[3][3], bv[3], bw[3];
      for (int i = 0; i < 3; ++i) {
        bv[i] = bw[i] = 0;
        for (int j = 0; j < 3; ++j) {
          P[i][j] = W[i][j] + alpha * (J[0][i] * J[0][j] + J[1][i] * J[1][j]);
          bv[i] += W[i][j] * vn[j];
          bw[i] += W[i][j] * wn[j];
        }
      }
      int pp[3];
      factor<3>(P, pp);
      resolve<3>(P, pp, bv);
      const double Lk[3] = {L1, L2, L3};
      double g0 = 0, g1 = 0;
      for (int i = 0; i < 3; ++i) {
        g0 -= Lk[i] * cn[i] * bv[i] * bv[i];
        g1 -= Lk[i] * sn_[i] * bv[i] * bv[i];
      }
      for (int i = 0; i < 3; ++i) bw[i] -= alpha * (J[0][i] * g0 + J[1][i] * g1);
      resolve<3>(P, pp, bw);
      if (trace && rep == 0 && (k + 1) % 500 == 0)
        std::printf("%.3f %.9f %.9f %.1f %.1f %.1f\n", t, an[0] * 180 / M_PI, bv[0], pn[0], pn[1], pn[2]);
      for (int i = 0; i < 3; ++i) {
        a[i] = an[i];
        v[i] = bv[i];
        w[i] = bw[i];
        p[i] = pn[i];
        pd[i] = pdn[i];
      }
    }
    const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - t0).count() / 10000;
    if (ns < best) best = ns;
    meanIt = its / 10000.0;
    maxIt = mx;
    fin = {a[0], a[1], a[2], p[0], p[1], p[2]};
  }
  std::printf("ns_per_step %.1f mean_iterations %.3f max_iterations %d crank_deg %.6f p1 %.1f p3 %.1f\n", best, meanIt, maxIt,
              fin[0] * 180 / M_PI, fin[3], fin[5]);
}
