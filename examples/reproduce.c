// SPDX-License-Identifier: Apache-2.0
// A paper's experiments run again: every number that it prints beside ours.
//
//   reproduce [PAPER]      valera2003 by default

#include <math.h>
#include <stdio.h>

#include "papers.h"

int main(int argc, char **argv) {
  const paper *p = paper_find(argc > 1 ? argv[1] : "valera2003");
  const paper_options options = {.plots = NULL};
  report r = {0};
  ap_error error;
  if (!p) return fprintf(stderr, "there is no such paper\n"), 2;
  const ap_status status = paper_run(p, &options, &r, &error);
  printf("%s\n%s\n", p->title, p->source);
  for (int k = 0; k < r.lines; k++)
    if (r.line[k].kind == REPORT_ROW && !isnan(r.line[k].printed))
      printf("%s, %s: printed %g, ours %g %s\n", r.line[k].item, r.line[k].quantity,
             r.line[k].printed, r.line[k].ours, r.line[k].unit);
  if (status != AP_OK) fprintf(stderr, "%s\n", error.text);
  report_free(&r);
  return status == AP_OK ? 0 : 1;
}
