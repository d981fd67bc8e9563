// A linear model with its reference, eigenvalues and files.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/linear_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "file/model_file.h"
#include "linearise/differential_form.h"
#include "results/files.h"
#include "studies/mat_file.h"
#include "studies/table.h"
#include "trunnion/version.h"

namespace trunnion {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kPressureSize = 1e5;  // [Pa] equivalent to 1 rad or 1 m, as in the step tolerances
constexpr double kAtRest = 1e-6;       // [1/s] of a state's size: a slower rate of the reference is zero
constexpr double kSteady = 1e-6;       // [1/s2] likewise for a change of a rate
constexpr double kTakesPart = 0.1;     // minimum participation of a state listed for an eigenvalue
constexpr std::size_t kNamed = 3;      // maximum number of listed states

double size_of(const LinearVariable& state) { return state.unit == "Pa" ? kPressureSize : 1; }

/// Rest, steady or moving, and the states that move.
void classify_reference(LinearCase& c) {
  const LinearModel& linear = c.linear;
  if (linear.changes) c.motion = ReferenceMotion::moving;
  const auto n = static_cast<Eigen::Index>(linear.states.size());
  const auto rate = [&](Eigen::Index j) { return std::abs(linear.drift[j]) / size_of(linear.states[static_cast<std::size_t>(j)]); };
  for (Eigen::Index j = 0; j < n; ++j) {
    if (rate(j) <= kAtRest) continue;
    c.drifting.push_back(static_cast<int>(j));
    for (Eigen::Index i = 0; i < n; ++i)
      if (std::abs(linear.A(i, j) * linear.drift[j]) / size_of(linear.states[static_cast<std::size_t>(i)]) > kSteady)
        c.motion = ReferenceMotion::moving;
  }
  if (!c.drifting.empty() && c.motion == ReferenceMotion::rest) c.motion = ReferenceMotion::steady;
  std::stable_sort(c.drifting.begin(), c.drifting.end(), [&](int a, int b) { return rate(a) > rate(b); });
}

bool is_spurious(const LinearCase& c, std::size_t i) { return i < c.spurious.size() && c.spurious[i]; }

/// One member of every variable.
template <class T>
std::vector<T> all(const std::vector<LinearVariable>& list, T LinearVariable::*member) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const LinearVariable& v : list) values.push_back(v.*member);
  return values;
}
std::vector<std::string> names_of(const std::vector<LinearVariable>& list) { return all(list, &LinearVariable::name); }
std::vector<std::string> names_of(const std::vector<LinearVariable>& list, const std::vector<int>& which) {
  std::vector<std::string> names;
  names.reserve(which.size());
  for (int i : which) names.push_back(list[static_cast<std::size_t>(i)].name);
  return names;
}
std::vector<std::string> units_of(const std::vector<LinearVariable>& list) { return all(list, &LinearVariable::unit); }
std::vector<double> references_of(const std::vector<LinearVariable>& list) { return all(list, &LinearVariable::reference); }

std::string about(const LinearCase& c) {
  if (c.reference.time > 0) return fmt::format("the state at {:g} s", c.reference.time);
  constexpr const char* kAbout[] = {"the start as assembled", "the equilibrium", "steady operation"};
  return kAbout[static_cast<int>(c.start)];
}

/// Whether the next eigenvalue is the conjugate of this one: the two are shown as one.
bool begins_pair(const Spectrum& spectrum, std::size_t i) {
  return i + 1 < spectrum.eigenvalues.size() && spectrum.eigenvalues[i].value.imag() != 0 &&
         spectrum.eigenvalues[i + 1].value == std::conj(spectrum.eigenvalues[i].value);
}

