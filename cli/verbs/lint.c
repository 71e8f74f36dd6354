// SPDX-License-Identifier: Apache-2.0
#include "lint.h"

#include <appell/loop.h>
#include <appell/view.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "load.h"
#include "ui/output.h"
#include "ui/table.h"
#include "ui/values.h"
#include "ui/wrap.h"
#include "verbs.h"
#include "weighing.h"

enum { JSON, SARIF, HTML, STRICT, DISABLE, QUICK, RULES, FIX, DENSITY, OUT };

static const cli_option options[] = {
    [JSON] = {"--json", NULL, "one JSON document"},
    [SARIF] = {"--sarif", NULL, "one SARIF 2.1.0 document"},
    [HTML] = {"--html", NULL, "one page: the robot with the findings at its links (-o FILE.html)"},
    [STRICT] = {"--strict", NULL, "warnings are errors"},
    [DISABLE] = {"--disable", "RULES", "rules to leave out, commas between"},
    [QUICK] = {"--quick", NULL, "leave out what samples the motion"},
    [RULES] = {"--rules", NULL, "list the rules instead of examining a model"},
    [FIX] = {"--fix", NULL, "first correct inertias in the file (URDF), from shapes"},
    [DENSITY] = {"--density", "DENSITY", "kg/m3 of links without mass that --fix finds"},
    [OUT] = {"-o", "FILE", "write to a file, which appears when it is complete"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Looks for what is wrong or suspicious in a robot file: inertias that no body has or that\n"
    "do not suit the link's size, left and right that differ, slipped decimal points, made-up\n"
    "numbers, degrees and millimetres, limits, effort against gravity, structure, misspelt and\n"
    "ignored elements, missing meshes, closed chains. Each finding tells what, why in numbers\n"
    "(the change of joint torques in a typical motion) and a fix. It goes on after a mistake,\n"
    "with what was meant where one can tell.\n"
    "--fix computes the inertias that are missing or wrong from the links' boxes, cylinders,\n"
    "spheres and meshes, writes them into the file and nothing else, and shows the difference;\n"
    "masses stay. The findings are then those of the corrected file.\n"
    "--html writes the robot as a page (appell view) with the findings at its links; their fixes\n"
    "can be tried there.\n"
    "Exit status 1: there are errors. docs/lint.md describes every rule.\n";

ap_severity cli_lint_severity(const ap_finding *finding, bool strict) {
  return strict && finding->severity == AP_WARNING ? AP_ERROR : finding->severity;
}

// ---- JSON --------------------------------------------------------------------------------------

static int count(const ap_lint *found, ap_severity severity, bool strict) {
  int n = 0;
  for (int i = 0; i < ap_lint_findings(found); i++)
    n += cli_lint_severity(ap_lint_finding(found, i), strict) == severity;
  return n;
}

static void print_json(cli_out *out, const ap_lint *found, const ap_weighing *fixed,
                       const char *file, bool strict) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "model", file);
  ap_json_integer(&json, "errors", count(found, AP_ERROR, strict));
  ap_json_integer(&json, "warnings", count(found, AP_WARNING, strict));
  ap_json_integer(&json, "notes", count(found, AP_NOTE, strict));
  if (fixed) cli_weighing_json(&json, "fixed", fixed);
  ap_lint_json(found, strict, &json, "findings");
  ap_json_close(&json, '}');
}

// ---- text --------------------------------------------------------------------------------------

static const char *colour_of(ap_severity severity) {
  return severity == AP_ERROR ? "\033[1;31m" : severity == AP_WARNING ? "\033[1;33m" : "\033[1;36m";
}

static void print_part(cli_out *out, int width, const char *lead, const char *part) {
  if (part[0]) cli_wrap(out, width, lead, part);
}

static void print_finding(cli_out *out, const ap_finding *f, const char *file, bool strict) {
  const bool colour = out->fd == 1 && cli_colour(stdout);
  const ap_severity severity = cli_lint_severity(f, strict);
  char plain[1024];
  cli_out_printf(out, "%s", cli_plain(file, plain, sizeof plain));
  if (f->line > 0) cli_out_printf(out, ":%d", f->line);
  cli_out_printf(out, ": %s%s%s [%s]\n", colour ? colour_of(severity) : "",
                 ap_severity_name(severity), colour ? "\033[0m" : "", f->rule);
  const int width = cli_line_width();
  print_part(out, width, "    ", cli_plain(f->what, plain, sizeof plain));
  print_part(out, width, "    why: ", cli_plain(f->why, plain, sizeof plain));
  print_part(out, width, "    fix: ", cli_plain(f->fix, plain, sizeof plain));
}

static void print_number(cli_out *out, int n, const char *what, const char *before) {
  cli_out_printf(out, "%s%d %s%s", before, n, what, n == 1 ? "" : "s");
}

