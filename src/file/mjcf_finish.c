// SPDX-License-Identifier: Apache-2.0
// MJCF: names for what has none, then the robot.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/mjcf.h"
#include "file/mjcf_loops.h"
#include "file/xyz_rpy.h"

static const char *keep(mjcf *m, const char *text) {
  const char *kept = ap__robot_text(m->robot, text, strlen(text));
  if (!kept) ap__mjcf_no_memory(m);
  return kept ? kept : "";
}

// A name that is not taken: base, else base_2, base_3, ... It is put into the index.
static const char *new_name(mjcf *m, ap__names *names, const char *base) {
  char text[256];
  for (int k = 1; k <= names->room + 1 && !m->status; k++) {
    if (k == 1)
      snprintf(text, sizeof text, "%.*s", 200, base);
    else
      snprintf(text, sizeof text, "%.*s_%d", 200, base, k);
    if (ap__names_find(names, text) >= 0) continue;
    const char *kept = keep(m, text);
    ap__names_put(names, kept, 0);
    return kept;
  }
  return "";
}

static void name_bodies(mjcf *m, ap__names *names) {
  for (int i = 1; i < m->nbody && !m->status; i++) {
    if (!m->bodies[i].name) continue;
    const char *name = keep(m, m->bodies[i].name);
    if (strcmp(name, m->bodies[0].name) == 0)
      ap__mjcf_fail(m, m->bodies[i].e,
                    "the name \"%s\" is the ground's (give the body another one)", name);
    if (ap__names_put(names, name, i) >= 0)
      ap__mjcf_fail(m, m->bodies[i].e,
                    "the name \"%.*s\" is already used (names of bodies are unique)",
                    ap__shown(name), name);
    m->parts.part[m->bodies[i].part].def.name = name;
  }
  for (int i = 1; i < m->nbody && !m->status; i++) {
    char base[32];
    snprintf(base, sizeof base, "body%d", i);
    ap_body_def *def = &m->parts.part[m->bodies[i].part].def;
    if (!m->bodies[i].name) def->name = new_name(m, names, base);
  }
  // what lies between several joints of a body, or between a joint and its body
  for (int i = 0; i < m->njoint && !m->status; i++) {
    const mjcf_joint *joint = &m->joints[i];
    ap_body_def *def = &m->parts.part[joint->part].def;
    char base[256];
    const char *of =
        joint->name ? joint->name : m->parts.part[m->bodies[joint->body].part].def.name;
    snprintf(base, sizeof base, "%.*s_link", 200, of);
    if (!def->name) def->name = new_name(m, names, base);
  }
}

// A joint without a name is called after its body; so is the fixed joint of a body without one.
static void name_joints(mjcf *m) {
  ap__names names = {0};
  if (!ap__names_init(&names, m->parts.n)) ap__mjcf_no_memory(m);
  for (int i = 0; i < m->njoint && !m->status; i++) {
    const mjcf_joint *joint = &m->joints[i];
    if (!joint->name) continue;
    const char *name = keep(m, joint->name);
    if (ap__names_put(&names, name, i) >= 0)
      ap__mjcf_fail(m, joint->e, "the name \"%.*s\" is already used (names of joints are unique)",
                    ap__shown(name), name);
    m->parts.part[joint->part].def.joint_name = name;
  }
  for (int i = 0; i < m->njoint && !m->status; i++) {
    const mjcf_joint *joint = &m->joints[i];
    const char *body = m->parts.part[m->bodies[joint->body].part].def.name;
    if (!joint->name) m->parts.part[joint->part].def.joint_name = new_name(m, &names, body);
  }
  for (int i = 0; i < m->parts.n && !m->status; i++) {
    ap_body_def *def = &m->parts.part[i].def;
    if (!def->joint_name) def->joint_name = new_name(m, &names, def->name);
  }
  ap__names_free(&names);
}

