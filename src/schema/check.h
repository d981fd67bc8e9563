// Checks of a description as a whole: references by name, joint tree, couplings, inertias, friction laws, solver choices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "description/description.h"
#include "schema/name_index.h"

namespace trunnion {

/// All findings. `dimensions` holds the dimension of each value written with a unit, by name path; needed where
/// the right one depends on another item (springs on joints, signals).
std::vector<Diagnostic> check(const Description& description, const std::map<std::string, Dimension>& dimensions);

// Parts of check().
using Findings = std::vector<Diagnostic>;
void check_names(const Description& d, Findings& out);
void check_references(const Description& d, Findings& out);
void check_tree(const Description& d, Findings& out);
void check_joints(const Description& d, Findings& out);
/// Values that the kind of joint or loop does not have, which a file cannot contain; not part of check().
void check_unused_values(const Description& d, Findings& out);
void check_contacts(const Description& d, Findings& out);
void check_looks(const Description& d, Findings& out);
void check_dimensions(const Description& d, const std::map<std::string, Dimension>& dimensions, Findings& out);
void check_values(const Description& d, Findings& out);  // those below, which depend on numbers that are parameters
void check_inertias(const Description& d, Findings& out);
void check_signals(const Description& d, Findings& out);
void check_motion_signals(const Description& d, Findings& out);
void check_hydraulics(const Description& d, Findings& out);
void check_power(const Description& d, Findings& out);
void check_control(const Description& d, Findings& out);
void check_solver(const Description& d, Findings& out);
void check_coupling(const Description& d, Findings& out);

/// Warnings about units that are possible but implausible, which the SI values no longer show.
Findings doubtful_units(const Description& description, const std::map<std::string, Dimension>& dimensions);

/// `boom.angle` for `boom` of a revolute joint; the name itself if it is not a coordinate.
std::string full_coordinate_name(const NameIndex<JointDescription>& joints, const std::string& name);

/// Adds a finding at the position of `path`.
void add_finding(const Description& d, Findings& out, const std::string& path, const std::string& found, const std::string& expected = "",
                 const std::string& hint = "");

}  // namespace trunnion
