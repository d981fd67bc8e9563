// States of the public interface and their binary form.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/hash.h"
#include "front/content.h"

namespace trunnion {

State::State() = default;
State::~State() = default;
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::State(const State& other) : content_(other.content_ ? std::make_unique<Content>(*other.content_) : nullptr) {}
State& State::operator=(const State& other) {
  if (this == &other) return *this;
  if (content_ && other.content_)
    *content_ = *other.content_;
  else
    content_ = other.content_ ? std::make_unique<Content>(*other.content_) : nullptr;
  return *this;
}
bool State::operator==(const State& other) const {
  if (!content_ || !other.content_) return content_ == other.content_;
  return content_->model == other.content_->model && content_->state == other.content_->state;
}
void State::set_content(Content content) { content_ = std::make_unique<Content>(std::move(content)); }
bool State::empty() const { return content_ == nullptr; }
double State::time() const { return content_ ? content_->state.time : 0; }
std::uint64_t State::fingerprint() const { return content_ ? content_->model : 0; }
std::vector<double> State::positions() const {
  if (!content_) return {};
  return {content_->state.q(), content_->state.q() + content_->state.layout().nq};
}
std::vector<double> State::velocities() const {
  if (!content_) return {};
  return {content_->state.v(), content_->state.v() + content_->state.layout().nv};
}
std::vector<double> State::first_order() const {
  if (!content_) return {};
  return {content_->state.y(), content_->state.y() + content_->state.layout().ny};
}

namespace {

/// Begin of the binary form of a state.
struct StateHeader {
  char magic[8] = {'T', 'R', 'S', 'T', 'A', 'T', 'E', '2'};
  std::uint64_t model = 0;
  StateLayout layout;
  double time = 0;
  std::uint64_t size = 0;  // number of values
};
static_assert(std::is_trivially_copyable_v<StateHeader>);
static_assert(sizeof(StateHeader) == 8 + 8 + sizeof(StateLayout) + 8 + 8, "no padding");

/// Follows the values.
std::uint64_t check_of(std::string_view bytes) {
  Hash hash;
  for (const char byte : bytes) hash.add(static_cast<unsigned char>(byte));
  return hash.value();
}

}  // namespace

std::string State::bytes() const {
  if (!content_) return {};
  const StateVector& state = content_->state;
  StateHeader header;
  header.model = content_->model;
  header.layout = state.layout();
  header.time = state.time;
  header.size = state.values().size();
  std::string bytes(sizeof header + header.size * sizeof(double), '\0');
  bytes.reserve(bytes.size() + sizeof(std::uint64_t));
  std::memcpy(bytes.data(), &header, sizeof header);
  if (header.size > 0) std::memcpy(bytes.data() + sizeof header, state.values().data(), header.size * sizeof(double));
  const std::uint64_t check = check_of(bytes);
  return bytes.append(reinterpret_cast<const char*>(&check), sizeof check);
}

State State::from_bytes(const std::string& bytes) {
  if (bytes.empty()) return {};
  const auto refuse = [](const char* why) -> ModelError { return ModelError(std::string("these bytes are no state: ") + why); };
  StateHeader header;
  std::uint64_t check = 0;
  if (bytes.size() < sizeof header + sizeof check || std::memcmp(bytes.data(), header.magic, sizeof header.magic) != 0)
    throw refuse("wrong header");
  std::memcpy(&header, bytes.data(), sizeof header);
  const StateLayout& n = header.layout;
  const std::uint64_t rest = bytes.size() - sizeof header - sizeof check;
  for (const int size : {n.nq, n.nv, n.ny, n.rows, n.coupling, n.oil_memory, n.inputs, n.motion_memory})
    if (size < 0 || static_cast<std::uint64_t>(size) * sizeof(double) > rest) throw refuse("wrong sizes");
  State state;
  state.content_ = std::make_unique<Content>(Content{header.model, StateVector(n)});
  StateVector& to = state.content_->state;
  if (to.values().size() != header.size || rest != header.size * sizeof(double)) throw refuse("wrong length");
  if (header.size > 0) std::memcpy(to.values().data(), bytes.data() + sizeof header, rest);
  to.time = header.time;
  if (!std::isfinite(to.time)) throw refuse("the time is not finite");
  for (const double value : to.values())
    if (!std::isfinite(value)) throw refuse("a value is not finite");
  std::memcpy(&check, bytes.data() + sizeof header + rest, sizeof check);
  if (check != check_of({bytes.data(), sizeof header + rest})) throw refuse("they are damaged");
  return state;
}

}  // namespace trunnion
