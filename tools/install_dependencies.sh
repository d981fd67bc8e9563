#!/usr/bin/env bash
# Installs the missing Debian packages required to build Trunnion.
#
#   tools/install_dependencies.sh [--checks] [--docs] [--browser]
# --checks: also the tools for formatting and static analysis (clang-format, clang-tidy).
# --docs: also the tools for the documentation site (mkdocs with the theme Material).
# --browser: also the browser for testing reports (chromium).
# On other systems it only prints the list. TRUNNION_INSTALL=0 disables it.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

packages=(
  g++ cmake ninja-build python3 pkg-config
  libeigen3-dev      # linear algebra
  libsuitesparse-dev # sparse linear systems (KLU)
  liblapacke-dev     # eigenvalues
  libfmt-dev         # text
  libyaml-cpp-dev    # model files
  libmuparser-dev    # expressions in model files
  libtinyxml2-dev    # robot descriptions
  nlohmann-json3-dev # summaries, JSON Schema
  libhdf5-dev        # results
  libmatio-dev       # linear models for MATLAB
  libcli11-dev       # command line
  libsundials-dev    # reference integrators
  gnuplot-nox        # pictures
  zlib1g-dev         # reports
  libgtest-dev       # tests
  openmpi-bin        # tests of sweeps over ranks
  libbenchmark-dev   # benchmarks
  pybind11-dev python3-dev python3-numpy # Python interface
  python3-pytest python3-setuptools python3-wheel python3-pip python3-venv # its tests and its package
)
# These bundle the report viewer; another installation on PATH is also accepted.
command -v node > /dev/null && command -v npm > /dev/null || packages+=(nodejs npm)

for option in "$@"; do
  case "$option" in
    --checks) packages+=(clang-format clang-tidy) ;;
    --docs) packages+=(mkdocs mkdocs-material python3-matplotlib python3-scipy) ;;
    --browser) packages+=(chromium) ;;
    *) echo "usage: $0 [--checks] [--docs] [--browser]" >&2; exit 2 ;;
  esac
done

[ "${TRUNNION_INSTALL:-1}" != 0 ] || exit 0

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "This is not a Debian system: nothing is installed. Trunnion requires these packages of Debian 12:"
  echo "  ${packages[*]}"
  exit 0
fi

installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2> /dev/null |
  sed -n 's/^installed //p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<< "$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "These Debian packages are missing, and installing them needs root or sudo:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" > "$log" 2>&1 < /dev/null; then
    cat "$log" >&2
    echo "apt-get $* failed; missing packages: ${missing[*]}" >&2
    exit 1
  fi
}

echo "Installing missing Debian packages: ${missing[*]}"
[ ${#as_root[@]} = 0 ] || sudo -v # asks for the password here, where it can be seen
apt update
apt install --no-install-recommends --yes "${missing[@]}"
