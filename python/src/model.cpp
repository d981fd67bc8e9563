// Models, and recorded runs in memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <future>

#include "bindings.h"

namespace trunnion::python {

namespace {

using Release = py::call_guard<py::gil_scoped_release>;

/// A recorded run. Its columns are views of the memory of the run.
struct Run {
  RunResult result;
};

/// (run, what ended it): KeyboardInterrupt, an error of the progress function, or None. A run does not hold the exception, whose traceback
/// may hold the run.
py::tuple run(const SharedModel& model, int start, std::optional<double> duration, const std::string& input_file,
              const py::object& progress) {
  py::object interruption = py::none();
  RunOptions options;
  options.start = static_cast<Start>(start);
  options.duration = duration;
  options.input_file = input_file;
  const auto check = [&](double time, const py::object& function) {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!function.is_none()) function(time);
      return true;
    } catch (py::error_already_set& error) {
      interruption = error.value();
      if (error.trace()) PyException_SetTraceback(interruption.ptr(), error.trace().ptr());
      return false;
    }
  };
  options.progress = [&](double time) {
    const py::gil_scoped_acquire lock;
    return check(time, progress);
  };
  RunResult result = [&] {
    const py::gil_scoped_release unlocked;
    return run_in_memory(model.model, options);
  }();
  if (interruption.is_none()) check(result.end_time(), py::none());  // a signal in the last steps keeps the result, too
  return py::make_tuple(Run{std::move(result)}, interruption);
}

py::array column(const py::object& self, std::size_t channel) {
  const std::vector<double>& values = self.cast<const Run&>().result.values(channel);
  py::array_t<double> view(static_cast<py::ssize_t>(values.size()), values.data(), self);
  view.attr("flags").attr("writeable") = false;
  return view;
}

/// (times, values [channels, times], derivatives [parameters, channels, times], failure). The threads need no GIL: this one looks for
/// signals.
py::tuple sensitivities(const SharedModel& model, const std::vector<int>& parameters, const std::vector<std::string>& channels,
                        const std::vector<double>& times, int threads) {
  constexpr auto kBetweenChecks = std::chrono::milliseconds(20);
  std::atomic<bool> stopped = false;
  SensitivityOptions options{indices<ParameterIndex>(parameters), channels, times, threads, [&](double) { return !stopped; }};
  auto work = std::async(std::launch::async, [&] { return response_sensitivities(model.model, options); });
  std::optional<py::error_already_set> raised;
  {
    const py::gil_scoped_release unlocked;
    while (work.wait_for(kBetweenChecks) != std::future_status::ready) {
      const py::gil_scoped_acquire lock;
      if (!raised && PyErr_CheckSignals() != 0) {
        raised.emplace();
        stopped = true;
      }
    }
  }
  if (raised) throw py::error_already_set(*raised);
  const Sensitivities found = work.get();
  py::list derivatives;
  for (const auto& of : found.derivatives) derivatives.append(matrix(of, found.times.size()));
  return py::make_tuple(vector(found.times), matrix(found.values, found.times.size()), derivatives, found.failure);
}

/// (times, values [channels, times], gradients [sums, parameters], failure); weigh(values) returns an array [sums, channels, times].
py::tuple gradients(const SharedModel& model, const std::vector<int>& parameters, const std::vector<std::string>& channels,
                    const std::vector<double>& times, const py::function& weigh) {
  std::optional<py::error_already_set> raised;
  SensitivityOptions options{indices<ParameterIndex>(parameters), channels, times, 1, {}};
  options.progress = [&](double) {
    const py::gil_scoped_acquire lock;
    if (!raised && PyErr_CheckSignals() != 0) raised.emplace();
    return !raised;
  };
  const auto compute = [&] {
    const py::gil_scoped_release unlocked;
    return response_gradients(model.model, options, [&](const std::vector<std::vector<double>>& values) {
      const py::gil_scoped_acquire lock;
      SumWeights weights;
      try {
        const auto array = weigh(matrix(values, times.size())).cast<py::array_t<double, py::array::c_style | py::array::forcecast>>();
        const auto w = array.unchecked<3>();
        for (py::ssize_t j = 0; j < w.shape(0); ++j) {
          weights.emplace_back();
          for (py::ssize_t c = 0; c < w.shape(1); ++c) {
            weights.back().emplace_back();
            for (py::ssize_t k = 0; k < w.shape(2); ++k) weights.back().back().push_back(w(j, c, k));
          }
        }
      } catch (py::error_already_set& error) {
        raised.emplace(error);
        weights.clear();
      }
      return weights;
    });
  };
  const Gradients found = [&] {
    try {
      return compute();
    } catch (const RunError&) {
      if (raised) throw py::error_already_set(*raised);
      throw;
    }
  }();
  if (raised) throw py::error_already_set(*raised);
  return py::make_tuple(vector(found.times), matrix(found.values, found.times.size()),
                        matrix(found.gradients, found.gradients.empty() ? 0 : found.gradients.front().size()), found.failure);
}

