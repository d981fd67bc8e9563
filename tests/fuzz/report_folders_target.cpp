// Fuzz target: folders of results for a report.
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <map>

#include "fuzz/report_folders.h"
#include "fuzz/targets.h"
#include "report/report.h"

namespace trunnion::fuzz {

namespace {

using Files = std::map<std::string, const char*>;  // name -> text

/// Files written by commands, by folder name; each of them can be replaced.
const std::map<std::string, Files> kFolders{
    {"run",
     {{"summary.json",
       R"({"title": "pendulum", "status": "completed", "model_file": "pendulum.yaml", "settings": {"trunnion": 1,
           "bodies": {"rod": {"mass": 1, "inertia": 0.1}}, "joints": {"rod": {"revolute": {"parent": "ground"}}}}})"},
      {"results.csv", "time,rod.angle,rod.rate\n0,0.1,0\n0.1,0.09,-0.2\n0.2,0.06,-0.3\n"}}},
    {"compare",
     {{"compare.json", "{}"},
      {"compare.csv", "cylinders.lift.friction.model,steps,energy\nlugre,100,0.1\n"},
      {"history.csv", "time,lugre.violation,lugre.velocity_violation\n0,0,0\n0.1,1e-9,1e-8\n"}}},
    {"linearize",
     {{"linear.json",
       R"({"title": "four-bar", "states": ["x", "v"], "eigenvalues": [{"re": -1, "im": 2, "participation": [0.5, 0.5]}],
           "stability": {"verdict": "stable", "text": "all eigenvalues have negative real parts"}, "settings": {}})"},
      {"root_locus.csv", "stiffness,branch,re,im\n1,0,-1,2\n2,0,-1,3\n"},
      {"over_time.csv", "time,status,branch,re,im\n0,ok,0,-1,2\n"},
      {"sensitivity.csv", "parameter,re,im\nmass,0.1,0.2\n"},
      {"simulate.csv", "time,x,x.linear\n0,1,1\n0.1,0.9,0.91\n"}}},
    {"study",
     {{"study.json", R"({"title": "steps", "criterion": "drift [ms]", "model": "models/arm.yaml"})"},
      {"limits.csv", "scheme,limit\njacobi,0.001\n"},
      {"schemes.csv", "scheme,step,residual\njacobi,0.001,2\n"},
      {"runs.csv", "scheme,step,end_time\njacobi,0.001,2\n"},
      {"figures/figures.csv", "file,shows\ndrift.svg,Drift over the step\n"},
      {"figures/drift.csv", "panel,curve,x,y\na,jacobi,1,2\na,jacobi,2,3\n"}}},
    {"sweep",
     {{"sweep.json",
       R"({"model": "arm.yaml", "runs": 2, "status": {"completed": 2, "failed": 0}, "figures": [{"file": "p.svg", "shows": "p"}],
           "kpi": [{"name": "p", "expression": "x", "min": {"value": 1, "run": 0}, "max": {"value": 2, "run": 1}}]})"},
      {"sweep.csv", "run,a.b,p,status,end_time,message\n0,1 mm,1,completed,1,\n1,2 mm,2,completed,1,\n"}}},
    {"curve",
     {{"curve.json", R"({"actuator": "lift", "units": {"velocity": "m/s", "force": "N"}})"},
      {"curve.csv", "spool,velocity,force,pressure_A\n0.1,0,1000,5e6\n0.1,0.1,900,4e6\n"}}},
    {"fit",
     {{"fit.json",
       R"({"status": "small step", "converged": true, "iterations": 4, "runs": 9, "model": "arm.yaml",
           "parameters": {"a": {"start": 1, "value": 2, "standard_error": 0.1, "unit": "N"}, "b": {}},
           "channels": {"x": {"rms_start": 1, "rms": 0.1, "scale": 1, "unit": "m", "points": 5}},
           "correlation": {"a": [1, 0.5], "b": [0.5, 1]}})"},
      {"fit.csv", "channel,time,recorded,start,fitted\nx,0,1,2,3\nx,1,1,2,3\n"}}}};

}  // namespace

void report_with(const std::string& file, std::string_view text) {
  for (const auto& [name, files] : kFolders) {
    const auto replaced = files.find(file);
    if (replaced == files.end()) continue;
    const std::string folder = scratch_folder() + "/" + name;
    if (!std::filesystem::exists(folder)) {
      std::filesystem::create_directories(folder + "/figures");
      for (const auto& [other, sound] : files) write_file(folder + "/" + other, sound);
    }
    write_file(folder + "/" + file, text);
    ReportRequest request;
    request.folders = {folder};
    try {
      make_report(request);
    } catch (...) {
      write_file(folder + "/" + file, replaced->second);
      throw;
    }
    write_file(folder + "/" + file, replaced->second);
    return;
  }
  require(false, "no folder of results holds " + file);
}

}  // namespace trunnion::fuzz
