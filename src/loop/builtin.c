// SPDX-License-Identifier: Apache-2.0
// Built-in mechanisms, each with its source and what had to be assumed.

#include <appell/loop.h>

#include <math.h>
#include <string.h>

#define HALF_PI 1.5707963267948966
#define DEGREES (HALF_PI / 90)

#define BODY(body_name, parent_number, type, ...)                                                 \
  {                                                                                               \
    .name = body_name, .parent = parent_number, .joint = type, .gear_ratio = 1, .mimic_ratio = 1, \
    .cookie = AP_COOKIE, .lower = -INFINITY, .upper = INFINITY, .velocity_limit = INFINITY,       \
    .effort_limit = INFINITY, __VA_ARGS__                                                         \
  }
#define AT(x, y, z, roll, pitch, yaw) \
  .place = {.kind = AP_PLACE_RPY, .xyz = {x, y, z}, .rpy = {roll, pitch, yaw}}
#define AXIS(x, y, z)        .axis = {x, y, z}
#define MASS(kg, x, y, z)    .mass = (kg), .com = {x, y, z}
#define DIAGONAL(xx, yy, zz) .inertia = {xx, 0, 0, yy, 0, zz}
// A slender rod along x from the origin.
#define ROD(kg, length)         \
  MASS(kg, (length) / 2, 0, 0), \
      DIAGONAL(0, (kg) * (length) * (length) / 12, (kg) * (length) * (length) / 12)

#define JOINED(its_name, a, ax, ay, az, b, bx, by, bz)                                     \
  {                                                                                        \
    .name = its_name, .kind = AP_CLOSE_POINT, .cookie = AP_COOKIE, .body = {a, b}, .at = { \
      {ax, ay, az},                                                                        \
      {bx, by, bz}                                                                         \
    }                                                                                      \
  }
#define PARALLEL(its_name, a, ax, ay, az, b, bx, by, bz)                                    \
  {                                                                                         \
    .name = its_name, .kind = AP_CLOSE_AXIS, .cookie = AP_COOKIE, .body = {a, b}, .axis = { \
      {ax, ay, az},                                                                         \
      {bx, by, bz}                                                                          \
    }                                                                                       \
  }
#define POSITION(its_name, link, x, y, z, dx, dy, dz)                 \
  {                                                                   \
    its_name, AP_COORDINATE_POSITION, link, {x, y, z}, { dx, dy, dz } \
  }
#define ANGLE(its_name, its_kind, link) \
  { .name = its_name, .kind = its_kind, .body = link }

#define COUNT(array)  ((int)(sizeof(array) / sizeof *(array)))
#define BODIES(array) .bodies = array, .nbody = COUNT(array), .cookie = AP_COOKIE

// Rows of configurations, one for every combination of signs of the limbs, whose entries on + and
// on - are the macros plus and minus; then comes what belongs to no limb.
#define THREE_LIMBS(plus, minus, rest)                                                     \
  {                                                                                        \
    {plus, plus, plus, rest}, {plus, plus, minus, rest}, {plus, minus, plus, rest},        \
        {plus, minus, minus, rest}, {minus, plus, plus, rest}, {minus, plus, minus, rest}, \
        {minus, minus, plus, rest}, {minus, minus, minus, rest},                           \
  }
#define THREE_SIGNS(guess)                                                                  \
  {                                                                                         \
    {"+++", (guess)[0]}, {"++-", (guess)[1]}, {"+-+", (guess)[2]}, {"+--", (guess)[3]},     \
        {"-++", (guess)[4]}, {"-+-", (guess)[5]}, {"--+", (guess)[6]}, {"---", (guess)[7]}, \
  }

// A mechanism; its branches are named by a sign for each limb.
typedef struct builtin {
  ap_mechanism_def def;
  const char *about;
  int nx;
} builtin;

// ---- five-bar ----------------------------------------------------------------------------------
// Two arms of two slender rods in the plane xy, joined at P; motors at the ground. The point mass
// at P is part of the left rod.

#define LOAD 0.2 // kg
#define FIVE_ARM(side, x) \
  BODY(side "_arm", 0, AP_REVOLUTE, AT(x, 0, 0, 0, 0, 0), AXIS(0, 0, 1), ROD(0.5, 0.25))

