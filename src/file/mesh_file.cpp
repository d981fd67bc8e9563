// Mesh files -> triangles.
// Sources: 3D Systems, Stereolithography interface specification, 1989; Wavefront, Object files (.obj), Advanced Visualizer manual, appendix B1.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/mesh_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/diagnostic.h"

namespace trunnion {

namespace {

constexpr std::size_t kHeader = 84, kFacet = 50;  // [bytes] of binary STL: header and count; normal, three corners, two bytes of attributes

using Corner = std::array<float, 3>;

class MeshReader {
 public:
  MeshReader(std::string_view content, const std::string& name, const Vec3d& scale) : content_(content), name_(name), scale_(scale) {}

  TriangleMesh read() {
    const std::string ending = ending_of(name_);
    if (ending == ".stl")
      is_binary_stl() ? read_binary_stl() : read_text_stl();
    else if (ending == ".obj")
      read_obj();
    else
      refuse(0, "it is neither an STL nor an OBJ file", "a name that ends in .stl or .obj");
    if (mesh_.triangles.empty()) refuse(0, "the mesh has no triangle", "");
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& found, const std::string& expected) const {
    throw InputError({{{name_, line, 0}, "", found, expected, ""}});
  }

  bool is_binary_stl() const { return content_.size() >= kHeader && content_.size() == kHeader + kFacet * facets(); }
  std::uint64_t facets() const {
    std::uint64_t count = 0;  // little-endian, as all of the file
    for (std::size_t i = 0; i < 4; ++i)
      count |= static_cast<std::uint64_t>(static_cast<unsigned char>(content_[kHeader - 4 + i])) << (8 * i);
    return count;
  }
  float number_at(std::size_t place) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(content_[place + i])) << (8 * i);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  void read_binary_stl() {
    for (std::uint64_t f = 0; f < facets(); ++f) {
      std::array<Corner, 3> corners{};
      for (std::size_t i = 0; i < 9; ++i) corners[i / 3][i % 3] = number_at(kHeader + kFacet * f + 12 + 4 * i);
      add_triangle(numbers_of(corners, 0));
    }
  }

  void read_text_stl() {
    std::array<Corner, 3> corners{};
    std::size_t found = 0;
    for_each_line([&](int line, const std::vector<std::string_view>& words) {
      if (line == 1 && words[0] != "solid") refuse(line, "it is not an STL file", "`solid`, or the length of a binary file");
      if (words[0] != "vertex") return;
      if (found == 3) refuse(line, "a facet has more than three corners", "");
      corners[found++] = corner(words, line);
      if (found < 3) return;
      add_triangle(numbers_of(corners, line));
      found = 0;
    });
    if (found != 0) refuse(0, "the file ends within a facet", "");
  }

  void read_obj() {
    std::vector<float> numbers;  // of the points, per corner of the file
    for_each_line([&](int line, const std::vector<std::string_view>& words) {
      if (words[0] == "v") numbers.push_back(number_of(corner(words, line), line));
      if (words[0] != "f") return;
      std::vector<float> face;
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = words[i].substr(0, words[i].find('/'));
        long index = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
        const long count = static_cast<long>(numbers.size()), at = index < 0 ? count + index : index - 1;
        if (error != std::errc() || end != word.data() + word.size() || at < 0 || at >= count)
          refuse(line, "the face has the corner `" + std::string(words[i]) + "`", "the number of one of the points before it");
        face.push_back(numbers[static_cast<std::size_t>(at)]);
      }
      if (face.size() < 3) refuse(line, "the face has fewer than three corners", "");
      for (std::size_t i = 2; i < face.size(); ++i) add_triangle({face[0], face[i - 1], face[i]});
    });
  }