std::string optional_text(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

std::string states_text(const std::vector<LinearVariable>& states, const Eigenvalue& e) {
  std::vector<std::string> list;
  for (int i : main_states(e)) list.push_back(fmt::format("{} {:.2f}", states[static_cast<std::size_t>(i)].name, e.participation[i]));
  return fmt::format("{}", fmt::join(list, ", "));
}

/// `is_spurious(i)`: of eigenvalue i.
template <class IsSpurious>
std::string eigenvalue_table(const Spectrum& spectrum, const std::vector<LinearVariable>& of, IsSpurious&& is_spurious) {
  std::vector<std::vector<std::string>> lines{{"", "re 1/s", "im 1/s", "Hz", "damping", "time const s"}};
  std::vector<std::string> states{"participating states"};
  for (std::size_t i = 0; i < spectrum.eigenvalues.size(); ++i) {
    const Eigenvalue& e = spectrum.eigenvalues[i];
    const bool pair = begins_pair(spectrum, i), complex = e.value.imag() != 0;
    lines.push_back({pair ? fmt::format("  {}, {}", i + 1, i + 2) : fmt::format("  {}", i + 1), fmt::format("{:.8g}", e.value.real()),
                     complex ? fmt::format("{}{:.8g}", pair ? "+-" : "", e.value.imag()) : "0",
                     complex ? fmt::format("{:.5g}", e.frequency_hz) : "-", optional_text(e.damping_ratio),
                     optional_text(e.time_constant)});
    states.push_back(is_spurious(i) ? "spurious: due to a dependent coordinate" : states_text(of, e));
    if (pair) ++i;
  }
  std::string text = aligned(lines, 1), out;
  std::size_t begin = 0, width = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) width = std::max(width, text.find('\n', at) - at);
  for (const std::string& list : states) {
    const std::size_t end = text.find('\n', begin);
    out += fmt::format("{:<{}}   {}\n", text.substr(begin, end - begin), width, list);
    begin = end + 1;
  }
  return out;
}

std::string size_text(const LinearCase& c) {
  const LinearSizes& s = c.linear.sizes;
  const bool all = c.method == LinearMethod::counterpart;
  std::string formula = all ? "2n" : "2n - 2m - l", terms = fmt::format("n = {} {}", s.n, s.n == 1 ? "velocity" : "velocities");
  if (!all) terms += fmt::format(", m = {} holonomic and l = {} velocity-level constraints", s.m, s.l);
  const auto add = [&](int count, const char* letter, const char* what) {
    if (count == 0) return;
    formula += fmt::format(" + {}", letter);
    terms += fmt::format(", {} = {} {}{}", letter, count, what, count == 1 ? "" : "s");
  };
  add(s.r, "r", "pressure");
  add(s.u, "u", "spool");
  add(s.p, "p", "piston");
  add(s.c, "c", "control state");
  add(s.f, "f", "friction state");
  return fmt::format("{} = {}: {}", c.linear.states.size(), formula, terms);
}

std::string motion_text(const LinearCase& c) {
  if (c.motion == ReferenceMotion::rest) return "at rest";
  constexpr std::size_t kShown = 6;
  std::vector<int> shown = c.drifting;
  const bool all = shown.size() <= kShown;
  if (!all) shown.resize(kShown);
  const std::string list = fmt::format("{}{}", fmt::join(names_of(c.linear.states, shown), ", "), all ? "" : ", ...");
  if (c.motion == ReferenceMotion::steady)
    return fmt::format("steady motion: {} move, and nothing depends on them; the model is time-invariant", list);
  return fmt::format(
      "not at rest: {} move. The linear model is x' = f0 + A x + B u with nonzero f0 and holds for a short "
      "time; its eigenvalues are frozen at this instant and do not determine the stability of the motion",
      list);
}

std::string frozen_text(const LinearCase& c) {
  if (c.linear.depends_on.empty()) return " (frozen at this instant)";
  return fmt::format(" (frozen at this instant: they depend on {})", fmt::join(c.linear.depends_on, ", "));
}

void add_line(std::string& text, const std::string& key, const std::string& value) { text += fmt::format("  {:<19} {}\n", key, value); }

