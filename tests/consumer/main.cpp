// A program of a user of the installed library.
// SPDX-License-Identifier: BSD-3-Clause
#include <trunnion/version.h>

#include <cstdio>

int main() { std::printf("trunnion %s\n", trunnion::kVersion); }
