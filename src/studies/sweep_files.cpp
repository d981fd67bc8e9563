// The files of a sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "results/files.h"
#include "results/hdf5_handle.h"
#include "studies/table.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

constexpr std::size_t kMostPanels = 12;

// ---------------------------------------------------------------- sweep.h5

void write_numbers(hid_t file, const char* name, std::size_t rows, std::size_t columns, const std::vector<double>& values) {
  const hsize_t size[2] = {rows, columns};
  const Hdf5Handle space(H5Screate_simple(2, size, nullptr), H5Sclose), properties(dataset_properties(), H5Pclose),
      set(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  check_hdf5(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

/// Compressed, in chunks of rows of one channel.
void write_kept(hid_t group, const Recording& kept) {
  constexpr hsize_t kPiece = 4096;
  constexpr int kLevel = 1;  // the fastest
  std::vector<std::string> names, units, meanings;
  for (const Channel& c : kept.channels) {
    names.push_back(c.name);
    units.push_back(c.unit);
    meanings.push_back(c.meaning);
  }
  write_texts(group, "channels", names);
  write_texts(group, "units", units);
  write_texts(group, "descriptions", meanings);
  const std::size_t rows = kept.rows(), columns = kept.columns.size();
  const hsize_t size[2] = {rows, columns}, chunk[2] = {std::min<hsize_t>(kPiece, std::max<hsize_t>(rows, 1)), 1};
  const Hdf5Handle space(H5Screate_simple(2, size, nullptr), H5Sclose), layout(dataset_properties(), H5Pclose);
  check_hdf5(H5Pset_chunk(layout, 2, chunk));
  check_hdf5(H5Pset_shuffle(layout));
  check_hdf5(H5Pset_deflate(layout, kLevel));
  const Hdf5Handle set(H5Dcreate2(group, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose);
  std::vector<double> values(rows * columns);
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t i = 0; i < rows; ++i) values[i * columns + k] = kept.columns[k][i];
  check_hdf5(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

void write_tables(hid_t file, const SweepPlan& plan, const SweepResults& results) {
  const SweepItems& items = plan.items();
  const std::size_t runs = results.size(), paths = items.paths.size(), kpis = plan.kpis().size();
  std::vector<std::string> units, values, status, messages;
  std::vector<double> numbers, figures, times;
  for (std::size_t i = 0; i < paths; ++i) units.push_back(plan.unit(i));
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < paths; ++i) {
      values.push_back(items.rows[run][i]);
      numbers.push_back(plan.number(run, i));
    }
    figures.insert(figures.end(), results[run].kpi.begin(), results[run].kpi.end());
    status.emplace_back(word(results[run].status));
    messages.push_back(results[run].message);
    times.push_back(results[run].end_time);
  }
  write_texts(file, "parameter_names", items.paths);
  write_texts(file, "parameter_units", units);
  write_texts(file, "parameter_values", values);
  write_numbers(file, "parameters", runs, paths, numbers);
  if (kpis > 0) {
    write_texts(file, "kpi_names", plan.kpis().names());
    write_texts(file, "kpi_expressions", plan.kpis().expressions());
    write_numbers(file, "kpi", runs, kpis, figures);
  }
  write_texts(file, "status", status);
  write_texts(file, "messages", messages);
  write_numbers(file, "end_times", runs, 1, times);
}

// ---------------------------------------------------------------- pictures

/// Numbers of a path over the runs, in the unit of its values if all have the same, otherwise in SI; no numbers: one is a word.
struct PathAxis {
  std::string label, unit;
  std::vector<double> numbers;      // per run
  std::vector<std::string> values;  // different ones, in their order
};

PathAxis axis_of(const SweepPlan& plan, std::size_t path) {
  PathAxis axis;
  const SweepItems& items = plan.items();
  axis.label = items.paths[path];
  bool same = true, number = true;
  std::vector<double> plain;
  for (std::size_t run = 0; run < items.rows.size(); ++run) {
    const std::string& text = items.rows[run][path];
    if (std::find(axis.values.begin(), axis.values.end(), text) == axis.values.end() && axis.values.size() <= kMostPanels * kMostPanels)
      axis.values.push_back(text);
    const auto read = number_and_unit(text);
    number = number && read;
    if (!number) break;
    if (run == 0) axis.unit = read->unit;
    same = same && read->unit == axis.unit;
    plain.push_back(read->number);
    axis.numbers.push_back(plan.number(run, path));
  }
  if (!number) axis.numbers.clear();
  if (!same || axis.unit.empty())
    axis.unit = plan.unit(path);
  else if (number)
    axis.numbers = std::move(plain);
  return axis;
}

/// Numbers of the paths by falling number of values, those without numbers last.
std::vector<std::size_t> by_size(const SweepItems& items, const std::vector<PathAxis>& axes) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (axes[a].numbers.empty() != axes[b].numbers.empty()) return axes[b].numbers.empty();
    return items.grid[a] > items.grid[b];
  });
  return order;
}

