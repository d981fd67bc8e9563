// Derivatives of samples of control blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "linearise/sampled_blocks.h"

#include <Eigen/LU>
#include <algorithm>
#include <variant>

#include "base/scratch.h"

namespace trunnion {

namespace {

/// Whether a block is its input in whole steps: a quantiser, or the last block of a sensor with a resolution.
bool rounds_its_input(const CompiledModel& model, const ControlBlock& block) {
  const BlockDescription* const of = block.law->discrete() ? model.description.control.find(block.name) : nullptr;
  return of != nullptr && (std::holds_alternative<QuantiserBlock>(of->law) || std::holds_alternative<SensorBlock>(of->law));
}

}  // namespace

[[gnu::cold]] std::vector<SampledBlock> sampled_blocks(const CompiledModel& model, const LinearModel& linear) {
  std::vector<SampledBlock> sampled;
  for (int i = 0; const ControlBlock& block : model.hydraulics.control) {
    const int number = i++;
    if (!block.sampled()) continue;
    const auto input = std::find_if(linear.signals.begin(), linear.signals.end(), [&](const LinearInput& of) {
      return of.kind == LinearInput::Kind::value && of.signal == block.signal;
    });
    sampled.push_back({number,
                       static_cast<int>(input - linear.signals.begin()),
                       Eigen::MatrixXd::Zero(block.law->inputs(), linear.A.rows() + linear.B.cols()),
                       {}});
  }
  return sampled;
}

/// With x = x_before + T f(u, x), w = g(u, x):
///   x' = (1 - T f_x)^-1 (x_before' + T f_u u'),   w' = g_x x' + g_u u'
[[gnu::cold]] void differentiate_sample(const CompiledModel& model, const double* y, Dual<1>* read, SampledBlock& sampled) {
  const ControlBlock& block = model.hydraulics.control[static_cast<std::size_t>(sampled.block)];
  const BlockLaw& law = *block.law;
  const Eigen::Index inputs = law.inputs(), states = law.discrete() ? 0 : law.states();
  Scratch<double, kMaxBlockInputs> u;
  for (int k = 0; k < law.inputs(); ++k) u[k] = read[k].value;
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(law.states() + 1, inputs + law.states());  // of g, f
  law.differentiate(
      u.data(), y + block.output + 1, [](int) { return true; }, [](int, double) {},
      [&](int row, int column, double slope) { slopes(row, column) = slope; });
  if (rounds_its_input(model, block)) slopes(0, 0) = 1;
  sampled.samples = Eigen::MatrixXd::Zero(states + 1, states + inputs);
  if (states > 0) {
    Eigen::MatrixXd before(states, states + inputs);
    before << Eigen::MatrixXd::Identity(states, states), block.period * slopes.block(1, 0, states, inputs);
    const Eigen::MatrixXd implicit = Eigen::MatrixXd::Identity(states, states) - block.period * slopes.block(1, inputs, states, states);
    sampled.samples.topRows(states) = implicit.partialPivLu().solve(before);
    sampled.samples.row(states) = slopes.row(0).segment(inputs, states) * sampled.samples.topRows(states);
  }
  sampled.samples.row(states).tail(inputs) += slopes.row(0).head(inputs);
}

}  // namespace trunnion
