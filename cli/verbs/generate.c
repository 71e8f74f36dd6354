// SPDX-License-Identifier: Apache-2.0
#include <appell/codegen.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/folder.h"
#include "generate.h"
#include "load.h"
#include "ui/progress.h"
#include "ui/output.h"
#include "verbs.h"

enum {
  OUTPUT,
  TARGET,
  REAL,
  FUNCTIONS,
  FRAMES,
  NAME,
  ORDER,
  NO_BATCH,
  NO_REGROUP,
  FRICTION,
  FLOATING,
  IGNORE_MIMIC,
  IGNORE_LOOPS
};

static const cli_option options[] = {
    [OUTPUT] = {"-o", "DIR", "the folder for the files, made where it is missing; X.fmu of an FMU"},
    [TARGET] = {"--target", "c|cuda|casadi|fmu", "the language or the host; c if not given"},
    [REAL] = {"--real", "f32|f64", "float or double; f64 if not given"},
    [FUNCTIONS] = {"--functions", "FUNCTIONS", "names with commas between; all if not given"},
    [FRAMES] = {"--frames", "FRAMES",
                "of jacobian and forward_kinematics, with commas between; end points and named "
                "frames if not given"},
    [NAME] = {"--name", "NAME", "begin all names with this; the model's name if not given"},
    [ORDER] = {"--order", "0|1|2", "of derivatives for casadi; 2 if not given"},
    [NO_BATCH] = {"--no-batch", NULL, "leave the functions for many states out"},
    [NO_REGROUP] = {"--no-regroup", NULL, "keep every body's inertial parameters its own"},
    [FRICTION] = CLI_OPTION_FRICTION,
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Writes NAME.c and NAME.h into a folder: C11 that needs nothing but libm. The functions:\n"
    "  inverse_dynamics   q v a -> tau\n"
    "  forward_dynamics   q v tau -> a; 0: done\n"
    "  inertia_matrix     q -> M, row-major\n"
    "  bias               q v -> tau at a = 0\n"
    "  gravity            q -> tau at v = a = 0\n"
    "  jacobian           q -> J of end points and frames\n"
    "  forward_kinematics q -> R p J of all of these at once\n"
    "  regressor          q v a -> K, tau = K p\n"
    "  integrate          q v -> q moved along v\n"
    "  difference         q0 q1 -> v between\n"
    "  inverse_dynamics_derivatives   q v a -> dtau_dq dtau_dv dtau_da\n"
    "  forward_dynamics_derivatives   q v tau -> da_dq da_dv da_dtau; 0: done\n"
    "each as NAME_function(q, ...) and, for n states with coordinate j of state k at\n"
    "[j*n + k], as NAME_function_batch(n, q, ...). Friction and springs only with --friction.\n"
    "\n"
    "With --target cuda NAME.cu and NAME.cuh, one thread per state: the same as functions for\n"
    "the device, NAME_function_launch(n, q, ..., stream), and NAME_rollout_launch() for many\n"
    "steps of many robots.\n"
    "\n"
    "With --target casadi inverse_dynamics, forward_dynamics, inertia_matrix, bias, gravity and\n"
    "frame_FRAME_pose (q -> R p; forward_kinematics in --functions) as external functions of\n"
    "CasADi and acados: for each function f also jac_f, fwd1_f, adj1_f and, of order 2,\n"
    "jac_adj1_f and fwd1_adj1_f, with sparsity, names and work sizes.\n"
    "\n"
    "With --target fmu one file X.fmu: an FMU of FMI 3.0 for model exchange and co-simulation,\n"
    "with its sources and, where a compiler is found, a binary for this machine. MODEL may be a\n"
    "scenario, which gives the start, springs and gravity; with walls or contacts the FMU is for\n"
    "co-simulation and carries the simulator. Friction and springs take part.\n"
    "\n"
    "Robots with closed chains are written in their independent coordinates, as C: every\n"
    "function returns 0, or why there is no result, and NAME_function_from(x, q, ...) begins\n"
    "the search for a closed configuration at x. agile-wrist, five-bar and delta are written in\n"
    "closed form: inverse_dynamics, inertia_matrix, bias, gravity and forward_dynamics, each\n"
    "with a last argument margin for reach and singularities; with --friction, --frames or\n"
    "other functions as all closed chains.\n";

// The function that a word of the list names.
static int find_function(const char *word, unsigned *bits) {
  cli_choice choice = {.nearest = {.word = word}};
  for (int f = 0; f < AP_FUNCTIONS; f++) {
    const char *name = ap_function_name((ap_function)f);
    cli_choice_offer(&choice, name);
    if (strcmp(word, name) != 0) continue;
    *bits |= 1u << f;
    return CLI_OK;
  }
  return cli_unknown("generate", "function", &choice);
}

static int parse_functions(const char *list, unsigned *bits) {
  char *copy = strdup(list), *rest = NULL;
  if (!copy) return cli_no_memory();
  int status = CLI_OK;
  *bits = 0;
  for (char *word = strtok_r(copy, ", ", &rest); word && status == CLI_OK;
       word = strtok_r(NULL, ", ", &rest)) {
    status = find_function(word, bits);
  }
  if (status == CLI_OK && *bits == 0)
    status = cli_usage("generate", "option --functions names no function");
  free(copy);
  return status;
}

static int parse_options(const cli_arguments *arguments, ap_generate_options *o) {
  const char *real = arguments->value[REAL], *list = arguments->value[FUNCTIONS];
  *o = ap_default_generate();
  o->name = arguments->value[NAME];
  o->batch = !arguments->value[NO_BATCH];
  o->regroup = !arguments->value[NO_REGROUP];
  o->friction = arguments->value[FRICTION] != NULL;
  if (!arguments->value[OUTPUT])
    return cli_usage("generate", "option -o DIR is missing: where the files go");
  if (real && strcmp(real, "f32") == 0) o->arithmetic = AP_F32;
  const char *target = arguments->value[TARGET];
  if (target && strcmp(target, "cuda") == 0) o->target = AP_TARGET_CUDA;
  if (target && strcmp(target, "casadi") == 0) o->target = AP_TARGET_CASADI;
  const char *order = arguments->value[ORDER];
  if (order && o->target != AP_TARGET_CASADI)
    return cli_usage("generate", "option --order is for --target casadi");
  if (order) o->order = order[0] - '0';
  return list ? parse_functions(list, &o->functions) : CLI_OK;
}

// The frame that a word of the list names, put behind the others.
static int find_frame(const ap_model *m, const char *word, int *frames, ap_generate_options *o) {
  cli_choice choice = {.nearest = {.word = word}};
  for (int i = 0; i < ap_nframe(m); i++) cli_choice_offer(&choice, ap_frame_name(m, i));
  int frame = ap_find_frame(m, word);
  if (frame < 0) return cli_unknown("generate", "frame", &choice);
  frames[o->nframes++] = frame;
  return CLI_OK;
}

// *frames is allocated.
static int parse_frames(const ap_model *m, const char *list, int **frames, ap_generate_options *o) {
  char *copy = strdup(list), *rest = NULL;
  int status = CLI_OK;
  *frames = malloc((strlen(list) + 1) * sizeof **frames);
  o->frames = *frames;
  if (!copy || !*frames) status = cli_no_memory();
  for (char *word = status ? NULL : strtok_r(copy, ",", &rest); word && status == CLI_OK;
       word = strtok_r(NULL, ",", &rest))
    status = find_frame(m, word, *frames, o);
  if (status == CLI_OK && o->nframes == 0)
    status = cli_usage("generate", "option --frames names no frame");
  free(copy);
  return status;
}

// One file of the folder, which appears when it is complete.
static int write_file(const char *folder, const ap_code *code, bool header) {
  const char *name = ap_code_name(code), *ending = ap_code_ending(code, header);
  const char *source = header ? ap_code_header(code) : ap_code_source(code);
  const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
  char *path = malloc(size);
  if (!path) return cli_no_memory();
  snprintf(path, size, "%s/%s%s", folder, name, ending);
  cli_out out;
  int status = cli_out_open(&out, path);
  if (status == CLI_OK) {
    cli_out_write(&out, source, strlen(source));
    status = cli_out_close(&out, CLI_OK);
  }
  free(path);
  return status;
}

static int write_files(const char *path, const ap_code *code) {
  cli_folder folder = {.path = path};
  int status = cli_folder_open(&folder);
  if (status == CLI_OK) status = write_file(path, code, false);
  if (status == CLI_OK) status = write_file(path, code, true);
  cli_folder_close(&folder);
  return status;
}

// What is left once the code is there, or error says why not.
static int finish(const char *model, const ap_error *error, const char *folder, ap_code *code) {
  int status = error->status != AP_OK ? cli_fail_input(model, error) : write_files(folder, code);
  ap_code_free(code);
  return status;
}

// Whether a closed form has all that is asked for.
static bool closed_form_suffices(const cli_arguments *arguments, const ap_generate_options *o) {
  const unsigned form = 1u << AP_GEN_INVERSE | 1u << AP_GEN_INERTIA | 1u << AP_GEN_BIAS |
                        1u << AP_GEN_GRAVITY | 1u << AP_GEN_FORWARD;
  const bool as_it_is = !arguments->value[FLOATING] && !arguments->value[IGNORE_MIMIC] &&
                        !arguments->value[IGNORE_LOOPS] && !cli_is_reduced(arguments);
  const bool all = o->functions == ap_default_generate().functions;
  return as_it_is && (all || !(o->functions & ~form)) && !o->friction && !arguments->value[FRAMES];
}

static int run(const cli_arguments *arguments) {
  unsigned char memory[8192];
  ap_generate_options generating;
  ap_error error = {0};
  ap_code *code = NULL;
  int status = parse_options(arguments, &generating);
  if (status != CLI_OK) return status;
  const char *folder = arguments->value[OUTPUT], *name = arguments->argument[0];
  const char *target = arguments->value[TARGET];
  if (target && strcmp(target, "fmu") == 0) return cli_generate_fmu(arguments, &generating, folder);
  const ap_parallel *closed = ap_parallel_builtin(name, NULL, memory, sizeof memory);
  if (closed && closed_form_suffices(arguments, &generating)) {
    error.status = ap_generate_parallel(closed, &generating, &code, &error);
    return finish(name, &error, folder, code);
  }
  cli_model model;
  status = cli_load_any(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  int *frames = NULL;
  const char *list = arguments->value[FRAMES];
  if (list) status = parse_frames(model.model, list, &frames, &generating);
  if (status == CLI_OK) {
    cli_progress progress;
    cli_progress_start(&progress, false);
    cli_progress_step(&progress, 0, 0, "generating %s", ap_model_name(model.model));
    error.status = model.mechanism
                       ? ap_generate_mechanism(model.mechanism, &generating, &code, &error)
                       : ap_generate(model.model, &generating, &code, &error);
    cli_progress_hide();
    status = finish(model.path, &error, folder, code);
  }
  free(frames);
  cli_unload(&model);
  return status;
}

const cli_verb cli_generate = {.name = "generate",
                               .arguments = "MODEL",
                               .about = "Write a robot's dynamics as C, CUDA, CasADi or FMU.",
                               .text = text,
                               .example =
                                   "  appell generate puma600 -o firmware\n"
                                   "  appell generate arm.urdf -o src --functions "
                                   "inverse_dynamics,gravity\n"
                                   "  appell generate puma600 -o gpu --target cuda --real f32\n"
                                   "  appell generate panda.urdf -o ocp --target casadi\n"
                                   "  appell generate puma600 -o puma600.fmu --target fmu\n",
                               .options = options,
                               .least = 1,
                               .most = 1,
                               .run = run};