/// `bore 50 mm`: the value with its unit, SI if it is given without.
std::string labelled(const PathAxis& axis, const std::string& value) {
  const auto read = number_and_unit(value);
  return axis.label.substr(axis.label.find_last_of('.') + 1) + " " + value +
         (read && read->unit.empty() && !axis.unit.empty() ? " " + axis.unit : "");
}

PlotPanel panel_of(const PathAxis& axis, const std::string& kpi) {
  PlotPanel panel;
  panel.x = {axis.label, axis.unit, false, {}, {}};
  panel.y.label = kpi;
  return panel;
}

/// Curves over a grid of one to three paths.
Plot grid_plot(const SweepPlan& plan, const std::vector<PathAxis>& axes, const std::vector<double>& values, std::size_t kpi) {
  const SweepItems& items = plan.items();
  const std::vector<std::size_t> order = by_size(items, axes);
  const std::string& name = plan.kpis().names()[kpi];
  const std::size_t x = order[0];
  const auto value_of = [&](std::size_t level, std::size_t run) {
    return level < order.size() ? items.rows[run][order[level]] : std::string();
  };
  Plot plot;
  std::map<std::string, std::size_t> panel_numbers;
  std::vector<std::map<std::string, std::size_t>> curve_numbers;
  for (std::size_t run = 0; run < items.rows.size(); ++run) {
    const std::string of_panel = value_of(2, run), of_curve = value_of(1, run);
    const auto [panel_at, new_panel] = panel_numbers.emplace(of_panel, plot.panels.size());
    if (new_panel) {
      plot.panels.push_back(panel_of(axes[x], name));
      if (order.size() > 2) plot.panels.back().title = labelled(axes[order[2]], of_panel);
      curve_numbers.emplace_back();
    }
    PlotPanel& panel = plot.panels[panel_at->second];
    const auto [curve_at, new_curve] = curve_numbers[panel_at->second].emplace(of_curve, panel.curves.size());
    if (new_curve) {
      panel.curves.emplace_back();
      panel.curves.back().look = CurveLook::line_and_points;
      if (order.size() > 1) panel.curves.back().label = labelled(axes[order[1]], of_curve);
    }
    PlotCurve& curve = panel.curves[curve_at->second];
    curve.x.push_back(axes[x].numbers[run]);
    curve.y.push_back(values[run]);
  }
  for (PlotPanel& panel : plot.panels) {
    constexpr std::size_t kFew = 4;  // with colours of their own
    const std::size_t n = panel.curves.size();
    for (std::size_t i = 0; i < n && n > kFew; ++i) {
      panel.curves[i].shade = static_cast<double>(i) / static_cast<double>(n - 1);
      panel.curves[i].dashed = false;
    }
    for (PlotCurve& curve : panel.curves) {  // by x, whatever the order of the list
      std::vector<std::size_t> rank(curve.x.size());
      std::iota(rank.begin(), rank.end(), std::size_t{0});
      std::stable_sort(rank.begin(), rank.end(), [&](std::size_t a, std::size_t b) { return curve.x[a] < curve.x[b]; });
      const PlotCurve before = curve;
      for (std::size_t i = 0; i < rank.size(); ++i) {
        curve.x[i] = before.x[rank[i]];
        curve.y[i] = before.y[rank[i]];
      }
    }
  }
  plot.columns = plot.panels.size() > 1 ? 2 : 1;
  return plot;
}

