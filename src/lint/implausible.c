// SPDX-License-Identifier: Apache-2.0
// Numbers that look made up, copied, or a decimal point off.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint/examine.h"
#include "lint/shape.h"
#include "lint/tensor.h"

// ---- placeholders and copies -------------------------------------------------------------------

// Links by tensor, so that equal ones stand together; the file's order within.
typedef struct entry {
  const double *tensor;
  double mass;
  int link;
} entry;

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  for (int i = 0; i < 6; i++)
    if (x->tensor[i] != y->tensor[i]) return x->tensor[i] < y->tensor[i] ? -1 : 1;
  return x->link - y->link;
}

static bool same_tensor(const entry *a, const entry *b) {
  for (int i = 0; i < 6; i++)
    if (a->tensor[i] != b->tensor[i]) return false;
  return true;
}

// The names of some links, "a, b and 3 more"; that of link `first` comes first.
static void list_names(const lint_robot *robot, const entry *e, int n, int first, char *out,
                       size_t size) {
  size_t used = 0;
  int at = 0;
  while (at < n - 1 && e[at].link != first) at++;
  out[0] = 0;
  for (int i = 0; i < n && used < size; i++) {
    const char *name = robot->link[e[i == 0 ? at : i <= at ? i - 1 : i].link].name;
    if (i == 4 && n > 5) {
      snprintf(out + used, size - used, " and %d more", n - i);
      return;
    }
    int wrote = snprintf(out + used, size - used, "%s%.*s", i ? ", " : "", ap__shown(name), name);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}

// The effect of putting plausible inertias in, on the link where it is largest: the finding is then
// that link's, which has its own fix. Returns the link.
static int worst_effect(lint *l, lint_note *note, const entry *e, int n) {
  lint_note best = *note;
  const char *of = "";
  int chosen = -1;
  lint_inertia fix;
  for (int i = 0; i < n && i < 12; i++) {
    const lint_link *link = &l->robot.link[e[i].link];
    lint_inertia then;
    lint_note tried = *note;
    if (!ap__lint_plausible(&l->robot, link, &then, &of)) continue;
    ap__lint_why(&tried, "with the inertia of %s, link \"%.*s\" alone", of, ap__shown(link->name),
                 link->name);
    ap__lint_effect(l, &tried, e[i].link, &link->own, &then);
    double share = tried.effect.difference / fmax(tried.effect.largest, 1e-9);
    double had = best.effect.difference / fmax(best.effect.largest, 1e-9);
    if (chosen >= 0 && share <= had) continue;
    best = tried;
    chosen = e[i].link;
    fix = then;
  }
  *note = best;
  if (chosen < 0) return e[0].link;
  note->subject = l->robot.link[chosen].name;
  note->line = l->robot.link[chosen].inertia_line;
  ap__lint_fix_inertia(l, note, chosen, &fix);
  return chosen;
}

static void say_placeholder(lint *l, const entry *e, int n) {
  char names[240];
  const lint_link *first = &l->robot.link[e[0].link];
  bool moves = false;
  for (int i = 0; i < n; i++) moves = moves || ap__lint_moves(&l->robot, e[i].link);
  lint_note note = ap__lint_begin("inertia-placeholder", first->inertia_line, first->name);
  if (!moves) note.severity = AP_NOTE;
  int worst = worst_effect(l, &note, e, n);
  list_names(&l->robot, e, n, worst, names, sizeof names);
  ap__lint_what(&note, "an inertia of %g times the unit matrix: %s", first->tensor[0], names);
  ap__lint_end_suspicion(l, &note);
}

static void say_repeated(lint *l, const entry *e, int n, double least, double most) {
  char names[240];
  const lint_link *first = &l->robot.link[e[0].link];
  lint_note note = ap__lint_begin("inertia-repeated", first->inertia_line, first->name);
  int worst = worst_effect(l, &note, e, n);
  list_names(&l->robot, e, n, worst, names, sizeof names);
  ap__lint_what(&note, "the same inertia on links of %.3g to %.3g kg: %s", least, most, names);
  ap__lint_end_suspicion(l, &note);
}

static void look_at_equal(lint *l, const entry *e, int n) {
  const lint_link *first = &l->robot.link[e[0].link];
  double least = INFINITY, most = 0;
  bool moves = false;
  for (int i = 0; i < n; i++) {
    least = fmin(least, e[i].mass);
    most = fmax(most, e[i].mass);
    moves = moves || ap__lint_moves(&l->robot, e[i].link);
  }
  if (ap__lint_is_placeholder(first))
    say_placeholder(l, e, n);
  else if (moves && n > 1 && most > 1.05 * least && first->moment[2] > 0)
    say_repeated(l, e, n, least, most);
}

static void find_equal(lint *l) {
  const lint_robot *robot = &l->robot;
  entry *e = calloc((size_t)robot->nlink + 1, sizeof *e);
  int n = 0;
  if (!ap__lint_got(l, e)) return;
  for (int i = 0; i < robot->nlink; i++) {
    const lint_link *link = &robot->link[i];
    if (link->tensor_given && link->number && link->mass > 0)
      e[n++] = (entry){link->tensor, link->mass, i};
  }
  qsort(e, (size_t)n, sizeof *e, compare_entries);
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && same_tensor(&e[i], &e[end]);) end++;
    look_at_equal(l, &e[i], end - i);
  }
  free(e);
}

