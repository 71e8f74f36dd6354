// SPDX-License-Identifier: Apache-2.0
// MJCF tag by tag: what is used, what passes, what is warned of or refused. docs/mjcf.md lists the
// same, and a test compares them.

#include <string.h>

#include "file/mjcf.h"

#define ORIENTATION "quat axisangle xyaxes zaxis euler"
#define SOLVER      "solref solimp solreflimit solimplimit solreffriction solimpfriction margin"

// Attributes that all actuators share.
#define ACTUATOR_USED                                                                            \
  "class joint jointinparent tendon gear forcerange forcelimited ctrlrange ctrllimited damping " \
  "armature gaintype biastype dyntype gainprm"
#define ACTUATOR_PASSED                                                                          \
  "name group user nsample interp delay lengthrange cranklength slidersite cranksite site "      \
  "refsite body actdim actlimited actrange actearly input velrange ffrange posrange dynprm "     \
  "biasprm inheritrange kp kv ki imax slewmax dampratio timeconst tausmooth area diameter bias " \
  "range force scale lmin lmax vmax fpmax fvmax gain motorconst resistance nominal saturation "  \
  "inductance cogging controller thermal lugre plugin instance"
#define ACTUATOR(tag) \
  { "actuator", tag, MJCF_USED, ACTUATOR_USED, ACTUATOR_PASSED, "" }
#define DEFAULT_ACTUATOR(tag) \
  { "default", tag, MJCF_USED, ACTUATOR_USED, ACTUATOR_PASSED, "" }

#define GEOM_USED                                                                \
  "name class type group size mass density shellinertia fromto pos " ORIENTATION \
  " mesh fitscale "                                                              \
  "material rgba contype conaffinity"
#define GEOM_PASSED                         \
  "condim priority friction solmix " SOLVER \
  " gap surfacevel adhesion "               \
  "hfield user"
#define GEOM_WARNED "fluidshape fluidcoef"
#define JOINT_USED                                                                            \
  "name class type pos axis limited actuatorfrclimited stiffness range actuatorfrcrange ref " \
  "springref armature damping frictionloss springdamper align"
#define JOINT_PASSED "group " SOLVER " user"
#define JOINT_WARNED "actuatorgravcomp"
#define SITE_USED    "name class pos " ORIENTATION " fromto"
#define SITE_PASSED  "type group material size rgba user"
#define TENDON_USED  "name class limited range stiffness damping frictionloss armature"
#define TENDON_PASSED \
  "group actuatorfrclimited actuatorfrcrange " SOLVER " springlength width material rgba user"
#define EQUALITY_PASSED "solref solimp"
#define MATERIAL_PASSED \
  "texture texrepeat texuniform emission specular shininess reflectance metallic roughness"

