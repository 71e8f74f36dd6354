// SPDX-License-Identifier: Apache-2.0
// The doctor: reads a robot, lets every pass look at it, hands out the findings.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "lint/examine.h"
#include "lint/weigh.h"

// What others say in their warnings and a rule here says better: the beginnings of those texts.
static const char *const said_otherwise[] = {"an unknown element", "an unknown attribute",
                                             "a negative limit", "a limit without lower and upper",
                                             "not used, since it has no effect"};

static bool is_said_otherwise(const char *text) {
  for (size_t i = 0; i < sizeof said_otherwise / sizeof said_otherwise[0]; i++)
    if (strncmp(text, said_otherwise[i], strlen(said_otherwise[i])) == 0) return true;
  return false;
}

static void take_warnings(lint *l) {
  for (int i = 0; i < ap_robot_warnings(l->strict); i++) {
    const ap_error *warning = ap_robot_warning(l->strict, i);
    if (is_said_otherwise(warning->text)) continue;
    lint_note note = ap__lint_begin("ignored-dynamics", warning->line, "");
    ap__lint_what(&note, "%s", warning->text);
    ap__lint_why(&note, "another program that uses it computes other forces");
    ap__lint_end(l, &note);
  }
}

// What the reader of all other commands refuses has a finding in any case.
static void refuse(lint *l, const ap_error *error) {
  if (error->line && ap__lint_has_error_at(l, error->line)) return;
  if (!error->line && l->found->count[AP_ERROR] > 0) return;
  lint_note note = ap__lint_begin("refused", error->line, "");
  ap__lint_what(&note, "%s", error->text);
  ap__lint_why(&note, "all other commands refuse the file");
  ap__lint_end(l, &note);
}

// As everybody reads it: what it warns of, what it refuses, the mechanism that it makes.
static void build_strictly(lint *l, ap_error *error) {
  ap_model *model = NULL;
  ap_status status = AP_OK;
  if (!l->strict) {
    status = error->status;
  } else if (ap_robot_mechanism(l->strict)) {
    status = ap_mechanism_make(l->strict, &l->mechanism, error);
  } else {
    status = ap_robot_model(l->strict, &model, error);
  }
  ap_model_free(model);
  l->no_memory = l->no_memory || status == AP_E_MEMORY;
  l->strict_status = status;
}

void ap__lint_take_shape(lint *l, int link, const ap_shape *shape) {
  if (shape->kind != AP_SHAPE_NONE && !ap__lint_add_shape(&l->robot, link, shape))
    l->no_memory = true;
}

// YAML's shapes come from the reader, by the names of bodies.
static void take_shapes(lint *l) {
  const ap_robot_def *def = l->strict ? ap_robot_definition(l->strict) : NULL;
  lint_robot *robot = &l->robot;
  if (!def || !robot->yaml || ap_robot_shapes(l->strict) == 0) return;
  ap__names bodies = {0};
  if (!ap__lint_got(l, ap__names_init(&bodies, def->nbody))) return;
  for (int i = 0; i < def->nbody; i++) ap__names_put(&bodies, def->bodies[i].name, i + 1);
  for (int i = 0; i < robot->nlink && !l->no_memory; i++) {
    int body = ap__names_find(&bodies, robot->link[i].name);
    const ap_shape *shape;
    robot->link[i].first_shape = robot->nshape;
    for (int k = 0; body > 0 && (shape = ap_robot_shape(l->strict, body, k)) != NULL; k++)
      ap__lint_take_shape(l, i, shape);
  }
  ap__names_free(&bodies);
}

static void examine(lint *l, ap_error *error) {
  static void (*const passes[])(lint *) = {
      ap__lint_convert_units, ap__lint_structure, ap__lint_sizes,    ap__lint_twins,
      ap__lint_make_model,    ap__lint_units,     ap__lint_inertias, ap__lint_suspects,
      ap__lint_mirror,        ap__lint_joints,    ap__lint_gravity,  ap__lint_precision,
      ap__lint_chains};
  build_strictly(l, error);
  take_shapes(l);
  for (size_t i = 0; i < sizeof passes / sizeof passes[0] && !l->no_memory; i++) passes[i](l);
  if (l->strict) take_warnings(l);
  if (l->strict_status != AP_OK && l->strict_status != AP_E_MEMORY) refuse(l, error);
  ap__lint_sort(l->found);
}

static void close_lint(lint *l) {
  ap__lint_motion_free(&l->motion);
  free(l->model_memory);
  free(l->link_of);
  ap__lint_robot_free(&l->robot);
  ap__tree_free(&l->tree);
  ap_mechanism_free(l->mechanism);
  ap_robot_free(l->strict);
}

static ap_status check_options(const ap_lint_options *options, ap_error *error) {
  for (int i = 0; i < options->ndisabled; i++)
    if (!ap_lint_find_rule(options->disabled[i]))
      return AP__REFUSE(error, AP_E_NOT_FOUND, 0, "there is no rule \"%.*s\"",
                        ap__shown(options->disabled[i]), options->disabled[i]);
  return AP_OK;
}

static ap_status open_lint(lint *l, const ap_lint_options *options, ap_error *error) {
  static const ap_lint_options plain = {NULL, 0, false};
  *l = (lint){.options = options ? options : &plain, .robot.gravity = {0, 0, -9.81}};
  l->robot.name = "";
  ap_status status = check_options(l->options, error);
  if (status) return status;
  l->found = calloc(1, sizeof *l->found);
  return l->found ? AP_OK : ap__no_memory(error);
}