// ---- decimal points ----------------------------------------------------------------------------

// The power of ten between two numbers that are otherwise within a share of each other; 0: none.
static int power_between(double x, double reference, double share) {
  if (!(x > 0) || !(reference > 0)) return 0;
  double ratio = log10(x / reference), power = round(ratio);
  return fabs(power) >= 1 && fabs(power) <= 6 && fabs(ratio - power) <= log10(1 + share)
             ? (int)power
             : 0;
}

static void say_slip(lint *l, int i, bool mass, int power, const char *reference) {
  const lint_link *link = &l->robot.link[i];
  lint_note note =
      ap__lint_begin("decimal-point", mass ? link->mass_line : link->inertia_line, link->name);
  double factor = pow(10, -power);
  lint_inertia then = link->own;
  ap__lint_what(&note, "the %s of link \"%.*s\" is 10^%d times that of %s",
                mass ? "mass" : "inertia", ap__shown(link->name), link->name, power, reference);
  if (mass) then.mass *= factor;
  for (int k = 0; k < 6 && !mass; k++) then.tensor[k] *= factor;
  ap__lint_effect(l, &note, i, &link->own, &then);
  if (!mass)
    ap__lint_fix_inertia(l, &note, i, &then);
  else
    ap__lint_fix(&note, LINT_FORM(l, "mass: %g", "<mass value=\"%g\"/>", "mass=\"%g\""), then.mass);
  ap__lint_end_suspicion(l, &note);
}

// Against the link on the other side; said of the one that is the odd one out by size of power.
static bool compare_twins(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  if (link->twin < 0) return false;
  const lint_link *twin = &l->robot.link[link->twin];
  char name[80];
  snprintf(name, sizeof name, "\"%.*s\"", ap__shown(twin->name), twin->name);
  int mass = power_between(link->mass, twin->mass, 0.1);
  int inertia = power_between(link->moment[2], twin->moment[2], 0.1);
  // Which of the two is wrong is seen by their size: the radius of gyration nearer to the length.
  if (mass == 0 && inertia == 0) return false;
  double mine = fabs(log(sqrt(link->moment[2] / link->mass) / fmax(0.4 * link->length, 1e-9)));
  double other = fabs(log(sqrt(twin->moment[2] / twin->mass) / fmax(0.4 * twin->length, 1e-9)));
  bool odd = mass && inertia ? i > link->twin : mine > other || (mine == other && i > link->twin);
  if (odd && mass) say_slip(l, i, true, mass, name);
  if (odd && inertia) say_slip(l, i, false, inertia, name);
  return true;
}

// Names that differ in digits alone belong to a series: finger_1, finger_2, finger_3.
static void stem(const char *name, char *out, size_t size) {
  size_t n = 0;
  for (; *name && n + 1 < size; name++)
    if (*name < '0' || *name > '9') out[n++] = *name;
  out[n] = 0;
}

typedef struct member {
  char stem[64];
  int link;
} member;