  /// Calls body(line, words) for each line that has words, without comments of OBJ.
  template <class Body>
  void for_each_line(Body&& body) const {
    int line = 0;
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < content_.size(); ++line) {
      std::size_t end = content_.find('\n', at);
      if (end == std::string_view::npos) end = content_.size();
      const std::string_view text = content_.substr(at, end - at);
      at = end + 1;
      words.clear();
      constexpr const char* kSpaces = " \t\r\v\f";
      for (std::size_t i = text.find_first_not_of(kSpaces); i != std::string_view::npos && text[i] != '#';) {
        const std::size_t after = std::min(text.find_first_of(kSpaces, i), text.size());
        words.push_back(text.substr(i, after - i));
        i = text.find_first_not_of(kSpaces, after);
      }
      if (!words.empty()) body(line + 1, words);
    }
  }
  Corner corner(const std::vector<std::string_view>& words, int line) const {
    Corner c{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string_view word = i + 1 < words.size() ? words[i + 1] : std::string_view();
      const std::string_view unsigned_word = word.starts_with('+') ? word.substr(1) : word;
      const auto [end, error] = std::from_chars(unsigned_word.data(), unsigned_word.data() + unsigned_word.size(), c[i]);
      if (error == std::errc::result_out_of_range)
        c[i] = 0;  // smaller than numbers of four bytes
      else if (error != std::errc() || end != unsigned_word.data() + unsigned_word.size())
        refuse(line, "found `" + std::string(word) + "`", "three coordinates");
    }
    return c;
  }

  std::array<float, 3> numbers_of(const std::array<Corner, 3>& corners, int line) {
    return {number_of(corners[0], line), number_of(corners[1], line), number_of(corners[2], line)};
  }
  /// The number of a point, which is added where it is new.
  float number_of(Corner c, int line) {
    for (std::size_t i = 0; i < 3; ++i) {
      c[i] = static_cast<float>(scale_[i] * static_cast<double>(c[i])) + 0.0F;  // no negative zero
      if (!std::isfinite(c[i])) refuse(line, "a coordinate is not finite", "");
    }
    constexpr std::size_t kMost = 1 << 24;  // that a float can number
    const auto [place, added] = known_.try_emplace(c, static_cast<float>(known_.size()));
    if (added && known_.size() > kMost) refuse(line, "the mesh has more than 16 million points", "");
    if (added) mesh_.points.insert(mesh_.points.end(), c.begin(), c.end());
    return place->second;
  }
  /// Without those that are lines or points. A mirrored one has its corners the other way round.
  void add_triangle(const std::array<float, 3>& t) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return;
    const bool mirrored = scale_[0] * scale_[1] * scale_[2] < 0;
    mesh_.triangles.insert(mesh_.triangles.end(), {t[0], t[mirrored ? 2 : 1], t[mirrored ? 1 : 2]});
  }

  std::string_view content_;
  const std::string& name_;
  const Vec3d& scale_;
  std::map<Corner, float> known_;
  TriangleMesh mesh_;
};

}  // namespace

std::string ending_of(const std::string& name) {
  std::string ending = std::filesystem::path(name).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

bool is_mesh_file(const std::string& name) { return ending_of(name) == ".stl" || ending_of(name) == ".obj"; }

void locate_mesh_files(Description& description, const std::string& file, std::vector<Diagnostic>& diagnostics) {
  const auto locate = [&](const std::string& owner, std::vector<LookDescription>& looks) {
    for (std::size_t i = 0; i < looks.size(); ++i) {
      auto* const mesh = std::get_if<MeshLook>(&looks[i]);
      if (mesh == nullptr || mesh->file.empty()) continue;
      const std::string path = owner + ".drawn." + std::to_string(i) + ".mesh.file";
      const SourceSpan place = span_of(description, path);
      if (!is_mesh_file(mesh->file)) {
        diagnostics.push_back({place, path, "found `" + mesh->file + "`", "a mesh file that ends in .stl or .obj", ""});
        continue;
      }
      const std::filesystem::path given(mesh->file);
      if (given.is_absolute()) continue;
      std::error_code error;
      const auto folder = std::filesystem::path(place.line > 0 ? place.file : file).parent_path();
      const std::filesystem::path found = std::filesystem::absolute(folder / given, error).lexically_normal();
      if (!std::filesystem::is_regular_file(found, error))
        diagnostics.push_back({place, path, "there is no file `" + found.string() + "`", "a path relative to the model file", ""});
      else
        mesh->file = found.string();
    }
  };
  locate("ground", description.ground.drawn);
  for (auto& [name, body] : description.bodies) locate("bodies." + name, body.drawn);
}

TriangleMesh read_mesh(std::string_view content, const std::string& name, const Vec3d& scale) {
  return MeshReader(content, name, scale).read();
}

}  // namespace trunnion