const mjcf_tag ap__mjcf_tags[] = {
    {"", "mujoco", MJCF_USED, "model", "", ""},
    {"*", "include", MJCF_USED, "file", "", ""},

    {"mujoco", "compiler", MJCF_USED,
     "angle autolimits balanceinertia boundmass boundinertia settotalmass strippath coordinate "
     "fitaabb eulerseq meshdir assetdir inertiafromgeom inertiagrouprange alignfree",
     "texturedir discardvisual usethread fusestatic saveinertial conflict", "exactmeshinertia"},
    {"compiler", "lengthrange", MJCF_PASSED, "", "*", ""},
    {"mujoco", "option", MJCF_USED, "gravity density viscosity",
     "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance wind "
     "magnetic o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations "
     "ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints "
     "actuatorgroupdisable apirate mpr_tolerance mpr_iterations collision",
     ""},
    {"option", "flag", MJCF_USED, "gravity spring damper passive frictionloss", "*", ""},
    {"mujoco", "size", MJCF_PASSED, "", "*", ""},
    {"mujoco", "statistic", MJCF_PASSED, "", "*", ""},
    {"mujoco", "visual", MJCF_PASSED, "", "*", ""},

    {"mujoco", "default", MJCF_USED, "class", "", ""},
    {"default", "default", MJCF_USED, "class", "", ""},
    {"default", "joint", MJCF_USED, JOINT_USED, JOINT_PASSED, JOINT_WARNED},
    {"default", "geom", MJCF_USED, GEOM_USED, GEOM_PASSED, GEOM_WARNED},
    {"default", "site", MJCF_USED, SITE_USED, SITE_PASSED, ""},
    {"default", "mesh", MJCF_USED, "scale inertia maxhullvert", "smoothnormal", ""},
    {"default", "material", MJCF_USED, "rgba", MATERIAL_PASSED, ""},
    {"default", "equality", MJCF_USED, "active", EQUALITY_PASSED, ""},
    {"default", "tendon", MJCF_USED, TENDON_USED, TENDON_PASSED, ""},
    {"default", "camera", MJCF_PASSED, "", "*", ""},
    {"default", "light", MJCF_PASSED, "", "*", ""},
    {"default", "pair", MJCF_PASSED, "", "*", ""},
    DEFAULT_ACTUATOR("general"),
    DEFAULT_ACTUATOR("motor"),
    DEFAULT_ACTUATOR("position"),
    DEFAULT_ACTUATOR("velocity"),
    DEFAULT_ACTUATOR("intvelocity"),
    DEFAULT_ACTUATOR("orientation"),
    DEFAULT_ACTUATOR("pid"),
    DEFAULT_ACTUATOR("damper"),
    DEFAULT_ACTUATOR("cylinder"),
    DEFAULT_ACTUATOR("muscle"),
    DEFAULT_ACTUATOR("adhesion"),
    DEFAULT_ACTUATOR("dcmotor"),

    {"mujoco", "asset", MJCF_USED, "", "", ""},
    {"asset", "mesh", MJCF_USED,
     "name class file vertex face refpos refquat scale inertia maxhullvert",
     "content_type normal texcoord smoothnormal builtin params material", ""},
    {"mesh", "plugin", MJCF_WARNED, "", "*", ""},
    {"asset", "material", MJCF_USED, "name class rgba", MATERIAL_PASSED, ""},
    {"material", "layer", MJCF_PASSED, "", "*", ""},
    {"asset", "model", MJCF_USED, "name file", "content_type", ""},
    {"asset", "texture", MJCF_PASSED, "", "*", ""},
    {"asset", "hfield", MJCF_PASSED, "", "*", ""},
    {"asset", "skin", MJCF_PASSED, "", "*", ""},

    {"mujoco", "worldbody", MJCF_USED, "", "", ""},
    {"body", "body", MJCF_USED, "name childclass pos " ORIENTATION " mocap gravcomp",
     "sleep simple user", ""},
    {"body", "frame", MJCF_USED, "name childclass pos " ORIENTATION, "", ""},
    {"body", "replicate", MJCF_USED, "count offset euler sep childclass", "", ""},
    {"body", "attach", MJCF_USED, "model body frame prefix", "", ""},
    {"body", "inertial", MJCF_USED, "pos mass diaginertia fullinertia " ORIENTATION, "", ""},
    {"body", "joint", MJCF_USED, JOINT_USED, JOINT_PASSED, JOINT_WARNED},
    {"body", "freejoint", MJCF_USED, "name align", "group", ""},
    {"body", "geom", MJCF_USED, GEOM_USED, GEOM_PASSED, GEOM_WARNED},
    {"geom", "plugin", MJCF_WARNED, "", "*", ""},
    {"body", "site", MJCF_USED, SITE_USED, SITE_PASSED, ""},
    {"body", "camera", MJCF_PASSED, "", "*", ""},
    {"body", "light", MJCF_PASSED, "", "*", ""},
    {"body", "plugin", MJCF_WARNED, "", "*", ""},
    {"body", "composite", MJCF_REFUSED, "", "*", ""},
    {"body", "flexcomp", MJCF_REFUSED, "", "*", ""},

    {"mujoco", "equality", MJCF_USED, "", "", ""},
    {"equality", "joint", MJCF_USED, "name class active joint1 joint2 polycoef", EQUALITY_PASSED,
     ""},
    {"equality", "tendon", MJCF_USED, "name class active tendon1 tendon2 polycoef", EQUALITY_PASSED,
     ""},
    {"equality", "connect", MJCF_USED, "name class active body1 body2 anchor site1 site2",
     EQUALITY_PASSED, ""},
    {"equality", "weld", MJCF_USED, "name class active body1 body2 relpose anchor site1 site2",
     EQUALITY_PASSED " torquescale", ""},
    {"equality", "flex", MJCF_WARNED, "", "*", ""},
    {"equality", "flexvert", MJCF_WARNED, "", "*", ""},
    {"equality", "flexstrain", MJCF_WARNED, "", "*", ""},

    {"mujoco", "tendon", MJCF_USED, "", "", ""},
    {"tendon", "fixed", MJCF_USED, TENDON_USED, TENDON_PASSED, ""},
    {"fixed", "joint", MJCF_USED, "joint coef", "", ""},
    {"tendon", "spatial", MJCF_USED, TENDON_USED, TENDON_PASSED, ""},
    {"spatial", "site", MJCF_PASSED, "", "*", ""},
    {"spatial", "geom", MJCF_PASSED, "", "*", ""},
    {"spatial", "pulley", MJCF_PASSED, "", "*", ""},

    {"mujoco", "actuator", MJCF_USED, "", "", ""},
    ACTUATOR("general"),
    ACTUATOR("motor"),
    ACTUATOR("position"),
    ACTUATOR("velocity"),
    ACTUATOR("intvelocity"),
    ACTUATOR("orientation"),
    ACTUATOR("pid"),
    ACTUATOR("damper"),
    ACTUATOR("cylinder"),
    ACTUATOR("muscle"),
    ACTUATOR("adhesion"),
    ACTUATOR("dcmotor"),
    ACTUATOR("plugin"),
    {"plugin", "config", MJCF_PASSED, "", "*", ""},

    {"mujoco", "keyframe", MJCF_USED, "", "", ""},
    {"keyframe", "key", MJCF_USED, "name qpos", "time qvel act mpos mquat ctrl", ""},
    {"mujoco", "contact", MJCF_WARNED, "", "*", ""},
    {"mujoco", "sensor", MJCF_WARNED, "", "*", ""},
    {"mujoco", "custom", MJCF_WARNED, "", "*", ""},
    {"mujoco", "extension", MJCF_WARNED, "", "*", ""},
    {"mujoco", "deformable", MJCF_WARNED, "", "*", ""},
    {NULL, NULL, MJCF_USED, NULL, NULL, NULL}};

