// SPDX-License-Identifier: Apache-2.0
// The standard parameters of a model: names, nominal values, regressor.

#include "ident/ident.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/frozen.h"

// ---- parameters --------------------------------------------------------------------------------

static const char *const inertial_name[10] = {"m",   "mcx", "mcy", "mcz", "Ixx",
                                              "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
static const char *const drive_name[DRIVE_KINDS] = {
    [DRIVE_ROTOR] = "rotor",
    [DRIVE_VISCOUS] = "viscous",
    [DRIVE_COULOMB] = "coulomb",
    [DRIVE_STRIBECK] = "stribeck",
    [DRIVE_LOAD] = "load_friction",
    [DRIVE_VISCOUS_ASYMMETRY] = "viscous_asymmetry",
    [DRIVE_COULOMB_ASYMMETRY] = "coulomb_asymmetry",
    [DRIVE_STIFFNESS] = "stiffness",
    [DRIVE_OFFSET] = "offset",
};

static bool wanted(const ap_ident_options *o, drive_kind kind) {
  switch (kind) {
    case DRIVE_ROTOR: return o->rotor;
    case DRIVE_VISCOUS: return o->viscous;
    case DRIVE_COULOMB: return o->coulomb;
    case DRIVE_STRIBECK: return o->stribeck > 0;
    case DRIVE_LOAD: return o->load;
    case DRIVE_VISCOUS_ASYMMETRY:
    case DRIVE_COULOMB_ASYMMETRY: return o->asymmetric;
    case DRIVE_STIFFNESS: return o->stiffness;
    case DRIVE_OFFSET: return o->offset;
    case DRIVE_KINDS: break;
  }
  return false;
}

static bool has_drive(const ap_joint *j) {
  return j->type == AP_REVOLUTE || j->type == AP_PRISMATIC;
}

// The drive parameters, written to `to` where that is not NULL; returns how many there are.
static int list_drives(const ap_model *m, const ap_ident_options *o, drive *to) {
  int n = 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    for (int kind = 0; kind < DRIVE_KINDS && has_drive(j); kind++) {
      if (!wanted(o, (drive_kind)kind)) continue;
      if (to) to[n] = (drive){(drive_kind)kind, i, j->v, j->leader ? j->ratio : 1};
      n++;
    }
  }
  return n;
}

static char *joined(const char *owner, const char *what) {
  size_t size = strlen(owner) + strlen(what) + 2;
  char *text = malloc(size);
  if (text) snprintf(text, size, "%s.%s", owner, what);
  return text;
}

static bool name_parameters(ap_ident *id) {
  const ap_model *m = id->m;
  for (int k = 0; k < id->np; k++) {
    if (k < 10 * id->bodies && id->payload) {
      id->name[k] = joined("payload", inertial_name[k]);
    } else if (k < 10 * id->bodies) {
      id->name[k] = joined(m->link[m->joint[k / 10 + 1].link].name, inertial_name[k % 10]);
    } else {
      const drive *d = &id->drive[k - 10 * id->bodies];
      id->name[k] = joined(m->link[m->joint[d->body].link].joint_name, drive_name[d->kind]);
    }
    if (!id->name[k]) return false;
  }
  return true;
}

// Whether degree of freedom `row` of the user moves body i.
static bool moves(const ap_model *m, int row, int i) {
  for (; i > 0; i = m->joint[i].parent)
    if (row >= m->joint[i].v && row < m->joint[i].v + m->joint[i].nv) return true;
  return false;
}

static void list_silent(ap_ident *id) {
  for (int i = 1; i < id->m->nbody; i++)
    for (int k = 0; k < id->m->joint[i].nv && id->m->joint[i].type == AP_FREE; k++)
      id->silent[id->m->joint[i].v + k] = id->options.held_base;
}

static bool list_active(ap_ident *id) {
  for (int j = 0; j < id->nv; j++) {
    id->active[j] = malloc((size_t)id->np * sizeof(int) + 1);
    if (!id->active[j]) return false;
    if (id->silent[j]) continue;
    for (int i = 1; i <= id->bodies; i++)
      for (int k = 0; k < 10 && moves(id->m, j, id->payload ? id->payload : i); k++)
        id->active[j][id->nactive[j]++] = 10 * (i - 1) + k;
    for (int k = 0; k < id->drives; k++)
      if (id->drive[k].row == j) id->active[j][id->nactive[j]++] = 10 * id->bodies + k;
  }
  return true;
}