/// Points over every path with numbers.
Plot scatter_plot(const SweepPlan& plan, const std::vector<PathAxis>& axes, const std::vector<double>& values, std::size_t kpi) {
  Plot plot;
  for (const PathAxis& axis : axes) {
    if (axis.numbers.empty() || plot.panels.size() >= kMostPanels) continue;
    PlotPanel panel = panel_of(axis, plan.kpis().names()[kpi]);
    PlotCurve points;
    points.look = CurveLook::points;
    points.x = axis.numbers;
    points.y = values;
    panel.curves.push_back(std::move(points));
    plot.panels.push_back(std::move(panel));
  }
  plot.columns = plot.panels.size() > 1 ? 2 : 1;
  return plot;
}

bool suits_curves(const SweepPlan& plan, const std::vector<PathAxis>& axes) {
  const SweepItems& items = plan.items();
  if (items.grid.empty() || items.grid.size() > 3) return false;
  const std::vector<std::size_t> order = by_size(items, axes);
  if (axes[order[0]].numbers.empty()) return false;
  return (order.size() < 2 || items.grid[order[1]] <= kMostPanels) && (order.size() < 3 || items.grid[order[2]] <= kMostPanels);
}

std::vector<double> column(const SweepResults& results, std::size_t kpi) {
  std::vector<double> values;
  values.reserve(results.size());
  for (const JournalEntry& run : results) values.push_back(run.kpi[kpi]);
  return values;
}

std::size_t count(const SweepResults& results, RunStatus status) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const JournalEntry& run) { return run.status == status; }));
}

}  // namespace

