#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the library's sources, or on those named, as compiled in build/release.
#
#   tools/run_tidy.sh [FILE.cpp]...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/release/compile_commands.json ]; then
  echo "build/release is not configured; 'cmake --preset release' does it" >&2
  exit 1
fi
# clang cannot read the precompiled headers of g++; every file includes what it needs.
build=build/tidy
mkdir -p $build
sed -E 's/-Winvalid-pch|-include [^ "]*cmake_pch\.hxx//g' build/release/compile_commands.json > $build/compile_commands.json

if [ $# -gt 0 ]; then
  files=("$@")
else # the large ones first, so that the processors finish together
  mapfile -t files < <(find src -name '*.cpp' -printf '%s %p\n' | sort -rn | cut -d ' ' -f 2-)
fi

# clang does not know every option of g++.
check() {
  local output
  if ! output=$(clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option "$1" 2>&1); then
    sed -E '/^[0-9]+ (warning|error)s?( and [0-9]+ errors?)? (generated|treated)/d; /^Error while processing/d' <<< "$output"
    return 1
  fi
}
export -f check
export build
if ! printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' check; then
  echo "clang-tidy found the above" >&2
  exit 1
fi
echo "${#files[@]} files, nothing found"
