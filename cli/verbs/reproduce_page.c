// SPDX-License-Identifier: Apache-2.0
#include <appell/base.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/numbers.h"
#include "reproduce.h"

static const char style[] =
    ":root{--paper:#f4f6f9;--card:#fff;--ink:#1c2430;--muted:#5f6b7a;--line:#e3e8ee;--accent:#"
    "2f6fde;"
    "--soft:#eef3fb;color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--paper:#0f1319;--card:#171c24;--ink:#e6eaf0;"
    "--muted:#97a3b3;--line:#28303b;--accent:#6ea3ff;--soft:#1f2836}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
    "font-variant-numeric:tabular-nums}"
    "main{max-width:1100px;margin:0 auto;padding:20px clamp(14px,2.4vw,32px) 60px}"
    "h1{font-size:1.55rem;letter-spacing:-.015em;margin:0}h2{font-size:1.25rem;margin:2.2rem 0 "
    ".2rem}"
    "h3{font-size:1rem;margin:0 0 .4rem}p{margin:.3rem 0}a{color:var(--accent)}"
    ".muted,.source{color:var(--muted)}nav{display:flex;flex-wrap:wrap;gap:8px;margin:14px 0}"
    "nav a,.links a{border:1px solid var(--line);background:var(--card);border-radius:999px;"
    "padding:4px 14px;text-decoration:none}.links{display:flex;flex-wrap:wrap;gap:8px;margin:10px "
    "0}"
    ".links "
    "a{background:var(--accent);border-color:var(--accent);color:var(--card);font-weight:600}"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px "
    "16px;"
    "margin:12px 0;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "th{text-align:left;color:var(--muted);font-weight:500}"
    "th,td{padding:3px 12px 3px 0;border-bottom:1px solid var(--line);vertical-align:top}"
    ".n{text-align:right;white-space:nowrap}ol,ul{margin:.5rem 0;padding-left:1.4rem}"
    "li{margin:.15rem 0;color:var(--muted)}summary{cursor:pointer;color:var(--accent)}"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:12px}"
    ".figures a{background:#fff;border:1px solid var(--line);border-radius:12px;padding:6px;"
    "display:block}.figures img{width:100%;height:auto;display:block}";

// ---- text --------------------------------------------------------------------------------------

static void put(cli_out *out, const char *markup) { cli_out_write(out, markup, strlen(markup)); }

static void put_text(cli_out *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '<': put(out, "&lt;"); break;
      case '>': put(out, "&gt;"); break;
      case '&': put(out, "&amp;"); break;
      case '"': put(out, "&quot;"); break;
      default: cli_out_write(out, text, 1);
    }
  }
}

static void put_element(cli_out *out, const char *open, const char *text, const char *close) {
  put(out, open);
  put_text(out, text);
  put(out, close);
}

// ---- tables ------------------------------------------------------------------------------------

static bool is_row(const report_line *line, bool details) {
  return line->kind == (details ? REPORT_DETAIL : REPORT_ROW);
}

// The notes of rows, once each; how many.
static int find_notes(const report_line *line, int n, bool details, const char **note) {
  int notes = 0;
  for (int k = 1; k < n; k++) {
    if (!is_row(&line[k], details) || !line[k].note[0]) continue;
    int i = 0;
    while (i < notes && strcmp(note[i], line[k].note) != 0) i++;
    if (i == notes) note[notes++] = line[k].note;
  }
  return notes;
}

// What a row's item has beyond the name of the item that it stands in: "n = 6".
static const char *narrowed(const report_line *item, const report_line *line) {
  const size_t length = strlen(item->item);
  if (strncmp(line->item, item->item, length) != 0 || !line->item[length]) return "";
  return line->item + length + strspn(line->item + length, ", ");
}

static void put_row(cli_out *out, const report_line *item, const report_line *line,
                    const char *const *note, int notes) {
  char number[CLI_NUMBER_BYTES];
  const char *where = narrowed(item, line);
  put(out, "<tr><td>");
  put_text(out, where);
  if (where[0]) put(out, ": ");
  put_text(out, line->quantity);
  put_element(out, "<td>", line->unit, "");
  const bool printed = !isnan(line->printed);
  put_element(out, "<td class=n>",
              printed ? cli_number(line->printed, cli_printed_digits(line->printed), number) : "",
              "");
  put_element(out, "<td class=n>", cli_number(line->ours, cli_our_digits(line), number), "");
  put_element(out, "<td class=n>", printed ? cli_difference(line->printed, line->ours, number) : "",
              "");
  for (int k = 0; k < notes; k++)
    if (strcmp(note[k], line->note) == 0) cli_out_printf(out, " <sup>%d</sup>", k + 1);
  put(out, "\n");
}

