// Batches.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>

#include <pybind11/functional.h>

#include "bindings.h"

namespace trunnion::python {

namespace {

using Mask = py::array_t<unsigned char, py::array::c_style | py::array::forcecast>;

struct Fleet {
  Fleet(const SharedModel& model, int machines, int threads, int start, const std::vector<int>& inputs, const std::vector<int>& outputs,
        const std::vector<int>& parameters, const Array& values, bool lanes)
      : batch(make(model, machines, threads, start, inputs, outputs, parameters, values, lanes)) {}

  static Batch make(const SharedModel& model, int machines, int threads, int start, const std::vector<int>& inputs,
                    const std::vector<int>& outputs, const std::vector<int>& parameters, const Array& values, bool lanes) {
    BatchOptions options;
    options.threads = threads;
    options.start = static_cast<Start>(start);
    options.inputs = indices<InputIndex>(inputs);
    options.outputs = indices<ChannelIndex>(outputs);
    options.parameters = indices<ParameterIndex>(parameters);
    options.lanes = lanes ? Lanes::automatic : Lanes::off;
    options.values.assign(values.data(), values.data() + values.size());
    const py::gil_scoped_release unlocked;
    return Batch(model.model, machines, std::move(options));
  }

  py::ssize_t columns(const auto& list) const { return static_cast<py::ssize_t>(list.size()); }

  Batch batch;
  std::atomic<bool> busy = false;
  int steps_at_once = kStepsBetweenReports;  // between two checks for signals: fewer in batches that need long for them
};

void set_inputs(Fleet& f, const Array& u) {
  const Use use(f.busy);
  require_shape(u, {f.batch.size(), f.columns(f.batch.options().inputs)}, "actions");
  const py::gil_scoped_release unlocked;
  f.batch.set_inputs(u.data());
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// All machines make a part of the steps before signals are looked for, so that an interrupted batch has made the same steps in every
/// machine that has not failed.
int step(Fleet& f, const py::object& n) {
  const int steps = static_cast<int>(count(n, "n", std::numeric_limits<int>::max()));
  constexpr double kLong = 0.2, kShort = 0.05;  // [s] of a part
  const Use use(f.busy);
  int failed = 0, done = 0;
  do {
    const int part = std::min(f.steps_at_once, steps - done);
    const double begin = seconds();
    {
      const py::gil_scoped_release unlocked;
      failed = f.batch.step(part);
    }
    const double taken = seconds() - begin;
    if (taken > kLong) f.steps_at_once = std::max(1, part / 2);
    if (taken < kShort && part == f.steps_at_once) f.steps_at_once = std::min(kStepsBetweenReports, 2 * part);
    done += part;
    check_signals(done, steps, nothing);
  } while (done < steps);
  return failed;
}

py::array read(Fleet& f) {
  const Use use(f.busy);
  py::array_t<double> y({static_cast<py::ssize_t>(f.batch.size()), f.columns(f.batch.options().outputs)});
  double* out = y.mutable_data();
  const py::gil_scoped_release unlocked;
  f.batch.read(out);
  return y;
}

/// The outputs at the present state and after each of `steps` steps: (steps + 1, machines, outputs). Ends early, with the records until
/// then, where `stop()` is true; null: never.
py::array record(Fleet& f, const py::object& n, const std::function<bool()>& stop) {
  constexpr double kBetweenChecks = 0.05;  // [s]
  const int steps = static_cast<int>(count(n, "n", std::numeric_limits<int>::max()));
  const Use use(f.busy);
  if (steps < 0) throw ModelError("the number of steps must not be negative");
  const py::ssize_t row = f.batch.size() * f.columns(f.batch.options().outputs);
  py::array_t<double> y(
      {static_cast<py::ssize_t>(steps) + 1, static_cast<py::ssize_t>(f.batch.size()), f.columns(f.batch.options().outputs)});
  double* out = y.mutable_data();
  const auto first = [&](int count) { return y[py::slice(0, count, 1)]; };
  const py::gil_scoped_release unlocked;
  f.batch.read(out);
  double checked = seconds();
  for (int i = 1; i <= steps; ++i) {
    f.batch.step(1);
    f.batch.read(out + i * row);
    if (const double now = seconds(); now - checked > kBetweenChecks || i == steps) {
      const py::gil_scoped_acquire lock;
      check_signals(i, steps, [&] { return py::object(first(i + 1)); });
      if (stop && stop()) return first(i + 1);
      checked = now;
    }
  }
  return y;
}

void reset(Fleet& f, const std::optional<Mask>& mask) {
  const Use use(f.busy);
  if (mask && (mask->ndim() != 1 || mask->shape(0) != f.batch.size()))
    throw ModelError("mask must have one value per machine: " + std::to_string(f.batch.size()));
  const unsigned char* values = mask ? mask->data() : nullptr;
  const py::gil_scoped_release unlocked;
  f.batch.reset(values);
}

void set_parameters(Fleet& f, const Array& values, const std::optional<Mask>& mask) {
  const Use use(f.busy);
  const py::ssize_t columns = f.columns(f.batch.options().parameters);
  require_shape(values, {f.batch.size(), columns}, "values");
  for (int i = 0; i < f.batch.size(); ++i)
    if (!mask || mask->data()[i] != 0) f.batch.set_parameters(i, values.data() + i * columns);
}

py::array failed(Fleet& f) {
  const Use use(f.busy);
  py::array_t<bool> list(static_cast<py::ssize_t>(f.batch.size()));
  for (int i = 0; i < f.batch.size(); ++i) list.mutable_data()[i] = f.batch.failed(i);
  return list;
}

py::array times(Fleet& f) {
  const Use use(f.busy);
  py::array_t<double> list(static_cast<py::ssize_t>(f.batch.size()));
  for (int i = 0; i < f.batch.size(); ++i) list.mutable_data()[i] = f.batch.time(i);
  return list;
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<Fleet>(module, "Batch")
      .def(py::init<const SharedModel&, int, int, int, const std::vector<int>&, const std::vector<int>&, const std::vector<int>&,
                    const Array&, bool>())
      .def_property_readonly("remark", [](const Fleet& f) { return f.batch.remark(); })
      .def("set_inputs", set_inputs)
      .def("step", step)
      .def("read", read)
      .def("record", record, py::arg("steps"), py::arg("stop") = py::none())
      .def("reset", reset, py::arg("mask") = py::none())
      .def("set_parameters", set_parameters, py::arg("values"), py::arg("mask") = py::none())
      .def_property_readonly("failed", failed)
      .def_property_readonly("times", times)
      .def("error",
           [](Fleet& f, int machine) {
             const Use use(f.busy);
             return f.batch.error(machine);
           })
      .def("state_bytes",
           [](Fleet& f, int machine) {
             const Use use(f.busy);
             return py::bytes(f.batch.state(machine).bytes());
           })
      .def("set_state_bytes", [](Fleet& f, int machine, const py::bytes& bytes) {
        const Use use(f.busy);
        f.batch.set_state(machine, State::from_bytes(bytes));
      });
}

}  // namespace trunnion::python