static const ap_body_def five_bodies[] = {
    FIVE_ARM("left", -0.1),
    // A rod of 0.4 kg and 0.35 m with the load at its end: centre of mass at
    // (0.4 / 2 + 0.2) / 0.6 of the length, and m l^2/12 + m_rod m_load / m (l / 2)^2 about it.
    BODY("left_rod", 1, AP_REVOLUTE, AT(0.25, 0, 0, 0, 0, 0), AXIS(0, 0, 1),
         MASS(0.4 + LOAD, (0.4 / 2 + LOAD) / (0.4 + LOAD) * 0.35, 0, 0),
         DIAGONAL(0, 0.4 * 0.35 * 0.35 / 12 + 0.4 * LOAD / (0.4 + LOAD) * 0.175 * 0.175,
                  0.4 * 0.35 * 0.35 / 12 + 0.4 * LOAD / (0.4 + LOAD) * 0.175 * 0.175)),
    FIVE_ARM("right", 0.1),
    BODY("right_rod", 3, AP_REVOLUTE, AT(0.25, 0, 0, 0, 0, 0), AXIS(0, 0, 1), ROD(0.4, 0.35)),
};
static const ap_robot_def five_tree = {
    .name = "five-bar", BODIES(five_bodies), .gravity = {0, -9.81, 0}};
static const ap_closure_def five_closures[] = {JOINED("P", 2, 0.35, 0, 0, 4, 0.35, 0, 0)};
static const ap_coordinate_def five_coordinates[] = {
    POSITION("x", 2, 0.35, 0, 0, 1, 0, 0),
    POSITION("y", 2, 0.35, 0, 0, 0, 1, 0),
};
static const int five_actuated[] = {1, 3};
// P at (0, 0.42); the sign is that of acos in the arm's angle.
#define LEFT_PLUS   2.2823, -1.5628
#define LEFT_MINUS  0.3918, 1.5628
#define RIGHT_PLUS  2.7498, -1.5628
#define RIGHT_MINUS 0.8593, 1.5628
static const double five_guess[][4] = {{LEFT_PLUS, RIGHT_PLUS},
                                       {LEFT_PLUS, RIGHT_MINUS},
                                       {LEFT_MINUS, RIGHT_PLUS},
                                       {LEFT_MINUS, RIGHT_MINUS}};
static const ap_branch_def five_branches[] = {
    {"++", five_guess[0]}, {"+-", five_guess[1]}, {"-+", five_guess[2]}, {"--", five_guess[3]}};

// ---- stewart -----------------------------------------------------------------------------------
// Six legs: a universal joint (about x, then y of a frame turned by the leg's angle) in the base, a
// prismatic joint along the leg, whose coordinate is the leg's length, a ball in the platform.

