// SPDX-License-Identifier: Apache-2.0
/// @file base.h
/// What every other header needs: status codes, the error record, export marks.
///
/// A function that can fail for a reason a program may react to returns an ap_status. A function
/// that reads what a person wrote (a robot definition, a file) also fills an ap_error, whose text
/// says what is wrong and what would be right. The library never prints, never exits, and never
/// allocates unless its name and comment say so.

#ifndef APPELL_BASE_H
#define APPELL_BASE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define AP_API __attribute__((visibility("default")))
#else
#define AP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Every status with its text; the enum and ap_status_text() expand from this one list.
#define AP_STATUS_LIST(X)                                                                    \
  X(AP_OK, "success")                                                                        \
  X(AP_E_ARG, "argument out of range")                                                       \
  X(AP_E_MEMORY, "not enough memory")                                                        \
  X(AP_E_MODEL, "the robot definition is not valid")                                         \
  X(AP_E_FILE, "the file cannot be read or written")                                         \
  X(AP_E_SYNTAX, "the file is not well formed")                                              \
  X(AP_E_UNSUPPORTED, "not available for this model, or for a work without that part")       \
  X(AP_E_SINGULAR, "the inertia matrix is singular here")                                    \
  X(AP_E_UNREACHABLE, "the pose cannot be reached")                                          \
  X(AP_E_NO_CONVERGENCE, "the iteration did not converge")                                   \
  X(AP_E_NOT_FOUND, "no such name")                                                          \
  X(AP_E_SINGULAR_SERIAL, "the independent coordinates do not determine the mechanism here") \
  X(AP_E_SINGULAR_PARALLEL, "the actuators do not hold the mechanism here")                  \
  X(AP_E_SINGULAR_CLOSURES, "the closures lose rank here: the mechanism may go on in more ways")

/// Outcome of a call. AP_OK is zero.
typedef enum ap_status {
#define AP_STATUS_ENUM(code, text) code,
  AP_STATUS_LIST(AP_STATUS_ENUM)
#undef AP_STATUS_ENUM
} ap_status;

/// The text of a status in plain English, never NULL.
AP_API const char *ap_status_text(ap_status status);

/// What is wrong, where, and what would be right; one line without a full stop or newline.
/// A message that would not fit is cut at a whole character.
typedef struct ap_error {
  ap_status status; ///< AP_OK when there is no error
  int line;         ///< line of the file, from 1; 0 where there is no file
  char text[320];   ///< for a person
} ap_error;

/// Written by default functions into the last field of a definition or of options. Functions refuse
/// a struct without it (AP_E_ARG). So a later version can add fields with nonzero defaults, and
/// programs that call the default function need not know them.
#define AP_COOKIE 0xA99E11u

/// Steps of a method that are counted separately; 0 is for operations outside them.
enum { AP_STEPS = 8 };

/// Operations counted by running the code. Structural zeros and ones are free, as in the papers;
/// a subtraction counts as an addition, a change of sign as nothing. A method that its paper
/// divides into steps counts multiplications and additions by step as well.
typedef struct ap_count {
  long mul;              ///< multiplications
  long add;              ///< additions and subtractions
  long div;              ///< divisions
  long sqrt;             ///< square roots
  long sincos;           ///< sine and cosine of one angle together
  int step;              ///< the step that counts now, 0: none
  long mul_in[AP_STEPS]; ///< multiplications by step
  long add_in[AP_STEPS]; ///< additions and subtractions by step
} ap_count;

/// The version of the library, "MAJOR.MINOR.PATCH".
AP_API const char *ap_version(void);

#ifdef __cplusplus
}
#endif

#endif