/// (file, unfinished, channels, columns) of results in files.
py::tuple read_run(const std::string& path) {
  const RecordedRun run = [&] {
    const py::gil_scoped_release unlocked;
    return read_recorded_run(path);
  }();
  py::list columns;
  for (const std::vector<double>& values : run.values) columns.append(vector(values));
  return py::make_tuple(run.file, run.unfinished, infos(run.channels), columns);
}

/// Whether all runs of a sweep are finished; `progress(done, runs)` may be None. A signal, or an error of it, ends the sweep and is raised.
bool sweep(const std::string& file, const std::string& folder, const std::vector<std::string>& set, const std::vector<std::string>& vary,
           const std::string& pairs, const std::string& sample, const std::vector<std::string>& kpi, const std::string& keep, int start,
           int threads, bool overwrite, const py::object& progress) {
  SweepOptions options{vary, pairs, sample, kpi, keep, static_cast<Start>(start), threads, overwrite, {}};
  std::optional<py::error_already_set> interruption;
  options.progress = [&](std::size_t done, std::size_t runs) {
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(done, runs);
    } catch (py::error_already_set& error) {
      if (!interruption) interruption.emplace(error);
    }
    return !interruption;
  };
  const bool complete = [&] {
    const py::gil_scoped_release unlocked;
    return sweep_to_files(file, folder, set, options);
  }();
  if (interruption) throw py::error_already_set(*interruption);
  return complete;
}

py::object failure(const Run& run) {
  const std::optional<RunError>& error = run.result.failure();
  if (!error) return py::none();
  return py::make_tuple(error->what(), error->time(), error->equations(), error->remedy());
}

py::list inputs(const SharedModel& model) {
  py::list list;
  for (const InputInfo& i : model.model->inputs()) list.append(py::make_tuple(i.name, i.unit, i.initial, i.min, i.max, i.rate_limit));
  return list;
}

py::list parameters(const SharedModel& model) {
  py::list list;
  for (const ParameterInfo& p : model.model->parameters()) list.append(py::make_tuple(p.name, p.unit, p.meaning, p.value, p.min, p.max));
  return list;
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<SharedModel>(module, "Model")
      .def_static(
          "load", [](const std::string& file, const std::vector<std::string>& set) { return SharedModel{Model::load(file, set)}; },
          Release())
      .def_static(
          "from_text",
          [](const std::string& text, const std::vector<std::string>& set, const std::string& name) {
            return SharedModel{Model::from_text(text, set, name)};
          },
          Release())
      .def_static(
          "from_compact", [](const std::string& text) { return SharedModel{Model::from_compact(text)}; }, Release())
      .def_property_readonly("title", [](const SharedModel& m) { return m.model->title(); })
      .def_property_readonly("step_size", [](const SharedModel& m) { return m.model->step_size(); })
      .def_property_readonly("duration", [](const SharedModel& m) { return m.model->duration(); })
      .def_property_readonly("fingerprint", [](const SharedModel& m) { return m.model->fingerprint(); })
      .def("text", [](const SharedModel& m) { return m.model->text(); })
      .def("compact", [](const SharedModel& m) { return m.model->compact(); })
      .def("warnings", [](const SharedModel& m) { return m.model->warnings(); })
      .def("channels", [](const SharedModel& m) { return infos(m.model->channels()); })
      .def("inputs", inputs)
      .def("parameters", parameters)
      .def("channel", [](const SharedModel& m, const std::string& name) { return m.model->channel(name).number; })
      .def("input", [](const SharedModel& m, const std::string& name) { return m.model->input(name).number; })
      .def("parameter", [](const SharedModel& m, const std::string& name) { return m.model->parameter(name).number; });

  py::class_<Run>(module, "Run")
      .def_property_readonly("rows", [](const Run& r) { return r.result.rows(); })
      .def_property_readonly("end_time", [](const Run& r) { return r.result.end_time(); })
      .def_property_readonly("cancelled", [](const Run& r) { return r.result.cancelled(); })
      .def_property_readonly("failure", failure)
      .def("channels", [](const Run& r) { return infos(r.result.channels()); })
      .def("column", column)
      .def("summary", [](const Run& r, const std::string& model) { return r.result.summary(model); })
      .def(
          "save", [](const Run& r, const std::string& folder, const std::string& model) { r.result.save(folder, model); }, Release());

  module.def("run", run);
  module.def("sensitivities", sensitivities);
  module.def("gradients", gradients);
  module.def("read_run", read_run);
  module.def("sweep", sweep);
  module.def("to_si", &to_si);
  module.def("report", &report_to_file, Release());
  module.def("curve", &curve_to_files, Release());
}

}  // namespace trunnion::python
