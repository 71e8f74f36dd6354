// SPDX-License-Identifier: Apache-2.0
// Any bytes as an MJCF file: an error with its line, or a robot; then a model, or an error.

#include <stdint.h>

#include "fuzz_robot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_robot((const char *)data, size, "mjcf");
  return 0;
}
