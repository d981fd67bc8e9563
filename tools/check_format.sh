#!/usr/bin/env bash
# Checks that every C++ file of the project is formatted by .clang-format; --fix formats them.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
case "${1:-}" in
  "") ;;
  --fix) mode=(-i) ;;
  *) echo "usage: $0 [--fix]" >&2; exit 2 ;;
esac

folders=(src include apps tests benchmarks python)
if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
  list() { git ls-files -z --cached --others --exclude-standard -- "${folders[@]}"; }
else
  list() { find "${folders[@]}" -type f -print0; }
fi
mapfile -d '' -t files < <(list | grep -zE '\.(h|cpp)$' | sort -zu)
existing=()
for file in "${files[@]}"; do [ ! -f "$file" ] || existing+=("$file"); done

if [ ${#existing[@]} = 0 ]; then
  echo "no C++ files found" >&2
  exit 1
fi
if ! printf '%s\0' "${existing[@]}" | xargs -0 -n 16 -P "$(nproc)" clang-format "${mode[@]}"; then
  echo "not formatted; run 'make format'" >&2
  exit 1
fi
echo "${#existing[@]} files formatted"
