// An initial value problem from inside: what ode.c, which integrates, and watch.c, which looks for
// zeros on the way, share.

#ifndef AP_SIM_ODE_H
#define AP_SIM_ODE_H

#include <appell/sim.h>

// As ap_ode_watch(), with a choice: direction[i] is 1 or -1 where function i matters only when it
// grows or falls through zero, 0 where both do; and only the first `located` functions have their
// zeros located to the last digits. Those of the others are as good as ARKODE's interpolation,
// which saves a dozen evaluations of the rate for each.
ap_status ap__ode_watch(ap_ode *ode, int k, int located, const int *direction, ap_events *events,
                        ap_error *error);

// Only the first n entries of the state govern the length of steps from now on.
void ap__ode_govern(ap_ode *ode, int n);

// Mend the state, in place, at the end of every step from now on; the rate must be the same before
// and after. A status ends the integration with it.
typedef ap_status ap_mend(void *context, double *y);
void ap__ode_mend(ap_ode *ode, ap_mend *mend);

#ifdef AP_HAVE_SUNDIALS
#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

// What looks for zeros.
typedef struct ode_watch {
  int k, located;
  ap_events *events;
  double *g;       // [k]
  int *found;      // [k], ARKODE's answer
  int stages;      // of the method
  N_Vector from;   // the state where the step begins in which ARKODE stands
  N_Vector trial;  // the end of a step of another length from there
  N_Vector *stage; // its rates
} ode_watch;

struct ap_ode {
  int n;
  int governing; // entries that govern the steps
  ap_rate *rate;
  ap_mend *mend; // NULL: none
  void *context;
  ap_ode_options options;
  SUNContext sundials;
  void *stepper;
  N_Vector y;       // what was read last, at time t
  double t;         // of the last start or reading
  bool running;     // started, and nothing failed since
  ap_status failed; // what ended the last integration: the rate's status, or
  int not_finite;   // the entry of the rate that was not finite; -1: none
  double failed_at; // the time of that
  long evaluations; // since the problem was made
  long steps;       // likewise
  long counted;     // of the steps since the last start, those in steps
  bool at_zero;     // the last reading was that of a zero
  bool step_known;  // watch.from is the state where ARKODE's step begins,
  double step_t;    // at this time
  double read_t;    // where ARKODE last told a state, before zeros were corrected
  ode_watch watch;
};

// ARKODE's view of the rate; data is the ap_ode.
int ap__ode_rate(realtype t, N_Vector y, N_Vector dydt, void *data);
// Let go of the past; go on from ode->y at ode->t.
ap_status ap__ode_restart(ap_ode *ode, ap_error *error);
// What a person is told of ARKODE's flag after an integration towards t.
ap_status ap__ode_explain(const ap_ode *ode, int flag, double t, ap_error *error);
// Whether the problem can be integrated to t.
ap_status ap__ode_check_advance(const ap_ode *ode, double t, const double *y, ap_error *error);
// Bring ode->steps up to date; returns by how much.
long ap__ode_count_steps(ap_ode *ode);
#endif

#endif
