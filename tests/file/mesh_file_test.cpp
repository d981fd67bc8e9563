// Mesh files: a tetrahedron in every format against its volume and corners, what is no mesh, and paths in model files.
// SPDX-License-Identifier: BSD-3-Clause
#include "file/mesh_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/diagnostic.h"
#include "file/model_file.h"
#include "schema/fingerprint.h"
#include "spatial/spatial.h"
#include "support/temporary_folder.h"

namespace trunnion {
namespace {

using Triangle = std::array<std::array<float, 3>, 3>;

/// Corners at the origin, (2, 0, 0), (0, 3, 0), (0, 0, 4); outwards.
std::vector<Triangle> tetrahedron() {
  const std::array<float, 3> o{0, 0, 0}, x{2, 0, 0}, y{0, 3, 0}, z{0, 0, 4};
  return {{o, y, x}, {o, x, z}, {o, z, y}, {x, y, z}};
}
std::string binary_stl(const std::vector<Triangle>& triangles) {
  std::string text(80, 's');
  const auto append = [&](auto value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text.append(bytes, sizeof value);
  };
  append(static_cast<std::uint32_t>(triangles.size()));
  for (const Triangle& t : triangles) {
    for (int i = 0; i < 3; ++i) append(0.0F);
    for (const auto& corner : t)
      for (const float c : corner) append(c);
    append(std::uint16_t{7});
  }
  return text;
}
std::string text_stl(const std::vector<Triangle>& triangles) {
  std::string text = "solid part\r\n";
  for (const Triangle& t : triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const auto& c : t)
      text += "      vertex " + std::to_string(c[0]) + " +" + std::to_string(c[1]) + " " + std::to_string(c[2]) + "e0\n";
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part\n";
}
const char* const kObj = R"(# a tetrahedron
mtllib part.mtl
v 0 0 0
v 2 0 0 # of the base
v 0 3 0
vn 0 0 1
f 1//1 3//1 2//1
v 0 0 4
f 1/1/1 2/1/1 4/1/1
f 1 4 3
f -3 -2 -1
)";

Vec<3> point(const TriangleMesh& m, std::size_t corner) {
  const std::size_t at = 3 * static_cast<std::size_t>(m.triangles[corner]);
  return {static_cast<double>(m.points[at]), static_cast<double>(m.points[at + 1]), static_cast<double>(m.points[at + 2])};
}
/// Positive where all triangles look outwards.
double volume(const TriangleMesh& m) {
  double sum = 0;
  for (std::size_t i = 0; i + 2 < m.triangles.size(); i += 3) sum += point(m, i).dot(point(m, i + 1).cross(point(m, i + 2))) / 6;
  return sum;
}
std::string refusal(const std::string& text, const std::string& name) {
  try {
    (void)read_mesh(text, name, {1, 1, 1});
  } catch (const InputError& error) { return error.diagnostics()[0].text(); }
  return "read";
}

TEST(MeshFile, EveryFormatHasTheSameSolid) {
  for (const auto& [text, name] : {std::pair{binary_stl(tetrahedron()), "a.stl"}, std::pair{text_stl(tetrahedron()), "b.STL"},
                                   std::pair{std::string(kObj), "c.obj"}}) {
    const TriangleMesh mesh = read_mesh(text, name, {1, 1, 1});
    EXPECT_EQ(mesh.points.size(), 12u) << name;  // each point once
    EXPECT_EQ(mesh.triangles.size(), 12u) << name;
    EXPECT_NEAR(volume(mesh), 4, 1e-6) << name;
    EXPECT_NEAR(volume(read_mesh(text, name, {0.1, 0.2, 0.5})), 0.04, 1e-7) << name;
    EXPECT_NEAR(volume(read_mesh(text, name, {1, -1, 1})), 4, 1e-6) << name << ": mirrored, still outwards";
  }
  // a binary file may begin with `solid`
  std::string named = binary_stl(tetrahedron());
  named.replace(0, 5, "solid");
  EXPECT_NEAR(volume(read_mesh(named, "a.stl", {1, 1, 1})), 4, 1e-6);
}

TEST(MeshFile, PolygonsAreTriangles) {
  const TriangleMesh square = read_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "s.obj", {1, 1, 1});
  ASSERT_EQ(square.triangles.size(), 6u);
  double area = 0;
  for (std::size_t i = 0; i < 6; i += 3)
    area += (point(square, i + 1) - point(square, i)).cross(point(square, i + 2) - point(square, i)).z() / 2;
  EXPECT_NEAR(area, 1, 1e-7);
}

