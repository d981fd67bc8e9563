// What a study of linear models is asked for, checked before anything is computed, and the models that it names. Part of
// studies/linear_study.h.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "studies/linear_study.h"

namespace trunnion {

/// Whether the request varies values: a root locus instead of one model.
bool varies(const LinearStudyRequest& request);
/// Throws InputError for incompatible options, and unknown times and channels.
void check_request(const LinearStudyRequest& request, const std::shared_ptr<const CompiledModel>& model);
/// Refuses variations of which no combination is possible, as where a path is misspelt, and times beyond a run. Throws InputError.
void check_values(const LinearStudyRequest& request, const VariedRows& varied);
/// The range of --find-zero in SI. Throws InputError.
ValueRange search_range(const LinearStudyRequest& request);

/// The model of the request, with `more` values. Throws InputError.
std::shared_ptr<const CompiledModel> load_requested(const LinearStudyRequest& request, const std::vector<Override>& more = {});
/// The request with values of varied paths.
LinearStudyRequest with_values(const LinearStudyRequest& request, const std::vector<std::string>& paths,
                               const std::vector<std::string>& values);

}  // namespace trunnion
