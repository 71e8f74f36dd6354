#include <stdio.h>
#include <string.h>

#include "ui/json.h"
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

static void add_text(cli_json *json, const char *key, const char *text) {
  cli_json_open(json, key, '{');
  cli_json_string(json, "text", text);
  cli_json_close(json, '}');
}

static void add_rule(cli_json *json, const ap_lint_rule *rule, bool strict) {
  ap_finding like = {.severity = rule->severity};
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "id", rule->id);
  add_text(json, "shortDescription", rule->about);
  cli_json_open(json, "defaultConfiguration", '{');
  cli_json_string(json, "level", ap_severity_name(cli_lint_severity(&like, strict)));
  cli_json_close(json, '}');
  cli_json_close(json, '}');
}

static void add_tool(cli_json *json, bool strict) {
  cli_json_open(json, "tool", '{');
  cli_json_open(json, "driver", '{');
  cli_json_string(json, "name", "appell lint");
  cli_json_string(json, "version", ap_version());
  cli_json_string(json, "semanticVersion", ap_version());
  cli_json_open(json, "rules", '[');
  for (int i = 0; ap_lint_rule_at(i); i++) add_rule(json, ap_lint_rule_at(i), strict);
  cli_json_close(json, ']');
  cli_json_close(json, '}');
  cli_json_close(json, '}');
}

static void add_place(cli_json *json, const ap_finding *f, const char *file, bool builtin) {
  char uri[4096];
  cli_json_open(json, "locations", '[');
  cli_json_open(json, NULL, '{');
  if (!builtin) {
    to_uri(file, uri, sizeof uri);
    cli_json_open(json, "physicalLocation", '{');
    cli_json_open(json, "artifactLocation", '{');
    cli_json_string(json, "uri", uri);
    cli_json_close(json, '}');
    if (f->line > 0) {
      cli_json_open(json, "region", '{');
      cli_json_integer(json, "startLine", f->line);
      cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
  }
  if (f->subject[0] || builtin) {
    cli_json_open(json, "logicalLocations", '[');
    cli_json_open(json, NULL, '{');
    cli_json_string(json, "name", f->subject[0] ? f->subject : file);
    cli_json_close(json, '}');
    cli_json_close(json, ']');
  }
  cli_json_close(json, '}');
  cli_json_close(json, ']');
}

static int rule_index(const char *id) {
  int i = 0;
  while (ap_lint_rule_at(i) && strcmp(ap_lint_rule_at(i)->id, id) != 0) i++;
  return i;
}

static void add_result(cli_json *json, const ap_finding *f, const char *file, bool builtin,
                       bool strict) {
  char text[2048];
  snprintf(text, sizeof text, "%s.%s%s%s%s%s%s", f->what, f->why[0] ? " Why: " : "", f->why,
           f->why[0] ? "." : "", f->fix[0] ? " Fix: " : "", f->fix, f->fix[0] ? "." : "");
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "ruleId", f->rule);
  cli_json_integer(json, "ruleIndex", rule_index(f->rule));
  cli_json_string(json, "level", ap_severity_name(cli_lint_severity(f, strict)));
  add_text(json, "message", text);
  add_place(json, f, file, builtin);
  cli_json_close(json, '}');
}

void cli_lint_sarif(cli_out *out, const ap_lint *found, const char *file, bool builtin,
                    bool strict) {
  cli_json json = {.out = out};
  cli_json_open(&json, NULL, '{');
  cli_json_string(&json, "$schema",
                  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
                  "sarif-schema-2.1.0.json");
  cli_json_string(&json, "version", "2.1.0");
  cli_json_open(&json, "runs", '[');
  cli_json_open(&json, NULL, '{');
  add_tool(&json, strict);
  cli_json_string(&json, "columnKind", "utf16CodeUnits");
  cli_json_open(&json, "results", '[');
  for (int i = 0; i < ap_lint_findings(found); i++)
    add_result(&json, ap_lint_finding(found, i), file, builtin, strict);
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
}
