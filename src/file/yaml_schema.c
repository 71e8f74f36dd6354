#include "file/yaml_schema.h"

#define ROBOT(field)   offsetof(ap__yaml_robot, field)
#define BODY(field)    offsetof(ap__yaml_body, field)
#define DEF(field)     offsetof(ap__yaml_body, part.def.field)
#define SHAPE(field)   offsetof(ap__yaml_shape_map, field)
#define FRAME(field)   offsetof(ap__yaml_frame, field)
#define CLOSURE(field) offsetof(ap__yaml_closure, field)
#define END(field)     offsetof(ap__yaml_end, field)
#define MEASURE(field) offsetof(ap__yaml_coordinate, field)
#define BRANCH(field)  offsetof(ap__yaml_branch, field)

// The kind's short names: one number, n numbers.
#define NUMBER     AP__YAML_NUMBERS, 1
#define NUMBERS(n) AP__YAML_NUMBERS, n
#define LIMIT      AP__YAML_LIMIT, 1
#define TEXT       AP__YAML_TEXT, 0
#define MAP        AP__YAML_MAP, 0
#define LIST       AP__YAML_LIST, 0
#define CHOICE     AP__YAML_CHOICE, 0
#define TEXTS      AP__YAML_TEXTS, 0
#define ANY        AP__YAML_ANY, 0

