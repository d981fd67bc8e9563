// Arrays and lists for Python.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "bindings.h"

namespace trunnion::python {

py::list infos(const std::vector<ChannelInfo>& list) {
  py::list result;
  for (const ChannelInfo& info : list) result.append(py::make_tuple(info.name, info.unit, info.meaning));
  return result;
}

py::array empty(std::vector<py::ssize_t> shape) { return py::array_t<double>(std::move(shape)); }

py::array vector(const std::vector<double>& values) {
  py::array_t<double> array(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

py::array matrix(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  py::array_t<double> array({static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(columns)});
  double* out = array.mutable_data();
  for (const std::vector<double>& row : rows) out = std::copy(row.begin(), row.end(), out);
  return array;
}

namespace {

std::string text(const std::vector<py::ssize_t>& shape) {
  std::string result = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) result += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return result + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

void require_shape(const Array& array, std::vector<py::ssize_t> shape, const char* what) {
  const std::vector<py::ssize_t> found(array.shape(), array.shape() + array.ndim());
  if (found != shape) throw ModelError(std::string(what) + " has shape " + text(found) + "; expected " + text(shape));
}

void throw_interruption(long done, long steps, const std::function<py::object()>& kept) {
  py::error_already_set error;  // takes the present exception
  if (!error.type().is(py::reinterpret_borrow<py::object>(PyExc_KeyboardInterrupt))) throw std::move(error);
  const py::object type = py::module_::import("trunnion.errors").attr("Interrupted");
  const std::string text = "interrupted after " + std::to_string(done) + " of " + std::to_string(steps) +
                           " steps, between two steps; stepping can continue from there";
  PyErr_SetObject(type.ptr(), type(text, kept(), done).ptr());
  throw py::error_already_set();
}

}  // namespace trunnion::python