std::string joined(const std::vector<std::string>& list) { return list.empty() ? "none" : fmt::format("{}", fmt::join(list, ", ")); }

// ---------------------------------------------------------------- files

Json rows_of(const Eigen::MatrixXd& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const Eigen::VectorXd row = m.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json sampled_json(const SampledLoop& loop) {
  if (loop.period == 0) return loop.none.empty() ? Json() : Json{{"period", nullptr}, {"text", loop.none}};
  Json eigenvalues = Json::array();
  for (const Eigenvalue& e : loop.spectrum.eigenvalues)
    eigenvalues.push_back({{"re", e.value.real()},
                           {"im", e.value.imag()},
                           {"frequency_hz", e.frequency_hz},
                           {"damping_ratio", optional_json(e.damping_ratio)},
                           {"time_constant", optional_json(e.time_constant)},
                           {"main_states", names_of(loop.states, main_states(e))},
                           {"participation", std::vector<double>(e.participation.begin(), e.participation.end())},
                           {"error", e.error},
                           {"chain", e.chain}});
  const LinearStability& stability = loop.spectrum.stability;
  return {{"period", loop.period},      {"states", names_of(loop.states)},       {"F", rows_of(loop.F)},
          {"eigenvalues", eigenvalues}, {"verdict", name_of(stability.verdict)}, {"text", stability.text}};
}

Json eigenvalues_json(const LinearCase& c) {
  Json list = Json::array();
  for (const Eigenvalue& e : c.spectrum.eigenvalues) {
    const Eigen::VectorXd re = e.right.real(), im = e.right.imag();
    list.push_back({{"re", e.value.real()},
                    {"im", e.value.imag()},
                    {"frequency_hz", e.frequency_hz},
                    {"damping_ratio", optional_json(e.damping_ratio)},
                    {"time_constant", optional_json(e.time_constant)},
                    {"main_states", names_of(c.linear.states, main_states(e))},
                    {"participation", std::vector<double>(e.participation.begin(), e.participation.end())},
                    {"vector", {{"re", std::vector<double>(re.begin(), re.end())}, {"im", std::vector<double>(im.begin(), im.end())}}},
                    {"error", e.error},
                    {"condition", e.condition},
                    {"simple", e.simple},
                    {"chain", e.chain}});
    if (!c.spurious.empty()) list.back()["spurious"] = is_spurious(c, list.size() - 1);
  }
  return list;
}

Json null_json(const LinearCase& c) {
  Json list = Json::array();
  for (const NullExplanation& null : c.null)
    list.push_back({{"eigenvalue", null.eigenvalue},
                    {"kind", name_of(null.kind)},
                    {"states", names_of(c.linear.states, null.states)},
                    {"drifting", names_of(c.linear.states, null.drifting)},
                    {"text", null.text}});
  return list;
}

const std::string& name_of(const LinearModel& linear, const OtherSide& other) {
  return (other.is_input ? linear.inputs : linear.states)[static_cast<std::size_t>(other.column)].name;
}

/// The largest relative difference of an entry from the column of the model.
double difference(const LinearModel& linear, const OtherSide& other) {
  double largest = 0;
  const auto here = (other.is_input ? linear.B : linear.A).col(other.column);
  for (Eigen::Index i = 0; i < here.size(); ++i) {
    const double size = std::max(std::abs(other.rates[i]), std::abs(here[i]));
    if (size > 0) largest = std::max(largest, std::abs(other.rates[i] - here[i]) / size);
  }
  return largest;
}

Json other_sides_json(const LinearModel& linear) {
  Json list = Json::array();
  for (const OtherSide& other : linear.other_sides)
    list.push_back({{"of", name_of(linear, other)},
                    {"kind", other.is_input ? "input" : "state"},
                    {"side", other.above ? "above" : "below"},
                    {"rates", std::vector<double>(other.rates.begin(), other.rates.end())},
                    {"outputs", std::vector<double>(other.outputs.begin(), other.outputs.end())}});
  return list;
}

void append_row(std::string& text, const Eigen::MatrixXd& left, const Eigen::MatrixXd& right, Eigen::Index row) {
  for (const Eigen::MatrixXd* m : {&left, &right})
    for (Eigen::Index j = 0; j < m->cols(); ++j) append_number(text += ",", (*m)(row, j));
  text += "\n";
}

Eigen::MatrixXd column_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Names and units of states, inputs and outputs.
void append_names(const LinearModel& linear, std::vector<MatVariable>& variables) {
  for (MatVariable& variable : std::vector<MatVariable>{{"states", names_of(linear.states)},
                                                        {"inputs", names_of(linear.inputs)},
                                                        {"outputs", names_of(linear.outputs)},
                                                        {"state_units", units_of(linear.states)},
                                                        {"input_units", units_of(linear.inputs)},
                                                        {"output_units", units_of(linear.outputs)}})
    variables.push_back(std::move(variable));
}

/// What depends on the reference: matrices and vectors.
std::vector<std::pair<const char*, Eigen::MatrixXd>> matrices_of(const LinearModel& linear) {
  return {{"A", linear.A},
          {"B", linear.B},
          {"C", linear.C},
          {"D", linear.D},
          {"drift", linear.drift},
          {"x0", column_of(references_of(linear.states))},
          {"u0", column_of(references_of(linear.inputs))},
          {"y0", column_of(references_of(linear.outputs))}};
}

void write_matlab(const LinearCase& c, const std::string& path) {
  Eigen::MatrixXcd eigenvalues(static_cast<Eigen::Index>(c.spectrum.eigenvalues.size()), 1);
  for (Eigen::Index i = 0; i < eigenvalues.rows(); ++i) eigenvalues(i, 0) = c.spectrum.eigenvalues[static_cast<std::size_t>(i)].value;
  std::vector<MatVariable> variables;
  for (auto& [name, matrix] : matrices_of(c.linear)) variables.push_back({name, std::move(matrix)});
  variables.push_back({"time", Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, c.reference.time))});
  variables.push_back({"eigenvalues", eigenvalues});
  append_names(c.linear, variables);
  write_mat(variables, path);
}

}  // namespace

