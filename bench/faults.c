// SPDX-License-Identifier: Apache-2.0
// Random faults of every kind on three arms: when they are found, and how far and how fast the
// joints go, beside a stop of category 0 that begins when the documented detection time has passed.
//     faults [cases of each kind and arm] [seed] [kind [verbose]]
// A kind, 0 to 24, may run alone, and has the same cases then as with all others: 1000 cases take
// about an hour of a processor, and may be spread over several.

#include "faults.h"

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// ms below which this part of the times lies.
static double quantile(double *s, int n, double part) {
  qsort(s, (size_t)n, sizeof *s, by_size);
  return n > 0 ? 1e3 * s[(int)(part * (n - 1))] : 0;
}

typedef struct tally {
  int cases, harmless, missed, beyond, by_drives, alarms;
  double *found, *after, *brakes; // [cases]
  double peak, travel, energy, excess;
} tally;

static void add(tally *t, const fault_case *c, bool verbose) {
  int axis = 0;
  fault_outcome measure, is = fault_try(c, &measure);
  t->cases++, t->alarms += is.false_alarm;
  bool missed = is.found < 0 && measure.n > 0;
  double excess = measure.n > 0 ? fault_excess(&is, &measure, &axis) : 0;
  t->missed += missed, t->beyond += excess > 1.1;
  t->excess = fmax(t->excess, excess);
  if (verbose && (excess > 1.1 || missed))
    printf(
        "  %s axis %d at %.3f amount %.3g: %s(%d) cat %d after %.3f, brakes %.3f onset %.3f; "
        "joint %d peak %.3f of %.3f way %.4f of %.4f, off %.4f\n",
        fault_robot[c->robot], c->axis, c->at, c->amount, ap_stop_name(is.stop), is.stop_axis,
        is.category, is.found, is.brakes, is.onset, axis, is.peak[axis], measure.peak[axis],
        is.travel[axis], measure.travel[axis], is.off);
  if (is.found < 0) {
    t->harmless += !missed;
    return;
  }
  int k = t->cases - t->harmless - t->missed - 1;
  t->found[k] = is.found, t->after[k] = is.onset < 0 ? 0 : fmax(is.found - is.onset, 0);
  t->brakes[k] = fmax(is.brakes, is.found);
  t->by_drives += is.category;
  t->energy = fmax(t->energy, is.energy);
  for (int j = 0; j < is.n; j++)
    t->peak = fmax(t->peak, is.peak[j]), t->travel = fmax(t->travel, is.travel[j]);
}

int main(int argc, char **argv) {
  enum { MOST = 100000 };
  const int each = argc > 1 ? atoi(argv[1]) : 20;
  unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  const int only = argc > 3 ? atoi(argv[3]) : -1;
  const size_t cases = (size_t)each * FAULT_ROBOTS;
  double *times = each > 0 && each <= MOST ? malloc(3 * cases * sizeof *times) : NULL;
  if (!times) {
    fprintf(stderr, "faults: %d cases of each kind and arm (1 to %d)\n", each, MOST);
    return 2;
  }
  printf(
      "| fault | counts from, mrad | documented, ms | found, ms: median | 99 %% | after it counts: "
      "99 %% | brakes, ms: 99 %% | harmless | by the drives | peak, rad/s | way, rad | energy, J | "
      "of the measure | missed | beyond 10 %% | false alarms |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int row = 0; row < FAULT_ROWS; row++) {
    tally t = {.found = times, .after = times + cases, .brakes = times + 2 * cases};
    const bool tried = only < 0 || row == only;
    for (int robot = 0; robot < FAULT_ROBOTS; robot++)
      for (int k = 0; k < each; k++) {
        fault_case c = fault_draw(robot, row, &seed);
        if (tried) add(&t, &c, argc > 4);
      }
    if (!tried) continue;
    int found = t.cases - t.harmless - t.missed;
    printf(
        "| %s | %.0f | %g | %.0f | %.0f | %.0f | %.0f | %d %% | %d %% | %.1f | %.2f | %.0f | %.2f "
        "| "
        "%d | %d | %d |\n",
        fault_rows[row].name, 1e3 * fault_rows[row].deviation, 1e3 * fault_rows[row].detection,
        quantile(t.found, found, 0.5), quantile(t.found, found, 0.99),
        quantile(t.after, found, 0.99), quantile(t.brakes, found, 0.99), 100 * t.harmless / t.cases,
        found ? 100 * t.by_drives / found : 0, t.peak, t.travel, t.energy, t.excess, t.missed,
        t.beyond, t.alarms);
    fflush(stdout);
  }
  free(times);
  return 0;
}
