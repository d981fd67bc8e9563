// Steady operation with the exact stability of sampled loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/steady_study.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "linearise/differential_form.h"
#include "linearise/linear_model.h"
#include "spectra/sampled_loop.h"
#include "studies/linear_case.h"

namespace trunnion {

namespace {

/// Without these states, which are held: what the sampled loop reads of a linear model.
LinearModel without(const LinearModel& from, const std::vector<std::string>& held) {
  std::vector<Eigen::Index> kept;
  LinearModel linear;
  for (std::size_t i = 0; i < from.states.size(); ++i) {
    if (std::find(held.begin(), held.end(), from.states[i].name) != held.end()) continue;
    kept.push_back(static_cast<Eigen::Index>(i));
    linear.states.push_back(from.states[i]);
  }
  linear.inputs = from.inputs;
  linear.A = from.A(kept, kept);
  linear.B = from.B(kept, Eigen::all);
  linear.C.resize(0, linear.A.cols());
  linear.D.resize(0, linear.B.cols());
  linear.drift = from.drift(kept);
  linear.sampled = from.sampled;
  for (std::size_t i = 0; i < from.inputs.size(); ++i) kept.push_back(from.A.cols() + static_cast<Eigen::Index>(i));
  for (SampledBlock& sampled : linear.sampled) sampled.reads = sampled.reads(Eigen::all, kept).eval();
  return linear;
}

}  // namespace

void judge_samples(const std::shared_ptr<const CompiledModel>& model, SteadyOperation& found) {
  if (model->relative) return judge_samples(model->relative, found);
  const auto& blocks = model->hydraulics.control;
  if (!found.holds || std::none_of(blocks.begin(), blocks.end(), [](const ControlBlock& b) { return b.sampled(); })) return;
  SampledLoop loop;
  try {
    loop = sampled_loop(*differential_form(model), without(linearise(model, found.state), found.at_rest));
  } catch (const InputError&) {}  // without states
  if (loop.period == 0) return;
  found.continuous = false;
  found.sampled = true;
  found.growth = 0;
  found.growing.clear();
  const std::vector<Eigenvalue>& all = loop.spectrum.eigenvalues;
  const auto first = std::find_if(all.begin(), all.end(), [](const Eigenvalue& e) { return e.chain == 0; });
  if (first == all.end()) return;
  found.growth = first->value.real();
  const std::vector<int>& unstable = loop.spectrum.stability.unstable;
  if (unstable.empty()) return;
  for (const int i : main_states(all[static_cast<std::size_t>(unstable.front())]))
    found.growing.push_back(loop.states[static_cast<std::size_t>(i)].name);
}

SteadyOperation steady_operation(const std::shared_ptr<const CompiledModel>& model, double time) {
  SteadyOperation found = solve_steady(model, time);
  find_other_steady(model, found);
  judge_samples(model, found);
  return found;
}

}  // namespace trunnion