static void print_text(cli_out *out, const ap_lint *found, const char *file, bool strict) {
  char plain[1024];
  for (int i = 0; i < ap_lint_findings(found); i++)
    print_finding(out, ap_lint_finding(found, i), file, strict);
  cli_out_printf(out, "%s:", cli_plain(file, plain, sizeof plain));
  print_number(out, count(found, AP_ERROR, strict), "error", " ");
  print_number(out, count(found, AP_WARNING, strict), "warning", ", ");
  print_number(out, count(found, AP_NOTE, strict), "note", ", ");
  cli_out_printf(out, "\n");
}

static int print_rules(cli_out *out) {
  cli_table table = {.columns = 3};
  cli_table_headings(&table, "rule|severity|finds");
  for (int i = 0; ap_lint_rule_at(i); i++) {
    const ap_lint_rule *rule = ap_lint_rule_at(i);
    cli_table_add(&table, "%s", rule->id);
    cli_table_add(&table, "%s", ap_severity_name(rule->severity));
    cli_table_add(&table, "%s", rule->about);
  }
  return cli_table_print(&table, out);
}

// ---- the verb ----------------------------------------------------------------------------------

// Cut a list of rules at its commas; *n of them, which live in list.
static int split(char *list, const char **rules, int *n) {
  *n = 0;
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
    if (!ap_lint_find_rule(word)) {
      cli_nearest nearest = {.word = word};
      for (int i = 0; ap_lint_rule_at(i); i++) cli_nearest_offer(&nearest, ap_lint_rule_at(i)->id);
      const char *near = cli_nearest_name(&nearest);
      if (near) return cli_usage("lint", "there is no rule '%s'; did you mean '%s'?", word, near);
      return cli_usage("lint", "there is no rule '%s' ('appell lint --rules' lists them)", word);
    }
    rules[(*n)++] = word;
  }
  return CLI_OK;
}

static bool is_builtin(const char *name) {
  return !strchr(name, '.') && !strchr(name, '/') &&
         (ap_builtin(name) || ap_mechanism_builtin(name));
}

static int fail_missing(const char *name) {
  cli_nearest nearest = {.word = name};
  for (int i = 0; ap_builtin_name(i); i++) cli_nearest_offer(&nearest, ap_builtin_name(i));
  for (int i = 0; ap_mechanism_builtin_name(i); i++)
    cli_nearest_offer(&nearest, ap_mechanism_builtin_name(i));
  const char *near = cli_nearest_name(&nearest);
  if (near && !strchr(name, '.'))
    return cli_fail(CLI_BAD, name, 0, "no such file or built-in model (did you mean '%s'?)", near);
  return cli_fail(CLI_BAD, name, 0, "cannot be read: %s", strerror(ENOENT));
}

