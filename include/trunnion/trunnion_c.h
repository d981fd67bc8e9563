/* Trunnion for other languages and real-time hosts, in C11: opaque handles, status codes, nothing thrown.
 *
 *   trunnion_model* model = NULL;
 *   trunnion_simulation* sim = NULL;
 *   int angle = 0, boom = 0;
 *   double y = 0;
 *   if (trunnion_model_load("excavator.yaml", NULL, 0, &model) != TRUNNION_OK) { puts(trunnion_last_error()); return 1; }
 *   trunnion_find_channel(model, "boom.angle", &angle);
 *   trunnion_find_input(model, "boom", &boom);
 *   trunnion_simulation_new(model, TRUNNION_START_GIVEN, &sim);
 *   trunnion_set_input(sim, boom, 0.4, 0);
 *   while (trunnion_time(sim) < 5 && trunnion_step(sim, 1) == TRUNNION_OK) trunnion_read(sim, &angle, 1, &y);
 *
 * SI and radians throughout. A model may be used by several threads at once, a simulation by one thread at a time. Texts belong to the
 * library and are valid as long as their model, those of errors until the next call in the same thread. Functions with a null handle return
 * TRUNNION_INVALID, 0 or NULL.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRUNNION_TRUNNION_C_H
#define TRUNNION_TRUNNION_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface; to be compared with trunnion_abi_version(). */
#define TRUNNION_ABI_VERSION 1
int trunnion_abi_version(void);

typedef enum trunnion_status {
  TRUNNION_OK = 0,
  TRUNNION_FAILED = 1,  /**< the simulation cannot continue, or has no start */
  TRUNNION_INVALID = 2, /**< invalid model, name, number, size or handle */
  TRUNNION_NO_MEMORY = 3
} trunnion_status;

typedef enum trunnion_start {
  TRUNNION_START_GIVEN = 0,       /**< at the assembled start values */
  TRUNNION_START_EQUILIBRIUM = 1, /**< in static equilibrium */
  TRUNNION_START_STEADY = 2       /**< in steady operation */
} trunnion_start;

typedef struct trunnion_model trunnion_model;
typedef struct trunnion_simulation trunnion_simulation;

/** The last error of the calling thread: time or position in the file, cause, remedy; empty: none. */
const char* trunnion_last_error(void);
/** A finding about an input; texts may be empty, numbers 0 if unknown. */
typedef struct trunnion_finding {
  const char* file;
  int line, column;
  const char *path, *found, *expected, *hint;
} trunnion_finding;
/** Number of findings of the last error of the calling thread, and one of them. */
size_t trunnion_findings(void);
trunnion_status trunnion_finding_at(size_t number, trunnion_finding* out);

/* ---- models: immutable */

/** Reads a model file; `overrides`: `count` texts `path=value` as on the command line, may be null. */
trunnion_status trunnion_model_load(const char* file, const char* const* overrides, size_t count, trunnion_model** out);
/** The same from the text of a model file. */
trunnion_status trunnion_model_from_text(const char* text, const char* const* overrides, size_t count, trunnion_model** out);
/** The same from the compact form of a model, which needs no files. */
trunnion_status trunnion_model_from_compact(const char* text, trunnion_model** out);
/** Simulations keep their model: it may be freed before them. */
void trunnion_model_free(trunnion_model* model);
double trunnion_model_step_size(const trunnion_model* model); /**< [s] */
double trunnion_model_duration(const trunnion_model* model);  /**< [s] */
uint64_t trunnion_model_fingerprint(const trunnion_model* model);

/** Channels, inputs and parameters have numbers from 0; name, unit (SI, empty if dimensionless) and meaning; null beyond the last. */
size_t trunnion_channels(const trunnion_model* model);
const char* trunnion_channel_name(const trunnion_model* model, int channel);
const char* trunnion_channel_unit(const trunnion_model* model, int channel);
const char* trunnion_channel_meaning(const trunnion_model* model, int channel);
trunnion_status trunnion_find_channel(const trunnion_model* model, const char* name, int* out);
size_t trunnion_inputs(const trunnion_model* model);
const char* trunnion_input_name(const trunnion_model* model, int input);
const char* trunnion_input_unit(const trunnion_model* model, int input);
trunnion_status trunnion_find_input(const trunnion_model* model, const char* name, int* out);
size_t trunnion_parameters(const trunnion_model* model);
const char* trunnion_parameter_name(const trunnion_model* model, int parameter);
const char* trunnion_parameter_unit(const trunnion_model* model, int parameter);
trunnion_status trunnion_find_parameter(const trunnion_model* model, const char* name, int* out);

/* ---- simulations */

/** `start`: a trunnion_start. */
trunnion_status trunnion_simulation_new(const trunnion_model* model, int start, trunnion_simulation** out);
void trunnion_simulation_free(trunnion_simulation* simulation);
double trunnion_time(const trunnion_simulation* simulation); /**< [s] */
/** Advances by `steps` points of the time grid; on TRUNNION_FAILED the state is the last valid one. No allocation unless a step is
 *  subdivided or fails. */
trunnion_status trunnion_step(trunnion_simulation* simulation, int steps);
/** Advances to `end` [s]. */
trunnion_status trunnion_run_until(trunnion_simulation* simulation, double end);
/** Starts again at time 0; `start`: a trunnion_start. */
trunnion_status trunnion_restart(trunnion_simulation* simulation, int start);
/** From now on `value` + `slope` (t - now), limited to the input's range; slope [1/s], 0: held. */
trunnion_status trunnion_set_input(trunnion_simulation* simulation, int input, double value, double slope);
/** Takes effect at the next step or setting of a minimal state, or at trunnion_restart() where it defines the start. */
trunnion_status trunnion_set_parameter(trunnion_simulation* simulation, int parameter, double value);
trunnion_status trunnion_get_parameter(const trunnion_simulation* simulation, int parameter, double* out);
/** Values of `count` channels at the current state. */
trunnion_status trunnion_read(const trunnion_simulation* simulation, const int* channels, size_t count, double* out);
/** From now on the energy ledger is kept, for the channels `energy.*`. */
trunnion_status trunnion_attach_ledger(trunnion_simulation* simulation);

/** Size of the binary form of a state [bytes], and the state in and out; `size` is that of the buffer. */
size_t trunnion_state_size(const trunnion_simulation* simulation);
trunnion_status trunnion_get_state(const trunnion_simulation* simulation, void* out, size_t size);
trunnion_status trunnion_set_state(trunnion_simulation* simulation, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
