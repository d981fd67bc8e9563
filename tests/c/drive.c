/* A C11 program on the C interface: drives a machine, and misuses every function once.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "c/drive.h"

#include <string.h>

#include "trunnion/trunnion_c.h"

#define CHECK(condition) \
  do {                   \
    if (!(condition)) {  \
      result = __LINE__; \
      goto end;          \
    }                    \
  } while (0)

int drive(const char* text, double level, double* out) {
  int result = 0, angle = 0, lever = 0, mass = 0;
  double value = 0;
  size_t size = 0;
  unsigned char state[65536];
  trunnion_model* model = NULL;
  trunnion_simulation* sim = NULL;
  const char* overrides[] = {"solver.step=2 ms"};

  CHECK(trunnion_abi_version() == TRUNNION_ABI_VERSION);
  CHECK(trunnion_model_from_text(text, overrides, 1, &model) == TRUNNION_OK);
  CHECK(trunnion_model_step_size(model) == 2e-3 && trunnion_model_duration(model) == 1.0);
  CHECK(trunnion_find_channel(model, "boom.angle", &angle) == TRUNNION_OK);
  CHECK(strcmp(trunnion_channel_name(model, angle), "boom.angle") == 0 && strcmp(trunnion_channel_unit(model, angle), "rad") == 0);
  CHECK(trunnion_channel_meaning(model, angle) != NULL && trunnion_channel_name(model, (int)trunnion_channels(model)) == NULL);
  CHECK(trunnion_find_input(model, "lever", &lever) == TRUNNION_OK && trunnion_inputs(model) == 1);
  CHECK(trunnion_find_parameter(model, "bodies.boom.rod.mass", &mass) == TRUNNION_OK && trunnion_parameters(model) > 10);
  CHECK(strcmp(trunnion_parameter_unit(model, mass), "kg") == 0 && trunnion_model_fingerprint(model) != 0);
  CHECK(trunnion_simulation_new(model, TRUNNION_START_GIVEN, &sim) == TRUNNION_OK);
  CHECK(trunnion_set_input(sim, lever, level, 0) == TRUNNION_OK && trunnion_step(sim, 50) == TRUNNION_OK);
  size = trunnion_state_size(sim);
  CHECK(size > 0 && size < sizeof state && trunnion_get_state(sim, state, size) == TRUNNION_OK);
  CHECK(trunnion_run_until(sim, 0.3) == TRUNNION_OK && trunnion_time(sim) == 0.3);
  CHECK(trunnion_read(sim, &angle, 1, out) == TRUNNION_OK);
  CHECK(trunnion_set_state(sim, state, size) == TRUNNION_OK && trunnion_step(sim, 100) == TRUNNION_OK);
  CHECK(trunnion_read(sim, &angle, 1, &value) == TRUNNION_OK && value == *out);

  /* misuse */
  CHECK(trunnion_model_from_text("trunnion: 1\nbodies: {a: {rod: {length: 1}}}\n", NULL, 0, (trunnion_model**)&(void*){0}) == TRUNNION_INVALID);
  CHECK(trunnion_findings() >= 1 && strlen(trunnion_last_error()) > 0);
  {
    trunnion_finding finding;
    CHECK(trunnion_finding_at(0, &finding) == TRUNNION_OK && finding.line == 2 && strlen(finding.path) > 0);
    CHECK(trunnion_finding_at(1000, &finding) == TRUNNION_INVALID);
  }
  CHECK(trunnion_model_load("nowhere.yaml", NULL, 0, (trunnion_model**)&(void*){0}) == TRUNNION_INVALID);
  CHECK(trunnion_model_load(NULL, NULL, 0, NULL) == TRUNNION_INVALID);
  CHECK(trunnion_find_channel(model, "boom.angel", &angle) == TRUNNION_INVALID && strstr(trunnion_last_error(), "boom.angle") != NULL);
  CHECK(trunnion_find_channel(model, NULL, &angle) == TRUNNION_INVALID && trunnion_find_channel(NULL, "x", &angle) == TRUNNION_INVALID);
  CHECK(trunnion_set_input(sim, 7, 0, 0) == TRUNNION_INVALID && trunnion_set_input(NULL, lever, 0, 0) == TRUNNION_INVALID);
  CHECK(trunnion_set_parameter(sim, mass, -1) == TRUNNION_INVALID && trunnion_get_parameter(sim, mass, &value) == TRUNNION_OK && value == 200);
  CHECK(trunnion_read(sim, &(int){-1}, 1, &value) == TRUNNION_INVALID && trunnion_read(sim, NULL, 1, &value) == TRUNNION_INVALID);
  CHECK(trunnion_get_state(sim, state, size - 1) == TRUNNION_INVALID && trunnion_set_state(sim, state, size - 8) == TRUNNION_INVALID);
  CHECK(trunnion_step(sim, -1) == TRUNNION_INVALID && trunnion_step(NULL, 1) == TRUNNION_INVALID);
  CHECK(trunnion_restart(sim, 9) == TRUNNION_INVALID);
  CHECK(trunnion_channels(NULL) == 0 && trunnion_channel_name(NULL, 0) == NULL && trunnion_state_size(NULL) == 0 && trunnion_time(NULL) == 0);
  CHECK(trunnion_find_channel(model, "energy.drift", &angle) == TRUNNION_OK && trunnion_read(sim, &angle, 1, &value) == TRUNNION_INVALID);
  CHECK(trunnion_attach_ledger(sim) == TRUNNION_OK && trunnion_read(sim, &angle, 1, &value) == TRUNNION_OK);

  /* a run that ends: the piston leaves its cylinder; the state is kept */
  CHECK(trunnion_restart(sim, TRUNNION_START_GIVEN) == TRUNNION_OK && trunnion_set_input(sim, lever, 10, 0) == TRUNNION_OK);
  CHECK(trunnion_step(sim, 100000) == TRUNNION_FAILED && strstr(trunnion_last_error(), "piston") != NULL);
  CHECK(trunnion_time(sim) > 0 && trunnion_read(sim, &angle, 1, &value) == TRUNNION_OK);
  trunnion_model_free(model); /* before its simulation */
  model = NULL;
  CHECK(trunnion_restart(sim, TRUNNION_START_GIVEN) == TRUNNION_OK && trunnion_step(sim, 1) == TRUNNION_OK);
end:
  trunnion_simulation_free(sim);
  trunnion_model_free(model);
  return result;
}
