#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) on the library's sources, in the groups of the preset `tidy`, so that headers are read and
# checked once for each group; or on the sources named. All of src/ is read, whichever target compiles it, but for the few files that are
# compiled with other numbers only (CMakeLists.txt): otherwise the files left out are an error.
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
  cmake $build --log-level=WARNING > /dev/null # files may be new, and groups others
  listed=$(python3 - $build << 'END'
import json, pathlib, re, sys
build = pathlib.Path(sys.argv[1])
source = pathlib.Path("src").resolve()
groups = {}  # the files of src/ in each file that is compiled
for entry in json.loads((build / "compile_commands.json").read_text()):
    file = pathlib.Path(entry["directory"], entry["file"])
    members = re.findall(r'#include "(.*)"', file.read_text()) if "/Unity/" in str(file) else [file]
    members = {pathlib.Path(member).resolve() for member in members}
    if members := {member for member in members if source in member.parents}:
        groups[file] = members
read = set().union(*groups.values(), (pathlib.Path(line).resolve() for line in (build / "with_other_numbers_only.txt").read_text().splitlines()))
if left_out := sorted(set(source.rglob("*.cpp")) - read):
    sys.exit("not read by clang-tidy, as no target in " + str(build / "compile_commands.json") + " has them:\n" + "\n".join(map(str, left_out)))
print(*sorted(groups, key=lambda file: sum(member.stat().st_size for member in groups[file]), reverse=True), sep="\n")
END
  )
  mapfile -t files <<< "$listed"
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
