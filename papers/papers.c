// SPDX-License-Identifier: Apache-2.0
// The list of the papers.

#include "papers.h"

#include <stdio.h>
#include <string.h>

const paper *paper_at(int i) {
  static const paper *const papers[] = {&paper_mata2002, &paper_provenzano2002, &paper_valera2003,
                                        &paper_shafei2018, &paper_abedloo2014};
  const int n = (int)(sizeof papers / sizeof papers[0]);
  return i >= 0 && i < n ? papers[i] : NULL;
}

const paper *paper_find(const char *name) {
  int i = 0;
  while (paper_at(i) && strcmp(paper_at(i)->name, name) != 0) i++;
  return paper_at(i);
}

// ---- parameters --------------------------------------------------------------------------------

int paper_parameters(const paper *p) {
  int n = 0;
  while (p->parameter && p->parameter[n].name) n++;
  return n;
}

int paper_find_parameter(const paper *p, const char *name) {
  for (int k = 0; k < paper_parameters(p); k++)
    if (strcmp(p->parameter[k].name, name) == 0) return k;
  return -1;
}

double paper_value(const paper *p, const paper_options *options, int parameter) {
  return options && options->value ? options->value[parameter] : p->parameter[parameter].value;
}

bool paper_is_changed(const paper *p, const paper_options *options, int n, char *text,
                      size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < n; k++) {
    const double value = paper_value(p, options, k);
    if (value == p->parameter[k].value || used >= size) continue;
    used += (size_t)snprintf(text + used, size - used, "%s %s = %g", used ? "," : "with",
                             p->parameter[k].name, value);
  }
  return used > 0;
}

ap_status paper_run(const paper *p, const paper_options *options, report *r, ap_error *error) {
  const int n = paper_parameters(p);
  char text[128];
  if (paper_is_changed(p, options, n, text, sizeof text)) {
    report_item(r, "Parameters", "changed for this run");
    report_remark(r,
                  "Where a number depends on them, that of the paper is left out: it belongs to "
                  "another experiment.");
    for (int k = 0; k < n; k++)
      if (paper_value(p, options, k) != p->parameter[k].value)
        report_row(r, p->parameter[k].name, p->parameter[k].unit, p->parameter[k].value,
                   paper_value(p, options, k), NULL);
  }
  return p->run(options, r, error);
}
