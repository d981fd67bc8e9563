// A static solution, or steady operation, as text and files: a table, equilibrium.json or steady.json, and the model file that starts
// there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "linearise/steady.h"
#include "machine/equilibrium.h"

namespace trunnion {

/// equilibrium.json; keys in docs/results.md.
std::string equilibrium_json(const std::shared_ptr<const CompiledModel>& shared, const Equilibrium& e, const std::string& model_file);

/// Coordinates, pressures, cylinders, stability: lines for a terminal.
std::string equilibrium_text(const std::shared_ptr<const CompiledModel>& shared, const Equilibrium& e);

/// Writes equilibrium.json and equilibrium.yaml, the model with its equilibrium as start values and CSV signals as tables, into `folder`.
void write_equilibrium(const std::shared_ptr<const CompiledModel>& model, const Equilibrium& e, const std::string& model_file,
                       const std::string& folder);

/// The same of steady operation: steady.json, a table, steady.json with steady.yaml.
std::string steady_json(const std::shared_ptr<const CompiledModel>& shared, const SteadyOperation& s, const std::string& model_file);
std::string steady_text(const std::shared_ptr<const CompiledModel>& shared, const SteadyOperation& s);
void write_steady(const std::shared_ptr<const CompiledModel>& model, const SteadyOperation& s, const std::string& model_file,
                  const std::string& folder);

}  // namespace trunnion
