// SPDX-License-Identifier: Apache-2.0
#include <appell/loop.h>

#include "ui/output.h"
#include "ui/table.h"
#include "verbs.h"

enum { JSON };

static const cli_option options[] = {[JSON] = CLI_OPTION_JSON, {0}};

static int print_table(cli_out *out) {
  cli_table table = {.columns = 2};
  cli_table_headings(&table, "model|what it is");
  for (int i = 0; ap_builtin_name(i); i++) {
    cli_table_add(&table, "%s", ap_builtin_name(i));
    cli_table_add(&table, "%s", ap_builtin_about(i));
  }
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    cli_table_add(&table, "%s", ap_mechanism_builtin_name(i));
    cli_table_add(&table, "%s", ap_mechanism_builtin_about(i));
  }
  return cli_table_print(&table, out);
}

static void add_json(ap_json *json, const char *name, const char *about) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", name);
  ap_json_string(json, "about", about);
  ap_json_close(json, '}');
}

static int print_json(cli_out *out) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '[');
  for (int i = 0; ap_builtin_name(i); i++) add_json(&json, ap_builtin_name(i), ap_builtin_about(i));
  for (int i = 0; ap_mechanism_builtin_name(i); i++)
    add_json(&json, ap_mechanism_builtin_name(i), ap_mechanism_builtin_about(i));
  ap_json_close(&json, ']');
  return CLI_OK;
}

static int run(const cli_arguments *arguments) {
  return cli_out_print(arguments->value[JSON] ? print_json : print_table);
}

const cli_verb cli_models = {.name = "models",
                             .arguments = "",
                             .about = "List the built-in models.",
                             .example = "  appell models\n",
                             .options = options,
                             .run = run};