std::vector<std::size_t> nearest_eigenvalues(const Spectrum& counterpart, const Spectrum& exact) {
  const auto& all = counterpart.eigenvalues;
  std::vector<bool> left(all.size(), true);
  std::vector<std::size_t> order(exact.eigenvalues.size()), found(order.size(), all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(exact.eigenvalues[a].value) > std::abs(exact.eigenvalues[b].value);
  });
  for (const std::size_t k : order) {
    const std::complex<double> value = exact.eigenvalues[k].value;
    std::size_t& nearest = found[k];
    for (std::size_t i = 0; i < all.size(); ++i)
      if (left[i] && (nearest == all.size() || std::abs(all[i].value - value) < std::abs(all[nearest].value - value))) nearest = i;
    if (nearest < all.size()) left[nearest] = false;
  }
  return found;
}

ClosedModes closed_modes(const LinearCase& c) {
  if (c.sampled.period > 0) return {c.sampled.spectrum, c.sampled.states};
  return {c.spectrum, c.linear.states};
}

const char* name_of(ReferenceMotion motion) {
  constexpr const char* kNames[] = {"rest", "steady", "moving"};
  return kNames[static_cast<int>(motion)];
}

LinearCase make_linear_case(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, StartKind start,
                            LinearMethod method, LinearModel linear) {
  LinearCase c;
  c.model = differential_form(model);
  c.start = start;
  c.method = method;
  c.reference = c.model == model ? reference : in_form(*c.model, *model, reference);
  c.linear = std::move(linear);
  if (method == LinearMethod::counterpart) {  // without inputs and outputs
    const Eigen::Index n = c.linear.A.rows();
    c.linear.B.resize(n, 0);
    c.linear.C.resize(0, n);
  }
  classify_reference(c);
  c.spectrum = spectrum(c.linear.A, c.linear.states);
  c.null = explain_null(c.spectrum, c.linear.A, c.linear.states);
  c.sampled = sampled_loop(*c.model, c.linear);
  if (method == LinearMethod::counterpart) {
    const LinearModel exact = linearise(model, reference, {});
    c.spurious.assign(c.spectrum.eigenvalues.size(), true);
    for (const std::size_t i : nearest_eigenvalues(c.spectrum, spectrum(exact.A, exact.states))) c.spurious[i] = false;
  }
  return c;
}

