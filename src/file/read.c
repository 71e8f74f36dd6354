// SPDX-License-Identifier: Apache-2.0
// Robots from files, from memory, from the library.

#define _POSIX_C_SOURCE 200809L // for fdopen()
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/tree.h"

ap_status ap__refuse_file(ap_error *error, const char *doing, int code) {
  if (code == ENOMEM) return ap__no_memory(error);
  char reason[128] = "";
  if (strerror_r(code, reason, sizeof reason) != 0)
    snprintf(reason, sizeof reason, "error %d", code);
  return AP__REFUSE(error, AP_E_FILE, 0, "cannot %s: %s", doing, reason);
}

// The whole file, closed by a zero that does not count.
static ap_status read_stream(FILE *file, char **text, size_t *length, ap_error *error) {
  size_t capacity = 0;
  for (;;) {
    if (capacity - *length < 2) {
      capacity = capacity ? 2 * capacity : 1 << 16;
      char *larger = realloc(*text, capacity);
      if (!larger) return ap__no_memory(error);
      *text = larger;
    }
    errno = 0;
    size_t n = fread(*text + *length, 1, capacity - *length - 1, file);
    int code = errno;
    *length += n;
    (*text)[*length] = 0;
    if (ferror(file)) return ap__refuse_file(error, "read the file", code);
    if (*length > AP__MAX_BYTES)
      return AP__REFUSE(error, AP_E_FILE, 0, "the file has more than %d MiB (split it)",
                        AP__MAX_BYTES >> 20);
    if (n == 0) return AP_OK;
  }
}

static ap_status read_and_close(FILE *file, char **text, size_t *length, ap_error *error) {
  setvbuf(file, NULL, _IONBF, 0); // read in large pieces as it is
  ap_status status = read_stream(file, text, length, error);
  fclose(file);
  return status;
}

ap_status ap__read_file(const char *path, char **text, size_t *length, ap_error *error) {
  *text = NULL;
  *length = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return ap__refuse_file(error, "open the file", errno);
  return read_and_close(file, text, length, error);
}

ap_status ap__read_open_file(int file, char **text, size_t *length, ap_error *error) {
  *text = NULL;
  *length = 0;
  FILE *stream = fdopen(file, "rb");
  if (stream) return read_and_close(stream, text, length, error);
  int code = errno;
  close(file);
  return ap__refuse_file(error, "open the file", code);
}

const char *ap__format_of_path(const char *path) {
  static const char *const known[][2] = {
      {".urdf", "urdf"}, {".xml", "mjcf"}, {".mjcf", "mjcf"}, {".yaml", "yaml"}, {".yml", "yaml"}};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    size_t n = strlen(known[i][0]);
    if (length > n && strcmp(path + length - n, known[i][0]) == 0) return known[i][1];
  }
  return NULL;
}

#define OTHERWISE "give the robot as URDF, MJCF or Appell YAML"

const char *ap__foreign_format(const char *word) {
  static const struct {
    const char *words, *hint; // words: with blanks around each
  } known[] = {
      {" xacro ", "this is a xacro file (make a URDF of it first: xacro FILE > robot.urdf)"},
      {" sdf world ", "SDF is not read (" OTHERWISE ", such as the URDF it was made from)"},
      {" mujocoinclude ", "this is a part of an MJCF file (give the file that includes it)"},
      {" usd usda usdc usdz ", "USD is not read (" OTHERWISE ")"},
      {" dae COLLADA stl obj ply glb gltf ",
       "this is a mesh, not a robot (a robot file names the meshes of its links)"},
      {" csv h5 hdf5 npy dat ", "this is data, not a robot (" OTHERWISE ")"},
      {" png jpg jpeg gif svg pdf html ", "this is a picture, not a robot (" OTHERWISE ")"}};
  char padded[32];
  if (!word || strlen(word) + 3 > sizeof padded) return NULL;
  snprintf(padded, sizeof padded, " %s ", word);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strstr(known[i].words, padded)) return known[i].hint;
  return NULL;
}

ap_status ap__check_text(const char *format, size_t length, ap_error *error) {
  if (strcmp(format, "urdf") != 0 && strcmp(format, "mjcf") != 0 && strcmp(format, "yaml") != 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "the format \"%.*s\" is unknown (urdf, mjcf or yaml)",
                      ap__shown(format), format);
  if (length > AP__MAX_BYTES)
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the text has more than %d MiB (a robot file is smaller)",
                      AP__MAX_BYTES >> 20);
  return AP_OK;
}

ap_status ap__read_robot_text(const char *path, const char **format, char **text, size_t *length,
                              ap_error *error) {
  *text = NULL;
  *format = ap__format_of_path(path);
  const char *dot = strrchr(path, '.'), *hint = dot ? ap__foreign_format(dot + 1) : NULL;
  if (!*format)
    return AP__REFUSE(
        error, AP_E_ARG, 0, "%s",
        hint ? hint : "unknown format (the name of a robot file ends in .urdf, .xml or .yaml)");
  return ap__read_file(path, text, length, error);
}

ap_status ap__robot_parse(const char *text, size_t length, const char *format, const char *path,
                          const ap_read_options *options, ap_robot **robot, ap_error *error) {
  ap_status status = ap__check_text(format, length, error);
  if (status) return status;
  ap__tree tree = {0};
  ap__robot_tree(text, length, format, path, &tree);
  status = ap__robot_of_tree(&tree, format, path, options, robot, error);
  ap__tree_free(&tree);
  return status;
}