const ap__yaml_key ap__yaml_keys[] = {
    {"robot", "appell", AP__YAML_VERSION, 0, 0, NULL, "", "required", "version of the format: 1"},
    {"robot", "name", TEXT, ROBOT(name), NULL, "", "robot", "name of the robot"},
    {"robot", "gravity", NUMBERS(3), ROBOT(gravity), NULL, "m/s2", "0 0 -9.81",
     "acceleration of gravity in the ground frame"},
    {"robot", "bodies", LIST, 0, "body", "", "required", "the bodies, at least one"},
    {"robot", "frames", LIST, 0, "frame", "", "none", "named frames fixed to bodies"},
    {"robot", "closures", LIST, 0, "closure", "", "none",
     "what closes chains of bodies: the robot is a mechanism then"},
    {"robot", "coordinates", LIST, 0, "coordinate", "", "required of a mechanism",
     "the independent coordinates q, in this order"},
    {"robot", "actuated", TEXTS, 0, NULL, "", "none",
     "names of the driven joints, in the order of tau; revolute or prismatic"},
    {"robot", "guess", ANY, ROBOT(guess), "map of joint names to numbers", "rad or m",
     "that of the first branch, or zero", "configuration from which the assembly begins"},
    {"robot", "branches", LIST, 0, "branch", "", "none",
     "other such configurations, by name: `appell eval --branch NAME`"},

    {"body", "name", TEXT, DEF(name), NULL, "", "required", "unique among bodies and frames"},
    {"body", "parent", TEXT, BODY(part.parent), NULL, "", "ground",
     "name of the body that carries this one; it may stand later in the file"},
    {"body", "joint", MAP, 0, "joint", "", "fixed at the parent's origin",
     "how the body hangs on its parent"},
    {"body", "inertia", MAP, 0, "inertia", "", "no mass", "mass, centre of mass, inertia tensor"},
    {"body", "shapes", LIST, 0, "shape", "", "none",
     "what the body looks like and collides as; no meaning for dynamics"},
    {"body", "meshes", TEXTS, 0, NULL, "", "none",
     "mesh files that it looks like, at the link frame: short for shapes"},

    {"shape", "type", CHOICE, SHAPE(kind), "box cylinder sphere mesh", "", "required",
     "a cylinder's axis is z, its middle the origin"},
    {"shape", "use", CHOICE, SHAPE(use), "visual collision", "", "visual",
     "what it is for: reports draw visual ones"},
    {"shape", "size", NUMBERS(3), SHAPE(size), NULL, "m", "required of a box",
     "lengths along x, y, z"},
    {"shape", "radius", NUMBER, SHAPE(radius), NULL, "m", "required of a cylinder, a sphere",
     "of the circle"},
    {"shape", "length", NUMBER, SHAPE(length), NULL, "m", "required of a cylinder", "along z"},
    {"shape", "file", TEXT, SHAPE(file), NULL, "", "required of a mesh",
     "STL, OBJ or DAE: a path from this file's folder, or package://NAME/PATH"},
    {"shape", "scale", NUMBERS(3), SHAPE(scale), NULL, "", "1 1 1", "of a mesh, along x, y, z"},
    {"shape", "xyz", NUMBERS(3), SHAPE(xyz), NULL, "m", "0 0 0", "origin in the link frame"},
    {"shape", "rpy", NUMBERS(3), SHAPE(rpy), NULL, "rad", "0 0 0",
     "roll, pitch, yaw relative to the link frame"},
    {"shape", "color", NUMBERS(4), SHAPE(color), NULL, "", "none",
     "red, green, blue, opacity, each 0 to 1"},

    {"joint", "name", TEXT, DEF(joint_name), NULL, "", "the body's name", "unique among joints"},
    {"joint", "type", CHOICE, BODY(type), "fixed revolute prismatic spherical planar free", "",
     "fixed", "how the body moves relative to its parent"},
    {"joint", "place", MAP, 0, "place", "", "the parent's frame",
     "place of the joint frame in the parent's frame; not together with dh"},
    {"joint", "dh", MAP, 0, "dh", "", "none",
     "the same by Denavit-Hartenberg parameters; the axis is then z"},
    {"joint", "axis", NUMBERS(3), DEF(axis), NULL, "", "0 0 1",
     "axis of a revolute or prismatic joint, normal of a planar one, in the joint frame; any "
     "length"},
    {"joint", "limits", MAP, 0, "limits", "", "none", "limits of position, velocity and effort"},
    {"joint", "friction", MAP, 0, "friction", "", "none", "friction in the joint"},
    {"joint", "rotor", MAP, 0, "rotor", "", "none", "the motor behind its gear"},
    {"joint", "mimic", MAP, 0, "mimic", "", "none",
     "the joint follows another and has no coordinate of its own"},

    {"place", "xyz", NUMBERS(3), DEF(place.xyz), NULL, "m", "0 0 0", "origin"},
    {"place", "rpy", NUMBERS(3), DEF(place.rpy), NULL, "rad", "0 0 0",
     "roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {"place", "matrix", NUMBERS(9), DEF(place.matrix), NULL, "", "none",
     "rotation matrix row by row, instead of rpy; its columns are the joint frame's axes"},

    {"dh", "convention", CHOICE, BODY(convention), "modified standard valera", "", "required",
     "modified: Rx(alpha) Tx(a) Rz(theta) Tz(d); standard: Rz(theta) Tz(d) Tx(a) Rx(alpha); "
     "valera: "
     "modified with -d for d"},
    {"dh", "alpha", NUMBER, DEF(place.alpha), NULL, "rad", "0", "twist of the link"},
    {"dh", "a", NUMBER, DEF(place.a), NULL, "m", "0", "length of the link"},
    {"dh", "d", NUMBER, DEF(place.d), NULL, "m", "0",
     "offset; a prismatic joint adds to it along +z"},
    {"dh", "theta", NUMBER, DEF(place.theta), NULL, "rad", "0",
     "angle; a revolute joint adds to it"},

    {"limits", "lower", LIMIT, DEF(lower), NULL, "rad or m", "none", "smallest position"},
    {"limits", "upper", LIMIT, DEF(upper), NULL, "rad or m", "none", "largest position"},
    {"limits", "velocity", LIMIT, DEF(velocity_limit), NULL, "rad/s or m/s", "none",
     "largest speed"},
    {"limits", "effort", LIMIT, DEF(effort_limit), NULL, "N m or N", "none",
     "largest torque or force"},

    {"friction", "viscous", NUMBER, DEF(viscous), NULL, "N m s/rad or N s/m", "0",
     "opposes the motion, times the speed"},
    {"friction", "coulomb", NUMBER, DEF(coulomb), NULL, "N m or N", "0",
     "opposes the motion, at any speed"},
    {"friction", "static", NUMBER, DEF(stiction), NULL, "N m or N", "as coulomb",
     "holds the joint at rest up to this, in `appell simulate`; coulomb or more"},

    {"rotor", "inertia", NUMBER, DEF(rotor_inertia), NULL, "kg m2 (kg)", "0",
     "of the motor about its own axis (mass of a linear motor)"},
    {"rotor", "gear", NUMBER, DEF(gear_ratio), NULL, "", "1",
     "motor turns per joint turn; the joint feels gear^2 times the inertia"},

    {"mimic", "joint", TEXT, BODY(part.leader), NULL, "", "required",
     "name of the joint to follow; it may stand later in the file"},
    {"mimic", "ratio", NUMBER, DEF(mimic_ratio), NULL, "", "1",
     "q = ratio * q of the leader + offset"},
    {"mimic", "offset", NUMBER, DEF(mimic_offset), NULL, "rad or m", "0", "see ratio"},

    {"inertia", "mass", NUMBER, DEF(mass), NULL, "kg", "0", "mass"},
    {"inertia", "com", NUMBERS(3), DEF(com), NULL, "m", "0 0 0",
     "centre of mass in the link frame"},
    {"inertia", "tensor", NUMBERS(6), DEF(inertia), NULL, "kg m2", "0 0 0 0 0 0",
     "xx xy xz yy yz zz about the centre of mass; xy is the tensor's entry, -(integral of x y dm)"},
    {"inertia", "rpy", NUMBERS(3), DEF(inertia_rpy), NULL, "rad", "0 0 0",
     "axes of the tensor relative to the link frame"},

    {"frame", "name", TEXT, FRAME(def.name), NULL, "", "required",
     "unique among bodies and frames"},
    {"frame", "body", TEXT, FRAME(body), NULL, "", "required",
     "the body that carries it, or ground"},
    {"frame", "xyz", NUMBERS(3), FRAME(def.xyz), NULL, "m", "0 0 0", "origin in the link frame"},
    {"frame", "rpy", NUMBERS(3), FRAME(def.rpy), NULL, "rad", "0 0 0",
     "roll, pitch, yaw relative to the link frame"},

    {"closure", "name", TEXT, CLOSURE(name), NULL, "", "required", "unique among closures"},
    {"closure", "type", CHOICE, CLOSURE(kind), "point axis point_on_line frame distance gear", "",
     "required", "what it asks of the two ends"},
    {"closure", "first", MAP, CLOSURE(end[0]), "end", "", "required", "one end"},
    {"closure", "second", MAP, CLOSURE(end[1]), "end", "", "required", "the other"},
    {"closure", "distance", NUMBER, CLOSURE(distance), NULL, "m", "required of a distance",
     "between the two points, above zero"},
    {"closure", "ratio", NUMBER, CLOSURE(ratio), NULL, "", "1",
     "of a gear: q of the second joint = ratio * q of the first + offset; not zero"},
    {"closure", "offset", NUMBER, CLOSURE(offset), NULL, "rad or m", "0", "of a gear: see ratio"},

    {"end", "body", TEXT, END(body), NULL, "", "required, but of a gear",
     "name of the body, or ground"},
    {"end", "joint", TEXT, END(joint), NULL, "", "required of a gear",
     "name of the joint, revolute or prismatic"},
    {"end", "xyz", NUMBERS(3), END(xyz), NULL, "m", "0 0 0",
     "the point in the link frame; not of an axis"},
    {"end", "axis", NUMBERS(3), END(axis), NULL, "", "0 0 1",
     "the direction in the link frame, any length; of an axis, and of the second end of a "
     "point_on_line"},
    {"end", "rpy", NUMBERS(3), END(rpy), NULL, "rad", "0 0 0",
     "roll, pitch, yaw of the frame relative to the link frame; of a frame"},

    {"coordinate", "name", TEXT, MEASURE(name), NULL, "", "required", "unique among coordinates"},
    {"coordinate", "type", CHOICE, MEASURE(kind), "joint position yaw pitch roll", "", "required",
     "what it measures"},
    {"coordinate", "joint", TEXT, MEASURE(joint), NULL, "", "required of a joint",
     "name of the joint, revolute or prismatic"},
    {"coordinate", "body", TEXT, MEASURE(body), NULL, "", "required, but of a joint",
     "name of the body"},
    {"coordinate", "xyz", NUMBERS(3), MEASURE(xyz), NULL, "m", "0 0 0",
     "of a position: the point in the link frame"},
    {"coordinate", "along", NUMBERS(3), MEASURE(along), NULL, "", "required of a position",
     "direction in the ground along which the position counts, any length"},

    {"branch", "name", TEXT, BRANCH(name), NULL, "", "required", "unique among branches"},
    {"branch", "guess", ANY, BRANCH(guess), "map of joint names to numbers", "rad or m", "required",
     "as that of the robot"},

    {NULL, NULL, TEXT, 0, NULL, NULL, NULL, NULL}};