void write_sweep_h5(const SweepPlan& plan, const SweepResults& results, const std::string& path) {
  write_whole(path, [&](const std::string& temporary) {
    take_errors_of_hdf5();
    const Hdf5Handle file(create_hdf5(temporary), H5Fclose);
    write_attribute(file, "program", std::string("trunnion ") + kVersion);
    write_text_dataset(file, "model", write_model(without_csv_files(plan.reference()->description)));
    write_tables(file, plan, results);
    if (plan.request().keep != SweepKeep::kpi) {
      const Hdf5Handle all(H5Gcreate2(file, "runs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
      for (const JournalEntry& run : results) {
        const Recording kept = read_kept(run);
        if (kept.rows() == 0) continue;
        const Hdf5Handle group(H5Gcreate2(all, std::to_string(run.run).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        write_kept(group, kept);
      }
    }
    check_hdf5(H5Fflush(file, H5F_SCOPE_GLOBAL));
  });
}

std::string sweep_csv(const SweepPlan& plan, const SweepResults& results) {
  std::string text = "run";
  for (const std::string& path : plan.items().paths) text += "," + quoted(path);
  for (const std::string& name : plan.kpis().names()) text += "," + name;
  text += ",status,end_time,message\n";
  for (const JournalEntry& run : results) {
    text += std::to_string(run.run);
    for (const std::string& value : plan.items().rows[run.run]) text += "," + quoted(value);
    for (const double value : run.kpi) {
      text += ",";
      if (std::isfinite(value)) append_number(text, value);
    }
    text += std::string(",") + word(run.status) + ",";
    append_number(text, run.end_time);
    text += "," + quoted(run.message) + "\n";
  }
  return text;
}

std::string sweep_json(const SweepPlan& plan, const SweepResults& results) {
  using Json = nlohmann::ordered_json;
  Json parameters = Json::array(), kpis = Json::array();
  for (std::size_t i = 0; i < plan.items().paths.size(); ++i)
    parameters.push_back({{"path", plan.items().paths[i]}, {"unit", plan.unit(i)}, {"reads_file", !plan.is_parameter(i)}});
  for (std::size_t i = 0; i < plan.kpis().size(); ++i) {
    const std::vector<double> values = column(results, i);
    Json entry{{"name", plan.kpis().names()[i]}, {"expression", plan.kpis().expressions()[i]}};
    std::size_t low = values.size(), high = values.size();
    for (std::size_t run = 0; run < values.size(); ++run) {
      if (!std::isfinite(values[run])) continue;
      if (low == values.size() || values[run] < values[low]) low = run;
      if (high == values.size() || values[run] > values[high]) high = run;
    }
    if (low < values.size()) {
      entry["min"] = {{"value", values[low]}, {"run", low}};
      entry["max"] = {{"value", values[high]}, {"run", high}};
    }
    kpis.push_back(std::move(entry));
  }
  Json status = Json::object();
  for (const RunStatus s : {RunStatus::completed, RunStatus::invalid, RunStatus::failed, RunStatus::not_finite})
    status[word(s)] = count(results, s);
  Json figures = Json::array();
  for (const SweepFigure& figure : sweep_figures(plan, results))
    figures.push_back({{"file", figure.name + ".svg"}, {"shows", figure.shows}});
  return Json{{"program", std::string("trunnion ") + kVersion},
              {"model", std::filesystem::path(plan.request().model_file).filename().string()},
              {"title", plan.reference()->title},
              {"key", key_text(plan)},
              {"runs", results.size()},
              {"status", std::move(status)},
              {"keep", word(plan.request().keep)},
              {"start", word(plan.request().start)},
              {"sample", plan.request().sample},
              {"parameters", std::move(parameters)},
              {"kpi", std::move(kpis)},
              {"figures", std::move(figures)}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string key_text(const SweepPlan& plan) { return fmt::format("{:016x}", plan.key()); }

FinishedSweep read_sweep_json(const std::string& path) {
  using Json = nlohmann::ordered_json;
  try {
    const Json about = Json::parse(file_text(path, "file"));
    FinishedSweep sweep{about.at("key"), about.at("status").at(word(RunStatus::completed)), {}};
    for (const Json& figure : about.at("figures")) {
      const std::string name = figure.at("file");
      if (name.ends_with(".svg") && std::filesystem::path(name).filename() == name) sweep.pictures.push_back(name);
    }
    return sweep;
  } catch (const InputError&) { return {}; } catch (const Json::exception&) {
    return {};
  }
}

std::string sweep_text(const SweepPlan& plan, const SweepResults& results) {
  std::string text =
      fmt::format("{} runs of {}: {} completed", results.size(), plan.request().model_file, count(results, RunStatus::completed));
  for (const RunStatus s : {RunStatus::invalid, RunStatus::failed, RunStatus::not_finite})
    if (const std::size_t n = count(results, s); n > 0) text += fmt::format(", {} {}", n, word(s));
  text += "\n";
  std::vector<std::vector<std::string>> lines{{"key figure", "min", "run", "max", "run", "mean"}};
  for (std::size_t i = 0; i < plan.kpis().size(); ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    std::size_t at_low = 0, at_high = 0, n = 0;
    for (const JournalEntry& run : results) {
      const double value = run.kpi[i];
      if (!std::isfinite(value)) continue;
      if (value < low) low = value, at_low = run.run;
      if (value > high) high = value, at_high = run.run;
      sum += value;
      ++n;
    }
    if (n == 0)
      lines.push_back({plan.kpis().names()[i], "-", "", "-", "", "-"});
    else
      lines.push_back({plan.kpis().names()[i], fmt::format("{:.6g}", low), std::to_string(at_low), fmt::format("{:.6g}", high),
                       std::to_string(at_high), fmt::format("{:.6g}", sum / static_cast<double>(n))});
  }
  if (lines.size() > 1) text += aligned(lines, 1);
  for (const JournalEntry& run : results)
    if (run.status != RunStatus::completed) {
      text += fmt::format("first run without result: {}, {}: {}\n", run.run, word(run.status), run.message);
      break;
    }
  return text;
}

std::vector<SweepFigure> sweep_figures(const SweepPlan& plan, const SweepResults& results) {
  std::vector<PathAxis> axes;
  for (std::size_t i = 0; i < plan.items().paths.size(); ++i) axes.push_back(axis_of(plan, i));
  std::vector<SweepFigure> figures;
  const bool curves = suits_curves(plan, axes);
  for (std::size_t i = 0; i < plan.kpis().size(); ++i) {
    const std::vector<double> values = column(results, i);
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) continue;
    SweepFigure figure{plan.kpis().names()[i], plan.kpis().names()[i] + " = " + plan.kpis().expressions()[i], {}};
    figure.plot = curves ? grid_plot(plan, axes, values, i) : scatter_plot(plan, axes, values, i);
    if (figure.plot.panels.empty()) continue;
    figure.plot.title = figure.shows;
    if (figure.plot.panels.size() > 1) figure.plot.panel_width = 460;
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace trunnion
