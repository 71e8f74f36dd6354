// The list of the papers.

#include "papers.h"

#include <stddef.h>
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