// The world, frames and copies have what a body has.
static const char *place_of(const ap__node *e) {
  return ap__has_word("worldbody frame replicate", e->name) ? "body" : e->name;
}

static const mjcf_tag *find(const char *in, const char *tag) {
  for (const mjcf_tag *t = ap__mjcf_tags; t->tag; t++)
    if (strcmp(t->in, in) == 0 && strcmp(t->tag, tag) == 0) return t;
  return NULL;
}

static bool is_among(const char *list, const char *name) {
  return strcmp(list, "*") == 0 || ap__has_word(list, name);
}

static void check_attributes(mjcf *m, const mjcf_tag *tag, const ap__node *e) {
  for (const ap__node *a = e->attribute; a; a = a->next) {
    if (is_among(tag->used, a->name) || is_among(tag->passed, a->name)) continue;
    bool known = is_among(tag->warned, a->name);
    if (known && (strcmp(a->text, "none") == 0 || strcmp(a->text, "false") == 0)) continue;
    if (!strchr(a->name, ':')) // of another namespace
      ap__mjcf_odd(m, known ? MJCF_ODD_PASSIVE : MJCF_ODD_ATTRIBUTE, e, a->name);
  }
}

static void check(mjcf *m, const ap__node *e, const char *in) {
  const mjcf_tag *tag = find(in, e->name);
  if (!tag) {
    ap__mjcf_odd(m, MJCF_ODD_ELEMENT, e, e->name);
    return;
  }
  if (tag->use == MJCF_WARNED) ap__mjcf_odd(m, MJCF_ODD_UNUSED, e, e->name);
  if (tag->use != MJCF_USED) return;
  check_attributes(m, tag, e);
  if (strcmp(e->name, "model") == 0 && strcmp(in, "asset") == 0) return; // a model of its own
  for (const ap__node *c = ap__mjcf_first(e); c; c = ap__mjcf_next(c)) check(m, c, place_of(e));
}

void ap__mjcf_check_tags(mjcf *m, const ap__node *root) { check(m, root, ""); }
