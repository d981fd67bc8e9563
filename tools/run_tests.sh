#!/usr/bin/env bash
# Runs the tests of a built preset. On a terminal CTest shows its progress on one line; elsewhere only failures and the
# summary are printed.
#
#   tools/run_tests.sh PRESET [CTest option]...
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -t 1 ]; then
  exec ctest --preset "$@" --parallel "$(nproc)"
fi
ctest --preset "$@" --parallel "$(nproc)" |
  { grep -vE '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed +[0-9.]+ sec' || true; }
