// SPDX-License-Identifier: Apache-2.0
/// @file output.h
/// Where results go: standard output, or a file that appears only when it is complete.
///
/// A file is written without a name (or, where the system cannot do that, under a temporary one in
/// the same folder), and gets its name in one step at the end. Whatever ends the program before,
/// the name shows what it showed before. Standard output and special files (/dev/null, a pipe) are
/// written as they are.

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <appell/json.h>

#include "ui/message.h"

/// An output with its buffer.
typedef struct cli_out {
  int fd;
  int error;        ///< errno of the first failed write; 0 while all is well
  const char *name; ///< for messages
  char *target;     ///< where the file will appear; NULL: written as it is
  char *temporary;  ///< its temporary name; NULL while it has none
  char *buffer;
  size_t used;
} cli_out;

/// Call once, first thing in main(): makes sure that files are not opened in the place of a closed
/// standard stream, and that a signal removes what is half-written.
void cli_out_prepare(void);
/// Let the first SIGINT, SIGTERM or SIGHUP call a handler; a second one ends the program.
void cli_on_signal(void (*handler)(int number));

/// Open the file path; NULL or "-" is standard output. Reports and returns a status other than
/// CLI_OK when that cannot be done; then there is nothing to close.
int cli_out_open(cli_out *out, const char *path);
void cli_out_write(cli_out *out, const char *text, size_t length);
/// The same as an ap_write, whose context is the cli_out.
void cli_out_sink(void *out, const char *text, size_t length);
/// At most 4 KiB at a time.
void cli_out_printf(cli_out *out, const char *format, ...) CLI_PRINTF(2, 3);
/// Hand over what is in the buffer. False: a write failed, and further work is in vain.
bool cli_out_flush(cli_out *out);
/// Write over the first bytes of a file that is not yet complete.
void cli_out_begin(cli_out *out, const char *bytes, size_t length);
/// Start with a copy of the file that will be replaced, if there is one. False: a write failed.
bool cli_out_keep(cli_out *out);
/// The name by which others can open the file that is not yet complete; NULL: it cannot have one.
const char *cli_out_name(cli_out *out);
/// Finish. With CLI_OK what was written is completed: a failure is reported and CLI_FAILED
/// returned. With another status a file is dropped, and that status returned.
int cli_out_close(cli_out *out, int status);
/// All three on standard output, with print in the middle; its status or that of writing.
int cli_out_print(int (*print)(cli_out *out));

/// Whether path can be the name of a file to be written: reports and returns CLI_BAD for a folder,
/// or a file in a folder that does not exist.
int cli_check_target(const char *path);
/// The same for the name of a log, which ends in .csv, .h5 or .mcap.
int cli_check_log(const char *path);
/// The same for the page that a verb writes, which ends in .html or .htm.
int cli_check_page(const char *verb, const char *path);
/// The same for a motion, which is written as text: no name that means another format.
int cli_check_motion(const char *path);
/// Whether two names mean one file, and it is there; folders and devices are none.
bool cli_same_file(const char *a, const char *b);

#endif
