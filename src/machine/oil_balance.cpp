// SPDX-License-Identifier: BSD-3-Clause
#include "machine/oil_balance.h"

#include <algorithm>
#include <cmath>

namespace trunnion {

OilBalance::OilBalance(const Hydraulics& h, const double* y, const double* s, const double* outflow) : h_(&h), outflow_(h.volumes.size()) {
  const auto count = [&](int node) { return h.nodes[node].state >= 0; };
  for (std::size_t i = 0; i < h.volumes.size(); ++i)
    parts_.push_back({static_cast<int>(i), h.volumes[i].node, -1, h.volumes[i].wall_compressibility, h.volumes[i].volume, 0, 0});
  for (std::size_t k = 0; k < h.actuators.size(); ++k)
    for (int node : {h.actuators[k].A, h.actuators[k].B})
      if (count(node)) parts_.push_back({node, node, static_cast<int>(k), h.actuators[k].cylinder.wall_compressibility, 0, 0, 0});
  // a motor whose chambers keep their volumes moves oil from one side to the other: parts of their own, whose size is the displacement
  for (std::size_t k = 0; k < h.actuators.size(); ++k) {
    const Actuator& a = h.actuators[k];
    if (a.cylinder.travel != 0 || a.A == a.B) continue;
    if (count(a.A)) parts_.push_back({a.A, a.A, static_cast<int>(k), 0, a.cylinder.area_A, 0, 0});
    if (count(a.B)) parts_.push_back({a.B, a.B, static_cast<int>(k), 0, -a.cylinder.area_B, 0, 0});
  }
  for (Part& part : parts_) {  // volumes are the first of the nodes
    part.strain = h.fluid.strain(y[h.nodes[part.node].state], part.wall);
    part.liquid = h.fluid.liquid_fraction(y[h.nodes[part.node].state]);
    part.last = size_of(part, s);
  }
  jump(outflow);
}

double OilBalance::size_of(const Part& part, const double* s) const {
  if (part.port < 0) return part.size;
  if (part.size != 0) return part.size * s[part.port];
  const Actuator& a = h_->actuators[part.port];
  const Cylinder& c = a.cylinder;
  double size = 0;
  if (a.A == part.node) size += c.area_A * c.chamber_A(s[part.port]);
  if (a.B == part.node && a.A != part.node) size += c.area_B * c.chamber_B(s[part.port]);
  return size;
}

void OilBalance::step(double h, const double* y, const double* s, const double* outflow) {
  for (Part& part : parts_) {
    const double p = y[h_->nodes[part.node].state], strain = h_->fluid.strain(p, part.wall), liquid = h_->fluid.liquid_fraction(p),
                 size = size_of(part, s);
    const bool compressed = part.port < 0 || part.size == 0;  // what a motor moves through is in its chambers already
    if (compressed) residual_ += (size + part.last) / 2 * (strain - part.strain);
    residual_ += (liquid + part.liquid) / 2 * (size - part.last);
    part.strain = strain;
    part.liquid = liquid;
    part.last = size;
  }
  for (std::size_t i = 0; i < outflow_.size(); ++i) {
    const int node = h_->volumes[i].node;
    const double left = h / 2 * (outflow_[i] + outflow[node]);
    residual_ += left;
    moved_ += std::abs(left);
  }
  worst_ = std::max(worst_, std::abs(residual_));
  jump(outflow);
}

void OilBalance::jump(const double* outflow) {
  for (std::size_t i = 0; i < outflow_.size(); ++i) outflow_[i] = outflow[h_->volumes[i].node];
}

}  // namespace trunnion