ap_status ap_robot_read(const char *path, const ap_read_options *options, ap_robot **robot,
                        ap_error *error) {
  const char *format;
  char *text;
  size_t length;
  *robot = NULL;
  ap_status status = ap__read_robot_text(path, &format, &text, &length, error);
  if (!status) status = ap__robot_parse(text, length, format, path, options, robot, error);
  free(text);
  if (status) return status;
  (*robot)->path = ap__robot_text(*robot, path, strlen(path));
  if ((*robot)->path) return AP_OK;
  ap_robot_free(*robot);
  *robot = NULL;
  return ap__no_memory(error);
}

ap_status ap_robot_parse(const char *text, size_t length, const char *format,
                         const ap_read_options *options, ap_robot **robot, ap_error *error) {
  *robot = NULL;
  return ap__robot_parse(text, length, format, NULL, options, robot, error);
}

static bool is_yaml(const char *format) { return strcmp(format, "yaml") == 0; }

bool ap__is_mjcf(const ap__tree *tree) {
  return tree->root && strcmp(tree->root->name, "mujoco") == 0;
}

void ap__robot_tree(const char *text, size_t length, const char *format, const char *path,
                    ap__tree *tree) {
  if (is_yaml(format))
    ap__tree_yaml(tree, text, length, "a robot file", "appell: 1");
  else if (ap__tree_xml(tree, text, length) && ap__is_mjcf(tree))
    ap__mjcf_include(tree, path);
}

static ap_status read_tree(const ap__tree *tree, const char *format, const char *path,
                           const ap_read_options *options, ap_robot *robot, ap_error *error) {
  if (is_yaml(format)) return ap__yaml_read(tree, options, robot, error);
  if (ap__is_mjcf(tree)) return ap__mjcf_read(tree, path, options, robot, error);
  return ap__urdf_read(tree, options, robot, error);
}

ap_status ap__robot_of_tree(const ap__tree *tree, const char *format, const char *path,
                            const ap_read_options *options, ap_robot **robot, ap_error *error) {
  static const ap_read_options plain = {.floating = false};
  *robot = NULL;
  ap_robot *made = tree->error.status == AP_E_MEMORY ? NULL : ap__robot_new();
  if (!made) return ap__no_memory(error);
  ap_status status = read_tree(tree, format, path, options ? options : &plain, made, error);
  if (status)
    ap_robot_free(made);
  else
    *robot = made;
  return status;
}

// ---- from definitions --------------------------------------------------------------------------

static const char *keep(ap_robot *robot, const char *name) {
  return name ? ap__robot_text(robot, name, strlen(name)) : NULL;
}

static bool keep_frames(ap_robot *robot, const ap_robot_def *def) {
  for (int i = 0; i < def->nframe; i++) {
    ap_frame_def frame = def->frames[i];
    if (!(frame.name = keep(robot, frame.name)) || !ap__robot_add_frame(robot, &frame, 0))
      return false;
  }
  return true;
}

static bool keep_bodies(ap_robot *robot, const ap_robot_def *def) {
  size_t n = (size_t)def->nbody;
  robot->bodies = calloc(n + 1, sizeof *robot->bodies);
  robot->lines = calloc(n + 1, sizeof *robot->lines);
  if (!robot->bodies || !robot->lines) return false;
  for (size_t i = 0; i < n; i++) {
    ap_body_def *body = &robot->bodies[i];
    *body = def->bodies[i];
    body->name = keep(robot, def->bodies[i].name);
    body->joint_name = keep(robot, def->bodies[i].joint_name);
    if (!body->name || (def->bodies[i].joint_name && !body->joint_name)) return false;
  }
  robot->body_capacity = robot->nbody = robot->def.nbody = def->nbody;
  robot->def.bodies = robot->bodies;
  return true;
}

static ap_status apply(ap_robot *robot, const ap_read_options *options, ap_error *error) {
  int ignored = 0;
  for (int i = 0; options->ignore_mimic && i < robot->nbody; i++) {
    ignored += robot->bodies[i].mimic != 0;
    robot->bodies[i].mimic = 0;
  }
  if (ignored && !ap__robot_warn(robot, 0, "mimic is ignored: %d joints are independent", ignored))
    return ap__no_memory(error);
  return options->floating ? ap__robot_set_free(robot, error) : AP_OK;
}

static bool copy(ap_robot *robot, const ap_robot_def *def) {
  memcpy(robot->def.gravity, def->gravity, sizeof def->gravity);
  if (def->name && *def->name && !(robot->def.name = keep(robot, def->name))) return false;
  return keep_bodies(robot, def) && keep_frames(robot, def) && ap__robot_add_look(robot, def);
}

ap_status ap_robot_from_definition(const ap_robot_def *def, ap_robot **robot, ap_error *error) {
  *robot = ap__robot_new();
  if (*robot && copy(*robot, def)) return AP_OK;
  ap_robot_free(*robot);
  *robot = NULL;
  return ap__no_memory(error);
}

ap_status ap_robot_builtin(const char *name, const ap_read_options *options, ap_robot **robot,
                           ap_error *error) {
  *robot = NULL;
  const ap_robot_def *def = ap_builtin(name);
  if (!def)
    return AP__REFUSE(error, AP_E_NOT_FOUND, 0,
                      "there is no built-in robot \"%.*s\" (`appell models` lists them)",
                      ap__shown(name), name);
  ap_robot *made;
  ap_status status = ap_robot_from_definition(def, &made, error);
  if (!status && options) status = apply(made, options, error);
  if (!status)
    *robot = made;
  else
    ap_robot_free(made);
  return status;
}