// ---- making ------------------------------------------------------------------------------------

static void *zeros(int count, size_t size) { return calloc((size_t)count + 1, size); }

static bool make_room(ap_ident *id) {
  const ap_model *m = id->m;
  size_t work = ap_work_size(m), batch = ap_batch_size(m);
  id->drive = zeros(id->drives, sizeof *id->drive);
  id->name = zeros(id->np, sizeof *id->name);
  id->active = zeros(id->nv, sizeof *id->active);
  id->nactive = zeros(id->nv, sizeof *id->nactive);
  id->silent = zeros(id->nv, sizeof *id->silent);
  id->K = malloc(ap__row(id->nv, id->width) * sizeof(double) + 1);
  id->file = malloc((size_t)id->width * sizeof(double) + 1);
  id->known = malloc((size_t)id->nv * sizeof(double) + 1);
  id->less = malloc((size_t)id->nv * sizeof(double) + 1);
  id->work_memory = work ? malloc(work) : NULL;
  id->w = id->work_memory ? ap_work_init(m, id->work_memory, work) : NULL;
  id->side = malloc(ap__row(AP__CHUNK, id->nq + 2 * id->nv) * sizeof(double));
  id->batch_memory = batch ? malloc(batch) : NULL;
  id->batch = id->batch_memory ? ap_batch_init(m, id->batch_memory, batch) : NULL;
  if (!id->known || !id->less || !id->drive || !id->name || !id->active || !id->nactive ||
      !id->silent || !id->K || !id->file || !id->w || !id->side || !id->batch)
    return false;
  list_drives(m, &id->options, id->drive);
  ap_inertial_parameters(m, id->w, id->file);
  list_silent(id);
  return name_parameters(id) && list_active(id);
}

// The body that a link belongs to.
static ap_status find_payload(ap_ident *id, ap_error *error) {
  const ap_model *m = id->m;
  const char *name = id->options.payload;
  for (int i = 1; name && i < m->nlink; i++)
    if (strcmp(m->link[i].name, name) == 0) id->payload = m->mover[i];
  id->options.payload = NULL; // the caller's
  if (name && id->payload == 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "'%.*s' is no link that moves (a payload needs one)",
                      ap__shown(name), name);
  if (name) id->bodies = 1, id->first = 10 * (id->payload - 1);
  return AP_OK;
}

ap_status ap_ident_create(const ap_model *m, const ap_ident_options *options, ap_ident **ident,
                          ap_error *error) {
  *ident = NULL;
  if (m->nv == 0)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "'%.*s' has no joint that moves (identification needs one)",
                      ap__shown(m->name), m->name);
  if (options->asymmetric && options->offset)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "asymmetric Coulomb friction and an offset are the same (look for one)");
  if (!(options->stribeck >= 0) || !isfinite(options->stribeck))
    return AP__REFUSE(error, AP_E_ARG, 0, "a Stribeck velocity of %g (it must be positive)",
                      options->stribeck);
  ap_ident *id = calloc(1, sizeof *id);
  if (!id) return ap__no_memory(error);
  *id = (ap_ident){.m = m, .options = *options, .nq = m->nq, .nv = m->nv, .bodies = m->nbody - 1};
  ap_status status = find_payload(id, error);
  if (status) {
    ap_ident_free(id);
    return status;
  }
  id->drives = list_drives(m, options, NULL);
  id->np = 10 * id->bodies + id->drives;
  id->width = 10 * (m->nbody - 1);
  if (!make_room(id)) {
    ap_ident_free(id);
    return ap__no_memory(error);
  }
  *ident = id;
  return AP_OK;
}

