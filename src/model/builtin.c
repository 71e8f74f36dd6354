// SPDX-License-Identifier: Apache-2.0
// Built-in robots, each with its source and what had to be assumed.

#include <appell/model.h>

#include <math.h>
#include <string.h>

#define HALF_PI 1.5707963267948966
#define DEGREES (HALF_PI / 90)

// A body with the defaults of ap_default_body() for what is seldom given; the rest follows.
#define BODY(body_name, parent_number, ...)                                                \
  {                                                                                        \
    .name = body_name, .parent = parent_number, .gear_ratio = 1, .mimic_ratio = 1,         \
    .cookie = AP_COOKIE, .velocity_limit = INFINITY, .effort_limit = INFINITY, __VA_ARGS__ \
  }
#define JOINT(type, its_name) .joint = type, .joint_name = its_name
#define NO_LIMITS             .lower = -INFINITY, .upper = INFINITY
#define LIMITS(low, high)     .lower = (low), .upper = (high)

// Joint about or along z of the Denavit-Hartenberg frame.
#define DH(how, al, aa, dd, th) \
  .axis = {0, 0, 1}, .place = {.kind = how, .alpha = (al), .a = (aa), .d = (dd), .theta = (th)}
#define AT(px, py, pz, ux, uy, uz) \
  .axis = {ux, uy, uz}, .place = {.kind = AP_PLACE_RPY, .xyz = {px, py, pz}}

#define MASS(kg, x, y, z)    .mass = (kg), .com = {x, y, z}
#define DIAGONAL(xx, yy, zz) .inertia = {xx, 0, 0, yy, 0, zz}
// A solid box of edges x y z.
#define BOX(kg, x, y, z)                                                             \
  DIAGONAL((kg) * ((y) * (y) + (z) * (z)) / 12, (kg) * ((x) * (x) + (z) * (z)) / 12, \
           (kg) * ((x) * (x) + (y) * (y)) / 12)

#define COUNT(array)  ((int)(sizeof(array) / sizeof *(array)))
#define BODIES(array) .bodies = array, .nbody = COUNT(array), .cookie = AP_COOKIE

// ---- puma600 ----------------------------------------------------------------------------------
// Valera, Mata, Valles, Valero, Rosillo, Benimeli 2003, Tables 5 to 7 and the tensors below them,
// with the signs of d as printed. Gravity is not given there: 9.81 m/s2 down z0.

#define PUMA(i, al, aa, dd, ...)                                    \
  BODY("link" #i, i - 1, JOINT(AP_REVOLUTE, "joint" #i), NO_LIMITS, \
       DH(AP_DH_VALERA, al, aa, dd, 0), __VA_ARGS__)

static const ap_body_def puma600_bodies[] = {
    PUMA(1, 0, 0, 0, MASS(10.521, 0, -0.054, 0), DIAGONAL(1.612, 0.5091, 1.612)),
    PUMA(2, -HALF_PI, 0, 0, MASS(15.781, 0.1398, 0, 0.1491), DIAGONAL(0.4898, 8.0783, 8.2672)),
    PUMA(3, 0, 0.432, -0.15, MASS(8.767, -0.32e-3, -0.197, 0), DIAGONAL(3.3768, 0.3009, 3.3768)),
    PUMA(4, HALF_PI, -0.02, -0.433, MASS(1.052, 0, 0, -0.057), DIAGONAL(0.181, 0.181, 0.1273)),
    PUMA(5, -HALF_PI, 0, 0, MASS(1.052, 0, -0.007, 0), DIAGONAL(0.0735, 0.0735, 0.1273)),
    PUMA(6, HALF_PI, 0, 0, MASS(0.351, 0, 0, 0.0372), DIAGONAL(0.0071, 0.0071, 0.0141)),
};
static const ap_robot_def puma600 = {
    .name = "puma600",
    BODIES(puma600_bodies),
    .gravity = {0, 0, -9.81},
};

