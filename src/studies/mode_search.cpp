// SPDX-License-Identifier: BSD-3-Clause
#include "studies/mode_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "spectra/branches.h"

namespace trunnion {

namespace {

constexpr int kGrid = 24;  // parts of the range
constexpr int kMostRefinements = 80;
constexpr double kExact = 1e-12;  // of the range: refinement ends

Eigen::VectorXcd values_of(const Spectrum& spectrum) {
  Eigen::VectorXcd values(static_cast<Eigen::Index>(spectrum.eigenvalues.size()));
  for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = spectrum.eigenvalues[static_cast<std::size_t>(i)].value;
  return values;
}

double excess(const Eigenvalue& e, double damping_ratio) { return e.value.real() + damping_ratio * std::abs(e.value); }

/// The followed eigenvalue at one value of the parameter.
struct SearchPoint {
  Spectrum spectrum;
  std::vector<std::string> states;
  int mode = -1;  // its index; -1: none, all eigenvalues are null
  double g = 0;
};

class Search {
 public:
  Search(const ModeSearchRequest& request, const std::function<LinearCase(double)>& linear_case_at)
      : request_(request), linear_case_at_(linear_case_at) {}

  /// The spectrum at a value, and the eigenvalue that continues that of the point `from` (null: none is followed).
  SearchPoint at(double value, const SearchPoint* from) const { return taken(linear_case_at_(value), from); }
  SearchPoint taken(const LinearCase& c, const SearchPoint* from) const {
    SearchPoint point;
    if (!c.sampled.none.empty())
      throw SimulationError(c.reference.time, "the sampled control blocks", c.sampled.none, "give them periods with a common multiple");
    const ClosedModes modes = closed_modes(c);
    point.spectrum = modes.spectrum;
    for (const LinearVariable& x : modes.states) point.states.push_back(x.name);
    select(point, from);
    return point;
  }
  void set_g(SearchPoint& point) const {
    if (point.mode >= 0) point.g = excess(point.spectrum.eigenvalues[static_cast<std::size_t>(point.mode)], request_.damping_ratio);
  }

 private:
  void select(SearchPoint& point, const SearchPoint* from) const {
    const std::vector<Eigenvalue>& list = point.spectrum.eigenvalues;
    if (from != nullptr) {
      const std::vector<int> partner = match_eigenvalues(values_of(from->spectrum), values_of(point.spectrum));
      point.mode = static_cast<int>(std::find(partner.begin(), partner.end(), from->mode) - partner.begin());
      if (point.mode == static_cast<int>(partner.size())) point.mode = -1;
    } else {
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].chain == 0 &&
            (point.mode < 0 || excess(list[i], request_.damping_ratio) > excess(list[point.mode], request_.damping_ratio)))
          point.mode = static_cast<int>(i);
    }
    set_g(point);
  }

  const ModeSearchRequest& request_;
  const std::function<LinearCase(double)>& linear_case_at_;
};

/// Encloses the change of sign between two points, to rounding of the parameter or of the eigenvalue.
ModeCrossing refined(const Search& search, double range, bool follows, double a, SearchPoint at_a, double b, SearchPoint at_b) {
  double f_a = at_a.g, f_b = at_b.g;  // halved where an end stays, by the method
  double value = b;
  SearchPoint found = at_b;
  for (int i = 0; i < kMostRefinements; ++i) {
    if (std::abs(at_a.g) <= std::abs(at_b.g))
      value = a, found = at_a;
    else
      value = b, found = at_b;
    if (b - a <= kExact * range || std::abs(found.g) <= found.spectrum.eigenvalues[static_cast<std::size_t>(found.mode)].error) break;
    // a jump of g, where another eigenvalue takes over or the model has a kink, is enclosed by halving
    double middle = a - f_a * (b - a) / (f_b - f_a);
    if (i % 3 == 2 || !(middle > a && middle < b)) middle = 0.5 * (a + b);
    if (!(middle > a && middle < b)) break;
    const bool near_a = middle - a < b - middle;
    SearchPoint point = search.at(middle, follows ? (near_a ? &at_a : &at_b) : nullptr);
    if (point.mode < 0) break;
    if ((point.g > 0) == (at_a.g > 0)) {
      a = middle, at_a = std::move(point);
      f_a = at_a.g, f_b *= 0.5;
    } else {
      b = middle, at_b = std::move(point);
      f_b = at_b.g, f_a *= 0.5;
    }
  }
  ModeCrossing crossing{value, a, b, at_a.g <= 0, found.spectrum.eigenvalues[static_cast<std::size_t>(found.mode)], {}};
  for (const int i : main_states(crossing.eigenvalue)) crossing.states.push_back(found.states[static_cast<std::size_t>(i)]);
  return crossing;
}

}  // namespace

