#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the library's sources, in the groups of the preset `tidy`, so that headers are read and
# checked once for each group; or on the sources named.
#
#   tools/run_tidy.sh [FILE.cpp]...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/tidy
if [ ! -f $build/compile_commands.json ]; then
  echo "$build is not configured; run 'cmake --preset tidy'" >&2
  exit 1
fi

if [ $# -gt 0 ]; then
  files=("$@")
else # the large ones first, so that the processors finish together
  mapfile -t files < <(python3 - $build << 'END'
import json, pathlib, re, sys
def size(file):  # of a group: of the files that it includes
    members = re.findall(r'#include "(.*)"', file.read_text()) if "/Unity/" in str(file) else []
    return sum(pathlib.Path(member).stat().st_size for member in members or [file])
commands = json.loads(pathlib.Path(sys.argv[1], "compile_commands.json").read_text())
files = [pathlib.Path(entry["file"]) for entry in commands if re.search(r"/trunnion(_core|_core_objects)?\.dir/", entry["command"])]
print(*sorted(files, key=size, reverse=True), sep="\n")
END
  )
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
if [ ${#files[@]} = 0 ]; then
  echo "$build names no source of the library" >&2
  exit 1
fi
if ! printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' check; then
  echo "clang-tidy found the above" >&2
  exit 1
fi
echo "${#files[@]} files or groups of files, nothing found"
