// SPDX-License-Identifier: Apache-2.0
// A summary as one page: tables, histograms and scatter plots, nothing from outside.

#include <appell/plot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/text.h"

#include <appell/sweep.h>

enum { SCATTERS = 5 }; // plots of an outcome against its most influential parameters

static const char style[] =
    ":root{--paper:#f4f6f9;--card:#fff;--ink:#1c2430;--muted:#5f6b7a;--line:#e3e8ee;"
    "color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--paper:#0f1319;--card:#171c24;--ink:#e6eaf0;"
    "--muted:#97a3b3;--line:#28303b}}"
    "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 "
    "system-ui,sans-serif;font-variant-numeric:tabular-nums}"
    "main{max-width:1100px;margin:0 auto;padding:20px}h1{margin:0}"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:12px;"
    "padding:14px 16px;margin:14px 0;overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.92rem;margin:.5rem 0}"
    "th,td{padding:3px 14px 3px 0;border-bottom:1px solid var(--line);text-align:left}"
    "th{color:var(--muted);font-weight:500}.n{text-align:right}"
    "code{font-size:.9rem}p{margin:.4rem 0}svg{display:block;width:100%;height:auto}"
    // one figure below the other on a phone, so that their numbers keep their size
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));"
    "gap:12px}";

static void put(ap__text *t, const char *markup) { ap__text_bytes(t, markup, strlen(markup)); }

static void put_text(ap__text *t, const char *text) {
  for (; *text; text++) {
    switch (*text) {
      case '<': put(t, "&lt;"); break;
      case '>': put(t, "&gt;"); break;
      case '&': put(t, "&amp;"); break;
      case '"': put(t, "&quot;"); break;
      default: ap__text_bytes(t, text, 1);
    }
  }
}

// ---- tables ------------------------------------------------------------------------------------

static void put_numbers(ap__text *t, const ap_sweep_outcome_summary *o) {
  put(t, "<table><tr><th class=n>mean<th class=n>deviation<th class=n>least");
  for (int k = 0; k < AP_SWEEP_QUANTILES; k++)
    ap__text_add(t, "<th class=n>%g %%", 100 * ap_sweep_quantile[k]);
  ap__text_add(t, "<th class=n>most<tr><td class=n>%.6g<td class=n>%.6g<td class=n>%.6g", o->mean,
               o->deviation, o->least);
  for (int k = 0; k < AP_SWEEP_QUANTILES; k++) ap__text_add(t, "<td class=n>%.6g", o->quantile[k]);
  ap__text_add(t, "<td class=n>%.6g</table>\n", o->most);
}

static void put_influence(ap__text *t, const ap_sweep_summary *s,
                          const ap_sweep_outcome_summary *o) {
  put(t, "<table><tr><th>parameter");
  for (int i = 0; i < 3 && s->influence[i]; i++) ap__text_add(t, "<th class=n>%s", s->influence[i]);
  for (int p = 0; p < s->parameters; p++) {
    put(t, "<tr><td>");
    put_text(t, s->parameter[p]);
    for (int i = 0; i < 3 && s->influence[i]; i++)
      ap__text_add(t, "<td class=n>%.4g", o->influence[i][p]);
  }
  put(t, "</table>\n");
}

static void put_trials(ap__text *t, const char *head, const char *command, const long long *trial,
                       const double *value) {
  if (trial[0] < 0) return;
  ap__text_add(t, "<table><tr><th class=n>%s<th class=n>trial<th>run it again", head);
  for (int k = 0; k < AP_SWEEP_WORST && trial[k] >= 0; k++) {
    put(t, "<tr><td class=n>");
    if (value) ap__text_add(t, "%.6g", value[k]);
    ap__text_add(t, "<td class=n>%lld<td><code>", trial[k]);
    put_text(t, command);
    ap__text_add(t, " %lld</code>", trial[k]);
  }
  put(t, "</table>\n");
}

// ---- figures -----------------------------------------------------------------------------------

typedef struct drawing {
  double bin_x[2 * AP_SWEEP_BINS + 2], bin_y[2 * AP_SWEEP_BINS + 2];
  double x[SCATTERS][AP_SWEEP_SHOWN], y[AP_SWEEP_SHOWN];
  ap_curve curve[1 + SCATTERS];
  ap_panel panel[1 + SCATTERS];
} drawing;

