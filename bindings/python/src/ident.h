// SPDX-License-Identifier: Apache-2.0
/// @file ident.h
/// What base parameters, estimation and excitation share.

#ifndef APPELL_PYTHON_IDENT_H
#define APPELL_PYTHON_IDENT_H

#include <appell/drive_gains.h>

#include "core.h"

/// Numbers as bytes of doubles.
PyObject *bytes_of_numbers(const double *x, size_t n);
/// What is looked for, of the bits that the package gives.
ap_ident_options look_for(int flags);
/// The fields of BaseParameters into a dictionary.
bool put_base(PyObject *d, const ap_ident *ident, const ap_base *base);

/// identify(model, look_for, method, svd, logs, columns, arrays, prepare, fit, trust): the fields
/// of Fit.
///
/// logs: list of paths, or None; arrays: (t, q, v, a, tau), None where there is none
/// prepare: (cutoff, order, always, spikes, delay, at_rest)
/// fit: (reject, prior, total_mass, stribeck, payload)
PyObject *identify(PyObject *module, PyObject *args);

#endif
