// SPDX-License-Identifier: Apache-2.0
// The live page of a robot: its text and meshes, in the page that reads them.

#include <appell/view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/json.h"
#include "file/robot.h"

enum { MOST_MESH_BYTES = 256 << 20, MOST_MESHES = 1000 }; // in a page, as in a report

static const char place[] = "<script id=\"robot\" type=\"application/json\">";

typedef struct view {
  const ap_robot *robot;
  const ap_view_options *options;
  size_t mesh_bytes;             // in the page so far
  const char *mesh[MOST_MESHES]; // names as written, each once
  int meshes;
  int missing;   // how many of them are not in the page
  char why[600]; // the first of these
} view;

ap_view_options ap_default_view(void) { return (ap_view_options){.cookie = AP_COOKIE}; }

// ---- the text ----------------------------------------------------------------------------------

// Can the text be read without the files beside it? The page has none of them.
static bool is_alone(const view *v, const char *text, size_t length, const char *format) {
  ap_robot *robot = NULL;
  ap_error ignored;
  if (strcmp(format, "yaml") == 0) return true;
  if (ap_robot_parse(text, length, format, &v->options->read, &robot, &ignored) != AP_OK)
    return false;
  ap_robot_free(robot);
  return true;
}

static void write_bytes(ap_json *json, const char *key, const char *bytes, size_t length) {
  ap__base64 b;
  ap__base64_begin(&b, json, key);
  ap__base64_add(&b, bytes, length);
  ap__base64_end(&b);
}

// Whether the bytes of the file are the robot: *text is to be freed in any case.
static bool read_own(const view *v, char **text, size_t *length) {
  const ap_view_options *o = v->options;
  const char *format = NULL;
  ap_error ignored;
  *text = NULL;
  return o->path && !o->changed &&
         ap__read_robot_text(o->path, &format, text, length, &ignored) == AP_OK &&
         (!v->robot || is_alone(v, *text, *length, format));
}

static void write_flags(const ap_read_options *read, ap_json *json) {
  ap_json_bool(json, "floating", read->floating);
  ap_json_bool(json, "ignore_mimic", read->ignore_mimic);
  ap_json_bool(json, "ignore_loops", read->ignore_loops);
}

// NAME.yaml of a robot that is no file as it is.
static void write_name(const view *v, bool own, ap_json *json) {
  const ap_view_options *o = v->options;
  char name[300];
  const char *from = o->path ? o->path : o->builtin ? o->builtin : "robot";
  const char *slash = strrchr(from, '/'), *base = slash ? slash + 1 : from;
  const char *dot = o->path ? strrchr(base, '.') : NULL;
  const int stem = dot ? (int)(dot - base) : (int)strlen(base);
  if (own)
    snprintf(name, sizeof name, "%s", base);
  else
    snprintf(name, sizeof name, "%.*s.yaml", stem, base);
  ap_json_string(json, "file", name);
}

// A built-in robot by its name, the bytes of a file, or what the robot is now. Of what is no robot,
// the bytes if they can be read.
static ap_status write_text(const view *v, ap_json *json, ap_error *error) {
  static const ap_read_options plain = {0};
  char *text;
  size_t length;
  const bool builtin = v->options->builtin && !v->options->changed;
  const bool own = !builtin && read_own(v, &text, &length);
  if (builtin) {
    ap_json_string(json, "builtin", v->options->builtin);
    write_flags(&v->options->read, json);
    return AP_OK;
  }
  if (!own && !v->robot) {
    free(text);
    return AP_OK;
  }
  write_name(v, own, json);
  write_flags(own ? &v->options->read : &plain, json);
  if (own) {
    write_bytes(json, "text", text, length);
    free(text);
    return AP_OK;
  }
  free(text);
  const ap_status status = ap_robot_text(v->robot, "yaml", &text, error);
  if (status != AP_OK) return status;
  write_bytes(json, "text", text, strlen(text));
  free(text);
  return AP_OK;
}

// ---- meshes ------------------------------------------------------------------------------------

static bool is_known(const view *v, const char *name) {
  for (int k = 0; k < v->meshes; k++)
    if (strcmp(v->mesh[k], name) == 0) return true;
  return false;
}

