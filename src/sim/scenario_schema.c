#include "sim/scenario.h"

#define HEAD(field)    offsetof(ap__scenario_head, field)
#define WALL(field)    offsetof(ap__scenario_wall, field)
#define CONTACT(field) offsetof(ap__scenario_contact, field)
#define START(field)   offsetof(ap__scenario_start, field)
#define JOINT(field)   offsetof(ap__scenario_joint_map, field)
#define LOAD(field)    offsetof(ap__scenario_load, field)

#define NUMBER     AP__YAML_NUMBERS, 1
#define NUMBERS(n) AP__YAML_NUMBERS, n
#define TEXT       AP__YAML_TEXT, 0
#define MAP        AP__YAML_MAP, 0
#define LIST       AP__YAML_LIST, 0
#define CHOICE     AP__YAML_CHOICE, 0
#define ANY        AP__YAML_ANY, 0

const ap__yaml_key ap__scenario_keys[] = {
    {"scenario", "appell-scenario", AP__YAML_VERSION, 0, 0, NULL, "", "required",
     "version of the format: 1"},
    {"scenario", "name", TEXT, HEAD(name), NULL, "", "scenario", "name of the scenario"},
    {"scenario", "robot", ANY, HEAD(robot), "text", "", "required",
     "a built-in robot or mechanism, or a robot file (.urdf, .yaml) beside the scenario"},
    {"scenario", "branch", TEXT, HEAD(branch), NULL, "", "the mechanism's own",
     "how a mechanism with closed chains is assembled, by the name of one of its branches"},
    {"scenario", "floating", CHOICE, HEAD(floating), "false true", "", "false",
     "hang the robot's root link on a free joint instead of the ground"},
    {"scenario", "ignore_mimic", CHOICE, HEAD(ignore_mimic), "false true", "", "false",
     "make mimic followers independent"},
    {"scenario", "lock", ANY, HEAD(part.lock), "map of joint names to numbers or lists", "rad or m",
     "none", "joints that stand still at these values and have no coordinates"},
    {"scenario", "root", TEXT, HEAD(part.root), NULL, "", "the ground",
     "link that is fixed to the ground; what does not hang on it is cut off"},
    {"scenario", "tip", TEXT, HEAD(part.tip), NULL, "", "none",
     "link or frame; joints that do not move it are locked"},
    {"scenario", "gravity", NUMBERS(3), HEAD(gravity), NULL, "m/s2", "the robot's",
     "acceleration of gravity in the world"},
    {"scenario", "joint_friction", CHOICE, HEAD(joint_friction), "false true", "", "true",
     "viscous, Coulomb and static friction and rotor inertias of the robot take part"},
    {"scenario", "limits", CHOICE, HEAD(limits), "false true", "", "true",
     "position limits of the robot's joints act as stops; limits of velocity and effort do not "
     "act"},
    {"scenario", "walls", LIST, 0, "wall", "", "none", "what the contact points may touch"},
    {"scenario", "contacts", ANY, HEAD(contacts), "list of texts or of [contact](#contact)", "",
     "joints and end points",
     "points that may touch walls; a text is the name of a frame or link, and means its origin"},
    {"scenario", "start", ANY, HEAD(start), "map of joint names to [start](#start)", "",
     "zero, at rest",
     "positions and velocities at the start; a number alone is q. Of a mechanism: its coordinates, "
     "or joints"},
    {"scenario", "joints", ANY, HEAD(joints), "map of joint names to [joint](#joint)", "", "none",
     "springs, dampers and stops in joints with one degree of freedom"},
    {"scenario", "forces", ANY, HEAD(forces), "text, or map of joint names to numbers", "N m or N",
     "none",
     "joint forces: constant ones by name (a list where the joint has several degrees of freedom), "
     "or a file of forces over time"},
    {"scenario", "loads", LIST, 0, "load", "", "none", "forces and couples on links"},
    {"scenario", "start_time", NUMBER, HEAD(start_time), NULL, "s", "0", "time at the start"},
    {"scenario", "duration", NUMBER, HEAD(duration), NULL, "s", "required",
     "how long the run is, more than 0 s"},
    {"scenario", "output_step", NUMBER, HEAD(output_step), NULL, "s", "0.01",
     "time between two lines of the log"},
    {"scenario", "integrator", MAP, 0, "integrator", "", "adaptive", "how time goes on"},
    {"scenario", "window", NUMBER, HEAD(window), NULL, "s", "0",
     "impacts so close in time count as one; 0: those at the same moment only"},
    {"scenario", "depth", NUMBER, HEAD(depth), NULL, "m (or rad)", "1e-9",
     "a start deeper inside a wall, or farther beyond a limit, is refused; at most 1e-3"},

    {"wall", "name", TEXT, WALL(wall.name), NULL, "", "wall1, wall2, ...",
     "for events and messages, unique among walls"},
    {"wall", "kind", CHOICE, WALL(kind),
     "plane circle ellipse cylinder sphere ellipsoid torus profile", "", "required", "its shape"},
    {"wall", "centre", NUMBERS(3), WALL(wall.centre), NULL, "m", "0 0 0",
     "its centre, a point of a plane, the origin of a profile"},
    {"wall", "normal", NUMBERS(3), WALL(normal), NULL, "", "0 0 1",
     "of a plane, into the free region; any length"},
    {"wall", "axis", NUMBERS(3), WALL(wall.axis), NULL, "", "0 0 1",
     "of all but planes and spheres; any length. Circles, ellipses and profiles are drawn in the "
     "plane across it and reach along it without end"},
    {"wall", "x", NUMBERS(3), WALL(wall.x), NULL, "", "1 0 0",
     "direction of the first semi-axis, or of a profile's x"},
    {"wall", "radius", NUMBER, WALL(radius), NULL, "m", "none",
     "of a circle, cylinder or sphere, which need it"},
    {"wall", "semi_axes", ANY, WALL(semi_axes), "2 or 3 numbers", "m", "none",
     "of an ellipse (along x and across it) or an ellipsoid (along x, across x and axis, along the "
     "axis), which need them"},
    {"wall", "ring", NUMBER, WALL(ring), NULL, "m", "none",
     "radius of a torus's ring about the axis, which it needs"},
    {"wall", "tube", NUMBER, WALL(tube), NULL, "m", "none",
     "radius of a torus's tube, which it needs"},
    {"wall", "points", ANY, WALL(points), "list of 2 numbers each", "m", "none",
     "of a profile, which needs them: x, growing, and height; a smooth spline between, straight "
     "beyond the ends"},
    {"wall", "inside", CHOICE, WALL(inside), "false true", "", "false",
     "the free region is inside; not for planes and profiles"},
    {"wall", "restitution", NUMBER, WALL(wall.restitution), NULL, "", "0",
     "0 (no rebound) to 1 (no loss)"},
    {"wall", "friction", NUMBER, WALL(wall.friction), NULL, "", "0",
     "Coulomb's coefficient of sliding; above 0, restitution acts along the wall as well, see "
     "below"},
    {"wall", "static_friction", NUMBER, WALL(wall.static_friction), NULL, "", "as friction",
     "coefficient up to which a point sticks; friction or more"},

    {"contact", "name", TEXT, CONTACT(name), NULL, "", "the link's name",
     "for events and messages, unique among contacts"},
    {"contact", "link", TEXT, CONTACT(link), NULL, "", "required", "the link that carries it"},
    {"contact", "at", NUMBERS(3), CONTACT(at), NULL, "m", "0 0 0", "place in the link's frame"},

    {"start", "q", ANY, START(q), "number, or list", "rad or m", "0",
     "coordinates of the joint, as many as it has"},
    {"start", "v", ANY, START(v), "number, or list", "rad/s or m/s", "0",
     "velocities of the joint, as many as it has; of a free or spherical joint in the body's "
     "frame"},
    {"start", "position", NUMBERS(3), START(position), NULL, "m", "0 0 0",
     "of a free joint, instead of q"},
    {"start", "orientation", NUMBERS(4), START(orientation), NULL, "", "0 0 0 1",
     "of a free or spherical joint, instead of q: unit quaternion x y z w"},
    {"start", "rpy", NUMBERS(3), START(rpy), NULL, "rad", "0 0 0",
     "the same as roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {"start", "velocity", NUMBERS(3), START(velocity), NULL, "m/s", "0 0 0",
     "of a free joint, instead of v, along the axes of position"},
    {"start", "angular_velocity", NUMBERS(3), START(angular_velocity), NULL, "rad/s", "0 0 0",
     "of a free or spherical joint, instead of v, along the axes of position"},

    {"joint", "stiffness", NUMBER, JOINT(spring.stiffness), NULL, "N m/rad or N/m", "0",
     "of the spring: tau = -stiffness (q - rest) - damping v"},
    {"joint", "rest", NUMBER, JOINT(spring.rest), NULL, "rad or m", "0",
     "where the spring is slack"},
    {"joint", "damping", NUMBER, JOINT(spring.damping), NULL, "N m s/rad or N s/m", "0",
     "of the damper"},
    {"joint", "stop_restitution", NUMBER, JOINT(stop.restitution), NULL, "", "0",
     "of rigid stops at the joint's limits: 0 (no rebound) to 1 (no loss)"},
    {"joint", "stop_stiffness", NUMBER, JOINT(stop.stiffness), NULL, "N m/rad or N/m", "0: rigid",
     "of elastic stops: beyond a limit they push back with stiffness times the way, and damping "
     "times the speed"},
    {"joint", "stop_damping", NUMBER, JOINT(stop.damping), NULL, "N m s/rad or N s/m", "0",
     "of elastic stops"},

    {"load", "link", TEXT, LOAD(link), NULL, "", "required", "the link that it acts on"},
    {"load", "at", NUMBERS(3), LOAD(load.at), NULL, "m", "0 0 0",
     "where the force acts, in the link's frame"},
    {"load", "force", NUMBERS(3), LOAD(load.force), NULL, "N", "0 0 0", "in the world's axes"},
    {"load", "couple", NUMBERS(3), LOAD(load.couple), NULL, "N m", "0 0 0", "in the world's axes"},
    {"load", "from", NUMBER, LOAD(load.from), NULL, "s", "the start", "when it begins to act"},
    {"load", "to", NUMBER, LOAD(load.to), NULL, "s", "the end", "when it stops"},

    {"integrator", "method", CHOICE, HEAD(method), "adaptive rk4 euler", "", "adaptive",
     "Dormand-Prince of order 8 to a tolerance, or fixed steps of order 4 (Runge-Kutta) or of "
     "order 1 "
     "(semi-implicit Euler)"},
    {"integrator", "relative", NUMBER, HEAD(relative), NULL, "", "2e-11",
     "relative tolerance of adaptive, 1e-15 to 0.1"},
    {"integrator", "absolute", NUMBER, HEAD(absolute), NULL, "units of q and v", "2e-11",
     "absolute tolerance of adaptive, more than 0"},
    {"integrator", "step", NUMBER, HEAD(step), NULL, "s", "1e-3", "fixed step of rk4 and euler"},

    {NULL, NULL, TEXT, 0, NULL, NULL, NULL, NULL}};
