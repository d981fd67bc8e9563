// The mechanism as seen at its ports: the reduced interface model
//   w_dot = b + W F,    s_dot = w
// with W = A (I - P_c) M^-1 A^T the inverse effective mass (13) and b the acceleration of the ports without their forces, from (14).
// W and b are linear in time over a communication step; the paper keeps them constant.
// Source: Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation), (10)-(15), with the errata of section 2.3.1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace trunnion {

/// Interface model over a communication step; ports in the order of Hydraulics::actuators.
struct InterfaceModel {
  explicit InterfaceModel(int port_count)
      : ports(port_count), W(ports * ports), W_rate(ports * ports), b(ports), b_rate(ports), s(ports), w(ports), rate_offset(ports) {}

  int ports;
  double begin = 0;                 // [s]
  std::vector<double> W, W_rate;    // [1/kg], [1/(kg s)]  row by row
  std::vector<double> b, b_rate;    // [m/s2], [m/s3]
  std::vector<double> s, w;         // [m], [m/s] at the beginning
  std::vector<double> rate_offset;  // [m/s] added to the oil's rate: corrects the volume defect of the previous step
};

}  // namespace trunnion