static void set_limits(mjcf *m) {
  for (int i = 0; i < m->njoint; i++) {
    const mjcf_joint *joint = &m->joints[i];
    ap_body_def *def = &m->parts.part[joint->part].def;
    if (joint->driven) def->effort_limit = fmin(def->effort_limit, joint->effort);
    if (joint->leader)
      m->parts.part[joint->part].leader =
          m->parts.part[m->joints[joint->leader - 1].part].def.joint_name;
  }
  for (int i = 0; i < m->parts.n; i++)
    m->parts.part[i].parent = m->carrier[i] < 0 ? NULL : m->parts.part[m->carrier[i]].def.name;
}

// What flags switch off, and gravity compensation, which MuJoCo has none of unless a body has some
// above zero, or without springs and dampers.
static void settle_passive(mjcf *m) {
  bool compensated = false;
  for (int i = 0; i < m->parts.n; i++)
    compensated = compensated || m->parts.part[i].def.gravity_compensation > 0;
  for (int i = 1; i < m->nbody && !compensated; i++)
    if (m->parts.part[m->bodies[i].part].def.gravity_compensation < 0)
      ap__mjcf_odd(m, MJCF_ODD_GRAVCOMP, m->bodies[i].e, m->parts.part[m->bodies[i].part].def.name);
  const bool idle = m->no_springs && m->no_damping;
  for (int i = 0; i < m->parts.n; i++) {
    ap_body_def *def = &m->parts.part[i].def;
    if (m->no_damping) def->viscous = 0;
    if (m->no_friction) def->coulomb = 0;
    if (m->no_springs) def->stiffness = 0, memset(def->rest, 0, sizeof def->rest);
    if (idle || !compensated) def->gravity_compensation = 0;
  }
}

// Sites with names are frames. A name may be that of a body in MJCF, and is not here.
static void add_frames(mjcf *m, ap__names *names) {
  for (int i = 0; i < m->nsite && !m->status; i++) {
    const mjcf_site *site = &m->sites[i];
    if (!site->name) continue;
    char base[256];
    bool taken = ap__names_find(names, site->name) >= 0;
    snprintf(base, sizeof base, "%.*s%s", 200, site->name, taken ? "_site" : "");
    if (taken) ap__mjcf_odd(m, MJCF_ODD_RENAMED, site->e, site->name);
    int part = m->bodies[site->body].part;
    ap_frame_def frame = {.body = part < 0 ? 0 : m->parts.part[part].number};
    frame.name = new_name(m, names, base);
    ap_placement at;
    ap__mjcf_set_place(&at, &site->place);
    ap__joint_xyz_rpy(&at, frame.xyz, frame.rpy);
    if (!m->status && !ap__robot_add_frame(m->robot, &frame, site->e->line)) ap__mjcf_no_memory(m);
  }
}

static ap_status assemble(mjcf *m, ap__names *names) {
  if (!ap__names_init(names, m->nbody + m->njoint + m->nsite)) ap__mjcf_no_memory(m);
  if (!m->status) name_bodies(m, names);
  if (!m->status) name_joints(m);
  if (m->status) return m->status;
  ap__mjcf_set_total_mass(m);
  settle_passive(m);
  set_limits(m);
  m->status = ap__robot_assemble(m->robot, &m->parts, m->options, m->error);
  if (m->status) return m->status;
  add_frames(m, names);
  if (!m->status && !ap__robot_set_shapes(m->robot, &m->shapes, m->parts.part))
    ap__mjcf_no_memory(m);
  return m->status;
}

ap_status ap__mjcf_finish(mjcf *m) {
  ap__names names = {0};
  if (m->parts.n == 0) ap__mjcf_fail(m, m->tree->root, "the model has no <body> (at least one)");
  if (!m->status) ap__mjcf_check_keys(m);
  if (!m->status) assemble(m, &names);
  ap__names_free(&names);
  if (m->status) return m->status;
  if (m->nclosure && (m->status = ap__mjcf_close(m))) return m->status;
  return m->options->floating ? ap__robot_set_free(m->robot, m->error) : AP_OK;
}