static void draw_histogram(drawing *d, const ap_sweep_outcome_summary *o) {
  const double width = (o->most - o->least) / AP_SWEEP_BINS;
  int n = 0;
  d->bin_x[n] = o->least, d->bin_y[n++] = 0;
  for (int k = 0; k < AP_SWEEP_BINS; k++) {
    d->bin_x[n] = o->least + width * k, d->bin_y[n++] = (double)o->histogram[k];
    d->bin_x[n] = o->least + width * (k + 1), d->bin_y[n++] = (double)o->histogram[k];
  }
  d->bin_x[n] = o->most, d->bin_y[n++] = 0;
  d->curve[0] = (ap_curve){.n = n, .x = d->bin_x, .y = d->bin_y};
  d->panel[0] = (ap_panel){.x_label = o->name, .y_label = "trials", .curve = d->curve, .ncurve = 1};
}

// The parameter with the largest influence below a bound, the first of equals; -1: none.
static int next_parameter(const double *influence, int n, const bool *taken) {
  int best = -1;
  for (int p = 0; p < n; p++)
    if (!taken[p] && (best < 0 || fabs(influence[p]) > fabs(influence[best]))) best = p;
  return best;
}

static int draw_scatters(drawing *d, const ap_sweep_summary *s, int k, bool *taken) {
  const ap_sweep_outcome_summary *o = &s->outcome[k];
  const double *influence = o->influence[s->influence[1] && !s->influence[2] ? 1 : 0]; // the total
  int n = 0;
  for (int i = 0; i < s->shown; i++) d->y[i] = s->y[(long)i * s->outcomes + k];
  for (int p; n < SCATTERS && (p = next_parameter(influence, s->parameters, taken)) >= 0; n++) {
    taken[p] = true;
    for (int i = 0; i < s->shown; i++) d->x[n][i] = s->x[(long)i * s->parameters + p];
    d->curve[1 + n] =
        (ap_curve){.n = s->shown, .x = d->x[n], .y = d->y, .stroke = AP_POINTS, .colour = 2};
    d->panel[1 + n] = (ap_panel){
        .x_label = s->parameter[p], .y_label = o->name, .curve = &d->curve[1 + n], .ncurve = 1};
  }
  return n;
}

static ap_status put_figures(ap__text *t, const ap_sweep_summary *s, int k, ap_error *error) {
  drawing *d = calloc(1, sizeof *d);
  bool *taken = calloc((size_t)s->parameters + 1, sizeof *taken);
  int panels = 0;
  ap_status status = d && taken ? AP_OK : ap__no_memory(error);
  if (status == AP_OK) {
    draw_histogram(d, &s->outcome[k]);
    panels = 1 + draw_scatters(d, s, k, taken);
  }
  put(t, "<div class=figures>");
  for (int i = 0; status == AP_OK && i < panels; i++) {
    const ap_figure figure = {.panel = &d->panel[i], .npanel = 1, .width = 430};
    char *svg = NULL;
    status = ap_figure_text(&figure, &svg, error);
    if (status == AP_OK) put(t, svg);
    free(svg);
  }
  put(t, "</div>\n");
  free(taken);
  free(d);
  return status;
}

// ---- the page ----------------------------------------------------------------------------------

static void put_head(ap__text *t, const ap_sweep_summary *s, const char *command) {
  put(t,
      "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=Content-Security-Policy "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\"><meta name=viewport "
      "content=\"width=device-width\"><title>");
  put_text(t, s->name);
  ap__text_add(t, "</title><style>%s</style><main><h1>", style);
  put_text(t, s->name);
  ap__text_add(t,
               "</h1><p>%lld trials (%s, design %s), %lld without a result; appell %s, family of "
               "bits \"%s\".</p>\n",
               s->trials, s->kind, s->design, s->failed, s->version, s->family);
  if (s->failed > 0) {
    put(t, "<section class=card><h2>Without a result</h2>\n");
    put_trials(t, "", command, s->failure, NULL);
    put(t, "</section>\n");
  }
}

ap_status ap_sweep_page(const ap_sweep_summary *s, const char *command, ap_write *write,
                        void *context, ap_error *error) {
  ap__text t = {0};
  ap_status status = AP_OK;
  put_head(&t, s, command);
  for (int k = 0; status == AP_OK && k < s->outcomes; k++) {
    const ap_sweep_outcome_summary *o = &s->outcome[k];
    put(&t, "<section class=card><h2>");
    put_text(&t, o->name);
    put(&t, "</h2>\n");
    if (o->count > 0) {
      put_numbers(&t, o);
      status = put_figures(&t, s, k, error);
      put_influence(&t, s, o);
      put_trials(&t, "worst", command, o->worst, o->worst_value);
    } else {
      put(&t, "<p>No trial gave a number.</p>\n");
    }
    put(&t, "</section>\n");
  }
  put(&t, "</main></html>\n");
  if (status == AP_OK && t.failed) status = ap__no_memory(error);
  if (status == AP_OK) write(context, t.text, t.length);
  ap__text_free(&t);
  return status;
}
