// SPDX-License-Identifier: Apache-2.0
/// @file drive_gains.h
/// Joint torques per unit of motor current, found together with the parameters of a robot. Part of
/// libappell-tools; allocates.
///
/// Motion and currents alone fix no scale: a robot twice as heavy, with drives twice as strong,
/// has the same log. A known force does: a load of known mass that some logs carry and others do
/// not, the springs of the model, the model itself where only a payload is looked for
/// (ap_ident_options::payload), or the total mass where joint forces show it.
///
/// In this order: ap_dataset_prepare() with ap_prepare_options::currents, ap_drive_gains_settle(),
/// ap_drive_gains_apply(); from there as with measured forces (ident.h). ap_drive_gains_widen()
/// adds to the deviations of a fit what the gains' add.

#ifndef APPELL_DRIVE_GAINS_H
#define APPELL_DRIVE_GAINS_H

#include <appell/ident.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A load that is fixed to a link in some logs.
typedef struct ap_known_load {
  const char *link;      ///< that carries it
  double mass;           ///< kg, as a scale shows it
  const double *centre;  ///< [3] m, its centre of mass in the frame of that link; NULL: looked for
  const double *inertia; ///< [6] kg m2 about its centre, along the axes of that link: xx xy xz yy
                         ///< yz zz; NULL: looked for. Needs the centre
} ap_known_load;

/// How to find gains. Start from ap_default_drive_gains().
typedef struct ap_drive_gain_options {
  const ap_known_load *load; ///< what the loaded logs carry; NULL: there are none
  double total_mass;         ///< of all moving bodies without the load, kg, to 0.2 %; 0: not known
  double reject; ///< currents farther from the fit than so many robust deviations are left out; 5;
                 ///< 0: none is
  double uncertain; ///< a gain whose deviation is a larger part of it is not identifiable; 0.25
  int iterations;   ///< at most; 100
  unsigned cookie;  ///< ap_default_drive_gains() sets it
} ap_drive_gain_options;
/// The defaults named above.
AP_API ap_drive_gain_options ap_default_drive_gains(void);

/// What came out. Free it with ap_drive_gains_free().
typedef struct ap_drive_gains {
  int nv;                 ///< joint forces
  int n;                  ///< base parameters
  int np;                 ///< standard parameters
  double *gain;           ///< [nv] N m or N for each unit of the log; negative where a drive's
                          ///< direction is the other one; NAN: nothing fixes it, or not measured
  double *deviation;      ///< [nv] their standard deviations; INFINITY where the gain is NAN
  bool *sure;             ///< [nv] whether the gain is identifiable: known to `uncertain`
  double *noise;          ///< [nv] standard deviation of the currents about the fit, their unit
  double *value;          ///< [n] base parameters
  double *base_deviation; ///< [n] their standard deviations, doubts about the gains included
  double *excess;         ///< [n] the part of their variance that comes from these doubts
  double *load;           ///< [np] standard parameters whose forces are those of the load
  double inflation; ///< by which correlated noise makes variances of the gains larger, on average
  int iterations;   ///< spent
  int identifiable; ///< how many gains are
} ap_drive_gains;

/// Find the gains of all joints whose currents were measured. `bare` are states without the load,
/// `loaded` states with it; either may be NULL. They were prepared with
/// ap_prepare_options::currents. The currents' noise is taken for independent of the motion:
/// current = (W p + known forces) / gain + noise is fitted, each joint weighted by its noise, which
/// is the total least squares estimate for noise in the columns of the currents alone. AP_E_ARG
/// where no known force fixes the scale, with the reason; AP_E_NO_CONVERGENCE.
AP_API ap_status ap_drive_gains_find(ap_ident *ident, const ap_base *base, const ap_dataset *bare,
                                     const ap_dataset *loaded, const ap_drive_gain_options *options,
                                     ap_drive_gains **gains, ap_error *error);
/// The same, until all that is looked for has an identifiable gain: joints without one are left out
/// of `ident` from now on, as in ap_ident_limit_to(), and *base is found anew by the method given.
/// What was found of these joints' gains before stays in the result.
AP_API ap_status ap_drive_gains_settle(ap_ident *ident, ap_base_method method, ap_base **base,
                                       const ap_dataset *bare, const ap_dataset *loaded,
                                       const ap_drive_gain_options *options, ap_drive_gains **gains,
                                       ap_error *error);
/// Free them; NULL is allowed.
AP_API void ap_drive_gains_free(ap_drive_gains *gains);
/// Make forces of the currents of states, in place: gain times current, less what is known and, of
/// loaded states, less the load. Forces of joints whose gain is not identifiable become NAN.
/// AP_E_ARG where the states have no currents.
AP_API ap_status ap_drive_gains_apply(const ap_drive_gains *gains, ap_ident *ident, bool loaded,
                                      ap_dataset *states);
/// Add to the deviations of base parameters in a fit what comes from doubts about the gains. The
/// fit must have the base that the gains were found with: AP_E_ARG, and no change, where it has
/// another number of parameters.
AP_API ap_status ap_drive_gains_widen(const ap_drive_gains *gains, ap_fit *fit);

#ifdef __cplusplus
}
#endif

#endif
