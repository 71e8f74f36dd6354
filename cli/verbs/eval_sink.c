// SPDX-License-Identifier: Apache-2.0
#include "eval_sink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

// ---- opening -----------------------------------------------------------------------------------

// FILE.h5:/DATASET in its two parts; false: it is another name.
static bool split(cli_sink *sink, const char *path) {
  const char *colon = strstr(path, ".h5:/");
  if (!colon) return false;
  sink->kind = CLI_SINK_H5;
  sink->dataset = strchr(colon, ':') + 1;
  sink->path = strndup(path, (size_t)(sink->dataset - 1 - path));
  return true;
}

int cli_sink_open(cli_sink *sink, const char *path, bool shortest) {
  *sink = (cli_sink){.shortest = shortest};
  if (path && ends_with(path, ".h5"))
    return cli_fail(CLI_BAD, path, 0, "name the dataset too: %s:/DATASET", path);
  if (path && ends_with(path, ".npy")) sink->kind = CLI_SINK_NPY;
  if (path && split(sink, path)) {
    if (!sink->path) return cli_no_memory();
    path = sink->path;
  }
  int status = cli_out_open(&sink->out, path);
  if (status == CLI_OK && sink->kind != CLI_SINK_TEXT && !sink->out.target)
    status = cli_out_close(&sink->out, cli_fail(CLI_BAD, path, 0,
                                                "an array cannot be written there (a regular file "
                                                "is needed)"));
  if (status != CLI_OK) free(sink->path);
  return status;
}

static void write_names(cli_out *out, int columns, char *const *name) {
  cli_out_write(out, "#", 1);
  for (int k = 0; k < columns; k++) {
    cli_out_write(out, " ", 1);
    cli_out_write(out, name[k], strlen(name[k]));
  }
  cli_out_write(out, "\n", 1);
}

int cli_sink_begin(cli_sink *sink, int columns, char *const *name) {
  char header[AP_NPY_HEADER];
  sink->columns = columns;
  if (sink->kind == CLI_SINK_TEXT) write_names(&sink->out, columns, name);
  if (sink->kind == CLI_SINK_NPY) // its rows are counted at the end
    cli_out_write(&sink->out, header, (size_t)ap_npy_header(0, columns, header));
  if (sink->kind != CLI_SINK_H5) return CLI_OK;
  const char *path = cli_out_keep(&sink->out) ? cli_out_name(&sink->out) : NULL;
  if (path)
    sink->error.status = ap_h5_rows_open(path, sink->dataset, columns, (const char *const *)name,
                                         &sink->h5, &sink->error);
  return CLI_OK; // closing reports it
}

// ---- rows --------------------------------------------------------------------------------------

size_t cli_sink_room(const cli_sink *sink, int rows) {
  const size_t numbers = (size_t)sink->columns * (size_t)rows;
  return sink->kind == CLI_SINK_TEXT ? (size_t)rows * ap_row_room(sink->columns)
                                     : numbers * sizeof(double);
}

bool cli_sink_encode(const cli_sink *sink, int n, const double *x, cli_bytes *b) {
  const size_t needed = b->length + cli_sink_room(sink, n);
  if (needed > b->capacity) {
    const size_t capacity = needed > 2 * b->capacity ? needed : 2 * b->capacity;
    char *larger = realloc(b->bytes, capacity);
    if (!larger) return false;
    b->bytes = larger;
    b->capacity = capacity;
  }
  if (sink->kind != CLI_SINK_TEXT) {
    memcpy(b->bytes + b->length, x, (size_t)n * (size_t)sink->columns * sizeof *x);
    b->length = needed;
    return true;
  }
  for (int k = 0; k < n; k++, x += sink->columns)
    b->length += ap_format_row(x, sink->columns, sink->shortest, b->bytes + b->length);
  return true;
}

void cli_sink_write(cli_sink *sink, const cli_bytes *bytes, int n) {
  sink->rows += n;
  if (sink->kind != CLI_SINK_H5)
    cli_out_write(&sink->out, bytes->bytes, bytes->length);
  else if (!cli_sink_failed(sink))
    sink->error.status =
        ap_h5_rows_add(sink->h5, n, (const double *)(const void *)bytes->bytes, &sink->error);
}

// A file has no name yet: nobody reads it.
void cli_sink_flush(cli_sink *sink) {
  if (sink->kind == CLI_SINK_TEXT) cli_out_flush(&sink->out);
}

bool cli_sink_failed(const cli_sink *sink) {
  return sink->out.error != 0 || sink->error.status != AP_OK;
}

bool cli_sink_shown(const cli_sink *sink) { return isatty(sink->out.fd) == 1; }

int cli_sink_close(cli_sink *sink, int status) {
  char header[AP_NPY_HEADER];
  if (status == CLI_OK && sink->kind == CLI_SINK_NPY)
    cli_out_begin(&sink->out, header, (size_t)ap_npy_header(sink->rows, sink->columns, header));
  ap_error error = {0};
  error.status = ap_h5_rows_close(sink->h5, &error);
  if (sink->error.status == AP_OK) sink->error = error;
  if (status == CLI_OK && sink->error.status != AP_OK && !sink->out.error)
    status = cli_fail(CLI_FAILED, sink->path, 0, "%s", sink->error.text);
  status = cli_out_close(&sink->out, status);
  free(sink->path);
  return status;
}
