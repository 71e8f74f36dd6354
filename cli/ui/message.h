// SPDX-License-Identifier: Apache-2.0
/// @file message.h
/// What the command says on standard error, and the exit statuses that go with it.
///
/// An error is exactly one line, `appell: FILE:LINE: what is wrong (what would be right)`.
/// Functions of the command that can fail have said why by the time they return a status other than
/// CLI_OK; their callers only tidy up and pass it on.

#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <appell/base.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/// Exit statuses of the command.
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_BAD = 2 };

/// Report an error and return status. file may be NULL and line 0 where there is none.
int cli_fail(int status, const char *file, int line, const char *format, ...) CLI_PRINTF(4, 5);
/// Report wrong usage, pointing to the help of verb (NULL: of the command); returns CLI_BAD.
int cli_usage(const char *verb, const char *format, ...) CLI_PRINTF(2, 3);
/// Report what the library found wrong in an input file: CLI_BAD, or CLI_FAILED where it is not
/// the file's fault (memory).
int cli_fail_input(const char *file, const ap_error *error);
/// Report that the library could not write file: CLI_FAILED, or CLI_BAD for a name it cannot take.
int cli_fail_output(const char *file, const ap_error *error);
int cli_no_memory(void);
/// `appell: FILE:LINE: warning: text`
void cli_warn(const char *file, int line, const char *text);

/// Whether a stream is a terminal that wants colours (NO_COLOR is not set).
bool cli_colour(FILE *stream);
/// Copy text to out (size bytes) with control characters as '?' and cut at a whole character, so
/// that a name from a file can neither break the line nor steer a terminal; returns out.
char *cli_plain(const char *text, char *out, size_t size);

/// The candidate nearest to a mistyped word. Start with {.word = ...}, offer all candidates, then
/// ask; a candidate that has little in common with the word is no help and is not given.
typedef struct cli_nearest {
  const char *word;
  const char *best;
  size_t distance;
} cli_nearest;

void cli_nearest_offer(cli_nearest *nearest, const char *candidate);
/// The nearest, or NULL.
const char *cli_nearest_name(const cli_nearest *nearest);

/// The names of which a word should have been one. Start with {.nearest = {.word = ...}}, offer all
/// of them.
typedef struct cli_choice {
  cli_nearest nearest;
  const char *of; ///< said behind the names: " for inverse"; NULL: nothing
  char names[1024];
  size_t used;
} cli_choice;

void cli_choice_offer(cli_choice *choice, const char *name);
/// Report wrong usage: "unknown METHOD 'word'", the nearest name and all of them; returns CLI_BAD.
int cli_unknown(const char *verb, const char *what, const cli_choice *choice);

#endif
