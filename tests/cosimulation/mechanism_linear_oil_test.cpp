// The mechanism on the oil linearised at the start of a communication step: against the monolithic step and the forces of the pressures.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "cosimulation/mechanism_cases.h"
#include "cosimulation/mechanism_subsystem.h"
#include "hydraulics/linear_oil.h"
#include "machine/start.h"
#include "run/run.h"
#include "solve/make_monolithic_stepper.h"
#include "support/allocation_counter.h"

namespace trunnion {
namespace {

using test::cut_at;
using test::kBorders;
using test::kTreatments;
using test::load_example;
using test::Ports;
using test::ports_at;
using test::Treatment;
using test::treatment;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Pressure rates of a machine's volumes.
Eigen::VectorXd pressure_rates(const CompiledModel& machine, double t, const std::vector<double>& s, const std::vector<double>& w,
                               std::vector<double> y) {
  HydraulicState oil(machine.hydraulics);
  update_inputs(machine.hydraulics, Signals(machine.signals, nullptr), t, Side::right, oil);
  std::vector<double> ydot(y.size());
  evaluate_rates(machine.hydraulics, s.data(), w.data(), y.data(), ydot.data(), oil);
  return Eigen::Map<const Eigen::VectorXd>(ydot.data(), static_cast<Eigen::Index>(machine.hydraulics.volumes.size()));
}

/// The machine's oil linearised at a state by differences, for a step h; spools move by the trapezoidal rule.
LinearOil linearised(const CompiledModel& machine, const StateVector& state, double h) {
  const Hydraulics& oil = machine.hydraulics;
  const auto volumes = static_cast<int>(oil.volumes.size()), ports = static_cast<int>(oil.actuators.size());
  LinearOil out(volumes, ports);
  const Ports at = ports_at(machine, state);
  out.begin = state.time;
  out.step = h;
  out.s = at.s;
  out.w = at.w;
  std::copy_n(state.y(), volumes, out.p.begin());
  for (int i = 0; i < 3; ++i) {
    const double t = state.time + i * h / 2;
    std::vector<double> y(state.y(), state.y() + oil.ny);
    for (const Spool& spool : oil.spools) {
      double rate[2];
      spool_rates(spool, Signals(machine.signals, nullptr).value(spool.signal, state.time, Side::right), y.data() + spool.state, rate);
      if (i > 0)
        advance_spool(spool, 2 / (t - state.time), rate, Signals(machine.signals, nullptr).value(spool.signal, t, Side::left),
                      y.data() + spool.state);
    }
    const auto rates = [&] { return pressure_rates(machine, t, out.s, out.w, y); };
    const auto difference = [&](double& x, double size) {
      const double kept = x;
      x = kept + size;
      const Eigen::VectorXd up = rates();
      x = kept - size;
      const Eigen::VectorXd down = rates();
      x = kept;
      return Eigen::VectorXd((up - down) / (2 * size));
    };
    Eigen::Map<Eigen::VectorXd>(out.f[i].data(), volumes) = rates();
    Eigen::Map<RowMajor> J(out.J[i].data(), volumes, volumes), f_s(out.f_s.data(), volumes, ports), f_w(out.f_w.data(), volumes, ports);
    for (int k = 0; k < volumes; ++k) J.col(k) = difference(y[k], 10);
    if (i > 0) continue;
    for (int k = 0; k < ports; ++k) {
      f_s.col(k) = difference(out.s[k], 1e-6);
      f_w.col(k) = difference(out.w[k], 1e-6);
    }
  }
  return out;
}

TEST(MechanismOnLinearOil, ReproducesTheMonolithicStepButForTheSquareOfTheChange) {
  for (const auto& [example, time] : {std::pair{"crane_double", 0.5}, std::pair{"four_bar", 1.01}, std::pair{"slewing_crane", 1.0}}) {
    Runner run(load_example(example, {"solver.constraints=double_step"}));
    run.advance(time);
    for (const Treatment& t : kTreatments) {
      if (t.order == 1) continue;
      const auto machine = load_example(example, treatment(t));
      StateVector begin = run.state();
      std::fill_n(begin.partition(), machine->layout.rows, 0.0);
      make_consistent(*machine, begin);
      const auto error = [&](double h) {
        const auto mechanism = make_mechanism_subsystem(machine, true);
        const LinearOil oil = linearised(*machine, begin, h);
        StateVector together = begin, apart = begin;
        mechanism->restore(begin);
        mechanism->set_linear_oil(&oil);
        EXPECT_TRUE(mechanism->do_step(h).ok());
        mechanism->save(apart);
        EXPECT_TRUE(make_monolithic_stepper(machine)->step(together, h).ok());
        double size = 0;
        for (int i = 0; i < machine->layout.nv; ++i) size = std::max(size, std::abs(apart.v()[i] - together.v()[i]));
        return size;
      };
      // pressures differ by h^3, velocities by h^4
      const double h = t.order == 4 ? 5e-5 : 1e-3, coarse = error(2 * h), fine = error(h);
      EXPECT_TRUE(fine < 1e-11 || std::log2(coarse / fine) > 2.7)
          << example << " " << t.constraints << " " << t.integrator << ": " << coarse << ", " << fine;
      EXPECT_LT(fine, 1.5e-5) << example << " " << t.constraints << " " << t.integrator;
    }
  }
}

TEST(MechanismOnLinearOil, TakesPressuresFromTheOilAndAllocatesNothing) {
  for (const Treatment& t : kTreatments) {
    if (t.order != 2) continue;  // too stiff for them
    const auto machine = cut_at(load_example("crane_double", treatment(t)), kBorders[2], 2);
    const StateVector start = start_state(*machine);
    const auto mechanism = make_mechanism_subsystem(machine, true);
    LinearOil oil = linearised(*machine, start, 1e-3);
    mechanism->restore(start);
    mechanism->set_linear_oil(&oil);
    ASSERT_TRUE(mechanism->inputs().empty());
    std::vector<double> F(2), F_higher(2);
    mechanism->port_forces(F.data());
    const Ports expected = ports_at(*machine, start);
    for (int i : {0, 1}) EXPECT_NEAR(F[i], expected.force[i], 1e-9 * (1 + std::abs(F[i])));
    const Actuator& lift = machine->hydraulics.actuators[0];
    oil.p[machine->hydraulics.nodes[lift.A].state] += 1e5;
    mechanism->set_linear_oil(&oil);
    mechanism->port_forces(F_higher.data());
    EXPECT_NEAR(F_higher[0] - F[0], 1e5 * lift.cylinder.area_A, 1e-6);
    StateVector state = start;
    const long before = test::allocations();
    for (int i = 0; i < 3; ++i) {
      mechanism->restore(state);
      mechanism->set_linear_oil(&oil);
      ASSERT_TRUE(mechanism->do_step(1e-3).ok());
      mechanism->save(state);
      state.time += 1e-3;
      oil.begin = state.time;
    }
    EXPECT_EQ(test::allocations(), before);
    for (int i = 0; i < machine->layout.ny; ++i) EXPECT_EQ(state.y()[i], start.y()[i]);  // no friction states here
  }
}

}  // namespace
}  // namespace trunnion