static int put_rows(cli_out *out, const report_line *line, int n, bool details) {
  const char **note = malloc((size_t)n * sizeof *note);
  int rows = 0;
  if (!note) return cli_no_memory();
  for (int k = 1; k < n; k++) rows += is_row(&line[k], details);
  const int notes = find_notes(line, n, details, note);
  if (rows > 0 && details) cli_out_printf(out, "<details><summary>%d more numbers</summary>", rows);
  if (rows > 0)
    put(out,
        "<table><tr><th>quantity<th>unit<th class=n>printed<th class=n>ours"
        "<th class=n>difference\n");
  for (int k = 1; k < n; k++)
    if (is_row(&line[k], details)) put_row(out, &line[0], &line[k], note, notes);
  if (rows > 0) put(out, "</table>\n");
  if (notes > 0) put(out, "<ol>");
  for (int k = 0; k < notes; k++) put_element(out, "<li>", note[k], "\n");
  if (notes > 0) put(out, "</ol>\n");
  if (rows > 0 && details) put(out, "</details>\n");
  free(note);
  return CLI_OK;
}

static int put_item(cli_out *out, const report_line *line, int n) {
  bool remarks = false;
  put(out, "<section class=card><h3>");
  put_text(out, line[0].item);
  if (line[0].text[0]) put_element(out, ": ", line[0].text, "");
  put(out, "</h3>\n");
  int status = put_rows(out, line, n, false);
  if (status == CLI_OK) status = put_rows(out, line, n, true);
  for (int k = 1; k < n; k++) {
    if (line[k].kind != REPORT_REMARK) continue;
    if (!remarks) put(out, "<ul>");
    remarks = true;
    put_element(out, "<li>", line[k].text, "\n");
  }
  if (remarks) put(out, "</ul>");
  put(out, "</section>\n");
  return status;
}

// ---- files in the folder -----------------------------------------------------------------------

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

// Files PAPER-*ENDING, in the order of their names.
static void visit_files(cli_out *out, const char *folder, const char *start, const char *ending,
                        void (*show)(cli_out *out, const char *name, const char *word)) {
  struct dirent **file = NULL;
  const int n = scandir(folder, &file, NULL, by_name);
  const size_t length = strlen(start);
  for (int k = 0; k < n; k++) {
    const char *name = file[k]->d_name, *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ending) == 0 && strncmp(name, start, length) == 0 &&
        name[length] == '-') {
      char word[256];
      snprintf(word, sizeof word, "%.*s", (int)(dot - name - (ptrdiff_t)length - 1),
               name + length + 1);
      show(out, name, word);
    }
    free(file[k]);
  }
  free(file);
}

static void show_report(cli_out *out, const char *name, const char *word) {
  put_element(out, "<a href=\"", name, "\">&#9654; ");
  put_element(out, "", word, "</a>\n");
}

static void show_figure(cli_out *out, const char *name, const char *word) {
  put_element(out, "<a href=\"", name, "\"><img loading=lazy src=\"");
  put_element(out, "", name, "\" alt=\"");
  put_element(out, "", word, "\"></a>\n");
}

// ---- the page ----------------------------------------------------------------------------------

void cli_reproduce_head(cli_out *out, const paper *const *papers, int n) {
  put(out,
      "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">"
      "<title>Appell: papers reproduced</title><link rel=icon href=\"data:,\"><style>");
  put(out, style);
  put(out, "</style></head><body><main><h1>Papers reproduced</h1>");
  cli_out_printf(out,
                 "<p class=muted>appell %s: every number that the papers print beside what comes "
                 "out. Nothing is fitted to a printed number.</p><nav>",
                 ap_version());
  for (int k = 0; k < n; k++) {
    put_element(out, "<a href=\"#", papers[k]->name, "\">");
    put_element(out, "", papers[k]->name, "</a>\n");
  }
  put(out, "</nav>\n");
}

void cli_reproduce_tail(cli_out *out) { put(out, "</main></body></html>\n"); }

int cli_reproduce_paper(cli_out *out, const paper *p, const report *r, const char *folder) {
  put_element(out, "<article><h2 id=\"", p->name, "\">");
  put_element(out, "", p->title, "</h2>\n<p class=source>");
  put_element(out, "", p->source, "</p>\n<div class=links>");
  visit_files(out, folder, p->name, ".html", show_report);
  put(out, "</div><div class=figures>");
  visit_files(out, folder, p->name, ".svg", show_figure);
  put(out, "</div>\n");
  int status = CLI_OK;
  for (int k = 0; k < r->lines && status == CLI_OK; k++) {
    if (r->line[k].kind != REPORT_ITEM) continue;
    int n = 1;
    while (k + n < r->lines && r->line[k + n].kind != REPORT_ITEM) n++;
    status = put_item(out, &r->line[k], n);
  }
  put(out, "</article>\n");
  return status;
}
