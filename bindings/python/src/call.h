// SPDX-License-Identifier: Apache-2.0
/// @file call.h
/// The arrays of one call: inputs of the same states, precision and layout, outputs that fit them.

#ifndef APPELL_PYTHON_CALL_H
#define APPELL_PYTHON_CALL_H

#include "core.h"

enum { MOST_INPUTS = 4, MOST_OUTPUTS = 3 };

/// Zero it, say whether the output may take the place of the last input, then read inputs and
/// outputs; end it whatever happened.
typedef struct call {
  bool in_place;
  array in[MOST_INPUTS], out[MOST_OUTPUTS];
  int inputs, outputs;
  bool columns; ///< all arrays lie column by column, else row by row
} call;

/// The argument that a letter stands for: q, v, a, t for tau, 0 and 1 for q0 and q1.
const char *input_name(char letter);
/// Read n inputs with these names; shapes are those of one state.
bool call_inputs(call *c, int n, PyObject *const *value, const char *const *name,
                 const shape *shapes);
/// Take the arrays that the caller gave for n outputs (a tuple where there are several), or make
/// new ones where it gave none (NULL or None).
bool call_outputs(call *c, PyObject *given, int n, const shape *shapes);
/// What the call returns: an array, a tuple of them, or a number.
PyObject *call_result(const call *c);
void call_end(call *c);

/// Raise the exception of the first state that has a status other than AP_OK; of_each, which may be
/// NULL, has the status of each. It says what is wrong with its numbers, where they are: the first
/// input is a configuration of the model, unless that is NULL.
PyObject *refuse_states(const call *c, const ap_model *m, ap_status status,
                        const ap_status *of_each);

#endif
