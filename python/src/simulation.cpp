// Simulations, states, and the fast way of arrays in, arrays out.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <optional>

#include "bindings.h"

namespace trunnion::python {

namespace {

/// A state with, if it was saved in this process, the energy ledger.
struct Saved {
  State state;
  std::optional<Snapshot> snapshot;
};

struct Machine {
  Machine(const SharedModel& of, int start) : simulation(of.model, static_cast<Start>(start)) {
    hook([](double) {
      const py::gil_scoped_acquire lock;
      return PyErr_CheckSignals() == 0;
    });
  }
  void hook(std::function<bool(double)> progress) { simulation.on_progress(std::move(progress)); }

  Simulation simulation;
  std::vector<Message> messages;
  std::atomic<bool> busy = false;
};

/// Steps with the GIL released; runs signal handlers every kStepsBetweenReports steps and at the end.
template <class Kept>
void advance(Simulation& simulation, long steps, const Kept& kept) {
  for (long done = 0; done < steps;) {
    {
      const py::gil_scoped_release unlocked;
      const long end = std::min(steps, done + kStepsBetweenReports);
      for (; done < end; ++done) simulation.step();
    }
    check_signals(done, steps, kept);
  }
}

long checked_steps(const py::object& n) {
  const long steps = count(n, "n");
  if (steps < 0) throw ModelError("the number of steps must not be negative");
  return steps;
}

void step(Machine& m, const py::object& n) {
  const Use use(m.busy);
  advance(m.simulation, checked_steps(n), nothing);
}

void run_until(Machine& m, double end) {
  const Use use(m.busy);
  try {
    const py::gil_scoped_release unlocked;
    m.simulation.run_until(end);
  } catch (const RunError&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();  // of the hook
    throw;
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void restart(Machine& m, int start) {
  const Use use(m.busy);
  const py::gil_scoped_release unlocked;
  m.simulation.restart(static_cast<Start>(start));
}

py::array read(Machine& m, const std::vector<int>& channels) {
  const Use use(m.busy);
  py::array_t<double> out(static_cast<py::ssize_t>(channels.size()));
  m.simulation.read(indices<ChannelIndex>(channels), out.mutable_data());
  return out;
}

py::dict linearize(Machine& m, const std::vector<std::string>& outputs, const std::vector<std::string>& independent) {
  const Use use(m.busy);
  const LinearSystem s = [&] {
    const py::gil_scoped_release unlocked;
    return m.simulation.linearize(outputs, independent);
  }();
  py::dict d;
  d["time"] = s.time;
  d["states"] = infos(s.states), d["inputs"] = infos(s.inputs), d["outputs"] = infos(s.outputs);
  d["x0"] = vector(s.x0), d["u0"] = vector(s.u0), d["y0"] = vector(s.y0), d["drift"] = vector(s.drift);
  d["A"] = matrix(s.A, s.states.size()), d["B"] = matrix(s.B, s.inputs.size());
  d["C"] = matrix(s.C, s.states.size()), d["D"] = matrix(s.D, s.inputs.size());
  const auto modes = [](const std::vector<EigenvalueInfo>& eigenvalues) {
    py::list list;
    for (const EigenvalueInfo& e : eigenvalues)
      list.append(py::make_tuple(std::complex<double>(e.re, e.im), e.frequency_hz, e.damping_ratio, vector(e.participation)));
    return list;
  };
  d["modes"] = modes(s.eigenvalues);
  d["stability"] = s.stability, d["moving"] = s.moving, d["warnings"] = s.warnings;
  py::list other_sides;
  for (const OtherSideInfo& o : s.other_sides)
    other_sides.append(py::make_tuple(o.name, o.is_input, o.above, vector(o.rates), vector(o.outputs)));
  d["other_sides"] = other_sides;
  const SampledLoopInfo& loop = s.sampled_loop;
  d["sampled_loop"] = py::make_tuple(loop.period, infos(loop.states), matrix(loop.F, loop.states.size()), modes(loop.eigenvalues),
                                     loop.stability, loop.text);
  d["independent"] = s.independent, d["velocity_dependent"] = s.velocity_dependent, d["dependent"] = s.dependent;
  return d;
}

py::dict transition(Machine& m, const std::vector<int>& parameters) {
  const Use use(m.busy);
  std::vector<ParameterIndex> indices;
  for (const int number : parameters) indices.push_back({number});
  const Transition t = [&] {
    const py::gil_scoped_release unlocked;
    return m.simulation.transition(indices);
  }();
  py::dict d;
  d["begin"] = t.begin, d["end"] = t.end;
  d["states"] = infos(t.states), d["inputs"] = infos(t.inputs);
  d["F"] = matrix(t.F, t.states.size()), d["G"] = matrix(t.G, t.inputs.size());
  d["P"] = matrix(t.P, t.parameters.size());
  return d;
}

py::list incidents(Machine& m) {
  const Use use(m.busy);
  constexpr const char* kKinds[] = {"end_stop", "relief", "accumulator_empty", "block_switch"};
  py::list list;
  for (const Incident& i : m.simulation.incidents())
    list.append(py::make_tuple(kKinds[static_cast<int>(i.kind)], i.name, i.count, i.steps, i.first_time));
  return list;
}

void attach_messages(Machine& m) {
  const Use use(m.busy);
  m.messages.clear();
  m.simulation.on_message([&m](const Message& message) { m.messages.push_back(message); });
}

py::list messages(Machine& m) {
  const Use use(m.busy);
  py::list list;
  for (const Message& message : m.messages)
    list.append(py::make_tuple(message.severity == Message::Severity::warning ? "warning" : "note", message.time, message.text));
  return list;
}

Saved save(Machine& m) {
  const Use use(m.busy);
  return {m.simulation.state(), m.simulation.save()};
}

void restore(Machine& m, const Saved& saved) {
  const Use use(m.busy);
  if (saved.snapshot)
    m.simulation.restore(*saved.snapshot);
  else
    m.simulation.set_state(saved.state);
}

py::array minimal_state(Machine& m) {
  const Use use(m.busy);
  return vector(m.simulation.minimal_state());
}

void set_minimal_state(Machine& m, const Array& x) {
  const Use use(m.busy);
  require_shape(x, {static_cast<py::ssize_t>(m.simulation.minimal_states().size())}, "the state");
  m.simulation.set_minimal_state({x.data(), x.data() + x.size()});
}

/// Chosen inputs and outputs of a simulation.
class Io {
 public:
  Io(std::shared_ptr<Machine> machine, const std::vector<int>& inputs, const std::vector<int>& outputs)
      : machine_(std::move(machine)), inputs_(indices<InputIndex>(inputs)), outputs_(indices<ChannelIndex>(outputs)) {}

  py::array step(const py::object& values_of_inputs, const py::object& n, const py::object& out) {
    const long steps = checked_steps(n);
    std::optional<Array> u;
    if (!values_of_inputs.is_none()) u = numbers(values_of_inputs, "u");
    const Use use(machine_->busy);
    py::array_t<double> y = array_for(out);
    Simulation& simulation = machine_->simulation;
    if (u) {
      const bool one = u->ndim() == 0 && inputs_.size() == 1;  // a plain number
      if (!one && !(u->ndim() == 1 && u->shape(0) == size(inputs_))) require_shape(*u, {size(inputs_)}, "u");
      const double* values = u->data();
      for (const InputIndex input : inputs_) simulation.set(input, *values++);
    }
    advance(simulation, steps, [this] { return py::cast(*this, py::return_value_policy::reference); });
    simulation.read(outputs_, y.mutable_data());
    return y;
  }
  py::array read(const py::object& out) {
    const Use use(machine_->busy);
    py::array_t<double> y = array_for(out);
    machine_->simulation.read(outputs_, y.mutable_data());
    return y;
  }
  std::string text() const {
    return "<trunnion.Io: " + std::to_string(inputs_.size()) + " inputs, " + std::to_string(outputs_.size()) + " outputs>";
  }

 private:
  template <class List>
  static py::ssize_t size(const List& list) {
    return static_cast<py::ssize_t>(list.size());
  }
  /// `out`, which is filled in place, or a new array for None.
  py::array_t<double> array_for(const py::object& out) const {
    if (out.is_none()) return py::array_t<double>(size(outputs_));
    if (py::isinstance<py::array_t<double>>(out)) {
      auto array = py::reinterpret_borrow<py::array_t<double>>(out);
      if (array.ndim() == 1 && array.shape(0) == size(outputs_) && (array.flags() & py::array::c_style) != 0 && array.writeable())
        return array;
    }
    throw ModelError("out must be a contiguous, writeable array of " + std::to_string(outputs_.size()) + " numbers of type float64");
  }

  std::shared_ptr<Machine> machine_;
  std::vector<InputIndex> inputs_;
  std::vector<ChannelIndex> outputs_;
};

Saved state_of(const py::object& content) {
  if (PyBytes_Check(content.ptr()) == 0 && PyByteArray_Check(content.ptr()) == 0 && PyMemoryView_Check(content.ptr()) == 0)
    throw py::type_error(std::string("State.from_bytes() needs bytes(state), not ") + Py_TYPE(content.ptr())->tp_name);
  const auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(content.ptr()));
  if (!bytes) throw py::error_already_set();
  if (PyBytes_Size(bytes.ptr()) == 0) throw ModelError("these bytes are no state: there are none");
  return {State::from_bytes(bytes), {}};
}

template <class F>
auto locked(F f) {
  return [f](Machine& m) {
    const Use use(m.busy);
    return f(m.simulation);
  };
}

void bind_state(py::module_& module) {
  py::class_<Saved>(module, "State", "The state of a machine; bytes(state) and State.from_bytes are its binary form.")
      .def(py::init([](const py::args&, const py::kwargs&) -> Saved {
        throw py::type_error("a State is made by Simulation.save(), Batch.save() or State.from_bytes()");
      }))
      .def_property_readonly(
          "time", [](const Saved& s) { return s.state.time(); }, "[s]")
      .def_property_readonly(
          "fingerprint", [](const Saved& s) { return s.state.fingerprint(); },
          "That of the model: states are exchanged between equal ones.")
      .def_property_readonly(
          "positions", [](const Saved& s) { return vector(s.state.positions()); }, "Coordinates of all joints [m, rad]; a copy.")
      .def_property_readonly(
          "velocities", [](const Saved& s) { return vector(s.state.velocities()); },
          "Of the coordinates of all joints [m/s, rad/s]; a copy.")
      .def_property_readonly(
          "first_order", [](const Saved& s) { return vector(s.state.first_order()); },
          "States of first order, such as pressures [Pa] and those of valves and control blocks; a copy.")
      .def("__bytes__", [](const Saved& s) { return py::bytes(s.state.bytes()); })
      .def_static("from_bytes", state_of, "A state from bytes(state). Raises ModelError where they are none.")
      .def(
          "__eq__", [](const Saved& a, const Saved& b) { return a.state == b.state; }, py::is_operator())
      .def("__repr__",
           [](const Saved& s) { return "<trunnion.State at " + py::str(py::float_(s.state.time())).cast<std::string>() + " s>"; })
      .def(py::pickle([](const Saved& s) { return py::bytes(s.state.bytes()); }, [](const py::bytes& bytes) { return state_of(bytes); }));
}

void bind_machine(py::module_& module) {
  py::class_<Machine, std::shared_ptr<Machine>>(module, "Simulation")
      .def(py::init<const SharedModel&, int>(), py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("time", locked([](Simulation& s) { return s.time(); }))
      .def("step", step)
      .def("run_until", run_until)
      .def("restart", restart)
      .def("set_input",
           [](Machine& m, int input, double value, double slope) {
             const Use use(m.busy);
             m.simulation.set(InputIndex{input}, value, slope);
           })
      .def("input",
           [](Machine& m, int input) {
             const Use use(m.busy);
             return m.simulation.value(InputIndex{input});
           })
      .def("set_parameter",
           [](Machine& m, int parameter, double value) {
             const Use use(m.busy);
             m.simulation.set_parameter(ParameterIndex{parameter}, value);
           })
      .def("parameter",
           [](Machine& m, int parameter) {
             const Use use(m.busy);
             return m.simulation.value(ParameterIndex{parameter});
           })
      .def("channel",
           [](Machine& m, int channel) {
             const Use use(m.busy);
             return m.simulation.value(ChannelIndex{channel});
           })
      .def("read", read)
      .def("values", locked([](Simulation& s) { return vector(s.values()); }))
      .def("attach_ledger", locked([](Simulation& s) { s.attach_ledger(); }))
      .def("attach_incidents", locked([](Simulation& s) { s.attach_incidents(); }))
      .def("incidents", incidents)
      .def("attach_messages", attach_messages)
      .def("messages", messages)
      .def("save", save)
      .def("restore", restore)
      .def("minimal_states", locked([](Simulation& s) { return infos(s.minimal_states()); }))
      .def("minimal_state", minimal_state)
      .def("set_minimal_state", set_minimal_state)
      .def("select_coordinates", locked([](Simulation& s) { s.select_coordinates(); }))
      .def("linearize", linearize)
      .def("transition", transition, py::arg("parameters"))
      .def_property_readonly("steps", locked([](Simulation& s) { return s.steps(); }))
      .def_property_readonly("iterations", locked([](Simulation& s) { return s.iterations(); }));
}

void bind_io(py::module_& module) {
  py::class_<Io>(module, "Io", "Chosen inputs and outputs of a simulation, made by Simulation.io: arrays in, arrays out.")
      .def(py::init([](const py::args&, const py::kwargs&) -> Io {
        throw py::type_error("an Io is made by Simulation.io(inputs, outputs), lists of names");
      }))
      .def("step", &Io::step, py::arg("u") = py::none(), py::arg("n") = 1, py::arg("out") = py::none(),
           "Sets the inputs to u (SI), advances n steps and returns the outputs (SI); None leaves the inputs as they are. `out`, an array "
           "of\n"
           "float64, is filled and returned. Raises RunError; on Ctrl-C Interrupted, whose `steps` are those completed.")
      .def("step",
           [](Io&, const py::args&, const py::kwargs& found) -> py::object {
             refuse_arguments("io.step() takes u, n and out: io.step(u, n=10, out=y)", found);
           })
      .def("read", &Io::read, py::arg("out") = py::none(), "The outputs at the present state.")
      .def("read",
           [](Io&, const py::args&, const py::kwargs& found) -> py::object { refuse_arguments("io.read() takes out alone", found); })
      .def("__repr__", &Io::text)
      .def("__reduce__", [](const Io&) -> py::object {
        throw py::type_error("an Io cannot be pickled: pickle the model and save() of the simulation, and call io() again");
      });
  module.def("io", [](std::shared_ptr<Machine> machine, const std::vector<int>& inputs, const std::vector<int>& outputs) {
    return Io(std::move(machine), inputs, outputs);
  });
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::options options;
  options.disable_function_signatures();
  bind_state(module);
  bind_machine(module);
  bind_io(module);
}

}  // namespace trunnion::python