// Hand over the findings, or say that there is no memory for them.
static ap_status finish(lint *l, ap_lint **found, ap_error *error) {
  close_lint(l);
  if (!l->no_memory) {
    *found = l->found;
    return AP_OK;
  }
  ap_lint_free(l->found);
  return ap__no_memory(error);
}

// MJCF has defaults, copies and files in files: what the reader makes of them is examined, and
// where it refuses the file, its reason is all that can be said.
static void read_mjcf(lint *l) {
  l->robot.yaml = l->robot.mjcf = true;
  if (l->strict) ap__lint_read_definition(l, ap_robot_definition(l->strict), l->strict->lines);
}

// What of the file can be read, whatever is wrong with it.
static void read_tree(lint *l, bool yaml) {
  const ap_error *error = &l->tree.error;
  l->cut = error->status != AP_OK;
  if (l->no_memory) return;
  if (l->cut) {
    lint_note note = ap__lint_begin("syntax", error->line, "");
    ap__lint_what(&note, "%s", error->text);
    if (!l->tree.empty) ap__lint_why(&note, "everything after this line cannot be checked");
    if (!l->tree.empty && !yaml) ap__lint_fix(&note, "close every element and quote every value");
    ap__lint_end(l, &note);
  }
  if (yaml)
    ap__lint_read_yaml(l);
  else if (ap__is_mjcf(&l->tree))
    read_mjcf(l);
  else
    ap__lint_read_urdf(l);
}

static ap_status lint_text(const char *text, size_t length, const char *format, const char *path,
                           bool meshes, const ap_lint_options *options, ap_lint **found,
                           ap_error *error) {
  lint l;
  ap_error own = {0};
  ap_status status = open_lint(&l, options, error);
  if (status) return status;
  l.path = path;
  l.find_meshes = meshes;
  ap__robot_tree(text, length, format, path, &l.tree);
  own.status = ap__robot_of_tree(&l.tree, format, path, NULL, &l.strict, &own);
  l.no_memory = own.status == AP_E_MEMORY;
  read_tree(&l, strcmp(format, "yaml") == 0);
  if (!l.no_memory) examine(&l, &own);
  return finish(&l, found, error);
}

ap_status ap_lint_text(const char *text, size_t length, const char *format, const char *folder,
                       const ap_lint_options *options, ap_lint **found, ap_error *error) {
  *found = NULL;
  ap_status status = ap__check_text(format, length, error);
  if (status) return status;
  if (!folder) return lint_text(text, length, format, NULL, false, options, found, error);
  size_t n = strlen(folder);
  char *path = malloc(n + 8); // a file of that folder
  if (!path) return ap__no_memory(error);
  snprintf(path, n + 8, "%s/robot", folder);
  status = lint_text(text, length, format, path, true, options, found, error);
  free(path);
  return status;
}

ap_status ap_lint_file(const char *path, const ap_lint_options *options, ap_lint **found,
                       ap_error *error) {
  const char *format;
  char *text;
  size_t length;
  *found = NULL;
  ap_status status = ap__read_robot_text(path, &format, &text, &length, error);
  if (!status) status = lint_text(text, length, format, path, true, options, found, error);
  free(text);
  return status;
}

ap_status ap__weigh_read(const char *text, size_t length, const char *path, ap_robot **robot,
                         bool **lost, ap_error *error) {
  lint l;
  *robot = NULL;
  *lost = NULL;
  ap_status status = ap__check_text("urdf", length, error);
  if (!status) status = open_lint(&l, NULL, error);
  if (status) return status;
  ap__robot_tree(text, length, "urdf", path, &l.tree);
  const ap_error *cut = &l.tree.error;
  if (cut->status && cut->status != AP_E_MEMORY)
    status = AP__REFUSE(error, AP_E_SYNTAX, cut->line, "%s", cut->text);
  else if (!cut->status && strcmp(l.tree.root->name, "robot") != 0)
    status = AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "only URDF files are changed in place (appell convert --inertia-from-mesh "
                        "writes a new file in every format)");
  else if (cut->status || !(*robot = ap__robot_new()) || !ap__lint_urdf_links(&l, *robot, lost))
    status = ap__no_memory(error);
  if (status) {
    ap_robot_free(*robot);
    free(*lost);
    *robot = NULL;
    *lost = NULL;
  }
  close_lint(&l);
  ap_lint_free(l.found);
  return status;
}

ap_status ap_lint_robot(const ap_robot *robot, const ap_lint_options *options, ap_lint **found,
                        ap_error *error) {
  lint l;
  ap_error own = {0};
  *found = NULL;
  const ap_mechanism_def *closed = ap_robot_mechanism(robot);
  ap_status status = open_lint(&l, options, error);
  if (status) return status;
  own.status = closed ? ap_robot_from_mechanism(closed, &l.strict, &own)
                      : ap_robot_from_definition(ap_robot_definition(robot), &l.strict, &own);
  l.no_memory = own.status == AP_E_MEMORY;
  if (!l.no_memory) ap__lint_read_definition(&l, ap_robot_definition(robot), NULL);
  if (!l.no_memory) examine(&l, &own);
  return finish(&l, found, error);
}

ap_status ap_lint_builtin(const char *name, const ap_lint_options *options, ap_lint **found,
                          ap_error *error) {
  ap_robot *robot = NULL;
  *found = NULL;
  const ap_mechanism_def *closed = ap_mechanism_builtin(name);
  ap_status status = closed ? ap_robot_from_mechanism(closed, &robot, error)
                            : ap_robot_builtin(name, NULL, &robot, error);
  if (!status) status = ap_lint_robot(robot, options, found, error);
  ap_robot_free(robot);
  return status;
}
