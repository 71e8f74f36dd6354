// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_schema.h"

#include "file/yaml_rows.h"

#define ROBOT(key)            "robot", #key, offsetof(ap__yaml_robot, key)
#define BODY(map, key, field) map, key, offsetof(ap__yaml_body, field)
#define DEF(map, key, field)  map, key, offsetof(ap__yaml_body, part.def.field)
#define SHAPE(key, field)     "shape", key, offsetof(ap__yaml_shape_map, field)
#define FRAME(key, field)     "frame", key, offsetof(ap__yaml_frame, field)
#define CLOSURE(key, field)   "closure", key, offsetof(ap__yaml_closure, field)
#define END(key)              "end", #key, offsetof(ap__yaml_end, key)
#define MEASURE(key, field)   "coordinate", key, offsetof(ap__yaml_coordinate, field)
#define BRANCH(key)           "branch", #key, offsetof(ap__yaml_branch, key)

const ap__yaml_key ap__yaml_keys[] = {
    {"robot", "appell", VERSION},
    {ROBOT(name), TEXT, "robot", "name of the robot"},
    {ROBOT(gravity), NUMBERS(3, "m/s2"), "0 0 -9.81",
     "acceleration of gravity in the ground frame"},
    {"robot", "bodies", 0, LIST("body"), "required", "the bodies, at least one"},
    {"robot", "frames", 0, LIST("frame"), "none", "named frames fixed to bodies"},
    {"robot", "closures", 0, LIST("closure"), "none",
     "what closes chains of bodies: the robot is a mechanism then"},
    {"robot", "coordinates", 0, LIST("coordinate"), "required of a mechanism",
     "the independent coordinates q, in this order"},
    {"robot", "actuated", 0, TEXTS, "none",
     "names of the driven joints, in the order of tau; revolute or prismatic; or of coordinates"},
    {ROBOT(guess), ANY("map of joint names to numbers", "rad or m"),
     "that of the first branch, or zero", "configuration from which the assembly begins"},
    {"robot", "branches", 0, LIST("branch"), "none",
     "other such configurations, by name: `appell eval --branch NAME`"},

    {DEF("body", "name", name), TEXT, "required", "unique among bodies and frames"},
    {BODY("body", "parent", part.parent), TEXT, "ground",
     "name of the parent body; it may come later in the file"},
    {"body", "joint", 0, MAP("joint"), "fixed at the parent's origin", "connection to the parent"},
    {"body", "inertia", 0, MAP("inertia"), "no mass", "mass, centre of mass, inertia tensor"},
    {DEF("body", "gravity_compensation", gravity_compensation), NUMBER(""), "0",
     "fraction of the body's own weight that a force at its centre of mass holds up; takes part "
     "with friction"},
    {"body", "shapes", 0, LIST("shape"), "none",
     "visual and collision shapes; scenarios may let collision shapes touch"},
    {"body", "meshes", 0, TEXTS, "none", "mesh files in the link frame; short for shapes"},

    {SHAPE("type", kind), CHOICE("box cylinder sphere mesh"), "required",
     "a cylinder's axis is z, its middle the origin"},
    {SHAPE("use", use), CHOICE("visual collision"), "visual", "reports draw visual shapes"},
    {SHAPE("size", size), NUMBERS(3, "m"), "required of a box", "lengths along x, y, z"},
    {SHAPE("radius", radius), NUMBER("m"), "required of a cylinder, a sphere", "of the circle"},
    {SHAPE("length", length), NUMBER("m"), "required of a cylinder", "along z"},
    {SHAPE("file", file), TEXT, "required of a mesh",
     "STL, OBJ or DAE: a path from this file's folder, or package://NAME/PATH"},
    {SHAPE("scale", scale), NUMBERS(3, ""), "1 1 1", "of a mesh, along x, y, z"},
    {SHAPE("xyz", xyz), NUMBERS(3, "m"), "0 0 0", "origin in the link frame"},
    {SHAPE("rpy", rpy), NUMBERS(3, "rad"), "0 0 0", "roll, pitch, yaw relative to the link frame"},
    {SHAPE("color", color), NUMBERS(4, ""), "none", "red, green, blue, opacity, each 0 to 1"},
    {SHAPE("contype", contype), NUMBER(""), "1",
     "bits as in MJCF, a whole number; with them or conaffinity, use does not tell what touches"},
    {SHAPE("conaffinity", conaffinity), NUMBER(""), "1", "likewise"},

    {DEF("joint", "name", joint_name), TEXT, "the body's name", "unique among joints"},
    {BODY("joint", "type", type), CHOICE("fixed revolute prismatic spherical planar free"), "fixed",
     "how the body moves relative to its parent"},
    {"joint", "place", 0, MAP("place"), "the parent's frame",
     "place of the joint frame in the parent's frame; not together with dh"},
    {"joint", "dh", 0, MAP("dh"), "none",
     "the same as Denavit-Hartenberg parameters; the axis is then z"},
    {DEF("joint", "axis", axis), NUMBERS(3, ""), "0 0 1",
     "axis of a revolute or prismatic joint, normal of a planar one, in the joint frame; any "
     "length"},
    {"joint", "limits", 0, MAP("limits"), "none", "limits of position, velocity and effort"},
    {"joint", "friction", 0, MAP("friction"), "none", "friction in the joint"},
    {"joint", "spring", 0, MAP("spring"), "none", "a spring in the joint"},
    {"joint", "rotor", 0, MAP("rotor"), "none", "the motor behind its gear"},
    {"joint", "mimic", 0, MAP("mimic"), "none",
     "the joint follows another one and has no independent coordinate"},

    {DEF("place", "xyz", place.xyz), NUMBERS(3, "m"), "0 0 0", "origin"},
    {DEF("place", "rpy", place.rpy), NUMBERS(3, "rad"), "0 0 0",
     "roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {DEF("place", "matrix", place.matrix), NUMBERS(9, ""), "none",
     "rotation matrix row by row, instead of rpy; its columns are the joint frame's axes"},

    {BODY("dh", "convention", convention), CHOICE("modified standard valera"), "required",
     "modified: Rx(alpha) Tx(a) Rz(theta) Tz(d); standard: Rz(theta) Tz(d) Tx(a) Rx(alpha); "
     "valera: modified with -d for d"},
    {DEF("dh", "alpha", place.alpha), NUMBER("rad"), "0", "twist of the link"},
    {DEF("dh", "a", place.a), NUMBER("m"), "0", "length of the link"},
    {DEF("dh", "d", place.d), NUMBER("m"), "0", "offset; a prismatic joint adds to it along +z"},
    {DEF("dh", "theta", place.theta), NUMBER("rad"), "0", "angle; a revolute joint adds to it"},

    {DEF("limits", "lower", lower), LIMIT("rad or m"), "none", "smallest position"},
    {DEF("limits", "upper", upper), LIMIT("rad or m"), "none", "largest position"},
    {DEF("limits", "velocity", velocity_limit), LIMIT("rad/s or m/s"), "none", "largest speed"},
    {DEF("limits", "effort", effort_limit), LIMIT("N m or N"), "none", "largest torque or force"},

    {DEF("friction", "viscous", viscous), NUMBER("N m s/rad or N s/m"), "0",
     "coefficient; the torque or force is this times the speed"},
    {DEF("friction", "coulomb", coulomb), NUMBER("N m or N"), "0",
     "torque or force against the motion, at any speed"},
    {DEF("friction", "static", stiction), NUMBER("N m or N"), "as coulomb",
     "largest torque or force that holds the joint at rest, in `appell simulate`; at least "
     "coulomb"},

    {DEF("spring", "stiffness", stiffness), NUMBER("N m/rad or N/m"), "0",
     "of every coordinate: tau = -stiffness (q - rest); of a quaternion times the rotation vector "
     "from rest to q"},
    {BODY("spring", "rest", rest),
     ANY("number, or a list with one for every coordinate of the joint", "rad or m"),
     "0, no rotation", "q where the spring is relaxed"},

    {DEF("rotor", "inertia", rotor_inertia), NUMBER("kg m2 (kg)"), "0",
     "of the motor about its own axis (mass of a linear motor)"},
    {DEF("rotor", "gear", gear_ratio), NUMBER(""), "1",
     "motor turns per joint turn; the inertia at the joint is gear^2 times the rotor's"},

    {BODY("mimic", "joint", part.leader), TEXT, "required",
     "name of the joint to follow; it may come later in the file"},
    {DEF("mimic", "ratio", mimic_ratio), NUMBER(""), "1", "q = ratio * q of the leader + offset"},
    {DEF("mimic", "offset", mimic_offset), NUMBER("rad or m"), "0", "see ratio"},

    {DEF("inertia", "mass", mass), NUMBER("kg"), "0", "mass"},
    {DEF("inertia", "com", com), NUMBERS(3, "m"), "0 0 0", "centre of mass in the link frame"},
    {DEF("inertia", "tensor", inertia), NUMBERS(6, "kg m2"), "0 0 0 0 0 0",
     "xx xy xz yy yz zz about the centre of mass; xy is the tensor's entry, -(integral of x y dm)"},
    {DEF("inertia", "rpy", inertia_rpy), NUMBERS(3, "rad"), "0 0 0",
     "axes of the tensor relative to the link frame"},

    {FRAME("name", def.name), TEXT, "required", "unique among bodies and frames"},
    {FRAME("body", body), TEXT, "required", "the body it is fixed to, or ground"},
    {FRAME("xyz", def.xyz), NUMBERS(3, "m"), "0 0 0", "origin in the link frame"},
    {FRAME("rpy", def.rpy), NUMBERS(3, "rad"), "0 0 0",
     "roll, pitch, yaw relative to the link frame"},

    {CLOSURE("name", name), TEXT, "required", "unique among closures"},
    {CLOSURE("type", kind), CHOICE("point axis point_on_line frame distance gear"), "required",
     "which constraint between the two ends"},
    {CLOSURE("first", end[0]), MAP("end"), "required", "one end"},
    {CLOSURE("second", end[1]), MAP("end"), "required", "the other"},
    {CLOSURE("distance", distance), NUMBER("m"), "required of a distance",
     "between the two points, above zero"},
    {CLOSURE("ratio", ratio), NUMBER(""), "1",
     "for a gear: q of the second joint = ratio * q of the first + offset; not zero"},
    {CLOSURE("offset", offset), NUMBER("rad or m"), "0", "for a gear: see ratio"},

    {END(body), TEXT, "required, but of a gear", "name of the body, or ground"},
    {END(joint), TEXT, "required of a gear", "name of the joint, revolute or prismatic"},
    {END(xyz), NUMBERS(3, "m"), "0 0 0", "the point in the link frame; not for an axis"},
    {END(axis), NUMBERS(3, ""), "0 0 1",
     "direction in the link frame, any length; for an axis, and for the second end of a "
     "point_on_line"},
    {END(rpy), NUMBERS(3, "rad"), "0 0 0",
     "for a frame: its roll, pitch, yaw relative to the link frame"},

    {MEASURE("name", name), TEXT, "required", "unique among coordinates"},
    {MEASURE("type", kind), CHOICE("joint position yaw pitch roll"), "required",
     "what it measures"},
    {MEASURE("joint", joint), TEXT, "required of a joint",
     "name of the joint, revolute or prismatic"},
    {MEASURE("body", body), TEXT, "required, but of a joint", "name of the body"},
    {MEASURE("xyz", xyz), NUMBERS(3, "m"), "0 0 0", "for a position: the point in the link frame"},
    {MEASURE("along", along), NUMBERS(3, ""), "required of a position",
     "direction in the ground along which the position counts, any length"},

    {BRANCH(name), TEXT, "required", "unique among branches"},
    {BRANCH(guess), ANY("map of joint names to numbers", "rad or m"), "required",
     "as that of the robot"},

    {NULL, NULL, 0, TEXT, NULL, NULL}};
