// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "load.h"
#include "ui/output.h"
#include "ui/values.h"
#include "verbs.h"
#include "weighing.h"

enum { FLOATING, IGNORE_MIMIC, IGNORE_LOOPS, FROM_MESH, LINKS, SHAPES, JSON };

static const cli_option options[] = {
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [FROM_MESH] = {"--inertia-from-mesh", "DENSITY",
                   "inertias from shapes, for links that lack one: kg/m3, 'Mkg' or 'mass'"},
    [LINKS] = {"--links", "LINKS", "for these links instead, commas between; 'all'"},
    [SHAPES] = {"--shapes", "any|visual|collision", "from these shapes; without: any"},
    [JSON] = {"--json", NULL, "what shapes gave, as one JSON document"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "MODEL is a robot file or a built-in model; ROBOT is a file whose ending says what is\n"
    "written: .urdf; .yaml, .yml; .xml or .mjcf for MJCF. The dynamics stay the same; what its\n"
    "format cannot say is an error, and then nothing is written. What is left out all the same,\n"
    "such as static friction, and what MuJoCo refuses of an MJCF file, is warned of. A mechanism\n"
    "with closed chains can be written to YAML and, where MJCF has such closures, to MJCF.\n"
    "\n"
    "--inertia-from-mesh computes mass, centre of mass and inertia of links from boxes, "
    "cylinders,\n"
    "spheres and meshes (STL, OBJ, MSH, DAE), and prints them beside what the file has: by a "
    "density\n"
    "(2700), by the mass of all these links together (12kg), or with the masses of the file\n"
    "(mass). Without --links those are computed whose inertia is missing or found wrong by lint.\n"
    "docs/lint.md tells more.\n";

// DENSITY: kg/m3, a mass with its unit, or the word mass.
static int parse_density(const char *value, ap_weigh_options *how) {
  char number[64];
  const size_t n = strlen(value);
  if (strcmp(value, "mass") == 0) return CLI_OK;
  const bool mass = n > 2 && n < sizeof number && strcmp(value + n - 2, "kg") == 0;
  double *to = mass ? &how->mass : &how->density;
  if (mass) {
    memcpy(number, value, n - 2);
    number[n - 2] = 0;
  }
  if (cli_read_number(mass ? number : value, to) && *to > 0) return CLI_OK;
  return cli_usage("convert",
                   "--inertia-from-mesh '%s' (a density in kg/m3 as 2700, a mass of all as 12kg, "
                   "or 'mass' for the masses of the file)",
                   value);
}

// Cut a list at its commas; *names and *list are to be freed.
static int split(const char *value, char **list, const char ***names, int *n) {
  *list = malloc(strlen(value) + 1);
  *names = malloc((strlen(value) + 1) * sizeof **names);
  if (!*list || !*names) return cli_no_memory();
  memcpy(*list, value, strlen(value) + 1);
  for (char *word = strtok(*list, ","); word; word = strtok(NULL, ",")) (*names)[(*n)++] = word;
  return CLI_OK;
}

static int print_weighing(const cli_arguments *arguments, const ap_weighing *weighing) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  ap_json json = {.write = cli_out_sink, .context = &out};
  if (arguments->value[JSON])
    cli_weighing_json(&json, NULL, weighing);
  else
    status = cli_weighing_print(weighing, &out);
  return cli_out_close(&out, status);
}

static int weigh(const cli_arguments *arguments, cli_model *model, ap_weighing **weighing) {
  ap_weigh_options how = {.density = 0};
  const char *links = arguments->value[LINKS], *shapes = arguments->value[SHAPES], **names = NULL;
  char *list = NULL;
  if (model->about)
    return cli_fail(CLI_BAD, model->path, 0, "a built-in model has no shapes (give a robot file)");
  if (shapes && strcmp(shapes, "visual") == 0) how.shapes = AP_WEIGH_VISUAL;
  if (shapes && strcmp(shapes, "collision") == 0) how.shapes = AP_WEIGH_COLLISION;
  how.all = links && strcmp(links, "all") == 0;
  int status = parse_density(arguments->value[FROM_MESH], &how);
  if (status == CLI_OK && links && !how.all) status = split(links, &list, &names, &how.nlink);
  how.links = names;
  if (status == CLI_OK) status = cli_weigh(model->robot, model->path, &how, weighing);
  free(list);
  free((void *)names);
  return status;
}

// The same file, by whatever names: the writer may leave out what the reader has no use for.
static int check_other(const char *model, const char *target) {
  struct stat from, to;
  if (stat(model, &from) != 0 || stat(target, &to) != 0 || from.st_dev != to.st_dev ||
      from.st_ino != to.st_ino)
    return CLI_OK;
  return cli_fail(CLI_BAD, target, 0, "is the file that is read (give the new file another name)");
}

static int load(const cli_arguments *arguments, cli_model *model, ap_weighing **weighing) {
  int status = cli_read_model(arguments->argument[0], arguments, model);
  if (status != CLI_OK) return status;
  if (arguments->value[FROM_MESH]) status = weigh(arguments, model, weighing);
  if (status == CLI_OK) return cli_make_model(arguments, model);
  ap_robot_free(model->robot);
  return status;
}

static int run(const cli_arguments *arguments) {
  const char *target = arguments->argument[1];
  cli_model model;
  ap_weighing *weighing = NULL;
  for (int k = LINKS; k <= JSON && !arguments->value[FROM_MESH]; k++)
    if (arguments->value[k])
      return cli_usage("convert", "%s without --inertia-from-mesh", options[k].name);
  int status = check_other(arguments->argument[0], target);
  if (status != CLI_OK) return status;
  status = load(arguments, &model, &weighing);
  if (status == CLI_OK) {
    cli_print_warnings(&model);
    status = cli_check_target(target);
    if (status == CLI_OK) status = cli_write_robot(model.robot, target);
    cli_unload(&model);
  }
  if (status == CLI_OK && weighing) status = print_weighing(arguments, weighing);
  ap_weighing_free(weighing);
  return status;
}

const cli_verb cli_convert = {.name = "convert",
                              .arguments = "MODEL ROBOT",
                              .about = "Write a model to a robot file.",
                              .text = text,
                              .example =
                                  "  appell convert robot.urdf robot.yaml\n"
                                  "  appell convert robot.urdf robot.xml\n"
                                  "  appell convert puma600 puma600.urdf\n"
                                  "  appell convert --inertia-from-mesh 2700 robot.urdf "
                                  "heavier.urdf\n",
                              .options = options,
                              .least = 2,
                              .most = 2,
                              .run = run};
