// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "ui/output.h"
#include "lint.h"

// A file's name as a URI reference: everything but unreserved characters and '/' as %XX.
static void to_uri(const char *name, char *out, size_t size) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  size_t used = 0;
  for (const char *c = name; *c && used + 4 < size; c++) {
    if (strchr(plain, *c)) {
      out[used++] = *c;
    } else {
      snprintf(out + used, 4, "%%%02X", (unsigned)(unsigned char)*c);
      used += 3;
    }
  }
  out[used] = 0;
}

static void add_text(ap_json *json, const char *key, const char *text) {
  ap_json_open(json, key, '{');
  ap_json_string(json, "text", text);
  ap_json_close(json, '}');
}

static void add_rule(ap_json *json, const ap_lint_rule *rule, bool strict) {
  ap_finding like = {.severity = rule->severity};
  char help[512];
  snprintf(
      help, sizeof help,
      "%s. Each finding says why it matters and, where it can be computed, what would be right. "
      "The section %s of docs/lint.md explains the rule; appell lint --disable %s leaves it out.",
      rule->about, rule->id, rule->id);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "id", rule->id);
  add_text(json, "shortDescription", rule->about);
  add_text(json, "help", help);
  ap_json_open(json, "defaultConfiguration", '{');
  ap_json_string(json, "level", ap_severity_name(cli_lint_severity(&like, strict)));
  ap_json_close(json, '}');
  ap_json_close(json, '}');
}

static void add_tool(ap_json *json, bool strict) {
  ap_json_open(json, "tool", '{');
  ap_json_open(json, "driver", '{');
  ap_json_string(json, "name", "appell lint");
  ap_json_string(json, "version", ap_version());
  ap_json_string(json, "semanticVersion", ap_version());
  ap_json_open(json, "rules", '[');
  for (int i = 0; ap_lint_rule_at(i); i++) add_rule(json, ap_lint_rule_at(i), strict);
  ap_json_close(json, ']');
  ap_json_close(json, '}');
  ap_json_close(json, '}');
}

static void add_place(ap_json *json, const ap_finding *f, const char *file, bool builtin) {
  char uri[4096];
  ap_json_open(json, "locations", '[');
  ap_json_open(json, NULL, '{');
  if (!builtin) {
    to_uri(file, uri, sizeof uri);
    ap_json_open(json, "physicalLocation", '{');
    ap_json_open(json, "artifactLocation", '{');
    ap_json_string(json, "uri", uri);
    ap_json_close(json, '}');
    if (f->line > 0) {
      ap_json_open(json, "region", '{');
      ap_json_integer(json, "startLine", f->line);
      ap_json_close(json, '}');
    }
    ap_json_close(json, '}');
  }
  if (f->subject[0] || builtin) {
    ap_json_open(json, "logicalLocations", '[');
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", f->subject[0] ? f->subject : file);
    ap_json_close(json, '}');
    ap_json_close(json, ']');
  }
  ap_json_close(json, '}');
  ap_json_close(json, ']');
}

static int rule_index(const char *id) {
  int i = 0;
  while (ap_lint_rule_at(i) && strcmp(ap_lint_rule_at(i)->id, id) != 0) i++;
  return i;
}

static void add_result(ap_json *json, const ap_finding *f, const char *file, bool builtin,
                       bool strict) {
  char text[2048];
  snprintf(text, sizeof text, "%s.%s%s%s%s%s%s", f->what, f->why[0] ? " Why: " : "", f->why,
           f->why[0] ? "." : "", f->fix[0] ? " Fix: " : "", f->fix, f->fix[0] ? "." : "");
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "ruleId", f->rule);
  ap_json_integer(json, "ruleIndex", rule_index(f->rule));
  ap_json_string(json, "level", ap_severity_name(cli_lint_severity(f, strict)));
  add_text(json, "message", text);
  add_place(json, f, file, builtin);
  ap_json_close(json, '}');
}

void cli_lint_sarif(cli_out *out, const ap_lint *found, const char *file, bool builtin,
                    bool strict) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "$schema",
                 "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
                 "sarif-schema-2.1.0.json");
  ap_json_string(&json, "version", "2.1.0");
  ap_json_open(&json, "runs", '[');
  ap_json_open(&json, NULL, '{');
  add_tool(&json, strict);
  ap_json_string(&json, "columnKind", "utf16CodeUnits");
  ap_json_open(&json, "results", '[');
  for (int i = 0; i < ap_lint_findings(found); i++)
    add_result(&json, ap_lint_finding(found, i), file, builtin, strict);
  ap_json_close(&json, ']');
  ap_json_close(&json, '}');
  ap_json_close(&json, ']');
  ap_json_close(&json, '}');
}