// ---- stanford ---------------------------------------------------------------------------------
// The arm of V. Scheinman (1969) with the numbers of R. P. Paul, Robot Manipulators (MIT Press,
// 1981), tables of chapter 6, as carried by P. Corke's Robotics Toolbox (mdl_stanford.m); d1 and
// d2 from R. P. Paul, AIM-177, figure 2.3; joint ranges from Dobrotin and Scheinman (IJCAI 1973),
// the stroke's start estimated by the Toolbox from a photograph.
//
// Paul's link frames are standard DH. Ours are Craig's: z is the joint's own axis, which for these
// links (a = 0, alpha = -90, 90, 0, -90, 90, 0 degrees) only exchanges y and z of the printed
// columns.
//
// Assumed: (1) The centres of mass are decimetres in the Toolbox from link 2 on (-6.447 for an arm
// that reaches 1.3 m): read as -0.6447 m and so on. (2) Link 5 as in the Toolbox's older releases,
// (0, 0, 0.566) and (0.003, 0.003, 0.0004); the newer ones have lost a zero and shifted the row.
// (3) The moments are about the origins of the link frames, as Paul's pseudo-inertia matrices are:
// about the centres of mass they would give the boom a radius of gyration of 0.77 m; so they give
// 0.42 m. (4) The wrist centre carries frame 6; the hand's 0.263 m is the frame "tool". (5) The
// motor inertias are reflected to the joint: gear ratio 1.

// Moments given about the link's origin; the centre of mass lies in the plane x = 0.
#define ABOUT_ORIGIN(kg, y, z, xx, yy, zz)                              \
  MASS(kg, 0, y, z), .inertia = {(xx) - (kg) * ((y) * (y) + (z) * (z)), \
                                 0,                                     \
                                 0,                                     \
                                 (yy) - (kg) * (z) * (z),               \
                                 (kg) * (y) * (z),                      \
                                 (zz) - (kg) * (y) * (y)}
