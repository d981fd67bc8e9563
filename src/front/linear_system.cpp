// Linear models in the form of the public interface.
// SPDX-License-Identifier: BSD-3-Clause
#include "front/content.h"
#include "linearise/linear_model.h"

namespace trunnion {

namespace {

void fill(const std::vector<LinearVariable>& from, std::vector<ChannelInfo>& infos, std::vector<double>& references) {
  fill_infos(from, infos);
  references.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) references[i] = from[i].reference;
}

}  // namespace

void fill_infos(const std::vector<LinearVariable>& from, std::vector<ChannelInfo>& infos) {
  infos.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    infos[i].name = from[i].name;
    infos[i].unit = from[i].unit;
    infos[i].meaning = from[i].meaning;
  }
}

void fill_rows(const Eigen::MatrixXd& from, std::vector<std::vector<double>>& rows) {
  rows.resize(static_cast<std::size_t>(from.rows()));
  for (Eigen::Index i = 0; i < from.rows(); ++i) {
    std::vector<double>& row = rows[static_cast<std::size_t>(i)];
    row.resize(static_cast<std::size_t>(from.cols()));
    for (Eigen::Index j = 0; j < from.cols(); ++j) row[static_cast<std::size_t>(j)] = from(i, j);
  }
}

void fill_system(const LinearModel& from, LinearSystem& system) {
  system.time = from.time;
  fill(from.states, system.states, system.x0);
  fill(from.inputs, system.inputs, system.u0);
  fill(from.outputs, system.outputs, system.y0);
  system.drift.assign(from.drift.begin(), from.drift.end());
  fill_rows(from.A, system.A);
  fill_rows(from.B, system.B);
  fill_rows(from.C, system.C);
  fill_rows(from.D, system.D);
  system.eigenvalues.clear();
  system.stability.clear();
  system.sampled_loop = {};
  system.moving = from.changes;
  system.independent = from.partition.independent;
  system.velocity_dependent = from.partition.velocity_dependent;
  system.dependent = from.partition.dependent;
  system.other_sides.clear();
  for (const OtherSide& other : from.other_sides)
    system.other_sides.push_back({(other.is_input ? from.inputs : from.states)[static_cast<std::size_t>(other.column)].name,
                                  other.is_input,
                                  other.above,
                                  {other.rates.begin(), other.rates.end()},
                                  {other.outputs.begin(), other.outputs.end()}});
  system.warnings = from.warnings;
}

void Simulation::linearize(const LinearRequest& request, LinearSystem& system) const {
  translated([&] {
    LinearOptions options;
    options.outputs = request.outputs;
    options.independent = request.independent;
    fill_system(linearise(compiled(), state().content()->state, options), system);
  });
}

}  // namespace trunnion