// A robot with locked joints, or a part of one: what is left of it.
static int examine_reduced(const cli_arguments *arguments, const ap_lint_options *how,
                           ap_lint **found) {
  cli_model model;
  ap_error error = {0};
  int status = cli_load_any(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  error.status = ap_lint_robot(model.robot, how, found, &error);
  if (error.status != AP_OK) status = cli_fail_input(model.path, &error);
  cli_unload(&model);
  return status;
}

static int examine(const cli_arguments *arguments, const ap_lint_options *how, ap_lint **found) {
  const char *name = arguments->argument[0];
  ap_error error = {0};
  struct stat info;
  if (cli_is_reduced(arguments))
    return examine_reduced(arguments, how, found);
  else if (is_builtin(name))
    error.status = ap_lint_builtin(name, how, found, &error);
  else if (stat(name, &info) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return fail_missing(name);
  else
    error.status = ap_lint_file(name, how, found, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(name, &error);
}

// ---- the page ----------------------------------------------------------------------------------

static void warn(void *context, const char *line) { cli_warn(context, 0, line); }

// The robot that the page draws; NULL where the file is refused: the page then has its text and
// what is wrong with it.
static ap_robot *robot_of(const cli_arguments *arguments) {
  const char *name = arguments->argument[0];
  ap_robot *robot = NULL;
  ap_error ignored;
  cli_model model;
  if (cli_is_reduced(arguments)) {
    if (cli_load_any(name, arguments, &model) != CLI_OK) return NULL;
    ap_model_free(model.own);
    ap_mechanism_free(model.mechanism);
    return model.robot;
  }
  const ap_status status = is_builtin(name) ? ap_robot_builtin(name, NULL, &robot, &ignored)
                                            : ap_robot_read(name, NULL, &robot, &ignored);
  return status == AP_OK ? robot : NULL;
}

typedef struct page_findings {
  const ap_lint *found;
  bool strict;
} page_findings;

static void put_findings(void *lint, ap_json *json) {
  const page_findings *f = lint;
  ap_lint_json(f->found, f->strict, json, "findings");
}

static int print_page(cli_out *out, const cli_arguments *arguments, const ap_lint *found) {
  const char *name = arguments->argument[0];
  ap_view_options view = ap_default_view();
  ap_error error = {0};
  view.path = is_builtin(name) ? NULL : name;
  view.builtin = is_builtin(name) ? name : NULL;
  view.changed = cli_is_reduced(arguments);
  view.page = ap_view_page();
  page_findings findings = {found, arguments->value[STRICT] != NULL};
  view.findings = put_findings;
  view.lint = &findings;
  view.warn = warn;
  view.context = (void *)name;
  ap_robot *robot = robot_of(arguments);
  error.status = ap_view_write(robot, &view, cli_out_sink, out, &error);
  ap_robot_free(robot);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(name, &error);
}

static int show(const cli_arguments *arguments, const ap_lint *found, const ap_weighing *fixed) {
  cli_out out;
  const char *name = arguments->argument[0];
  const bool strict = arguments->value[STRICT] != NULL;
  int status = cli_out_open(&out, arguments->value[OUT]);
  if (status != CLI_OK) return status;
  if (arguments->value[SARIF])
    cli_lint_sarif(&out, found, name, is_builtin(name), strict);
  else if (arguments->value[HTML])
    status = print_page(&out, arguments, found);
  else if (arguments->value[JSON])
    print_json(&out, found, fixed, name, strict);
  else {
    if (fixed) status = cli_weighing_print(fixed, &out);
    print_text(&out, found, name, strict);
  }
  status = cli_out_close(&out, status);
  if (status != CLI_OK) return status;
  return count(found, AP_ERROR, strict) > 0 ? CLI_FAILED : CLI_OK;
}

// Correct inertias in the file.
static int fix(const cli_arguments *arguments, ap_weighing **fixed) {
  ap_weigh_options how = {.density = 0};
  const char *name = arguments->argument[0];
  ap_error error = {0};
  struct stat info;
  int n = 0, status = cli_value_above(arguments, DENSITY, 0, &how.missing_density);
  if (status != CLI_OK) return status;
  if (is_builtin(name) || cli_is_reduced(arguments))
    return cli_usage("lint", "--fix changes a whole robot file");
  const char *dot = strrchr(name, '.');
  if (!dot || (strcmp(dot, ".urdf") != 0 && strcmp(dot, ".xml") != 0))
    return cli_fail(CLI_BAD, name, 0,
                    "only URDF files are changed in place (appell convert --inertia-from-mesh mass "
                    "writes a new file)");
  if (stat(name, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return fail_missing(name);
  status = cli_weigh_file(name, &how, fixed);
  for (int i = 0; *fixed && i < ap_weighing_links(*fixed); i++)
    n += ap_weighing_link(*fixed, i)->done;
  if (status != CLI_OK || n == 0) return status;
  error.status = ap_weighing_patch(*fixed, name, name, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_output(name, &error);
}

static int run_on_model(const cli_arguments *arguments, char *list, const char **rules) {
  ap_lint_options how = {.disabled = rules, .quick = arguments->value[QUICK] != NULL};
  ap_lint *found = NULL;
  ap_weighing *fixed = NULL;
  int status = split(list, rules, &how.ndisabled);
  if (status == CLI_OK && arguments->value[FIX]) status = fix(arguments, &fixed);
  if (status == CLI_OK) status = examine(arguments, &how, &found);
  if (status == CLI_OK) status = show(arguments, found, fixed);
  ap_weighing_free(fixed);
  ap_lint_free(found);
  return status;
}

// One form, and a page only to a file.
static int check_form(const cli_arguments *arguments) {
  const char *output = arguments->value[OUT];
  const bool json = arguments->value[JSON], sarif = arguments->value[SARIF],
             html = arguments->value[HTML];
  if (json + sarif + html > 1)
    return cli_usage("lint", "--json, --sarif and --html exclude each other");
  if (!html) return CLI_OK;
  return output ? cli_check_page("lint", output)
                : cli_usage("lint", "where does the page go? -o FILE.html");
}

static int run(const cli_arguments *arguments) {
  if (arguments->value[RULES]) return cli_out_print(print_rules);
  if (arguments->count < 1)
    return cli_usage("lint", "arguments are missing, 'lint MODEL' is needed");
  const int status = check_form(arguments);
  if (status != CLI_OK) return status;
  if (arguments->value[DENSITY] && !arguments->value[FIX])
    return cli_usage("lint", "--density without --fix");
  const char *given = arguments->value[DISABLE] ? arguments->value[DISABLE] : "";
  const size_t n = strlen(given) + 1;
  char *list = malloc(n);
  const char **rules = malloc(n * sizeof *rules);
  int done = CLI_FAILED;
  if (list && rules) {
    memcpy(list, given, n);
    done = run_on_model(arguments, list, rules);
  } else {
    cli_no_memory();
  }
  free(list);
  free((void *)rules);
  return done;
}

const cli_verb cli_lint = {.name = "lint",
                           .arguments = "MODEL",
                           .about = "Find what is wrong or suspicious in a robot file.",
                           .text = text,
                           .example =
                               "  appell lint robot.urdf\n"
                               "  appell lint --fix --density 1000 robot.urdf\n"
                               "  appell lint --html robot.urdf -o robot.html\n"
                               "  appell lint --sarif --disable ignored,mesh-missing robot.urdf -o "
                               "robot.sarif\n",
                           .options = options,
                           .least = 0,
                           .most = 1,
                           .run = run};
