// trunnion plot: channels of runs as a picture for publication.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <filesystem>

#include "base/units.h"
#include "commands.h"
#include "results/files.h"
#include "studies/channel_plot.h"

namespace trunnion::cli {

namespace {

struct PlotOptions {
  ChannelPlotRequest request;
  std::vector<std::string> words;  // runs and channels
  std::string size, log, picture = "plot.svg";
  bool quiet = false;
};

[[noreturn]] void wrong_size(const std::string& size) {
  throw InputError(
      {Diagnostic{{"--size", 0, 0}, "", "found `" + size + "`", "width x height of a panel in millimetres, such as 85x60", ""}});
}

void read_size(const std::string& size, ChannelPlotRequest& request) {
  const std::size_t cross = size.find('x');
  if (cross == std::string::npos) wrong_size(size);
  const QuantityText width = read_quantity(size.substr(0, cross)), height = read_quantity(size.substr(cross + 1));
  constexpr double kSmallest = 20, kLargest = 2000;  // [mm]
  const auto possible = [](const QuantityText& x) {
    return x.quantity && !x.quantity->has_unit && x.quantity->value >= kSmallest && x.quantity->value <= kLargest;
  };
  if (!possible(width) || !possible(height)) wrong_size(size);
  request.width = width.quantity->value, request.height = height.quantity->value;
}

bool is_table(const std::string& file) { return std::filesystem::path(file).extension() == ".csv"; }

/// The extension selects the format.
void write(const Plot& plot, const std::string& file) {
  if (is_table(file)) return write_text(plot_csv(plot), file);
  const std::string missing = draw(plot, file);
  if (!missing.empty()) throw Error("the picture is missing: " + missing);
}

int plot_channels(const PlotOptions& options) {
  ChannelPlotRequest request = options.request;
  if (!options.size.empty()) read_size(options.size, request);
  const bool is_picture = !is_table(options.picture);  // a table has all points
  request.log_x = is_picture && options.log.find('x') != std::string::npos;
  request.log_y = is_picture && options.log.find('y') != std::string::npos;
  for (const std::string& word : options.words)
    (std::filesystem::exists(word) || word.find('/') != std::string::npos ? request.runs : request.channels).push_back(word);
  const Plot plot = channel_plot(request);
  write(plot, options.picture);
  if (options.quiet) return kDone;
  for (const std::string& note : plot.notes) std::fprintf(stderr, "%s\n", note.c_str());
  std::size_t curves = 0;
  for (const PlotPanel& panel : plot.panels) curves += panel.curves.size();
  std::printf("%s: %zu %s in %zu %s\n", options.picture.c_str(), curves, curves == 1 ? "curve" : "curves", plot.panels.size(),
              plot.panels.size() == 1 ? "panel" : "panels");
  return kDone;
}

}  // namespace

void add_plot(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("plot", "plot channels of one or several runs: SVG, PNG, PDF, or the data as CSV");
  auto options = std::make_shared<PlotOptions>();
  command
      ->add_option("RUN_OR_CHANNEL", options->words, "folders of runs, and channels by name or pattern, such as lift.length '*.pressure'")
      ->required();
  command->add_option("--against", options->request.against, "channel along the x axis [time]")->type_name("CHANNEL");
  command->add_option("--from", options->request.from, "first time [the start]")->type_name("TIME");
  command->add_option("--to", options->request.to, "last time [the end]")->type_name("TIME");
  command->add_option("--unit", options->request.units, "unit to use, bar, mm, deg, L/min, ...; may be repeated [SI]")
      ->type_name("UNIT")
      ->expected(1)
      ->take_all();
  command->add_option("--log", options->log, "logarithmic axes; values that are not positive are left out")
      ->type_name("x|y|xy")
      ->check(CLI::IsMember({"x", "y", "xy"}));
  command->add_option("--title", options->request.title, "title of the picture [none]")->type_name("TEXT");
  command->add_option("--size", options->size, "width x height of a panel in millimetres [150x80]")->type_name("WxH");
  command->add_option("-o,--output", options->picture, "the picture, ending in .svg, .png or .pdf; .csv: the data [plot.svg]")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "print errors only");
  command->callback([options, &action] { action = [options] { return plot_channels(*options); }; });
}

}  // namespace trunnion::cli