#define LEG(i, first, degrees, x, y)                                                     \
  BODY("cross" #i, 0, AP_REVOLUTE, AT(x, y, 0, 0, 0, (degrees)*DEGREES), AXIS(1, 0, 0)), \
      BODY("lower" #i, first, AP_REVOLUTE, AT(0, 0, 0, 0, 0, 0), AXIS(0, 1, 0),          \
           MASS(1.2, 0, 0, 0.2), DIAGONAL(0.02, 0.02, 0.001)),                           \
      BODY("upper" #i, (first) + 1, AP_PRISMATIC, AT(0, 0, 0, 0, 0, 0), AXIS(0, 0, 1),   \
           MASS(0.8, 0, 0, -0.2), DIAGONAL(0.012, 0.012, 0.0005))

// Base points on a circle of 0.6 m, platform points on one of 0.35 m.
static const ap_body_def stewart_bodies[] = {
    LEG(1, 1, -10, 0.5908846518073247, -0.1041889066001582),
    LEG(2, 4, 10, 0.5908846518073247, 0.1041889066001582),
    LEG(3, 7, 110, -0.20521208599540122, 0.563815572471545),
    LEG(4, 10, 130, -0.3856725658119236, 0.4596266658713868),
    LEG(5, 13, 230, -0.38567256581192366, -0.45962666587138673),
    LEG(6, 16, 250, -0.2052120859954011, -0.563815572471545),
    BODY("platform", 0, AP_FREE, AT(0, 0, 0, 0, 0, 0), AXIS(0, 0, 1), MASS(8, 0.01, -0.02, 0.05),
         DIAGONAL(0.25, 0.27, 0.45)),
};
static const ap_robot_def stewart_tree = {
    .name = "stewart", BODIES(stewart_bodies), .gravity = {0, 0, -9.81}};
static const ap_closure_def stewart_closures[] = {
    JOINED("leg1", 3, 0, 0, 0, 19, 0.22497566339028877, -0.2681155550916423, 0),
    JOINED("leg2", 6, 0, 0, 0, 19, 0.22497566339028877, 0.2681155550916423, 0),
    JOINED("leg3", 9, 0, 0, 0, 19, 0.11970705016398409, 0.3288924172750679, 0),
    JOINED("leg4", 12, 0, 0, 0, 19, -0.34468271355427277, 0.060776862183425595, 0),
    JOINED("leg5", 15, 0, 0, 0, 19, -0.34468271355427277, -0.06077686218342566, 0),
    JOINED("leg6", 18, 0, 0, 0, 19, 0.11970705016398414, -0.3288924172750679, 0),
};
static const ap_coordinate_def stewart_coordinates[] = {
    POSITION("x", 19, 0, 0, 0, 1, 0, 0),     POSITION("y", 19, 0, 0, 0, 0, 1, 0),
    POSITION("z", 19, 0, 0, 0, 0, 0, 1),     ANGLE("yaw", AP_COORDINATE_YAW, 19),
    ANGLE("pitch", AP_COORDINATE_PITCH, 19), ANGLE("roll", AP_COORDINATE_ROLL, 19),
};
static const int stewart_actuated[] = {3, 6, 9, 12, 15, 18};
// The platform 0.7 m above the base.
static const double stewart_guess[][25] = {{
    0.311,  -0.424, 0.8067, -0.311, -0.424, 0.8067, 0.311,  -0.424, 0.8067,
    -0.311, -0.424, 0.8067, 0.311,  -0.424, 0.8067, -0.311, -0.424, 0.8067,
    0,      0,      0.7,    0,      0,      0,      1,
}};

// ---- agile-wrist -------------------------------------------------------------------------------
// The 3-RRR spherical wrist of Abedloo, Molaei and Taghirad 2014. Assumed, as the paper leaves it
// open: thin arcs of radius R = 0.1 m about the centre O; the platform's centre of mass 0.05 m
// above O, its printed inertia about O. An arc over the angle a in the plane yz, from z on, has
//   m = mu R a, rho = R/a (0, cos a - 1, sin a),
//   I_O = mu R^3 (xx: a, yy: a/2 + sin(2a)/4, zz: a/2 - sin(2a)/4, yz: sin(a)^2 / 2).

#define WRIST_GAMMA 0.9553166181245093
#define COS_ALPHA2  0.34202014332566873 // alpha2 = 70 degrees
#define SIN_ALPHA2  0.93969262078590838
#define SIN_BETA    0.57735026918962576 // beta = 0.6154797086703874
#define COS_BETA    0.81649658092772603
#define SIN_120     0.86602540378443865

#define ARC(kg, y, z, oxx, oyy, oyz, ozz)                                \
  MASS(kg, 0, y, z), .inertia = {(oxx) - (kg) * ((y) * (y) + (z) * (z)), \
                                 0,                                      \
                                 0,                                      \
                                 (oyy) - (kg) * (z) * (z),               \
                                 (oyz) + (kg) * (y) * (z),               \
                                 (ozz) - (kg) * (y) * (y)}
#define WRIST_LIMB(i, first, degrees)                                                            \
  BODY("proximal" #i, 0, AP_REVOLUTE,                                                            \
       AT(0, 0, 0, WRIST_GAMMA - 2 * HALF_PI, 0, (degrees)*DEGREES), AXIS(0, 0, 1),              \
       ARC(0.1924050967398549, -0.059183089765786664, 0.07053165984920189, 0.001924050967398549, \
           0.0010798514230749674, 0.0006682241078607454, 0.0008441995443235816)),                \
      BODY("distal" #i, first, AP_REVOLUTE, AT(0, 0, 0, 80 * DEGREES, 0, 0), AXIS(0, 0, 1),      \
           ARC(0.16835445964737303, -0.05385638398865999, 0.0769148874437427,                    \
               0.0016835445964737304, 0.001063212629773878, 0.0006084023106544879,               \
               0.0006203319666998523))
#define WRIST_CLOSURES(i, link, x, y)             \
  JOINED("centre" #i, link, 0, 0, 0, 7, 0, 0, 0), \
      PARALLEL("axis" #i, link, 0, -SIN_ALPHA2, COS_ALPHA2, 7, x, y, COS_BETA)

static const ap_body_def wrist_bodies[] = {
    WRIST_LIMB(1, 1, 0),
    WRIST_LIMB(2, 3, 120),
    WRIST_LIMB(3, 5, 240),
    BODY("platform", 0, AP_FREE, AT(0, 0, 0, 0, 0, 0), AXIS(0, 0, 1), MASS(1.351, 0, 0, 0.05),
         DIAGONAL(0.003829 - 1.351 * 0.05 * 0.05, 0.003829 - 1.351 * 0.05 * 0.05, 0.00045)),
};
static const ap_robot_def wrist_tree = {
    .name = "agile-wrist", BODIES(wrist_bodies), .gravity = {0, 0, -9.81}};
static const ap_closure_def wrist_closures[] = {
    WRIST_CLOSURES(1, 2, 0, SIN_BETA),
    WRIST_CLOSURES(2, 4, -SIN_120 *SIN_BETA, -0.5 * SIN_BETA),
    WRIST_CLOSURES(3, 6, SIN_120 *SIN_BETA, -0.5 * SIN_BETA),
};
static const ap_coordinate_def wrist_coordinates[] = {
    ANGLE("yaw", AP_COORDINATE_YAW, 7),
    ANGLE("pitch", AP_COORDINATE_PITCH, 7),
    ANGLE("roll", AP_COORDINATE_ROLL, 7),
};
static const int wrist_actuated[] = {1, 3, 5};
// The platform level; the sign is that of the root in the proximal angle.
#define WRIST_PLUS  1.21611, -1.506574
#define WRIST_MINUS -1.21611, 1.506574
#define WRIST_LEVEL 0, 0, 0, 0, 0, 0, 1
static const double wrist_guess[][13] = THREE_LIMBS(WRIST_PLUS, WRIST_MINUS, WRIST_LEVEL);
static const ap_branch_def wrist_branches[] = THREE_SIGNS(wrist_guess);

// ---- delta -------------------------------------------------------------------------------------
// R. Clavel's robot with the dimensions of the ABB FlexPicker IRB 360-1/1600 in R. L. Williams II,
// The Delta Parallel Robot: Kinematics Solutions (Ohio University, 2016): base radius 0.164 m,
// platform radius 0.044 m, upper arms 0.524 m, rods 1.244 m, arm angles positive downwards. A pair
// of rods that stay parallel moves as one rod of their mass; that they keep the platform level are
// the closures "level". Masses are not given there and are assumed: upper arm 1.2 kg (slender), a
// pair of rods 0.3 kg (slender), platform 0.4 kg with its inertia that of a disc of radius 0.044 m.

#define DELTA_BASE     0.164
#define DELTA_PLATFORM 0.044
#define DELTA_LIMB(i, first, degrees, c, s)                                                      \
  BODY("arm" #i, 0, AP_REVOLUTE, AT((c)*DELTA_BASE, (s)*DELTA_BASE, 0, 0, 0, (degrees)*DEGREES), \
       AXIS(0, 1, 0), ROD(1.2, 0.524)),                                                          \
      BODY("knee" #i, first, AP_REVOLUTE, AT(0.524, 0, 0, 0, 0, 0), AXIS(0, 1, 0)),              \
      BODY("rods" #i, (first) + 1, AP_REVOLUTE, AT(0, 0, 0, 0, 0, 0), AXIS(0, 0, 1),             \
           ROD(0.3, 1.244))
#define DELTA_CLOSURES(i, first, c, s)                                                        \
  JOINED("ball" #i, (first) + 2, 1.244, 0, 0, 10, (c)*DELTA_PLATFORM, (s)*DELTA_PLATFORM, 0), \
      PARALLEL("level" #i, first, 0, 1, 0, 10, -(s), c, 0)

static const ap_body_def delta_bodies[] = {
    DELTA_LIMB(1, 1, 0, 1, 0),
    DELTA_LIMB(2, 4, 120, -0.5, SIN_120),
    DELTA_LIMB(3, 7, 240, -0.5, -SIN_120),
    BODY("platform", 0, AP_FREE, AT(0, 0, 0, 0, 0, 0), AXIS(0, 0, 1), MASS(0.4, 0, 0, 0),
         DIAGONAL(0.4 * 0.044 * 0.044 / 4, 0.4 * 0.044 * 0.044 / 4, 0.4 * 0.044 * 0.044 / 2)),
};
static const ap_robot_def delta_tree = {
    .name = "delta", BODIES(delta_bodies), .gravity = {0, 0, -9.81}};
static const ap_closure_def delta_closures[] = {
    DELTA_CLOSURES(1, 1, 1, 0),
    DELTA_CLOSURES(2, 4, -0.5, SIN_120),
    DELTA_CLOSURES(3, 7, -0.5, -SIN_120),
};
static const ap_coordinate_def delta_coordinates[] = {
    POSITION("x", 10, 0, 0, 0, 1, 0, 0),
    POSITION("y", 10, 0, 0, 0, 0, 1, 0),
    POSITION("z", 10, 0, 0, 0, 0, 0, 1),
};
static const int delta_actuated[] = {1, 4, 7};
// The platform at (0, 0, -0.9); + has the knees out.
#define DELTA_PLUS  -0.358, 2.442, 0
#define DELTA_MINUS -2.519, -2.442, 0
#define DELTA_BELOW 0, 0, -0.9, 0, 0, 0, 1
static const double delta_guess[][16] = THREE_LIMBS(DELTA_PLUS, DELTA_MINUS, DELTA_BELOW);
static const ap_branch_def delta_branches[] = THREE_SIGNS(delta_guess);

// ---- all ---------------------------------------------------------------------------------------

#define MECHANISM(its_name, prefix, own)              \
  .def = {.name = its_name,                           \
          .robot = &prefix##_tree,                    \
          .closures = prefix##_closures,              \
          .nclosure = COUNT(prefix##_closures),       \
          .coordinates = prefix##_coordinates,        \
          .ncoordinate = COUNT(prefix##_coordinates), \
          .actuated = prefix##_actuated,              \
          .nactuated = COUNT(prefix##_actuated),      \
          .guess = prefix##_guess[own],               \
          BRANCHES_OF_##prefix},                      \
  .nx = COUNT(prefix##_guess[0])
#define BRANCHES_OF_wrist   .branches = wrist_branches, .nbranch = COUNT(wrist_branches)
#define BRANCHES_OF_five    .branches = five_branches, .nbranch = COUNT(five_branches)
#define BRANCHES_OF_stewart .branches = NULL, .nbranch = 0
#define BRANCHES_OF_delta   .branches = delta_branches, .nbranch = COUNT(delta_branches)

static const builtin all[] = {
    {MECHANISM("agile-wrist", wrist, 0),
     .about = "spherical parallel wrist 3-RRR, yaw pitch roll; Abedloo et al. 2014"},
    {MECHANISM("five-bar", five, 1),
     .about = "planar five-bar, x y of its end; slender rods, load 0.2 kg"},
    {MECHANISM("stewart", stewart, 0),
     .about = "Stewart-Gough platform 6-UPS, x y z yaw pitch roll"},
    {MECHANISM("delta", delta, 0),
     .about = "Delta robot, x y z; dimensions of the IRB 360 in Williams 2016, masses assumed"},
};

static const builtin *find(const char *name) {
  for (int i = 0; name && i < COUNT(all); i++)
    if (!strcmp(all[i].def.name, name)) return &all[i];
  return NULL;
}

const char *ap_mechanism_builtin_name(int i) {
  return i >= 0 && i < COUNT(all) ? all[i].def.name : NULL;
}
const char *ap_mechanism_builtin_about(int i) {
  return i >= 0 && i < COUNT(all) ? all[i].about : NULL;
}
const ap_mechanism_def *ap_mechanism_builtin(const char *name) {
  const builtin *b = find(name);
  return b ? &b->def : NULL;
}

ap_status ap_mechanism_builtin_branch(const char *name, const char *branch, double *x) {
  const builtin *b = find(name);
  if (!b) return AP_E_NOT_FOUND;
  const double *guess = branch ? NULL : b->def.guess;
  for (int i = 0; branch && i < b->def.nbranch; i++)
    if (!strcmp(b->def.branches[i].name, branch)) guess = b->def.branches[i].guess;
  if (!guess) return AP_E_ARG;
  memcpy(x, guess, sizeof(double) * (size_t)b->nx);
  return AP_OK;
}
