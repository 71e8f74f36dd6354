// SPDX-License-Identifier: Apache-2.0
// Ranges of states.

#include <appell/batch.h>

ap_states ap_all_states(size_t n, ap_layout layout) {
  return (ap_states){.n = n, .first = 0, .last = n, .layout = layout};
}

// States of a part are counted in groups of so many.
enum { GROUP = 64 };

ap_states ap_part_of_states(ap_states s, int part, int parts) {
  ap_states none = {.n = s.n, .first = s.last, .last = s.last, .layout = s.layout};
  if (part < 0 || part >= parts || s.first >= s.last) return none;
  size_t count = s.last - s.first, groups = count / GROUP + (count % GROUP > 0);
  size_t each = groups / (size_t)parts, rest = groups % (size_t)parts, i = (size_t)part;
  size_t from = i * each + (i < rest ? i : rest), size = each + (i < rest ? 1 : 0);
  size_t first = from * GROUP, last = (from + size) * GROUP;
  if (first > count) first = count;
  if (last > count) last = count;
  s.last = s.first + last;
  s.first += first;
  return s;
}
