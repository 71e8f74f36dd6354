// SPDX-License-Identifier: Apache-2.0
// Robots: opened, described, written, examined, generated.

#include <appell/codegen.h>
#include <appell/info.h>
#include <appell/lint.h>

#include <stdlib.h>
#include <string.h>

#include "js.h"

enum { FLOATING = 1, IGNORE_MIMIC = 2, IGNORE_LOOPS = 4 }; // flags of js_open()

JS(js_close) void js_close(js_robot *r) {
  if (!r) return;
  ap_loop_free(r->loop);
  ap_mechanism_free(r->mechanism);
  ap_model_free(r->own);
  ap_robot_free(r->robot);
  free(r->memory);
  free(r->x);
  free(r->frame);
  free(r);
}

static ap_status make_tree(js_robot *r) {
  const ap_status status = ap_robot_model(r->robot, &r->own, &js_failure);
  if (status != AP_OK) return status;
  r->model = r->own;
  const size_t size = ap_work_size(r->model);
  r->memory = malloc(size);
  r->work = r->memory ? ap_work_init(r->model, r->memory, size) : NULL;
  return r->work ? AP_OK : js_fail(AP_E_MEMORY);
}

static ap_status make_mechanism(js_robot *r) {
  const ap_status status = ap_mechanism_make(r->robot, &r->mechanism, &js_failure);
  if (status != AP_OK) return status;
  r->model = ap_mechanism_tree(r->mechanism);
  r->loop = ap_loop_make(r->mechanism);
  if (!r->loop) return js_fail(AP_E_MEMORY);
  r->work = ap_loop_work(r->loop);
  return AP_OK;
}

static ap_status make(js_robot *r) {
  const ap_status status = ap_robot_mechanism(r->robot) ? make_mechanism(r) : make_tree(r);
  if (status != AP_OK) return status;
  const int frames = ap_nframe(r->model);
  r->x = malloc((size_t)(ap_nq(r->model) + 1) * sizeof *r->x);
  r->frame = malloc((size_t)frames * sizeof *r->frame);
  for (int i = 0; r->frame && i < frames; i++) r->frame[i] = i;
  return r->x && r->frame ? AP_OK : js_fail(AP_E_MEMORY);
}

static ap_status open_builtin(const char *name, const ap_read_options *options, ap_robot **robot) {
  const ap_mechanism_def *closed = ap_mechanism_builtin(name);
  return closed ? ap_robot_from_mechanism(closed, robot, &js_failure)
                : ap_robot_builtin(name, options, robot, &js_failure);
}

// Read a robot file, or take a built-in robot of that name, and lock what is to be locked.
JS(js_open)
js_robot *js_open(const char *path, bool builtin, int flags, const ap_reduction_def *part) {
  const ap_read_options options = {.floating = flags & FLOATING,
                                   .ignore_mimic = flags & IGNORE_MIMIC,
                                   .ignore_loops = flags & IGNORE_LOOPS};
  js_robot *r = calloc(1, sizeof *r);
  if (!r) return js_fail(AP_E_MEMORY), NULL;
  ap_status status = builtin ? open_builtin(path, &options, &r->robot)
                             : ap_robot_read(path, &options, &r->robot, &js_failure);
  if (status == AP_OK && (part->nlock > 0 || part->root || part->tip))
    status = ap_robot_reduce(r->robot, part, &js_failure);
  if (status == AP_OK) status = make(r);
  if (status == AP_OK) return r;
  js_close(r);
  return NULL;
}

JS(js_scratch) double *js_scratch(js_robot *r) { return r->scratch; }
JS(js_is_closed) bool js_is_closed(const js_robot *r) { return r->mechanism; }
JS(js_nq) int js_nq(const js_robot *r) { return ap_nq(r->model); }
JS(js_nv) int js_nv(const js_robot *r) { return ap_nv(r->model); }
JS(js_nframe) int js_nframe(const js_robot *r) { return ap_nframe(r->model); }
JS(js_nbody) int js_nbody(const js_robot *r) { return ap_nbody(r->model); }
JS(js_n) int js_n(const js_robot *r) { return ap_mechanism_n(r->mechanism); }
JS(js_nact) int js_nact(const js_robot *r) { return ap_mechanism_nact(r->mechanism); }
JS(js_find_frame) int js_find_frame(const js_robot *r, const char *name) {
  return ap_find_frame(r->model, name);
}
JS(js_neutral) void js_neutral(const js_robot *r, double *q) { ap_neutral(r->model, q); }

