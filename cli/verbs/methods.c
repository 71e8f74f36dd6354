// SPDX-License-Identifier: Apache-2.0
#include <appell/research.h>

#include "ui/output.h"
#include "ui/table.h"
#include "verbs.h"

enum { JSON };

static const cli_option options[] = {[JSON] = CLI_OPTION_JSON, {0}};

static const char text[] =
    "The first method of each quantity is the one that 'appell eval' takes by itself;\n"
    "'--method NAME' chooses another.\n";

static bool is_default(const ap_method *method) {
  return ap_find_method(method->what, NULL) == method;
}

static int print_table(cli_out *out) {
  cli_table table = {.columns = 3, .keys = 2};
  cli_table_headings(&table, "quantity|method|what it is");
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    cli_table_add(&table, "%s", ap_quantity_name(method->what));
    cli_table_add(&table, "%s", method->name);
    cli_table_add(&table, "%s%s", method->about, is_default(method) ? " (default)" : "");
  }
  return cli_table_print(&table, out);
}

static int print_json(cli_out *out) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '[');
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    ap_json_open(&json, NULL, '{');
    ap_json_string(&json, "method", method->name);
    ap_json_string(&json, "what", ap_quantity_name(method->what));
    ap_json_bool(&json, "default", is_default(method));
    ap_json_string(&json, "about", method->about);
    ap_json_close(&json, '}');
  }
  ap_json_close(&json, ']');
  return CLI_OK;
}

static int run(const cli_arguments *arguments) {
  return cli_out_print(arguments->value[JSON] ? print_json : print_table);
}

const cli_verb cli_methods = {.name = "methods",
                              .arguments = "",
                              .about = "List the methods that compute each quantity.",
                              .text = text,
                              .example = "  appell methods\n",
                              .options = options,
                              .run = run};