static int compare_members(const void *a, const void *b) {
  const member *x = a, *y = b;
  int order = strcmp(x->stem, y->stem);
  return order ? order : x->link - y->link;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// One member a power of ten from all others, which agree to within a factor of two.
static void look_at_series(lint *l, const member *e, int n, bool mass, double *scratch) {
  const lint_robot *robot = &l->robot;
  for (int i = 0; i < n; i++) {
    const lint_link *k = &robot->link[e[i].link];
    scratch[i] = mass ? k->mass : k->moment[2];
  }
  qsort(scratch, (size_t)n, sizeof *scratch, compare_numbers);
  double median = scratch[n / 2];
  int odd = -1, others = 0;
  for (int i = 0; i < n; i++) {
    const lint_link *k = &robot->link[e[i].link];
    double x = mass ? k->mass : k->moment[2];
    if (x > 0.7 * median && x < 1.4 * median)
      others++;
    else
      odd = i;
  }
  if (others != n - 1 || odd < 0) return;
  const lint_link *k = &robot->link[e[odd].link];
  int power = power_between(mass ? k->mass : k->moment[2], median, 0.4);
  if (power == 0 || k->twin >= 0) return;
  char reference[96];
  snprintf(reference, sizeof reference, "the %d others of its series", n - 1);
  say_slip(l, e[odd].link, mass, power, reference);
}

static void find_series(lint *l) {
  const lint_robot *robot = &l->robot;
  size_t room = (size_t)robot->nlink + 1;
  member *e = calloc(room, sizeof *e);
  double *scratch = calloc(room, sizeof *scratch);
  int n = 0;
  l->no_memory = l->no_memory || !e || !scratch;
  for (int i = 0; e && scratch && i < robot->nlink; i++) {
    const lint_link *link = &robot->link[i];
    if (!link->number || !(link->mass > 0) || strlen(link->name) >= sizeof e[0].stem) continue;
    stem(link->name, e[n].stem, sizeof e[n].stem);
    if (strcmp(e[n].stem, link->name) != 0) e[n++].link = i;
  }
  if (n) qsort(e, (size_t)n, sizeof *e, compare_members);
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && strcmp(e[i].stem, e[end].stem) == 0;) end++;
    if (end - i < 4) continue; // three others that agree
    look_at_series(l, &e[i], end - i, true, scratch);
    look_at_series(l, &e[i], end - i, false, scratch);
  }
  free(scratch);
  free(e);
}

// ---- about the wrong point ---------------------------------------------------------------------

// How far two tensors are apart, one being right as to the order of its size.
static double distance(const double a[6], const double b[6]) {
  double ma[3], mb[3], axes[9], worst = 0;
  ap__lint_principal(a, ma, axes);
  ap__lint_principal(b, mb, axes);
  if (!(ma[0] > 0) || !(mb[0] > 0)) return INFINITY;
  for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(log(ma[i] / mb[i])));
  return worst;
}

// Without shapes: mass that reaches from the origin to twice as far as its centre has a radius of
// gyration of 0.58 times that distance; one about the origin, of 1.15 times. So the two middle
// moments between 1 and 1.6 times m c^2, and the least axis towards an oblique centre, tell of it.
static bool looks_shifted(const lint_link *link, const double shifted[6]) {
  double c = norm3(link->com), moment[3], axes[9], mc2 = link->mass * c * c;
  ap__lint_principal(shifted, moment, axes);
  if (moment[0] < 0 || ap__lint_breaks_triangle(moment) || !(mc2 > 0)) return false;
  double low = link->moment[1] / mc2, high = link->moment[2] / mc2;
  if (low < 1 || high > 1.6 || link->moment[0] > 0.5 * mc2) return false;
  double along = 0, straight = 0;
  for (int i = 0; i < 3; i++) {
    along += link->axes[3 * i] * link->com[i] / c;
    straight = fmax(straight, fabs(link->com[i]) / c);
  }
  return fabs(along) > 0.995 && straight < 0.98;
}

static void look_at_frame(lint *l, int i) {
  const lint_link *link = &l->robot.link[i];
  double c = norm3(link->com);
  if (!(link->mass > 0) || !(link->moment[2] > 0) || ap__lint_is_placeholder(link)) return;
  if (link->mass * c * c < 0.5 * link->moment[2]) return; // it would hardly matter
  lint_inertia then = link->own, shape;
  ap__lint_shift(link->own.tensor, -1, link->mass, link->com, then.tensor);
  bool shifted, shaped = ap__lint_of_shape(&l->robot, link, &shape);
  if (shaped) {
    double now = distance(link->own.tensor, shape.tensor);
    double moved = distance(then.tensor, shape.tensor);
    shifted = moved < log(1.35) && now > log(1.8);
  } else {
    shifted = looks_shifted(link, then.tensor);
  }
  if (!shifted) return;
  lint_note note = ap__lint_begin("inertia-frame", link->inertia_line, link->name);
  if (!shaped) note.severity = AP_NOTE; // without shapes it is a guess
  ap__lint_what(&note,
                "the inertia of link \"%.*s\" seems to be about the link's origin, %.3g m from the "
                "centre of mass",
                ap__shown(link->name), link->name, c);
  ap__lint_why(&note, "the format defines it about the centre of mass; interpreted so");
  ap__lint_suggest(l, &note, i, &then);
}

void ap__lint_suspects(lint *l) {
  find_equal(l);
  for (int i = 0; i < l->robot.nlink && !l->no_memory; i++) {
    if (l->robot.link[i].number == 0) continue;
    compare_twins(l, i);
    look_at_frame(l, i);
  }
  if (!l->no_memory) find_series(l);
}