TEST(MeshFile, NameWhatIsWrong) {
  EXPECT_NE(refusal("", "a.stl").find("no triangle"), std::string::npos);
  EXPECT_NE(refusal(binary_stl(tetrahedron()).substr(0, 200), "a.stl").find("not an STL file"), std::string::npos);
  EXPECT_NE(refusal("solid\nvertex 0 0 0\nvertex 1 x 0\n", "a.stl").find("a.stl:3: error: found `x`; expected three coordinates"),
            std::string::npos)
      << refusal("solid\nvertex 0 0 0\nvertex 1 x 0\n", "a.stl");
  EXPECT_NE(refusal("solid\nvertex 0 0 0\nvertex 1 0 0\n", "a.stl").find("ends within a facet"), std::string::npos);
  EXPECT_NE(refusal("solid\nvertex 0 nan 0\nvertex 1 0 0\nvertex 0 1 0\n", "a.stl").find("finite"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "a.obj").find("a.obj:4: error: the face has the corner `4`"),
            std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "a.obj").find("corner `0`"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj").find("fewer than three"), std::string::npos);
  EXPECT_NE(refusal("v 0 0\n", "a.obj").find("three coordinates"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", "a.obj").find("no triangle"), std::string::npos);
  EXPECT_NE(refusal("x", "a.dae").find(".stl or .obj"), std::string::npos);
}

TEST(MeshFile, PathsAreRelativeToTheModel) {
  namespace fs = std::filesystem;
  const std::string folder = test::temporary_folder();
  fs::create_directories(folder + "/meshes");
  std::ofstream(folder + "/meshes/arm.obj") << kObj;
  const auto model = [](const std::string& file) {
    return "trunnion: 1\nbodies: {arm: {rod: {length: 1, mass: 1}, drawn: [{mesh: {file: " + file +
           ", scale: [1 mm, 1 mm, 1 mm]}}]}}\njoints: {arm: {revolute: {parent: ground}}}\nsolver: {step: 1 ms, duration: 1}\n";
  };
  const Description d = parse_model(model("meshes/arm.obj"), folder + "/model.yaml");
  const auto& look = std::get<MeshLook>(d.bodies[0].second.drawn.at(0));
  EXPECT_EQ(look.file, (fs::absolute(folder) / "meshes/arm.obj").lexically_normal().string());
  EXPECT_EQ(look.scale[1], 1e-3);
  // states and snapshots belong to the machine wherever its meshes are
  EXPECT_EQ(fingerprint(d), fingerprint(parse_model(model("/elsewhere/arm.obj"), folder + "/model.yaml")));
  const auto error = [&](const std::string& file) -> std::string {
    try {
      (void)parse_model(model(file), folder + "/model.yaml");
    } catch (const InputError& e) { return e.diagnostics()[0].text(); }
    return "accepted";
  };
  EXPECT_NE(error("meshes/leg.obj").find("model.yaml:2:"), std::string::npos) << error("meshes/leg.obj");
  EXPECT_NE(error("meshes/leg.obj").find("bodies.arm.drawn.0.mesh.file: there is no file `"), std::string::npos) << error("meshes/leg.obj");
  EXPECT_NE(error("arm.dae").find("ends in .stl or .obj"), std::string::npos);
  EXPECT_EQ(error("/gone/arm.stl"), "accepted");  // of a run made elsewhere: its report says so
  fs::remove_all(folder);
}

}  // namespace
}  // namespace trunnion
