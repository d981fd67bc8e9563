"""Prints the folder of Python packages below an installation prefix that this interpreter searches; relative to the prefix."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import site
import sys
import sysconfig


def folder(prefix: str) -> str:
    """Of Debian, whose packages are in dist-packages, `posix_local` has the prefix /usr for /usr/local, and `deb_system` that of /usr."""
    schemes = sorted(sysconfig.get_scheme_names())  # deb_system first
    found = [sysconfig.get_path("platlib", scheme, vars={"base": base, "platbase": base}) for base in (prefix, os.path.dirname(prefix)) for scheme in schemes]
    searched = [path for path in found if path.startswith(prefix + os.sep) and path in site.getsitepackages()]
    other = sysconfig.get_path("platlib", "posix_prefix", vars={"base": prefix, "platbase": prefix})  # no interpreter searches below this prefix
    return os.path.relpath(searched[0] if searched else other, prefix)


if __name__ == "__main__":
    print(folder(os.path.abspath(sys.argv[1])))
