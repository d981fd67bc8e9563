// Arrays and lists for Python.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string_view>

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

Array numbers(const py::object& values, const char* what) {
  const auto plain = py::array::ensure(values);
  if (plain && std::string_view("biufO").find(plain.dtype().kind()) != std::string_view::npos)
    if (auto array = Array::ensure(plain)) return array;
  PyErr_Clear();
  const auto start = py::repr(values)[py::slice(0, 60, 1)].cast<std::string>();  // of characters, not bytes
  throw py::type_error(std::string(what) + " must be an array of numbers, not " + start);
}

long count(const py::object& value, const char* name, long most) {
  if (PyIndex_Check(value.ptr()) == 0)
    throw py::type_error(std::string(name) + " must be an integer, not " + Py_TYPE(value.ptr())->tp_name);
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long found = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || found > most || found < -most)
    throw py::type_error(std::string(name) + " is too large: " + py::str(number).cast<std::string>());
  return found;
}

void refuse_arguments(const std::string& expected, const py::kwargs& found) {
  std::string names;
  for (const auto& item : found) names += (names.empty() ? "" : ", ") + item.first.cast<std::string>();
  throw py::type_error(expected + (names.empty() ? "" : "; found the names " + names));
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