// ---- settings ----------------------------------------------------------------------------------

JS(js_set_friction) void js_set_friction(js_robot *r, bool on) {
  ap_set_friction(r->model, r->work, on);
}
JS(js_set_gravity) void js_set_gravity(js_robot *r, const double *gravity) {
  ap_set_gravity(r->model, r->work, gravity);
}
JS(js_gravity) const double *js_gravity(const js_robot *r) { return ap_gravity(r->model); }
JS(js_set_payload) int js_set_payload(js_robot *r, int body, const double *x) {
  return (int)js_fail(ap_set_payload(r->model, r->work, body, x[0], x + 1, x + 4));
}
JS(js_set_inertia) int js_set_inertia(js_robot *r, int body, const double *x) {
  return (int)js_fail(ap_set_inertia(r->model, r->work, body, x[0], x + 1, x + 4));
}
JS(js_reset_inertia) void js_reset_inertia(js_robot *r) { ap_reset_inertia(r->model, r->work); }

// The wrenches of the next calls; they must live as long.
JS(js_set_wrenches) void js_set_wrenches(js_robot *r, const ap_wrench *wrench, int n) {
  r->wrench = wrench;
  r->wrenches = n;
}

// ---- descriptions ------------------------------------------------------------------------------

static const char *const shape_kinds[] = {"none", "box", "cylinder", "sphere", "mesh"};

JS(js_info) int js_info(const js_robot *r) {
  ap_info info;
  ap_json json = js_begin_json();
  const ap_status status = ap_info_make(r->robot, r->model, r->mechanism, &info);
  if (status != AP_OK) return (int)js_fail(status);
  ap_info_json(&info, NULL, &json);
  ap_info_free(&info);
  return (int)js_end_text();
}

static void shape_json(ap_json *json, const js_robot *r, const ap_shape *s) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "kind", shape_kinds[s->kind]);
  ap_json_bool(json, "collision", s->collision);
  ap_json_integer(json, "body", s->body);
  ap_json_string(json, "link", ap_frame_name(r->model, s->body));
  ap_json_integer(json, "line", s->line);
  ap_json_numbers(json, "xyz", s->xyz, 3);
  ap_json_numbers(json, "rpy", s->rpy, 3);
  ap_json_numbers(json, "size", s->size, 3);
  if (s->file) ap_json_string(json, "file", s->file);
  if (s->colored) ap_json_numbers(json, "color", s->color, 4);
  ap_json_close(json, '}');
}

JS(js_shapes) int js_shapes(const js_robot *r) {
  ap_json json = js_begin_json();
  const ap_shape *s;
  ap_json_open(&json, NULL, '[');
  for (int i = 0; i < ap_nbody(r->model); i++)
    for (int k = 0; (s = ap_robot_shape(r->robot, i, k)); k++) shape_json(&json, r, s);
  ap_json_close(&json, ']');
  return (int)js_end_text();
}

JS(js_frames) int js_frames(const js_robot *r) {
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '[');
  for (int i = 0; i < ap_nframe(r->model); i++)
    ap_json_string(&json, NULL, ap_frame_name(r->model, i));
  ap_json_close(&json, ']');
  return (int)js_end_text();
}

JS(js_builtins) int js_builtins(void) {
  ap_json json = js_begin_json();
  const char *name;
  ap_json_open(&json, NULL, '{');
  for (int i = 0; (name = ap_builtin_name(i)); i++)
    ap_json_string(&json, name, ap_builtin_about(i));
  for (int i = 0; (name = ap_mechanism_builtin_name(i)); i++)
    ap_json_string(&json, name, ap_mechanism_builtin_about(i));
  ap_json_close(&json, '}');
  return (int)js_end_text();
}

// ---- other forms -------------------------------------------------------------------------------