// What is drawn of a link: its visual shapes, else those for collision.
static bool is_drawn(const ap_robot *robot, const ap_shape *shape) {
  const ap_shape *other;
  if (!shape->collision) return true;
  for (int k = 0; (other = ap_robot_shape(robot, shape->body, k)); k++)
    if (!other->collision) return false;
  return true;
}

static void miss(view *v, const char *name, const char *why) {
  if (v->missing++ == 0)
    snprintf(v->why, sizeof v->why, "mesh \"%.200s\" is not drawn: %.300s", name, why);
}

static void write_mesh(view *v, const char *name, ap_json *json) {
  const char *format = ap__mesh_format(name);
  const char *allowed = v->options->meshes ? v->options->meshes : "";
  ap_error error = {.text = "STL, OBJ and DAE files are"};
  int file;
  char *bytes = NULL;
  size_t length = 0;
  if (!format || strcmp(format, "msh") == 0 || !v->robot->path) {
    miss(v, name, error.text);
    return;
  }
  ap_status status = ap__mesh_open(name, v->robot->path, allowed, &file, &error);
  if (status == AP_OK) status = ap__read_open_file(file, &bytes, &length, &error);
  if (status == AP_OK && length > MOST_MESH_BYTES - v->mesh_bytes) {
    status = AP_E_MEMORY;
    snprintf(error.text, sizeof error.text, "there are more than %d MiB of meshes",
             MOST_MESH_BYTES >> 20);
  }
  if (status == AP_OK) {
    v->mesh_bytes += length;
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", name);
    ap_json_string(json, "format", format);
    write_bytes(json, "data", bytes, length);
    ap_json_close(json, '}');
  } else {
    miss(v, name, error.text);
  }
  free(bytes);
}

static void write_meshes(view *v, ap_json *json) {
  char more[700];
  ap_json_open(json, "meshes", '[');
  for (int k = 0; k < v->robot->nshape && v->meshes < MOST_MESHES; k++) {
    const ap_shape *shape = &v->robot->shapes[k];
    if (shape->kind != AP_SHAPE_MESH || !is_drawn(v->robot, shape) || is_known(v, shape->file))
      continue;
    v->mesh[v->meshes++] = shape->file;
    write_mesh(v, shape->file, json);
  }
  ap_json_close(json, ']');
  if (v->missing == 0 || !v->options->warn) return;
  if (v->missing == 1)
    snprintf(more, sizeof more, "%s", v->why);
  else
    snprintf(more, sizeof more, "%s (and %d more)", v->why, v->missing - 1);
  v->options->warn(v->options->context, more);
}

// ---- the page ----------------------------------------------------------------------------------

static ap_status write_document(view *v, ap_json *json, ap_error *error) {
  char program[64];
  ap_status status = AP_OK;
  snprintf(program, sizeof program, "appell %s", ap_version());
  ap_json_open(json, NULL, '{');
  ap_json_integer(json, "format", 1);
  ap_json_string(json, "program", program);
  if (v->robot || v->options->path || v->options->builtin) status = write_text(v, json, error);
  if (v->robot && status == AP_OK) write_meshes(v, json);
  if (v->options->findings) v->options->findings(v->options->lint, json);
  ap_json_close(json, '}');
  return status;
}

ap_status ap_view_write(const ap_robot *robot, const ap_view_options *options, ap_write *write,
                        void *context, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_view, options, error)) return AP_E_ARG;
  const char *page = options->page, *at = page ? strstr(page, place) : NULL;
  if (page && !at)
    return AP__REFUSE(error, AP_E_ARG, 0, "the page has no place for a robot (%s)", place);
  view *v = calloc(1, sizeof *v);
  if (!v) return ap__no_memory(error);
  v->robot = robot;
  v->options = options;
  ap_json json = {.write = write, .context = context, .in_html = page != NULL};
  const char *rest = page ? at + strlen(place) : NULL;
  if (page) write(context, page, (size_t)(rest - page));
  const ap_status status = write_document(v, &json, error);
  if (page) write(context, rest, strlen(rest));
  free(v);
  return status;
}
