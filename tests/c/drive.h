// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Drives the machine of a model file's text with its lever at `level`; the angle of its boom after 0.3 s, at steps of 2 ms. Returns 0, or
/// the line of drive.c that failed.
int drive(const char* text, double level, double* out);

#ifdef __cplusplus
}
#endif
