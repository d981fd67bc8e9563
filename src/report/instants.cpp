// Selection of the records of a run for a report.
// SPDX-License-Identifier: BSD-3-Clause
#include "report/instants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

namespace trunnion {

namespace {

constexpr double kNoise = 1e-3;       // of the largest range of a unit: smaller deviations are ignored
constexpr std::size_t kExtremes = 2;  // at most one in this many records is used for extremes
constexpr std::size_t kEven = 8;      // one in this many at even distances

/// An interval between two kept records and its record farthest from the line.
struct Stretch {
  double deviation;
  std::size_t worst, begin, end;
  bool operator<(const Stretch& other) const { return deviation < other.deviation; }
};

struct Followed {
  const double* values;
  double per_range;  // 1 / scale
};

struct Reach {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t at_low = 0, at_high = 0;
  bool moves() const { return high > low; }
};

Reach reach_of(const std::vector<double>& values) {
  Reach r;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < r.low) r.low = values[r.at_low = i];
    if (values[i] > r.high) r.high = values[r.at_high = i];
  }
  return r;
}

/// Finds the worst record of an interval.
class StretchMeasure {
 public:
  StretchMeasure(const std::vector<double>& time, std::vector<Followed> followed)
      : time_(time), followed_(std::move(followed)), share_(time.size()), deviation_(time.size()) {}

  Stretch operator()(std::size_t begin, std::size_t end) {
    const double span = time_[end] - time_[begin];
    for (std::size_t i = begin + 1; i < end; ++i) {
      share_[i] = span > 0 ? (time_[i] - time_[begin]) / span : 0;
      deviation_[i] = 0;
    }
    for (const Followed& f : followed_) {
      const double from = f.values[begin] * f.per_range, rise = f.values[end] * f.per_range - from;
      for (std::size_t i = begin + 1; i < end; ++i)
        deviation_[i] = std::max(deviation_[i], std::abs(f.values[i] * f.per_range - from - rise * share_[i]));
    }
    Stretch stretch{0, begin, begin, end};
    for (std::size_t i = begin + 1; i < end; ++i)
      if (deviation_[i] > stretch.deviation) stretch = {deviation_[i], i, begin, end};
    return stretch;
  }

 private:
  const std::vector<double>& time_;
  std::vector<Followed> followed_;
  std::vector<double> share_, deviation_;  // scratch
};

}  // namespace

bool is_followed(const Channel& c) {
  if (c.name == "time" || c.name.starts_with("solver.") || c.name.starts_with("coupling.")) return false;
  if (c.unit == "m/s^2" || c.unit == "rad/s^2") return false;
  if (c.name == "energy.residual" || c.name == "energy.drift" || c.name.find(".multiplier_") != std::string::npos) return false;
  for (const char* ending : {".violation", ".slip", ".segment", "_residual"})
    if (c.name.ends_with(ending)) return false;
  return true;
}

InstantOrder::InstantOrder(const Recording& recording, std::size_t most, bool (*follows)(const Channel&)) {
  const std::size_t rows = recording.rows();
  if (rows == 0) return;
  most = std::min(most, rows);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<char> kept(rows, 0);
  const auto keep = [&](std::size_t row, double left) {
    if (kept[row] != 0 || order_.size() >= most) return;
    kept[row] = 1;
    order_.push_back(row);
    deviation_.push_back(left);
  };
  std::vector<Reach> ranges;
  std::map<std::string, double> largest;  // range by unit
  for (std::size_t k = 0; k < recording.channels.size(); ++k) {
    ranges.push_back(reach_of(recording.columns[k]));
    if (!ranges[k].moves()) continue;
    double& range = largest[recording.channels[k].unit];
    range = std::max(range, ranges[k].high - ranges[k].low);
  }
  keep(0, infinity);
  keep(rows - 1, infinity);
  std::vector<Followed> followed;
  for (const bool wanted : {true, false})  // extremes of followed channels come first
    for (std::size_t k = 1; k < recording.channels.size(); ++k) {
      if (!ranges[k].moves() || follows(recording.channels[k]) != wanted) continue;
      const double range = ranges[k].high - ranges[k].low, least = kNoise * largest[recording.channels[k].unit];
      if (wanted) followed.push_back({recording.columns[k].data(), 1 / std::max(range, least)});
      if (range < least || order_.size() + 2 > most / kExtremes) continue;
      keep(ranges[k].at_low, infinity);
      keep(ranges[k].at_high, infinity);
    }
  for (std::size_t i = 1; i < most / kEven; ++i) keep(i * (rows - 1) / (most / kEven), infinity);

  std::vector<std::size_t> seeds = order_;
  std::sort(seeds.begin(), seeds.end());
  StretchMeasure measure(recording.columns.front(), std::move(followed));
  std::priority_queue<Stretch> stretches;
  for (std::size_t i = 0; i + 1 < seeds.size(); ++i) stretches.push(measure(seeds[i], seeds[i + 1]));
  while (!stretches.empty()) {
    const Stretch s = stretches.top();
    deviation_.back() = s.deviation;
    if (order_.size() == most || s.deviation == 0) return;
    stretches.pop();
    keep(s.worst, 0);
    stretches.push(measure(s.begin, s.worst));
    stretches.push(measure(s.worst, s.end));
  }
}

std::vector<std::size_t> InstantOrder::first(std::size_t count) const {
  std::vector<std::size_t> rows(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(std::min(count, order_.size())));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::size_t InstantOrder::needed(double deviation) const {
  const auto enough = std::find_if(deviation_.begin(), deviation_.end(), [&](double d) { return d <= deviation; });
  return std::min(order_.size(), static_cast<std::size_t>(enough - deviation_.begin()) + 1);
}

double InstantOrder::deviation(std::size_t count) const {
  return order_.empty() || count == 0 ? 0 : deviation_[std::min(count, order_.size()) - 1];
}

}  // namespace trunnion