ModeSearch find_crossings(const ModeSearchRequest& request, const LinearCase& own, double own_value,
                          const std::function<LinearCase(double)>& linear_case_at) {
  ModeSearch result;
  result.of = request;
  const Search search(request, linear_case_at);
  const bool follows = request.mode.has_value();
  SearchPoint start = search.taken(own, nullptr);
  if (follows) {
    const int count = static_cast<int>(start.spectrum.eigenvalues.size());
    if (*request.mode < 1 || *request.mode > count)
      throw InputError(
          {{{"--mode", 0, 0}, "", fmt::format("there is no eigenvalue {}", *request.mode), fmt::format("1 to {}", count), ""}});
    start.mode = *request.mode - 1;
    search.set_g(start);
  }
  const double from = std::min(request.range.from, request.range.to), to = std::max(request.range.from, request.range.to);
  std::map<double, SearchPoint> points;
  if (own_value >= from && own_value <= to) points.emplace(own_value, start);
  // outwards from the model's own value, so that a mode is followed from there
  std::vector<double> grid;
  for (int i = 0; i <= kGrid; ++i) grid.push_back(i == kGrid ? to : from + (to - from) * i / kGrid);
  std::stable_sort(grid.begin(), grid.end(), [&](double x, double y) { return std::abs(x - own_value) < std::abs(y - own_value); });
  for (const double value : grid) {
    if (points.contains(value)) continue;
    const SearchPoint* near = &start;
    double distance = std::abs(value - own_value);
    for (const auto& [other, point] : points)
      if (std::abs(value - other) <= distance) near = &point, distance = std::abs(value - other);
    try {
      if (SearchPoint point = search.at(value, follows ? near : nullptr); point.mode >= 0) points.emplace(value, std::move(point));
    } catch (const SimulationError& error) { result.failures.push_back(fmt::format("{:g}: {}", value, error.what())); }
  }
  for (const auto& [value, point] : points) {
    result.values.push_back(value);
    result.g.push_back(point.g);
  }
  for (auto b = points.begin(); b != points.end(); ++b) {
    if (b == points.begin()) continue;
    const auto a = std::prev(b);
    if ((a->second.g > 0) != (b->second.g > 0)) try {
        result.crossings.push_back(refined(search, to - from, follows, a->first, a->second, b->first, b->second));
      } catch (const SimulationError& error) {
        result.failures.push_back(fmt::format("a crossing between {:g} and {:g}: {}", a->first, b->first, error.what()));
      }
  }
  return result;
}

std::string mode_search_json(const ModeSearch& search) {
  using Json = nlohmann::ordered_json;
  Json crossings = Json::array();
  for (const ModeCrossing& c : search.crossings)
    crossings.push_back({{"value", c.value},
                         {"between", {c.below, c.above}},
                         {"better", c.better_below ? "below" : "above"},
                         {"re", c.eigenvalue.value.real()},
                         {"im", c.eigenvalue.value.imag()},
                         {"frequency_hz", c.eigenvalue.frequency_hz},
                         {"damping_ratio", c.eigenvalue.damping_ratio ? Json(*c.eigenvalue.damping_ratio) : Json(nullptr)},
                         {"main_states", c.states}});
  return Json{{"path", search.of.path},
              {"damping_ratio", search.of.damping_ratio},
              {"mode", search.of.mode ? Json(*search.of.mode) : Json(nullptr)},
              {"crossings", crossings},
              {"values", search.values},
              {"g", search.g},
              {"failures", search.failures}}
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string mode_search_text(const ModeSearch& search) {
  const std::string what =
      search.of.damping_ratio == 0 ? std::string("Re = 0") : fmt::format("a damping ratio of {:g}", search.of.damping_ratio);
  std::string text;
  for (const ModeCrossing& c : search.crossings) {
    const std::complex<double> z = c.eigenvalue.value;
    text += fmt::format(
        "{} = {:.9g}: {} crosses {}, {} {}; {}\n", search.of.path, c.value,
        z.imag() == 0 ? fmt::format("eigenvalue {:.4g}/s", z.real()) : fmt::format("oscillation of {:.5g} Hz", c.eigenvalue.frequency_hz),
        what, search.of.damping_ratio == 0 ? "stable" : "more damping", c.better_below ? "below" : "above", fmt::join(c.states, ", "));
  }
  if (search.crossings.empty())
    text += fmt::format("no eigenvalue{} crosses {} between {:g} and {:g}\n", search.of.mode ? " of this mode" : "", what,
                        search.of.range.from, search.of.range.to);
  for (const std::string& failure : search.failures) text += "no linear model at " + failure + "\n";
  return text;
}

}  // namespace trunnion