LinearCase make_linear_case(const std::shared_ptr<const CompiledModel>& model, const StateVector& reference, StartKind start,
                            const LinearOptions& options) {
  return make_linear_case(model, reference, start, options.method, linearise(model, reference, options));
}

void states_at(const std::shared_ptr<const CompiledModel>& model, StartKind start, const std::vector<double>& times,
               const std::function<void(const StateVector&)>& use) {
  Runner run(model, start_of(model, start));
  const StepSchedule schedule(*model);
  const double duration = model->description.solver.duration;
  for (double time : times) {
    run.advance(std::max(run.state().time, static_cast<double>(schedule.grid_index(time)) * schedule.step()));
    // steps of a run, from jump to jump
    for (double t = run.state().time; !schedule.reached(t, time) && schedule.next(t, time) == schedule.next(t, duration);
         t = run.state().time)
      run.advance(schedule.next(t, time));
    // the remainder is a step that the run does not take; it is computed on a copy
    const StateVector before = run.state();
    run.advance(time);
    use(run.state());
    run.restore(before);
  }
}

std::vector<int> main_states(const Eigenvalue& eigenvalue) {
  std::vector<int> order(static_cast<std::size_t>(eigenvalue.participation.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return eigenvalue.participation[a] > eigenvalue.participation[b]; });
  std::size_t count = 0;
  while (count < std::min(order.size(), kNamed) && eigenvalue.participation[order[count]] >= kTakesPart) ++count;
  order.resize(count);
  return order;
}