void ap_ident_free(ap_ident *id) {
  if (!id) return;
  for (int k = 0; id->name && k < id->np; k++) free(id->name[k]);
  for (int j = 0; id->active && j < id->nv; j++) free(id->active[j]);
  free(id->drive), free(id->name), free(id->active), free(id->nactive), free(id->silent),
      free(id->scope);
  free(id->K), free(id->file), free(id->known), free(id->less), free(id->side),
      free(id->batch_memory), free(id->work_memory), free(id);
}

// ---- asking ------------------------------------------------------------------------------------

int ap_ident_count(const ap_ident *id) { return id->np; }

const char *ap_ident_name(const ap_ident *id, int k) {
  return k >= 0 && k < id->np ? id->name[k] : NULL;
}

const char *ap_ident_unit(const ap_ident *id, int k) {
  if (k < 0 || k >= id->np) return "";
  if (k < 10 * id->bodies) return k % 10 == 0 ? "kg" : k % 10 < 4 ? "kg m" : "kg m2";
  const drive *d = &id->drive[k - 10 * id->bodies];
  bool turns = id->m->joint[d->body].type == AP_REVOLUTE;
  switch (d->kind) {
    case DRIVE_ROTOR: return turns ? "kg m2" : "kg";
    case DRIVE_VISCOUS:
    case DRIVE_VISCOUS_ASYMMETRY: return turns ? "N m s/rad" : "N s/m";
    case DRIVE_LOAD: return "1";
    case DRIVE_STIFFNESS: return turns ? "N m/rad" : "N/m";
    case DRIVE_COULOMB:
    case DRIVE_STRIBECK:
    case DRIVE_COULOMB_ASYMMETRY:
    case DRIVE_OFFSET: return turns ? "N m" : "N";
    case DRIVE_KINDS: break;
  }
  return "";
}

// What the model has of a drive parameter.
static double nominal_drive(const ap_ident *id, const drive *d) {
  const ap_body_def *b = &id->m->link[id->m->joint[d->body].link];
  switch (d->kind) {
    case DRIVE_ROTOR: return b->gear_ratio * b->gear_ratio * b->rotor_inertia;
    case DRIVE_VISCOUS: return b->viscous;
    case DRIVE_COULOMB: return b->coulomb;
    case DRIVE_STRIBECK: return fmax(0, b->stiction - b->coulomb);
    case DRIVE_STIFFNESS: return b->stiffness;
    default: return 0;
  }
}

void ap_ident_nominal(const ap_ident *id, double *p) {
  for (int k = 0; k < 10 * id->bodies; k++) p[k] = id->payload ? 0 : id->file[k];
  for (int k = 0; k < id->drives; k++) p[10 * id->bodies + k] = nominal_drive(id, &id->drive[k]);
}

static double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// What a drive parameter of one adds to its row: a follower's force, seen by its leader. The load
// is the joint force of the model without friction.
static double drive_entry(const ap_ident *id, const drive *d, const double *q, double v, double a,
                          double load) {
  const ap_joint *j = &id->m->joint[d->body];
  const double own = d->ratio * v, slow = own / id->options.stribeck;
  switch (d->kind) {
    case DRIVE_ROTOR: return d->ratio * d->ratio * a;
    case DRIVE_VISCOUS: return d->ratio * d->ratio * v;
    case DRIVE_COULOMB: return d->ratio * sign_of(own);
    case DRIVE_STRIBECK: return d->ratio * sign_of(own) * exp(-slow * slow);
    case DRIVE_LOAD: return d->ratio * sign_of(own) * fabs(load);
    case DRIVE_VISCOUS_ASYMMETRY: return d->ratio * fabs(own);
    case DRIVE_COULOMB_ASYMMETRY: return own != 0 ? d->ratio : 0;
    case DRIVE_STIFFNESS:
      return d->ratio * (d->ratio * q[j->q] + j->offset - id->m->link[j->link].rest[0]);
    case DRIVE_OFFSET: return d->ratio;
    case DRIVE_KINDS: break;
  }
  return 0;
}

// The force of the model's bodies on joint j, where friction depends on it.
static double load_of(const ap_ident *id, const double *K, int j) {
  double sum = 0;
  const double *row = K + ap__row(j, id->width);
  for (int k = 0; id->options.load && k < id->width; k++) sum += row[k] * id->file[k];
  return sum;
}

