// SPDX-License-Identifier: Apache-2.0
/// @file eval_sink.h
/// Where rows of results go, by the ending of the file's name: text, an .npy array, a dataset of an
/// HDF5 file.

#ifndef CLI_EVAL_SINK_H
#define CLI_EVAL_SINK_H

#include <appell/file.h>

#include "ui/output.h"

/// Bytes that grow.
typedef struct cli_bytes {
  char *bytes;
  size_t length, capacity;
} cli_bytes;

typedef enum cli_sink_kind { CLI_SINK_TEXT, CLI_SINK_NPY, CLI_SINK_H5 } cli_sink_kind;

/// An output of rows.
typedef struct cli_sink {
  cli_sink_kind kind;
  cli_out out;
  int columns;
  bool shortest;       ///< of text: the fewest digits instead of 17
  long long rows;      ///< written
  const char *dataset; ///< of HDF5
  char *path;          ///< of the file that has it
  ap_h5_rows *h5;
  ap_error error; ///< of HDF5
} cli_sink;

/// Open a file; NULL or "-" is standard output. Reports and returns a status other than CLI_OK when
/// that cannot be done; then there is nothing to close.
int cli_sink_open(cli_sink *sink, const char *path, bool shortest);
/// Write what stands before the rows.
int cli_sink_begin(cli_sink *sink, int columns, char *const *name);
/// The most bytes that rows take.
size_t cli_sink_room(const cli_sink *sink, int rows);
/// Append n rows as they will be written; any thread may. False: no memory.
bool cli_sink_encode(const cli_sink *sink, int n, const double *x, cli_bytes *bytes);
/// Write what was encoded of n rows.
void cli_sink_write(cli_sink *sink, const cli_bytes *bytes, int n);
/// Hand over what is written so far, where someone can read it.
void cli_sink_flush(cli_sink *sink);
/// Whether further work is in vain.
bool cli_sink_failed(const cli_sink *sink);
/// Whether the rows can be seen on a terminal.
bool cli_sink_shown(const cli_sink *sink);
/// Finish, as cli_out_close() does.
int cli_sink_close(cli_sink *sink, int status);

#endif