std::string linear_text(const LinearCase& c) {
  const LinearModel& linear = c.linear;
  const auto count = [](std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  std::string text = fmt::format("linear model about {}: {}, {}, {}\n", about(c), count(linear.states.size(), "state"),
                                 count(linear.inputs.size(), "input"), count(linear.outputs.size(), "output"));
  add_line(text, "states", size_text(c));
  if (c.method == LinearMethod::reduced) {
    add_line(text, "independent", joined(linear.partition.independent));
    if (!linear.partition.velocity_dependent.empty()) add_line(text, "velocity-dependent", joined(linear.partition.velocity_dependent));
    add_line(text, "dependent", joined(linear.partition.dependent));
  }
  add_line(text, "reference", motion_text(c));
  text += eigenvalue_table(c.spectrum, linear.states, [&](std::size_t i) { return is_spurious(c, i); });
  for (const NullExplanation& null : c.null)
    if (!is_spurious(c, static_cast<std::size_t>(null.eigenvalue)))
      add_line(text, fmt::format("{} is zero", null.eigenvalue + 1), null.text);
  if (const auto spurious = std::count(c.spurious.begin(), c.spurious.end(), true); spurious > 0)
    add_line(text, "spurious",
             fmt::format("{} eigenvalue{}: the counterpart treats dependent coordinates as free; the machine does not have "
                         "{} (--method reduced)",
                         spurious, spurious == 1 ? "" : "s", spurious == 1 ? "it" : "them"));
  add_line(
      text, "stability",
      c.spectrum.stability.text + (std::count(c.spurious.begin(), c.spurious.end(), true) > 0 ? " (spurious eigenvalues included)" : "") +
          (c.motion == ReferenceMotion::moving ? frozen_text(c) : "") + (linear.sampled.empty() ? "" : ", values of sampled blocks held"));
  if (!c.sampled.none.empty()) add_line(text, "sampled loop", "none: " + c.sampled.none);
  if (c.sampled.period > 0) {
    add_line(text, "sampled loop", fmt::format("over the common period of {:g} s, rates ln(z)/period:", c.sampled.period));
    text += eigenvalue_table(c.sampled.spectrum, c.sampled.states, [](std::size_t) { return false; });
    add_line(text, "its stability", c.sampled.spectrum.stability.text + (c.motion == ReferenceMotion::moving ? frozen_text(c) : ""));
  }
  for (const std::string& warning : linear.warnings) add_line(text, "warning", warning);
  for (const OtherSide& other : linear.other_sides)
    add_line(text, "other side",
             fmt::format("{} {} its reference: its column differs by {:.2g} % (linear.json, other_sides)", name_of(c.linear, other),
                         other.above ? "above" : "below", 100 * difference(c.linear, other)));
  return text;
}

std::string linear_json(const LinearCase& c, const std::string& model_file) {
  const LinearModel& linear = c.linear;
  const LinearSizes& s = linear.sizes;
  const auto& stability = c.spectrum.stability;
  const std::vector<double> drift(linear.drift.begin(), linear.drift.end());
  const Json json{
      {"program", std::string("trunnion ") + kVersion},
      {"model_file", model_file},
      {"title", c.model->title},
      {"start", word(c.start)},
      {"time", c.reference.time},
      {"method", c.method == LinearMethod::counterpart ? "counterpart" : "reduced"},
      {"states", names_of(linear.states)},
      {"inputs", names_of(linear.inputs)},
      {"outputs", names_of(linear.outputs)},
      {"A", rows_of(linear.A)},
      {"B", rows_of(linear.B)},
      {"C", rows_of(linear.C)},
      {"D", rows_of(linear.D)},
      {"drift", drift},
      {"eigenvalues", eigenvalues_json(c)},
      {"null", null_json(c)},
      {"stability",
       {{"verdict", name_of(stability.verdict)},
        {"text", stability.text},
        {"null_chains", stability.null_chains},
        {"undamped", stability.undamped},
        {"unstable", stability.unstable}}},
      {"reference",
       {{"motion", name_of(c.motion)},
        {"depends_on", linear.depends_on},
        {"drifting", names_of(linear.states, c.drifting)},
        {"states", references_of(linear.states)},
        {"inputs", references_of(linear.inputs)},
        {"outputs", references_of(linear.outputs)}}},
      {"units", {{"states", units_of(linear.states)}, {"inputs", units_of(linear.inputs)}, {"outputs", units_of(linear.outputs)}}},
      {"sizes", {{"n", s.n}, {"m", s.m}, {"l", s.l}, {"r", s.r}, {"u", s.u}, {"p", s.p}, {"c", s.c}, {"f", s.f}}},
      {"partition",
       {{"independent", linear.partition.independent},
        {"velocity_dependent", linear.partition.velocity_dependent},
        {"dependent", linear.partition.dependent}}},
      {"sampled_loop", sampled_json(c.sampled)},
      {"other_sides", other_sides_json(linear)},
      {"warnings", linear.warnings},
      {"settings", Json::parse(write_model_json(c.model->description))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string linear_csv(const LinearCase& c) {
  const LinearModel& linear = c.linear;
  std::string text = "equation,unit,reference,rate";
  for (const LinearVariable& x : linear.states) text += "," + x.name;
  for (const LinearVariable& u : linear.inputs) text += "," + u.name;
  text += "\n";
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    const LinearVariable& x = linear.states[i];
    text += "d/dt " + x.name + "," + quoted(x.unit) + ",";
    append_number(text, x.reference);
    append_number(text += ",", linear.drift[static_cast<Eigen::Index>(i)]);
    append_row(text, linear.A, linear.B, static_cast<Eigen::Index>(i));
  }
  for (std::size_t i = 0; i < linear.outputs.size(); ++i) {
    const LinearVariable& y = linear.outputs[i];
    text += y.name + "," + quoted(y.unit) + ",";
    append_number(text, y.reference);
    text += ",";
    append_row(text, linear.C, linear.D, static_cast<Eigen::Index>(i));
  }
  return text;
}

void append_eigenvalue(std::string& text, const Eigenvalue& e) {
  append_number(text += ",", e.value.real());
  append_number(text += ",", e.value.imag());
  append_number(text += ",", e.frequency_hz);
  for (const auto& value : {e.damping_ratio, e.time_constant}) {
    text += ",";
    if (value) append_number(text, *value);
  }
}

std::string eigenvalues_csv(const LinearCase& c) {
  std::string text = "number,re,im,frequency_hz,damping_ratio,time_constant,error,chain";
  for (const LinearVariable& x : c.linear.states) text += ",participation." + x.name;
  text += "\n";
  for (std::size_t i = 0; i < c.spectrum.eigenvalues.size(); ++i) {
    const Eigenvalue& e = c.spectrum.eigenvalues[i];
    text += std::to_string(i + 1);
    append_eigenvalue(text, e);
    append_number(text += ",", e.error);
    text += "," + std::to_string(e.chain);
    for (double p : e.participation) append_number(text += ",", p);
    text += "\n";
  }
  return text;
}

void remove_linear_cases(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const char* file :
       {"linear_over_time.mat", "frequency.csv", "frequency.json", "step.csv", "bode.svg", "nyquist.svg", "step.svg", "find_zero.json"})
    fs::remove(folder + "/" + file, ignored);
  std::vector<fs::path> earlier;
  for (const fs::directory_entry& inside : fs::directory_iterator(folder, ignored))
    if (inside.path().filename().string().starts_with("at_") && fs::exists(inside.path() / "linear.json", ignored))
      earlier.push_back(inside.path());
  for (const fs::path& path : earlier) {
    for (const char* file : {"linear.json", "linear.csv", "eigenvalues.csv", "linear.mat"}) fs::remove(path / file, ignored);
    fs::remove(path, ignored);  // if nothing else is in it
  }
}

bool write_linear_stack(const std::vector<LinearCase>& cases, const std::string& folder) {
  remove_linear_cases(folder);
  const LinearModel& first = cases.front().linear;
  std::vector<double> times;
  std::vector<MatVariable> variables;
  for (auto& [name, matrix] : matrices_of(first)) variables.push_back({name, std::vector<Eigen::MatrixXd>{}});
  for (const LinearCase& c : cases) {
    if (names_of(c.linear.states) != names_of(first.states) || names_of(c.linear.inputs) != names_of(first.inputs) ||
        names_of(c.linear.outputs) != names_of(first.outputs))
      return false;
    times.push_back(c.reference.time);
    std::size_t k = 0;
    for (auto& [name, matrix] : matrices_of(c.linear))
      std::get<std::vector<Eigen::MatrixXd>>(variables[k++].value).push_back(std::move(matrix));
  }
  variables.push_back({"time", column_of(times)});
  append_names(first, variables);
  write_mat(variables, folder + "/linear_over_time.mat");
  return true;
}

void write_linear_case(const LinearCase& c, const std::string& model_file, const std::string& folder) {
  make_folder(folder);
  write_text(linear_json(c, model_file), folder + "/linear.json");
  write_text(linear_csv(c), folder + "/linear.csv");
  write_text(eigenvalues_csv(c), folder + "/eigenvalues.csv");
  write_matlab(c, folder + "/linear.mat");
}

}  // namespace trunnion