void ap__ident_row(const ap_ident *id, const double *K, int j, const double *q, const double *v,
                   const double *a, double *row) {
  const int inertial = 10 * id->bodies, *active = id->active[j];
  const double *from = K + ap__row(j, id->width) + id->first, load = load_of(id, K, j);
  int k = 0;
  for (; k < id->nactive[j] && active[k] < inertial; k += 10) // body by body
    memcpy(row + k, from + active[k], 10 * sizeof *row);
  for (; k < id->nactive[j]; k++)
    row[k] = drive_entry(id, &id->drive[active[k] - inertial], q, v[j], a[j], load);
}

void ap__ident_subtract_known(const ap_ident *id, const double *q, const double *v, const double *a,
                              const double *tau, double *less) {
  const ap_model *m = id->m;
  for (int j = 0; j < id->nv; j++) less[j] = tau[j];
  if (!m->passive && !id->payload) return;
  if (id->payload) { // the whole robot, with its friction
    ap_set_friction(m, id->w, true);
    ap_inverse_dynamics(m, id->w, q, v, a, id->known);
    ap_set_friction(m, id->w, false);
  } else {
    ap_passive_forces(m, id->w, q, id->known);
  }
  for (int j = 0; j < id->nv; j++) less[j] -= id->known[j];
  for (int k = 0; k < id->drives; k++) { // what is looked for is not known
    const drive *d = &id->drive[k];
    if (d->kind == DRIVE_STIFFNESS || (id->payload && d->kind <= DRIVE_COULOMB))
      less[d->row] += nominal_drive(id, d) * drive_entry(id, d, q, v[d->row], a[d->row], 0);
  }
}

void ap_ident_known(ap_ident *id, const double *q, const double *v, const double *a, double *tau) {
  for (int j = 0; j < id->nv; j++) tau[j] = 0;
  ap__ident_subtract_known(id, q, v, a, tau, tau);
  for (int j = 0; j < id->nv; j++) tau[j] = 0 - tau[j];
}

void ap__ident_regressors(ap_ident *id, const ap_dataset *s, int from, int count, double *K) {
  double *q = id->side, *v = q + ap__row(AP__CHUNK, id->nq), *a = v + ap__row(AP__CHUNK, id->nv);
  for (int k = 0; k < count; k++) {
    const double *one[4];
    ap_dataset_at(s, from + k, &one[0], &one[1], &one[2], &one[3]);
    memcpy(q + ap__row(k, id->nq), one[0], (size_t)id->nq * sizeof *q);
    memcpy(v + ap__row(k, id->nv), one[1], (size_t)id->nv * sizeof *v);
    memcpy(a + ap__row(k, id->nv), one[2], (size_t)id->nv * sizeof *a);
  }
  ap_batch_regressor(id->m, id->batch, ap_all_states((size_t)count, AP_ROWS), q, v, a, K);
}

void ap_ident_rows(ap_ident *id, const double *q, const double *v, const double *a, double *W) {
  const int inertial = 10 * id->bodies;
  ap_regressor(id->m, id->w, q, v, a, id->K);
  for (int j = 0; j < id->nv; j++, W += id->np) {
    memcpy(W, id->K + ap__row(j, id->width) + id->first, (size_t)inertial * sizeof *W);
    if (id->silent[j]) memset(W, 0, (size_t)inertial * sizeof *W);
    for (int k = 0; k < id->drives; k++) {
      const drive *d = &id->drive[k];
      W[inertial + k] = d->row == j ? drive_entry(id, d, q, v[j], a[j], load_of(id, id->K, j)) : 0;
    }
  }
}

// ---- random numbers ----------------------------------------------------------------------------

// splitmix64 (Steele, Lea, Flood 2014)
double ap__uniform(ap__random *r, double low, double high) {
  unsigned long long z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

// Box and Muller
double ap__normal(ap__random *r) {
  double u = 1 - ap__uniform(r, 0, 1), angle = ap__uniform(r, 0, 2 * acos(-1.0));
  return sqrt(-2 * log(u)) * cos(angle);
}
