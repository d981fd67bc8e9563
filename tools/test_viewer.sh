#!/usr/bin/env bash
# Tests of the report viewer: unit tests, and reports of the program in headless Chromium.
#
#   tools/test_viewer.sh PROGRAM WORK_FOLDER
#
# Needs node, npm and Debian's chromium; packages of viewer/package-lock.json are installed below WORK_FOLDER.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -x "${TRUNNION_CHROMIUM:-/usr/bin/chromium}" ]; then
  echo "chromium not found; tools/install_dependencies.sh --browser installs it" >&2
  exit 77  # skipped, for CTest
fi
program=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")

list=$(sha256sum viewer/package-lock.json)
if [ ! -f "$work/installed.txt" ] || [ "$(cat "$work/installed.txt")" != "$list" ]; then
  cp viewer/package.json viewer/package-lock.json "$work"
  npm ci --ignore-scripts --no-audit --no-fund --no-progress --prefix "$work" > "$work/npm.log" 2>&1 || { cat "$work/npm.log" >&2; exit 1; }
  echo "$list" > "$work/installed.txt"
fi
export TRUNNION_NODE_MODULES=$work/node_modules
node viewer/build.mjs "$work/template.html" --modules "$work/node_modules"
export TRUNNION_TEMPLATE=$work/template.html

results=$work/results
rm -rf "$results" "$work/reports"
mkdir -p "$work/reports"
"$program" run -q examples/four_bar.yaml -o "$results/four_bar"
"$program" run -q examples/excavator.yaml --set "solver.duration=10 s" -o "$results/excavator"
"$program" compare -q examples/four_bar.yaml --vary cylinders.lift.friction.model=brown_mcphee,lugre -o "$results/comparison"
for name in four_bar excavator comparison; do
  "$program" report -q "$results/$name" -o "$work/reports/$name.html"
done
size=$(stat --format=%s "$work/reports/excavator.html")
if [ "$size" -gt 5000000 ]; then
  echo "the excavator's report of 10 s has $size bytes, more than 5 MB" >&2
  exit 1
fi

export TRUNNION_REPORTS=$work/reports
node --test viewer/test/unit.test.mjs viewer/test/e2e.test.mjs
