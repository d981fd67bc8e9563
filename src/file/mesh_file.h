// Triangles of mesh files, for bodies in reports: STL (binary and text) and OBJ (faces of polygons; materials, normals and curves are left
// out).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "description/description.h"

namespace trunnion {

struct TriangleMesh {
  std::vector<float> points;     // [m] x, y, z of each, in the frame of the mesh, scaled; equal points once
  std::vector<float> triangles;  // three numbers of points each, counted from 0
};

/// The ending of a file's name in small letters, `.stl`; empty: none.
std::string ending_of(const std::string& name);
/// Whether that is a format of meshes: .stl or .obj.
bool is_mesh_file(const std::string& name);

/// Makes paths of mesh files that are relative to the file which names them, or to `file` for names from the command line, absolute.
/// Findings: another ending, a relative path without a file.
void locate_mesh_files(Description& description, const std::string& file, std::vector<Diagnostic>& diagnostics);

/// `name`: of the file, in messages; its ending is the format. Throws InputError: the ending is neither .stl nor .obj, the text is no mesh,
/// or it has no triangle.
TriangleMesh read_mesh(std::string_view content, const std::string& name, const Vec3d& scale);

}  // namespace trunnion
