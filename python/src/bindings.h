// The extension `trunnion._trunnion`: thin classes over the public C++ interface. Names, units, defaults and conveniences are in the Python
// modules. Every call that steps or reads files releases the GIL.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <trunnion/trunnion.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace trunnion::python {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A model, as Python holds it.
struct SharedModel {
  std::shared_ptr<const Model> model;
};

/// Prevents two threads from using one simulation or batch at once, which is possible while the GIL is released.
class Use {
 public:
  explicit Use(std::atomic<bool>& busy) : busy_(busy) {
    if (busy.exchange(true, std::memory_order_acquire)) {
      PyErr_SetString(PyExc_RuntimeError,
                      "this object is being used by another thread, or by the call that runs this signal handler; give each thread its own "
                      "simulation or batch, which may share a model");
      throw py::error_already_set();
    }
  }
  ~Use() { busy_.store(false, std::memory_order_release); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// Throws the present Python exception: a plain KeyboardInterrupt as trunnion.Interrupted, whose result is `kept()`, others as they are.
[[noreturn]] void throw_interruption(long done, long steps, const std::function<py::object()>& kept);

/// Runs Python's signal handlers after `done` of `steps` steps of a call. With the GIL.
template <class Kept>
void check_signals(long done, long steps, const Kept& kept) {
  if (PyErr_CheckSignals() != 0) throw_interruption(done, steps, kept);
}
inline py::object nothing() { return py::none(); }  // the Python modules say what is kept

py::list infos(const std::vector<ChannelInfo>& list);  // (name, unit, meaning)
py::array matrix(const std::vector<std::vector<double>>& rows, std::size_t columns);
py::array vector(const std::vector<double>& values);
py::array empty(std::vector<py::ssize_t> shape);
/// Throws ModelError unless the array has this shape; `what` names it.
void require_shape(const Array& array, std::vector<py::ssize_t> shape, const char* what);
/// An array of numbers. Throws TypeError, also for texts and complex numbers; `what` names it.
Array numbers(const py::object& values, const char* what);
/// An integer of at most `most`. Throws TypeError; `name` is that of the argument.
long count(const py::object& value, const char* name, long most = std::numeric_limits<long>::max());
/// A TypeError for arguments that fit no function.
[[noreturn]] void refuse_arguments(const std::string& expected, const py::kwargs& found);
template <class Index>
std::vector<Index> indices(const std::vector<int>& numbers) {
  std::vector<Index> list;
  list.reserve(numbers.size());
  for (const int number : numbers) list.push_back(Index{number});
  return list;
}

void bind_model(py::module_& module);
void bind_simulation(py::module_& module);
void bind_batch(py::module_& module);

}  // namespace trunnion::python