static void add_loss(void *context, const char *text) { ap_json_string(context, NULL, text); }

// An object with the text in a format, and what it leaves out.
JS(js_convert) int js_convert(const js_robot *r, const char *format, const char *path) {
  char *text = NULL;
  ap_status status = ap_robot_text(r->robot, format, &text, &js_failure);
  if (status != AP_OK) return (int)status;
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "text", text);
  free(text);
  ap_json_open(&json, "losses", '[');
  status = ap_robot_visit_losses(r->robot, path, add_loss, &json, &js_failure);
  ap_json_close(&json, ']');
  ap_json_close(&json, '}');
  return status == AP_OK ? (int)js_end_text() : (int)status;
}

enum { SINGLE = 1, NO_BATCH = 2, FRICTION = 4, CUDA = 8 }; // flags of js_generate()

static void add_file(ap_json *json, const ap_code *code, bool header) {
  char name[256];
  const char *stem = ap_code_name(code), *ending = ap_code_ending(code, header);
  const size_t n = strlen(stem), m = strlen(ending);
  if (n + m >= sizeof name) return;
  memcpy(name, stem, n);
  memcpy(name + n, ending, m + 1);
  ap_json_string(json, name, header ? ap_code_header(code) : ap_code_source(code));
}

// An object of texts by the names of their files. functions: their names between blanks, or NULL.
JS(js_generate)
int js_generate(const js_robot *r, const char *name, const char *functions, int flags) {
  ap_generate_options options = ap_default_generate();
  if (name) options.name = name;
  options.arithmetic = flags & SINGLE ? AP_F32 : AP_F64;
  options.batch = !(flags & NO_BATCH);
  options.friction = flags & FRICTION;
  options.target = flags & CUDA ? AP_TARGET_CUDA : AP_TARGET_C;
  if (functions) options.functions = 0;
  for (const char *at = functions; at && *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    int k = 0;
    while (k < AP_FUNCTIONS && (strncmp(ap_function_name((ap_function)k), at, n) != 0 ||
                                ap_function_name((ap_function)k)[n] != 0))
      k++;
    if (k == AP_FUNCTIONS) return (int)js_fail(AP_E_NOT_FOUND);
    options.functions |= 1u << k;
    at += n;
  }
  ap_code *code;
  const ap_status status = ap_generate(r->model, &options, &code, &js_failure);
  if (status != AP_OK) return (int)status;
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '{');
  add_file(&json, code, false);
  add_file(&json, code, true);
  ap_json_close(&json, '}');
  ap_code_free(code);
  return (int)js_end_text();
}

// ---- the doctor --------------------------------------------------------------------------------

static void finding_json(ap_json *json, const ap_finding *f) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "severity", ap_severity_name(f->severity));
  ap_json_string(json, "rule", f->rule);
  ap_json_integer(json, "line", f->line);
  ap_json_string(json, "subject", f->subject);
  ap_json_string(json, "what", f->what);
  ap_json_string(json, "why", f->why);
  ap_json_string(json, "fix", f->fix);
  if (f->effect.joint) {
    ap_json_string(json, "joint", f->effect.joint);
    ap_json_string(json, "unit", f->effect.unit);
    ap_json_number(json, "difference", f->effect.difference);
    ap_json_number(json, "largest", f->effect.largest);
  }
  ap_json_close(json, '}');
}

// A list of the findings on a file, or on a robot where that is not NULL.
JS(js_lint)
int js_lint(const char *path, const js_robot *r, const char *const *disabled, int n, bool quick) {
  const ap_lint_options options = {.disabled = disabled, .ndisabled = n, .quick = quick};
  ap_lint *lint;
  const ap_status status = r ? ap_lint_robot(r->robot, &options, &lint, &js_failure)
                             : ap_lint_file(path, &options, &lint, &js_failure);
  if (status != AP_OK) return (int)status;
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '[');
  for (int i = 0; i < ap_lint_findings(lint); i++) finding_json(&json, ap_lint_finding(lint, i));
  ap_json_close(&json, ']');
  ap_lint_free(lint);
  return (int)js_end_text();
}