#define STANFORD(i, type, al, dd, th, ...) \
  BODY("link" #i, i - 1, JOINT(type, "joint" #i), DH(AP_DH_MODIFIED, al, 0, dd, th), __VA_ARGS__)

static const ap_body_def stanford_bodies[] = {
    STANFORD(1, AP_REVOLUTE, 0, 0.412, 0, LIMITS(-170 * DEGREES, 170 * DEGREES),
             .rotor_inertia = 0.953, ABOUT_ORIGIN(9.29, -0.1105, -0.0175, 0.276, 0.071, 0.255)),
    STANFORD(2, AP_REVOLUTE, -HALF_PI, 0.154, 0, LIMITS(-170 * DEGREES, 170 * DEGREES),
             .rotor_inertia = 2.193, ABOUT_ORIGIN(5.01, 0, -0.1054, 0.108, 0.100, 0.018)),
    STANFORD(3, AP_PRISMATIC, HALF_PI, 0, -HALF_PI, LIMITS(12 * 0.0254, 50 * 0.0254),
             .rotor_inertia = 0.782, ABOUT_ORIGIN(4.25, 0, -0.6447, 2.51, 2.51, 0.006)),
    STANFORD(4, AP_REVOLUTE, 0, 0, 0, LIMITS(-170 * DEGREES, 170 * DEGREES), .rotor_inertia = 0.106,
             ABOUT_ORIGIN(1.08, -0.0054, -0.0092, 0.002, 0.001, 0.001)),
    STANFORD(5, AP_REVOLUTE, -HALF_PI, 0, 0, LIMITS(-90 * DEGREES, 90 * DEGREES),
             .rotor_inertia = 0.097, ABOUT_ORIGIN(0.63, -0.0566, 0, 0.003, 0.0004, 0.003)),
    STANFORD(6, AP_REVOLUTE, HALF_PI, 0, 0, LIMITS(-170 * DEGREES, 170 * DEGREES),
             .rotor_inertia = 0.020, ABOUT_ORIGIN(0.51, 0, 0.1554, 0.013, 0.013, 0.0003)),
};
static const ap_frame_def stanford_frames[] = {{.name = "tool", .body = 6, .xyz = {0, 0, 0.263}}};
static const ap_robot_def stanford = {
    .name = "stanford",
    BODIES(stanford_bodies),
    .frames = stanford_frames,
    .nframe = COUNT(stanford_frames),
    .gravity = {0, 0, -9.81},
};

// ---- scara ------------------------------------------------------------------------------------
// No particular make. A column of 0.4 m, arms of 0.35 m and 0.25 m as solid boxes that overhang
// their joints by 0.05 m at both ends, a quill that moves down by q3 (z points down there) and
// turns by q4.

#define SCARA(i, link, type, its_name, al, aa, dd, ...) \
  BODY(link, i - 1, JOINT(type, its_name), DH(AP_DH_MODIFIED, al, aa, dd, 0), __VA_ARGS__)

static const ap_body_def scara_bodies[] = {
    SCARA(1, "upper_arm", AP_REVOLUTE, "shoulder", 0, 0, 0.4, LIMITS(-2.4, 2.4),
          MASS(8, 0.175, 0, 0), BOX(8, 0.45, 0.14, 0.1)),
    SCARA(2, "forearm", AP_REVOLUTE, "elbow", 0, 0.35, 0, LIMITS(-2.6, 2.6),
          MASS(5, 0.125, 0, 0.05), BOX(5, 0.35, 0.12, 0.15)),
    SCARA(3, "quill", AP_PRISMATIC, "stroke", 2 * HALF_PI, 0.25, 0, LIMITS(0, 0.2),
          MASS(1, 0, 0, 0), BOX(1, 0.02, 0.02, 0.4)),
    SCARA(4, "flange", AP_REVOLUTE, "roll", 0, 0, 0.2, LIMITS(-2 * HALF_PI, 2 * HALF_PI),
          MASS(0.5, 0, 0, 0.02), BOX(0.5, 0.06, 0.06, 0.04)),
};
static const ap_frame_def scara_frames[] = {{.name = "tool", .body = 4, .xyz = {0, 0, 0.04}}};
static const ap_robot_def scara = {
    .name = "scara",
    BODIES(scara_bodies),
    .frames = scara_frames,
    .nframe = COUNT(scara_frames),
    .gravity = {0, 0, -9.81},
};

// ---- ascher2 ----------------------------------------------------------------------------------
// The ill-conditioned pair of Mata et al. 2002, section 5.1, after Ascher, Pai and Cloutier 1997:
// solid boxes of square section, 0.1 kg of 0.02 m and 10 kg of 2 m, joint axes horizontal. The
// moments are those of golden/serial.json, to the bit.

static const ap_body_def ascher2_bodies[] = {
    BODY("link1", 0, JOINT(AP_REVOLUTE, "joint1"), NO_LIMITS, DH(AP_DH_MODIFIED, 0, 0, 0, 0),
         MASS(0.1, 0.01, 0, 0),
         DIAGONAL(6.6666666666666675e-06, 6.6666666666666675e-06, 6.6666666666666675e-06)),
    BODY("link2", 1, JOINT(AP_REVOLUTE, "joint2"), NO_LIMITS, DH(AP_DH_MODIFIED, 0, 0.02, 0, 0),
         MASS(10, 1, 0, 0),
         DIAGONAL(0.0006666666666666666, 3.3336666666666663, 3.3336666666666663)),
};
static const ap_robot_def ascher2 = {
    .name = "ascher2",
    BODIES(ascher2_bodies),
    .gravity = {0, -9.81, 0},
};

// ---- shafei-tree ------------------------------------------------------------------------------
// The case study of Shafei and Shafei 2018: ten unit rods in a plane, a tree of four branches, its
// root O1 free to move along X1 and X2. Each rod weighs 1 kg; its inertia is that of a thin rod,
// m l^2 / 12, plus J' of Table 2 (which the golden values confirm). O1 .. O11 are the points that
// can touch the wall: rod k runs from a joint to O(k+1).

#define SLIDE(i, body_name, ux, uy)                                                      \
  BODY(body_name, i - 1, JOINT(AP_PRISMATIC, "X" #i), NO_LIMITS, AT(0, 0, 0, ux, uy, 0), \
       MASS(0, 0, 0, 0))
// Rod k is body k + 2; parent is a rod, or 0 for the slides.
#define ROD(k, parent)                                                   \
  BODY("rod" #k, (parent) + 2, JOINT(AP_REVOLUTE, "q" #k), NO_LIMITS,    \
       AT((parent) == 0 ? 0.0 : 1.0, 0, 0, 0, 0, 1), MASS(1, 0.5, 0, 0), \
       DIAGONAL(5.89e-5, 1.0 / 12 + 2.94e-5, 1.0 / 12 + 2.94e-5))
#define ROD_END(k, point)                                   \
  {                                                         \
    .name = "O" #point, .body = (k) + 2, .xyz = { 1, 0, 0 } \
  }

static const ap_body_def shafei_bodies[] = {
    SLIDE(1, "slide1", 1, 0),
    SLIDE(2, "slide2", 0, 1),
    ROD(1, 0),
    ROD(2, 1),
    ROD(3, 2),
    ROD(4, 3),
    ROD(5, 2),
    ROD(6, 5),
    ROD(7, 6),
    ROD(8, 5),
    ROD(9, 5),
    ROD(10, 9),
};
static const ap_frame_def shafei_frames[] = {
    {.name = "O1", .body = 3},
    ROD_END(1, 2),
    ROD_END(2, 3),
    ROD_END(3, 4),
    ROD_END(4, 5),
    ROD_END(5, 6),
    ROD_END(6, 7),
    ROD_END(7, 8),
    ROD_END(8, 9),
    ROD_END(9, 10),
    ROD_END(10, 11),
};
static const ap_robot_def shafei_tree = {
    .name = "shafei-tree",
    BODIES(shafei_bodies),
    .frames = shafei_frames,
    .nframe = COUNT(shafei_frames),
    .gravity = {0, -9.81, 0},
};

// ---- quadruped --------------------------------------------------------------------------------
// No particular make; a free-flying tree with round numbers. Trunk 12 kg, 0.6 x 0.3 x 0.15 m;
// hips 1 kg at (+-0.25, +-0.12, 0) m turning about x; thighs 1.5 kg and shanks 0.3 kg of 0.25 m
// turning about y, all as solid boxes; x forward, y to the left, z up. A leg hangs straight down
// at q = 0.

// The leg whose hip is body n; sx is 1 in front, sy is 1 on the left.
#define LEG(leg, n, sx, sy)                                                                    \
  BODY(leg "_hip", 1, JOINT(AP_REVOLUTE, leg "_abduction"), LIMITS(-0.8, 0.8),                 \
       AT((sx)*0.25, (sy)*0.12, 0, 1, 0, 0), MASS(1, 0, (sy)*0.03, 0), BOX(1, 0.1, 0.1, 0.1)), \
      BODY(leg "_thigh", n, JOINT(AP_REVOLUTE, leg "_flexion"), LIMITS(-1.8, 1.8),             \
           AT(0, (sy)*0.08, 0, 0, 1, 0), MASS(1.5, 0, 0, -0.1), BOX(1.5, 0.06, 0.04, 0.3)),    \
      BODY(leg "_shank", (n) + 1, JOINT(AP_REVOLUTE, leg "_knee"), LIMITS(-2.6, 2.6),          \
           AT(0, 0, -0.25, 0, 1, 0), MASS(0.3, 0, 0, -0.12), BOX(0.3, 0.03, 0.03, 0.25))
#define FOOT(leg, shank)                                       \
  {                                                            \
    .name = leg "_foot", .body = shank, .xyz = { 0, 0, -0.25 } \
  }

static const ap_body_def quadruped_bodies[] = {
    BODY("trunk", 0, JOINT(AP_FREE, "base"), NO_LIMITS, AT(0, 0, 0, 0, 0, 1), MASS(12, 0, 0, 0),
         BOX(12, 0.6, 0.3, 0.15)),
    LEG("front_left", 2, 1, 1),
    LEG("front_right", 5, 1, -1),
    LEG("hind_left", 8, -1, 1),
    LEG("hind_right", 11, -1, -1),
};
static const ap_frame_def quadruped_frames[] = {FOOT("front_left", 4), FOOT("front_right", 7),
                                                FOOT("hind_left", 10), FOOT("hind_right", 13)};
static const ap_robot_def quadruped = {
    .name = "quadruped",
    BODIES(quadruped_bodies),
    .frames = quadruped_frames,
    .nframe = COUNT(quadruped_frames),
    .gravity = {0, 0, -9.81},
};

// ---- the list ---------------------------------------------------------------------------------

static const struct {
  const ap_robot_def *def;
  const char *about;
} builtins[] = {
    {&puma600, "PUMA 600 arm, 6 revolute joints (Valera et al. 2003, Tables 5-7)"},
    {&stanford,
     "Stanford arm, one prismatic joint (Paul 1981 by way of the Robotics Toolbox; moments read as "
     "about the link origins)"},
    {&scara, "SCARA arm, 4 joints, round numbers, no particular robot"},
    {&ascher2, "two boxes, 0.02 m and 2 m, badly conditioned (Mata et al. 2002, section 5.1)"},
    {&shafei_tree, "planar tree of ten rods on two slides (Shafei and Shafei 2018)"},
    {&quadruped, "free trunk with four 3-joint legs, round numbers, no particular robot"},
};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

const char *ap_builtin_name(int i) { return i >= 0 && i < BUILTINS ? builtins[i].def->name : NULL; }

const char *ap_builtin_about(int i) { return i >= 0 && i < BUILTINS ? builtins[i].about : NULL; }

const ap_robot_def *ap_builtin(const char *name) {
  if (name == NULL) return NULL;
  for (int i = 0; i < BUILTINS; i++)
    if (strcmp(builtins[i].def->name, name) == 0) return builtins[i].def;
  return NULL;
}
