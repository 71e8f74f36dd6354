// SPDX-License-Identifier: Apache-2.0
// What the files about doubts share.

#ifndef AP_IDENT_DOUBT_H
#define AP_IDENT_DOUBT_H

#include "base/error.h"
#include "ident/ident.h"

// A joint with one coordinate that is the log's own.
typedef struct hinge {
  int q, v;
  bool turns;
  double low, high; // infinite where there is no limit
  double speed;     // limit, or INFINITY
  const char *name;
} hinge;

// All of them, [nv] at most; how many. free() *list; NULL: no memory.
int ap__hinges(const ap_model *m, hinge **list);

// Appends a doubt; one too many is dropped.
ap_doubt *ap__doubt_add(ap_doubts *doubts, ap_doubt_kind kind, bool grave, int joint, double value,
                        double bound);
void ap__doubt_say(ap_doubt *doubt, const char *format, ...) AP_PRINTF(2, 3);

// Parameters with friction, whether it was asked for or not, of what states can show.
typedef struct second_look {
  ap_ident *id;
  ap_base *base;
} second_look;
ap_status ap__look_again(const ap_ident *id, const ap_dataset *s, second_look *look);
void ap__second_look_free(second_look *look);

// Parameters p [np] that forces demand: weighted least squares by the noise of each joint, where
// those that the forces do not tell stay near the model's. Not always those of bodies.
ap_status ap__demanded(ap_reduction *r, const ap_fit *fit, double *p);
// The sum of the masses in it.
double ap__mass_of(const ap_ident *id, const double *p);

// Most coordinates of a robot whose forces are explained a second time.
enum { AP__MOST_DOUBTED = 16 };

#endif
