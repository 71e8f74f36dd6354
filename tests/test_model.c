// SPDX-License-Identifier: Apache-2.0
// Definition, check, freeze, queries, remarks, built-in robots.

#include "test.h"

#include <appell/model.h>

enum { BODIES = 6, FRAMES = 2 };

// A robot that every test changes a little: a fixed foot, two revolute joints, a prismatic one, a
// fixed tool on it, and a ball.
typedef struct sample {
  ap_body_def body[BODIES];
  ap_frame_def frame[FRAMES];
  ap_robot_def def;
  ap_model *model;
  void *memory;
  ap_error error;
} sample;

enum { FOOT = 1, UPPER, LOWER, SLIDE, TOOL, BALL };

static ap_body_def *body(sample *s, int number) { return &s->body[number - 1]; }

static void sample_init(sample *s) {
  static const char *const names[] = {"foot", "upper", "lower", "slide", "tool", "ball"};
  static const int parents[] = {0, FOOT, UPPER, LOWER, SLIDE, FOOT};
  static const ap_joint_type joints[] = {AP_FIXED,     AP_REVOLUTE, AP_REVOLUTE,
                                         AP_PRISMATIC, AP_FIXED,    AP_SPHERICAL};
  memset(s, 0, sizeof *s);
  for (int i = 0; i < BODIES; i++) {
    ap_body_def *b = &s->body[i];
    *b = ap_default_body();
    b->name = names[i];
    b->parent = parents[i];
    b->joint = joints[i];
    b->mass = 2;
    b->com[0] = 0.1;
    b->inertia[0] = b->inertia[3] = b->inertia[5] = 0.01;
    b->place.xyz[0] = 0.3;
  }
  body(s, UPPER)->joint_name = "shoulder";
  s->frame[0] = (ap_frame_def){.name = "grip", .body = TOOL, .xyz = {0, 0, 0.1}};
  s->frame[1] = (ap_frame_def){.name = "mark", .body = 0};
  s->def = ap_default_robot();
  s->def.bodies = s->body;
  s->def.nbody = BODIES;
  s->def.frames = s->frame;
  s->def.nframe = FRAMES;
}

static bool sample_make(sample *s) {
  size_t size = ap_model_size(&s->def);
  free(s->memory);
  s->memory = malloc(size ? size : 1);
  s->model = ap_model_init(&s->def, s->memory, size, &s->error);
  return s->model != NULL;
}

static void sample_free(sample *s) { free(s->memory); }

// ---- refused ----------------------------------------------------------------------------------

