// The extension module: errors, versions, and its parts.
// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.h"

namespace trunnion::python {

namespace {

/// Raises trunnion.errors.NAME(text, arguments...).
template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("trunnion.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(arguments...).ptr());
}

void raise_model_error(const ModelError& error, const py::list& findings) {
  const py::object type = py::module_::import("trunnion.errors").attr("ModelError");
  PyErr_SetObject(type.ptr(), type.attr("_of_core")(error.what(), findings).ptr());
}

py::list findings_of(const ModelError& error) {
  py::list list;
  for (const Finding& f : error.findings()) list.append(py::make_tuple(f.file, f.line, f.column, f.path, f.found, f.expected, f.hint));
  return list;
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const ModelError& error) { raise_model_error(error, findings_of(error)); } catch (const RunError& error) {
    raise("RunError", error.what(), error.time(), error.equations(), error.remedy());
  }
}

}  // namespace

PYBIND11_MODULE(_trunnion, module) {
  module.doc() = "The compiled part of trunnion; use `import trunnion`.";
  module.attr("abi_version") = abi_version();
  py::register_exception_translator(translate);
  bind_model(module);
  bind_simulation(module);
  bind_batch(module);
}

}  // namespace trunnion::python
