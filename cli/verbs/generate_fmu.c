// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <appell/scenario.h>
#include <string.h>

#include "load.h"
#include "ui/output.h"
#include "ui/progress.h"

// Writes the FMU of a scene, a mechanism or a model, where it could be made, and says where a
// binary is missing.
static int write_fmu(const char *input, const ap_scene *scene, const ap_model *m,
                     const ap_mechanism *mechanism, const ap_fmu_options *options,
                     const char *path) {
  ap_error error = {0};
  ap_fmu *fmu = NULL;
  cli_progress progress;
  cli_progress_start(&progress, false);
  cli_progress_step(&progress, 0, 0, "generating %s", ap_model_name(m));
  error.status = scene       ? ap_generate_fmu_of_scene(scene, options, &fmu, &error)
                 : mechanism ? ap_generate_fmu_of_mechanism(mechanism, options, &fmu, &error)
                             : ap_generate_fmu(m, options, &fmu, &error);
  cli_progress_hide();
  if (!fmu) return cli_fail_input(input, &error);
  if (error.status != AP_OK) cli_warn(input, 0, error.text);
  cli_out out;
  int status = cli_out_open(&out, path);
  if (status == CLI_OK) {
    size_t size;
    const char *bytes = ap_fmu_bytes(fmu, &size);
    cli_out_write(&out, bytes, size);
    status = cli_out_close(&out, CLI_OK);
  }
  ap_fmu_free(fmu);
  return status;
}

static bool is_scenario(const char *path) {
  FILE *file = fopen(path, "r");
  char line[256];
  bool found = false;
  for (int k = 0; file && !found && k < 200 && fgets(line, sizeof line, file); k++)
    found = strncmp(line, "appell-scenario:", 16) == 0;
  if (file) fclose(file);
  return found;
}

static int generate_scenario(const char *path, ap_fmu_options options, const char *to) {
  ap_error error = {0};
  ap_scenario *scenario;
  error.status = ap_scenario_read(path, &scenario, &error);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  const ap_error *warning;
  for (int i = 0; (warning = ap_scenario_warning(scenario, i)); i++)
    cli_warn(path, warning->line, warning->text);
  double end, step;
  ap_scenario_times(scenario, &options.start, &end, &step);
  options.stop = end - options.start;
  options.q = ap_scenario_q(scenario), options.v = ap_scenario_v(scenario);
  const int status =
      write_fmu(path, ap_scenario_scene(scenario), ap_scenario_model(scenario), NULL, &options, to);
  ap_scenario_free(scenario);
  return status;
}

int cli_generate_fmu(const cli_arguments *arguments, const ap_generate_options *generating,
                     const char *path) {
  const char *argument = arguments->argument[0];
  const size_t length = strlen(path);
  ap_fmu_options options = ap_default_fmu();
  options.name = generating->name;
  if (length < 4 || strcmp(path + length - 4, ".fmu") != 0)
    return cli_usage("generate", "option -o names a file that ends in .fmu, for --target fmu");
  if (generating->arithmetic != AP_F64)
    return cli_usage("generate", "an FMU computes in double: --real f64 only");
  int status = cli_check_target(path);
  if (status != CLI_OK) return status;
  if (is_scenario(argument)) return generate_scenario(argument, options, path);
  cli_model model;
  status = cli_load_any(argument, arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  status = write_fmu(model.path, NULL, model.model, model.mechanism, &options, path);
  cli_unload(&model);
  return status;
}