// The sample with one change is refused; the message names the place and the field.
#define REFUSED(place, field, change)                                     \
  do {                                                                    \
    sample s;                                                             \
    sample_init(&s);                                                      \
    CHECK(sample_make(&s));                                               \
    change;                                                               \
    test_context("%s", #change);                                          \
    if (CHECK(!sample_make(&s))) {                                        \
      CHECK(s.error.status == AP_E_MODEL);                                \
      CHECK(s.error.line == 0);                                           \
      CHECK_HAS(s.error.text, place);                                     \
      CHECK_HAS(s.error.text, field);                                     \
      CHECK_HAS(s.error.text, "(");                                       \
    }                                                                     \
    CHECK(!ap_model_init(&s.def, s.memory, ap_model_size(&s.def), NULL)); \
    sample_free(&s);                                                      \
  } while (0)

TEST(numbers_that_are_not_finite_are_refused) {
  REFUSED("\"upper\"", "mass", body(&s, UPPER)->mass = NAN);
  REFUSED("\"upper\"", "mass", body(&s, UPPER)->mass = INFINITY);
  REFUSED("\"foot\"", "com[2]", body(&s, FOOT)->com[2] = NAN);
  REFUSED("\"tool\"", "inertia[5]", body(&s, TOOL)->inertia[5] = -INFINITY);
  REFUSED("\"tool\"", "inertia_rpy[0]", body(&s, TOOL)->inertia_rpy[0] = NAN);
  REFUSED("\"upper\"", "viscous", body(&s, UPPER)->viscous = NAN);
  REFUSED("\"upper\"", "coulomb", body(&s, UPPER)->coulomb = INFINITY);
  REFUSED("\"upper\"", "stiction is nan", body(&s, UPPER)->stiction = NAN);
  REFUSED("\"upper\"", "rotor_inertia", body(&s, UPPER)->rotor_inertia = NAN);
  REFUSED("\"upper\"", "gear_ratio", body(&s, UPPER)->gear_ratio = NAN);
  REFUSED("\"ball\"", "place.xyz[1]", body(&s, BALL)->place.xyz[1] = NAN);
  REFUSED("\"ball\"", "place.rpy[1]", body(&s, BALL)->place.rpy[1] = INFINITY);
  REFUSED("\"lower\"", "axis[0]", body(&s, LOWER)->axis[0] = NAN);
  REFUSED("\"lower\"", "place.alpha",
          (body(&s, LOWER)->place.kind = AP_DH_MODIFIED, body(&s, LOWER)->place.alpha = NAN));
  REFUSED("\"lower\"", "place.a",
          (body(&s, LOWER)->place.kind = AP_DH_STANDARD, body(&s, LOWER)->place.a = NAN));
  REFUSED("\"lower\"", "place.d",
          (body(&s, LOWER)->place.kind = AP_DH_VALERA, body(&s, LOWER)->place.d = NAN));
  REFUSED("\"lower\"", "place.theta",
          (body(&s, LOWER)->place.kind = AP_DH_VALERA, body(&s, LOWER)->place.theta = NAN));
  REFUSED("\"lower\"", "place.matrix[4]",
          (body(&s, LOWER)->place.kind = AP_PLACE_MATRIX, body(&s, LOWER)->place.matrix[4] = NAN));
  REFUSED("\"grip\"", "xyz[2]", s.frame[0].xyz[2] = NAN);
  REFUSED("\"grip\"", "rpy[1]", s.frame[0].rpy[1] = INFINITY);
  REFUSED("gravity[1]", "finite", s.def.gravity[1] = NAN);
  REFUSED("\"slide\"", "overflows", body(&s, SLIDE)->com[0] = body(&s, TOOL)->com[1] = 1e300);
}

TEST(numbers_out_of_range_are_refused) {
  REFUSED("\"upper\"", "mass", body(&s, UPPER)->mass = -1);
  REFUSED("\"foot\"", "mass", body(&s, FOOT)->mass = -1e-300);
  REFUSED("\"upper\"", "viscous", body(&s, UPPER)->viscous = -1);
  REFUSED("\"upper\"", "coulomb", body(&s, UPPER)->coulomb = -1);
  REFUSED("\"upper\"", "stiction is -1 (it must be zero or more)", body(&s, UPPER)->stiction = -1);
  REFUSED("\"upper\"", "stiction is 1, below coulomb, 2",
          (body(&s, UPPER)->stiction = 1, body(&s, UPPER)->coulomb = 2));
  REFUSED("\"upper\"", "rotor_inertia", body(&s, UPPER)->rotor_inertia = -1);
  REFUSED("\"upper\"", "velocity_limit", body(&s, UPPER)->velocity_limit = -1);
  REFUSED("\"upper\"", "effort_limit", body(&s, UPPER)->effort_limit = NAN);
  REFUSED("\"upper\"", "lower", body(&s, UPPER)->lower = NAN);
  REFUSED("\"upper\"", "lower", body(&s, UPPER)->lower = INFINITY);
  REFUSED("\"upper\"", "upper", body(&s, UPPER)->upper = -INFINITY);
  REFUSED("\"upper\"", "upper is nan", body(&s, UPPER)->upper = NAN);
  REFUSED("\"upper\"", "lower is 2, above upper",
          (body(&s, UPPER)->lower = 2, body(&s, UPPER)->upper = 1));
  REFUSED("\"slide\"", "principal moment", body(&s, SLIDE)->inertia[0] = -1);
  REFUSED("\"lower\"", "principal moment", body(&s, LOWER)->inertia[1] = 0.010001);
  REFUSED("\"lower\"", "-2e-09",
          (body(&s, LOWER)->inertia[0] = -2e-9, body(&s, LOWER)->com[0] = 0));
}

TEST(joints_that_cannot_be_are_refused) {
  REFUSED("\"lower\"", "parent", body(&s, LOWER)->parent = LOWER);
  REFUSED("\"lower\"", "parent", body(&s, LOWER)->parent = TOOL);
  REFUSED("\"lower\"", "parent", body(&s, LOWER)->parent = -1);
  REFUSED("\"lower\"", "axis", body(&s, LOWER)->axis[2] = 0);
  REFUSED("\"slide\"", "axis", body(&s, SLIDE)->axis[2] = 0);
  REFUSED("\"slide\"", "axis", (body(&s, SLIDE)->joint = AP_PLANAR, body(&s, SLIDE)->axis[2] = 0));
  REFUSED("\"lower\"", "joint is 6", body(&s, LOWER)->joint = (ap_joint_type)6);
  REFUSED("\"lower\"", "joint is -1", body(&s, LOWER)->joint = (ap_joint_type)-1);
  REFUSED("\"lower\"", "place.kind is 5", body(&s, LOWER)->place.kind = (ap_placement_kind)5);
  REFUSED("\"ball\"", "viscous", body(&s, BALL)->viscous = 1);
  REFUSED("\"ball\"", "coulomb", body(&s, BALL)->coulomb = 1);
  REFUSED("\"ball\"", "stiction", body(&s, BALL)->stiction = 1);
  REFUSED("\"tool\"", "rotor_inertia", body(&s, TOOL)->rotor_inertia = 1);
}

static void use_matrix(ap_body_def *b, double xx, double zz) {
  b->place.kind = AP_PLACE_MATRIX;
  b->place.matrix[0] = xx;
  b->place.matrix[8] = zz;
}

TEST(matrices_that_do_not_rotate_are_refused) {
  REFUSED("\"tool\"", "place.matrix", use_matrix(body(&s, TOOL), 1.001, 1));
  REFUSED("\"tool\"", "place.matrix", use_matrix(body(&s, TOOL), 0, 0));
  REFUSED("\"tool\"", "reflection", use_matrix(body(&s, TOOL), 1, -1));
  REFUSED("\"upper\"", "place.matrix", use_matrix(body(&s, UPPER), 1e200, 1));
}

TEST(names_must_be_there_and_differ) {
  REFUSED("body 3", "name", body(&s, LOWER)->name = NULL);
  REFUSED("body 3", "name", body(&s, LOWER)->name = "");
  REFUSED("\"lower\"", "joint_name", body(&s, LOWER)->joint_name = "");
  REFUSED("\"upper\"", "name", body(&s, BALL)->name = "upper");
  REFUSED("\"ball\"", "joint_name \"shoulder\"", body(&s, BALL)->joint_name = "shoulder");
  REFUSED("\"ball\"", "joint_name \"slide\"", body(&s, BALL)->joint_name = "slide");
  REFUSED("frame 1", "name", s.frame[1].name = NULL);
  REFUSED("\"grip\"", "earlier frame", s.frame[1].name = "grip");
  REFUSED("\"ball\"", "a body", s.frame[1].name = "ball");
  REFUSED("\"mark\"", "body is 7", s.frame[1].body = BODIES + 1);
  REFUSED("\"mark\"", "body is -1", s.frame[1].body = -1);
}

// Names are unique among bodies and among joints, not across.
TEST(a_body_and_a_joint_may_share_a_name) {
  sample s;
  sample_init(&s);
  body(&s, UPPER)->joint_name = "ball";
  body(&s, BALL)->joint_name = "upper";
  if (CHECK(sample_make(&s))) {
    CHECK_EQ_INT(ap_find_joint(s.model, "ball"), UPPER);
    CHECK_EQ_INT(ap_find_body(s.model, "ball"), BALL);
  }
  sample_free(&s);
}

static void follow(sample *s, int follower, int leader, double ratio, double offset) {
  ap_body_def *b = body(s, follower);
  b->mimic = leader;
  b->mimic_ratio = ratio;
  b->mimic_offset = offset;
}

TEST(mimics_that_cannot_follow_are_refused) {
  REFUSED("\"upper\"", "mimic is 7", follow(&s, UPPER, 7, 1, 0));
  REFUSED("\"upper\"", "mimic is -1", follow(&s, UPPER, -1, 1, 0));
  REFUSED("\"upper\"", "mimic", follow(&s, UPPER, UPPER, 1, 0));
  REFUSED("\"upper\"", "cannot follow \"tool\"", follow(&s, UPPER, TOOL, 1, 0));
  REFUSED("\"upper\"", "cannot follow \"ball\"", follow(&s, UPPER, BALL, 1, 0));
  REFUSED("\"ball\"", "cannot follow \"upper\"", follow(&s, BALL, UPPER, 1, 0));
  REFUSED("\"tool\"", "cannot follow \"upper\"", follow(&s, TOOL, UPPER, 1, 0));
  REFUSED("\"upper\"", "mimic_ratio", follow(&s, UPPER, LOWER, NAN, 0));
  REFUSED("\"upper\"", "mimic_offset", follow(&s, UPPER, LOWER, 1, INFINITY));
  REFUSED("\"upper\"", "fixed joint", follow(&s, UPPER, LOWER, 0, 0));
  REFUSED("mimic", "follows itself",
          (follow(&s, UPPER, LOWER, 1, 0), follow(&s, LOWER, UPPER, 1, 0)));
  REFUSED("mimic", "follows itself",
          (follow(&s, UPPER, LOWER, 1, 0), follow(&s, LOWER, SLIDE, 1, 0),
           follow(&s, SLIDE, LOWER, 1, 0)));
  REFUSED("\"upper\"", "mimic_ratio",
          (follow(&s, UPPER, LOWER, 1e200, 0), follow(&s, LOWER, SLIDE, 1e200, 0)));
  REFUSED("\"upper\"", "mimic_ratio",
          (follow(&s, UPPER, LOWER, 1e-200, 0), follow(&s, LOWER, SLIDE, 1e-200, 0)));
}

TEST(counts_out_of_range_are_refused) {
  sample s;
  sample_init(&s);
  static const int counts[] = {-1, INT32_MIN, 1000001, INT32_MAX};
  for (int i = 0; i < 4; i++) {
    s.def.nbody = counts[i];
    CHECK(ap_model_size(&s.def) == 0);
    CHECK(!sample_make(&s));
    CHECK_HAS(s.error.text, "nbody");
    s.def.nbody = BODIES;
    s.def.nframe = counts[i];
    CHECK(ap_model_size(&s.def) == 0);
    CHECK(!sample_make(&s));
    CHECK_HAS(s.error.text, "nframe");
    s.def.nframe = FRAMES;
  }
  s.def.frames = NULL;
  CHECK(!sample_make(&s));
  CHECK_STATUS(s.error.status, AP_E_ARG);
  CHECK(ap_model_size(NULL) == 0);
  CHECK(!ap_model_init(NULL, s.memory, 1, &s.error));
  CHECK_STATUS(s.error.status, AP_E_ARG);
  sample_free(&s);
}

TEST(a_long_name_leaves_room_for_the_reason) {
  sample s;
  char name[1000];
  sample_init(&s);
  memset(name, 'n', sizeof name);
  name[999] = '\0';
  body(&s, UPPER)->name = name;
  CHECK(sample_make(&s));
  body(&s, UPPER)->mass = -1;
  CHECK(!sample_make(&s));
  CHECK_HAS(s.error.text, "mass is -1 (it must be zero or more)");
  sample_free(&s);
}

// ---- allowed ----------------------------------------------------------------------------------

TEST(fields_that_are_not_read_may_hold_anything) {
  sample s;
  sample_init(&s);
  body(&s, UPPER)->place.alpha = NAN; // placed by rpy
  body(&s, UPPER)->place.matrix[0] = NAN;
  body(&s, LOWER)->place.kind = AP_DH_MODIFIED;
  body(&s, LOWER)->place.xyz[0] = NAN;
  body(&s, LOWER)->axis[2] = 0;       // DH: the axis is z
  body(&s, BALL)->axis[2] = NAN;      // a ball has none
  body(&s, TOOL)->axis[2] = 0;        // nor has a fixed joint
  body(&s, UPPER)->mimic_ratio = NAN; // it follows none
  CHECK(sample_make(&s));
  CHECK_STATUS(s.error.status, AP_OK);
  CHECK_STR(s.error.text, "");
  sample_free(&s);
}

TEST(a_robot_may_have_nothing_that_moves) {
  ap_robot_def def = ap_default_robot();
  unsigned char memory[4096];
  def.name = NULL;
  size_t size = ap_model_size(&def);
  CHECK(size > 0 && size <= sizeof memory);
  ap_model *m = ap_model_init(&def, memory, size, NULL);
  if (CHECK(m)) {
    CHECK_EQ_INT(ap_nv(m), 0);
    CHECK_EQ_INT(ap_nq(m), 0);
    CHECK_EQ_INT(ap_nbody(m), 1);
    CHECK_EQ_INT(ap_nframe(m), 1);
    CHECK_STR(ap_model_name(m), "robot");
    CHECK_STR(ap_frame_name(m, 0), "ground");
    CHECK_EQ_INT(ap_body_mover(m, 0), 0);
    CHECK_EQ_INT(ap_joint_q(m, 0), -1);
  }
}

// ---- memory -----------------------------------------------------------------------------------

// Every size below what was asked for is refused, and nothing is written beyond it: the block is
// just as large, so that the address sanitizer sees.
TEST(too_little_memory_is_refused) {
  sample s;
  sample_init(&s);
  size_t needed = ap_model_size(&s.def);
  for (size_t size = 0; size < needed; size++) {
    void *memory = malloc(size ? size : 1);
    ap_error e;
    bool refused = ap_model_init(&s.def, memory, size, &e) == NULL;
    if (!CHECK(refused && e.status == AP_E_MEMORY)) size = needed;
    free(memory);
  }
  CHECK(!ap_model_init(&s.def, NULL, needed, &s.error));
  CHECK_STATUS(s.error.status, AP_E_MEMORY);
}

TEST(any_alignment_will_do) {
  sample s;
  sample_init(&s);
  size_t needed = ap_model_size(&s.def);
  for (size_t shift = 0; shift < 65; shift++) {
    unsigned char *memory = malloc(needed + shift);
    ap_model *m = ap_model_init(&s.def, memory + shift, needed, NULL);
    if (CHECK(m)) {
      CHECK_EQ_INT(ap_nv(m), 6);
      CHECK_STR(ap_frame_name(m, 8), "mark");
    }
    free(memory);
  }
}

TEST(the_definition_may_go_away) {
  sample s;
  char name[] = "arm", joint[] = "hinge", frame[] = "tip", robot[] = "thing";
  sample_init(&s);
  s.def.name = robot;
  body(&s, UPPER)->name = name;
  body(&s, UPPER)->joint_name = joint;
  s.frame[0].name = frame;
  CHECK(sample_make(&s));
  robot[0] = name[0] = joint[0] = frame[0] = '?';
  memset(s.body, 0, sizeof s.body);
  memset(s.frame, 0, sizeof s.frame);
  CHECK_STR(ap_model_name(s.model), "thing");
  CHECK_STR(ap_body(s.model, UPPER)->name, "arm");
  CHECK_STR(ap_body(s.model, UPPER)->joint_name, "hinge");
  CHECK_STR(ap_body(s.model, LOWER)->joint_name, "lower");
  CHECK_EQ_INT(ap_find_frame(s.model, "tip"), 7);
  CHECK(ap_body(s.model, UPPER)->mass == 2);
  sample_free(&s);
}

// ---- topology and names -----------------------------------------------------------------------

TEST(fixed_links_belong_to_what_carries_them) {
  sample s;
  sample_init(&s);
  CHECK(sample_make(&s));
  const ap_model *m = s.model;
  static const int movers[] = {0, 0, UPPER, LOWER, SLIDE, SLIDE, BALL};
  static const int q[] = {-1, -1, 0, 1, 2, -1, 3}, nq[] = {0, 0, 1, 1, 1, 0, 4};
  static const int v[] = {-1, -1, 0, 1, 2, -1, 3}, nv[] = {0, 0, 1, 1, 1, 0, 3};
  CHECK_EQ_INT(ap_nbody(m), 7);
  CHECK_EQ_INT(ap_nframe(m), 9);
  CHECK_EQ_INT(ap_nq(m), 7);
  CHECK_EQ_INT(ap_nv(m), 6);
  for (int i = 0; i < 7; i++) {
    CHECK_EQ_INT(ap_body_mover(m, i), movers[i]);
    CHECK_EQ_INT(ap_joint_q(m, i), q[i]);
    CHECK_EQ_INT(ap_joint_v(m, i), v[i]);
    CHECK_EQ_INT(ap_joint_nq(m, i), nq[i]);
    CHECK_EQ_INT(ap_joint_nv(m, i), nv[i]);
  }
  double neutral[7];
  ap_neutral(m, neutral);
  CHECK_BITS(neutral, ((double[]){0, 0, 0, 0, 0, 0, 1}), 7);
  CHECK_BITS(ap_gravity(m), ((double[]){0, 0, -9.81}), 3);
  sample_free(&s);
}

TEST(names_are_found) {
  sample s;
  sample_init(&s);
  CHECK(sample_make(&s));
  const ap_model *m = s.model;
  CHECK_EQ_INT(ap_find_body(m, "tool"), TOOL);
  CHECK_EQ_INT(ap_find_body(m, "ground"), 0);
  CHECK_EQ_INT(ap_find_body(m, "grip"), -1);
  CHECK_EQ_INT(ap_find_body(m, NULL), -1);
  CHECK_EQ_INT(ap_find_joint(m, "shoulder"), UPPER);
  CHECK_EQ_INT(ap_find_joint(m, "upper"), -1);
  CHECK_EQ_INT(ap_find_joint(m, "lower"), LOWER);
  CHECK_EQ_INT(ap_find_joint(m, ""), -1);
  CHECK_EQ_INT(ap_find_frame(m, "ball"), BALL);
  CHECK_EQ_INT(ap_find_frame(m, "grip"), 7);
  CHECK_EQ_INT(ap_find_frame(m, "ground"), 0);
  CHECK_EQ_INT(ap_find_frame(m, "nothing"), -1);
  for (int i = 0; i < ap_nframe(m); i++) CHECK_EQ_INT(ap_find_frame(m, ap_frame_name(m, i)), i);
  sample_free(&s);
}

TEST(a_body_may_be_called_ground) {
  sample s;
  sample_init(&s);
  body(&s, FOOT)->name = "ground";
  CHECK(sample_make(&s));
  CHECK_EQ_INT(ap_find_body(s.model, "ground"), FOOT);
  CHECK_EQ_INT(ap_find_frame(s.model, "ground"), FOOT);
  sample_free(&s);
}

// Many bodies in a long chain of followers, leaders last: linear work, no recursion.
TEST(long_chains_of_followers) {
  enum { N = 20000 };
  ap_body_def *bodies = malloc(N * sizeof *bodies);
  char(*names)[16] = malloc(N * sizeof *names);
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%d", i);
    bodies[i] = ap_default_body();
    bodies[i].name = names[i];
    bodies[i].joint = AP_REVOLUTE;
    bodies[i].mimic = i + 1 < N ? i + 2 : 0;
    bodies[i].mimic_ratio = -1;
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = bodies;
  def.nbody = N;
  size_t size = ap_model_size(&def);
  void *memory = malloc(size);
  ap_error e;
  ap_model *m = ap_model_init(&def, memory, size, &e);
  if (CHECK(m)) {
    CHECK_EQ_INT(ap_nq(m), 1);
    CHECK_EQ_INT(ap_joint_q(m, 1), 0);
    CHECK_EQ_INT(ap_joint_nq(m, N), 1);
    CHECK_EQ_INT(ap_joint_nq(m, 1), 0);
  }
  bodies[N - 1].mimic = N / 2;
  CHECK(!ap_model_init(&def, memory, size, &e));
  CHECK_HAS(e.text, "follows itself");
  bodies[N - 1].mimic = 0;
  bodies[N - 1].name = bodies[17].name;
  CHECK(!ap_model_init(&def, memory, size, &e));
  CHECK_HAS(e.text, "bodies 18 and 20000");
  free(memory);
  free(names);
  free(bodies);
}

TEST(chains_of_followers_end_at_their_leader) {
  sample s;
  sample_init(&s);
  follow(&s, UPPER, LOWER, 2, 0.5); // the leaders come later
  follow(&s, LOWER, SLIDE, -3, 0.25);
  CHECK(sample_make(&s));
  const ap_model *m = s.model;
  CHECK_EQ_INT(ap_nq(m), 5);
  CHECK_EQ_INT(ap_nv(m), 4);
  for (int i = UPPER; i <= SLIDE; i++) {
    CHECK_EQ_INT(ap_joint_q(m, i), 0);
    CHECK_EQ_INT(ap_joint_v(m, i), 0);
    CHECK_EQ_INT(ap_joint_nq(m, i), i == SLIDE);
    CHECK_EQ_INT(ap_joint_nv(m, i), i == SLIDE);
  }
  CHECK_EQ_INT(ap_joint_q(m, BALL), 1);
  sample_free(&s);
}

// ---- merged inertia ---------------------------------------------------------------------------

TEST(fixed_links_are_merged) {
  sample s;
  sample_init(&s);
  // Two point masses of 2 kg at x = 0.1 and, through the tool turned by 90 degrees about z, at
  // (0.3, 0.1, 0): centre (0.2, 0.05, 0), inertia 2 * 2 kg * (half the distance)^2.
  ap_body_def *slide = body(&s, SLIDE), *tool = body(&s, TOOL);
  memset(slide->inertia, 0, sizeof slide->inertia);
  memset(tool->inertia, 0, sizeof tool->inertia);
  tool->place.rpy[2] = acos(0);
  slide->axis[0] = 1; // the frame inside is another than the link's
  CHECK(sample_make(&s));
  double mass, com[3], inertia[6];
  ap_merged_inertia(s.model, SLIDE, &mass, com, inertia);
  CHECK(mass == 4);
  CHECK_WITHIN(com, ((double[]){0.2, 0.05, 0}), 3, 1e-16);
  CHECK_WITHIN(inertia, ((double[]){0.01, -0.02, 0, 0.04, 0, 0.05}), 6, 1e-16);
  // The same body seen from the tool.
  ap_merged_inertia(s.model, TOOL, &mass, com, inertia);
  CHECK_WITHIN(com, ((double[]){0.05, 0.1, 0}), 3, 1e-16);
  CHECK_WITHIN(inertia, ((double[]){0.04, 0.02, 0, 0.01, 0, 0.05}), 6, 1e-16);
  CHECK_EQ_INT(ap_model_remarks(s.model), 0); // a zero moment is no negative one
  sample_free(&s);
}

TEST(a_link_of_its_own_keeps_its_inertia) {
  sample s;
  sample_init(&s);
  ap_body_def *upper = body(&s, UPPER);
  double inertia[6] = {0.03, 0.001, -0.002, 0.04, 0.003, 0.05}, mass, com[3], merged[6];
  memcpy(upper->inertia, inertia, sizeof inertia);
  upper->axis[0] = -2;
  upper->axis[1] = 0.5;
  CHECK(sample_make(&s));
  ap_merged_inertia(s.model, UPPER, &mass, com, merged);
  CHECK(mass == 2);
  CHECK_WITHIN(com, upper->com, 3, 1e-16);
  CHECK_NEAR(merged, inertia, 6, 1e-15);
  sample_free(&s);
}

// ---- remarks ----------------------------------------------------------------------------------

// The first remark of the kind, or none (body -1).
static ap_remark find_remark(const ap_model *m, ap_remark_kind kind) {
  for (int i = 0; i < ap_model_remarks(m); i++) {
    if (ap_model_remark(m, i).kind == kind) return ap_model_remark(m, i);
  }
  return (ap_remark){kind, -1, 0, 0};
}

// The changed sample has exactly this one remark, on this body, and its text says so.
#define REMARKED(its_kind, number, word, change)                                \
  do {                                                                          \
    sample s;                                                                   \
    char text[200];                                                             \
    sample_init(&s);                                                            \
    change;                                                                     \
    test_context("%s", #change);                                                \
    if (CHECK(sample_make(&s)) && CHECK_EQ_INT(ap_model_remarks(s.model), 1)) { \
      ap_remark r = find_remark(s.model, its_kind);                             \
      CHECK_EQ_INT(r.body, number);                                             \
      CHECK(ap_remark_text(s.model, r, text, sizeof text) == text);             \
      CHECK_HAS(text, word);                                                    \
      CHECK_HAS(text, s.body[(number)-1].name);                                 \
    }                                                                           \
    sample_free(&s);                                                            \
  } while (0)

#define NOT_REMARKED(change)                                                \
  do {                                                                      \
    sample s;                                                               \
    sample_init(&s);                                                        \
    change;                                                                 \
    test_context("%s", #change);                                            \
    if (CHECK(sample_make(&s))) CHECK_EQ_INT(ap_model_remarks(s.model), 0); \
    sample_free(&s);                                                        \
  } while (0)

static void set_moments(ap_body_def *b, double xx, double yy, double zz) {
  memset(b->inertia, 0, sizeof b->inertia);
  b->inertia[0] = xx;
  b->inertia[3] = yy;
  b->inertia[5] = zz;
}

TEST(triangle_inequality) {
  NOT_REMARKED((void)0);
  NOT_REMARKED(set_moments(body(&s, UPPER), 5.89e-5, 2.94e-5, 2.94e-5)); // Shafei 2018, Table 2
  NOT_REMARKED(set_moments(body(&s, UPPER), 0.01, 0.01, 0.02));
  REMARKED(AP_REMARK_TRIANGLE, UPPER, "triangle", set_moments(body(&s, UPPER), 0.01, 0.01, 0.0202));
  // A link that breaks it is no matter where the whole body does not.
  NOT_REMARKED((set_moments(body(&s, TOOL), 0.01, 0.01, 0.0202), body(&s, TOOL)->place.rpy[0] = 1));
}

TEST(small_negative_moments) {
  REMARKED(AP_REMARK_NOT_POSITIVE, UPPER, "negative",
           set_moments(body(&s, UPPER), -0.5e-9, 0.01, 0.01));
  REMARKED(AP_REMARK_NOT_POSITIVE, UPPER, "negative",
           set_moments(body(&s, UPPER), -0.999e-9, 0.01, 0.01));
}

static void make_massless(ap_body_def *b) {
  b->mass = 0;
  set_moments(b, 0, 0, 0);
}

TEST(massless_leaves) {
  REMARKED(AP_REMARK_MASSLESS_LEAF, BALL, "no mass", make_massless(body(&s, BALL)));
  REMARKED(AP_REMARK_MASSLESS_LEAF, SLIDE, "no mass",
           (make_massless(body(&s, SLIDE)), make_massless(body(&s, TOOL))));
  NOT_REMARKED(make_massless(body(&s, SLIDE))); // the tool is fixed to it
  NOT_REMARKED(make_massless(body(&s, UPPER))); // the lower arm hangs on it
  NOT_REMARKED(make_massless(body(&s, FOOT)));  // it does not move
  // A point mass on a ball joint resists two turns of three.
  REMARKED(AP_REMARK_MASSLESS_LEAF, BALL, "no inertia", set_moments(body(&s, BALL), 0, 0, 0));
  NOT_REMARKED((set_moments(body(&s, BALL), 0, 0, 0), body(&s, BALL)->joint = AP_REVOLUTE));
  REMARKED(AP_REMARK_MASSLESS_LEAF, BALL, "no inertia",
           (set_moments(body(&s, BALL), 0, 0, 0), body(&s, BALL)->joint = AP_REVOLUTE,
            body(&s, BALL)->axis[2] = 0, body(&s, BALL)->axis[0] = 1));
  NOT_REMARKED((set_moments(body(&s, BALL), 0, 0, 0), body(&s, BALL)->joint = AP_PRISMATIC));
  REMARKED(AP_REMARK_MASSLESS_LEAF, BALL, "no inertia",
           (set_moments(body(&s, BALL), 0, 0, 0), body(&s, BALL)->joint = AP_FREE));
  REMARKED(AP_REMARK_MASSLESS_LEAF, BALL, "no inertia",
           (set_moments(body(&s, BALL), 0, 0, 0), body(&s, BALL)->joint = AP_PLANAR));
}

TEST(radius_of_gyration) {
  // The longest link reaches 0.316 m, to the grip; 2 kg at 0.395 m is the bound of all others, too.
  NOT_REMARKED(set_moments(body(&s, UPPER), 0.31, 0.31, 0.31));
  REMARKED(AP_REMARK_GYRATION, UPPER, "gyration", set_moments(body(&s, UPPER), 0.32, 0.32, 0.32));
}

TEST(matrices_that_nearly_rotate) {
  NOT_REMARKED(use_matrix(body(&s, TOOL), 1 + 1e-13, 1));
  REMARKED(AP_REMARK_NOT_ROTATION, TOOL, "orthonormal", use_matrix(body(&s, TOOL), 1 + 1e-9, 1));
  REMARKED(AP_REMARK_NOT_ROTATION, LOWER, "orthonormal", use_matrix(body(&s, LOWER), 1 - 4e-7, 1));
}

TEST(a_remark_is_cut_to_size) {
  sample s;
  char text[400], cut[400];
  sample_init(&s);
  make_massless(body(&s, BALL));
  CHECK(sample_make(&s));
  ap_remark r = ap_model_remark(s.model, 0);
  size_t length = strlen(ap_remark_text(s.model, r, text, sizeof text));
  for (size_t size = 1; size < length + 2; size++) {
    memset(cut, '#', sizeof cut);
    ap_remark_text(s.model, r, cut, size);
    CHECK(strlen(cut) == (size > length ? length : size - 1));
    CHECK(strncmp(cut, text, size - 1) == 0 && cut[size] == '#');
  }
  CHECK(ap_remark_text(s.model, r, cut, 0) == cut);
  sample_free(&s);
}

// As many remarks as a robot can have fit: the address sanitizer looks on.
TEST(all_remarks_fit) {
  enum { N = 40 };
  ap_body_def bodies[N];
  char names[N][16];
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%d", i);
    bodies[i] = ap_default_body();
    bodies[i].name = names[i];
    bodies[i].joint = i % 3 == 2 ? AP_FIXED : AP_REVOLUTE;
    bodies[i].axis[2] = 0, bodies[i].axis[0] = 1;
    use_matrix(&bodies[i], 1 + 1e-8, 1);
    bodies[i].place.xyz[0] = 1e-3;
    bodies[i].mass = 1;
    set_moments(&bodies[i], i % 3 == 2 ? 0 : -1e-10, 1, 1); // no inertia about the joint
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = bodies;
  def.nbody = N;
  size_t size = ap_model_size(&def);
  void *memory = malloc(size);
  ap_model *m = ap_model_init(&def, memory, size, NULL);
  if (CHECK(m)) {
    CHECK(ap_model_remarks(m) > 2 * N);
    for (int i = 0; i < ap_model_remarks(m); i++) {
      char text[100];
      ap_remark_text(m, ap_model_remark(m, i), text, sizeof text);
      CHECK_HAS(text, "body \"");
    }
  }
  free(memory);
}

// ---- built-in robots --------------------------------------------------------------------------

static ap_model *load_builtin(const char *name, void **memory) {
  const ap_robot_def *def = ap_builtin(name);
  *memory = NULL;
  if (!CHECK(def)) return NULL;
  size_t size = ap_model_size(def);
  ap_error e;
  *memory = malloc(size);
  ap_model *m = ap_model_init(def, *memory, size, &e);
  if (!CHECK(m)) printf("%s: %s\n", name, e.text);
  return m;
}

TEST(builtins_load) {
  static const struct {
    const char *name;
    int nv, remarks;
    double mass;
  } expected[] = {
      {"puma600", 6, 2, 10.521 + 15.781 + 8.767 + 1.052 + 1.052 + 0.351},
      {"stanford", 6, 0, 9.29 + 5.01 + 4.25 + 1.08 + 0.63 + 0.51},
      {"scara", 4, 0, 14.5},
      {"ascher2", 2, 0, 10.1},
      {"shafei-tree", 12, 0, 10},
      {"quadruped", 18, 0, 12 + 4 * 2.8},
  };
  int count = 0;
  while (ap_builtin_name(count) != NULL) count++;
  CHECK_EQ_INT(count, 6);
  CHECK(ap_builtin_about(count) == NULL && ap_builtin_name(-1) == NULL);
  CHECK(ap_builtin("nobody") == NULL && ap_builtin(NULL) == NULL);
  for (int i = 0; i < count; i++) {
    void *memory;
    test_context("%s", expected[i].name);
    CHECK_STR(ap_builtin_name(i), expected[i].name);
    CHECK(strlen(ap_builtin_about(i)) > 20);
    ap_model *m = load_builtin(expected[i].name, &memory);
    if (m) {
      double total = 0, mass, com[3], inertia[6];
      CHECK_STR(ap_model_name(m), expected[i].name);
      CHECK_EQ_INT(ap_nv(m), expected[i].nv);
      CHECK_EQ_INT(ap_model_remarks(m), expected[i].remarks);
      for (int b = 1; b < ap_nbody(m); b++) {
        ap_merged_inertia(m, b, &mass, com, inertia);
        total += mass;
      }
      CHECK_CLOSE(total, expected[i].mass, 1e-14 * total);
    }
    free(memory);
  }
}

// errata.md, part 1: "a model checker should remark on them".
TEST(puma_links_2_and_3_are_remarked) {
  void *memory;
  ap_model *m = load_builtin("puma600", &memory);
  double radius[7] = {0};
  for (int i = 0; m && i < ap_model_remarks(m); i++) {
    ap_remark r = ap_model_remark(m, i);
    CHECK_EQ_INT(r.kind, AP_REMARK_GYRATION);
    radius[r.body] = r.value;
  }
  CHECK_CLOSE(radius[2], 0.72, 0.005);
  CHECK_CLOSE(radius[3], 0.62, 0.005);
  free(memory);
}

TEST(shafei_tree_has_its_promised_joints) {
  static const char *const names[] = {"X1", "X2", "q1", "q2", "q3", "q4",
                                      "q5", "q6", "q7", "q8", "q9", "q10"};
  void *memory;
  ap_model *m = load_builtin("shafei-tree", &memory);
  for (int i = 0; m && i < 12; i++) {
    int b = ap_find_joint(m, names[i]);
    CHECK_EQ_INT(b, i + 1);
    CHECK_EQ_INT(ap_joint_q(m, b), i);
  }
  if (m) CHECK_EQ_INT(ap_find_frame(m, "O11"), 23);
  if (m) CHECK_CLOSE(ap_body(m, 5)->inertia[5], 0.08336273333333333, 1e-17);
  free(memory);
}
