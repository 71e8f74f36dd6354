// SPDX-License-Identifier: Apache-2.0
// A module cannot sleep until the next period: a control loop by the clock is refused where its
// thread would start (system/pthread.h), before ap_servo_run().

#include "ctrl/servo.h"

ap_realtime ap_default_realtime(void) {
  return (ap_realtime){.priority = 80, .cpu = -1, .lock_memory = true};
}

void ap_servo_run(ap_servo *s, const ap_realtime *r) {
  (void)r;
  atomic_store(&s->ended, true);
}
