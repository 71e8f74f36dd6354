// The list of the papers.

#include "papers.h"

#include <stddef.h>

const paper *paper_at(int i) {
  static const paper *const papers[] = {&paper_mata2002, &paper_provenzano2002, &paper_valera2003,
                                        &paper_shafei2018, &paper_abedloo2014};
  const int n = (int)(sizeof papers / sizeof papers[0]);
  return i >= 0 && i < n ? papers[i] : NULL;
}
