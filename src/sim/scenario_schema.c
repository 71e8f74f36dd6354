// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include "file/yaml_rows.h"

#define HEAD(key, field)  "scenario", key, offsetof(ap__scenario_head, field)
#define STEP(key, field)  "integrator", key, offsetof(ap__scenario_head, field)
#define WALL(key, field)  "wall", key, offsetof(ap__scenario_wall, field)
#define CONTACT(key)      "contact", #key, offsetof(ap__scenario_contact, key)
#define COLLISIONS(key)   "collisions", #key, offsetof(ap__scenario_collisions_map, key)
#define MOTION(key)       "motion", #key, offsetof(ap_wall_motion, key)
#define MATERIAL(key, f)  "material", key, offsetof(ap__scenario_material, f)
#define START(key)        "start", #key, offsetof(ap__scenario_start, key)
#define JOINT(key, field) "joint", key, offsetof(ap__scenario_joint_map, field)
#define OTHER(key)        "other", #key, offsetof(ap__scenario_other, key)
#define LOAD(key, field)  "load", key, offsetof(ap__scenario_load, field)

const ap__yaml_key ap__scenario_keys[] = {
    {"scenario", "appell-scenario", VERSION},
    {HEAD("name", name), TEXT, "scenario", "name of the scenario"},
    {HEAD("robot", robot), ANY("text", ""), "required",
     "a built-in robot or mechanism, or a robot file (.urdf, .xml, .yaml) beside the scenario"},
    {"scenario", "others", 0, LIST("other"), "none", "further robots of the same scene"},
    {HEAD("branch", branch), TEXT, "the mechanism's own",
     "how a mechanism with closed chains is assembled, by the name of one of its branches"},
    {HEAD("floating", floating), FLAG, "false",
     "connect the root link to the ground by a free joint instead of fixing it"},
    {HEAD("ignore_mimic", ignore_mimic), FLAG, "false", "make mimic followers independent"},
    {HEAD("ignore_loops", ignore_loops), FLAG, "false", "leave the closed chains of a file open"},
    {HEAD("lock", part.lock), ANY("map of joint names to numbers or lists", "rad or m"), "none",
     "joints fixed at these values, without coordinates"},
    {HEAD("root", part.root), TEXT, "the ground",
     "link fixed to the ground; everything that is not its descendant is removed"},
    {HEAD("tip", part.tip), TEXT, "none", "link or frame; joints that do not move it are locked"},
    {HEAD("gravity", gravity), NUMBERS(3, "m/s2"), "the robot's",
     "acceleration of gravity in the world"},
    {HEAD("joint_friction", joint_friction), FLAG, "true",
     "use the robot's friction, springs, gravity compensation and rotor inertias"},
    {HEAD("limits", limits), FLAG, "true",
     "position limits of the joints act as stops; limits of velocity and effort are not used"},
    {"scenario", "walls", 0, LIST("wall"), "none", "surfaces that the contact points can touch"},
    {"scenario", "materials", 0, LIST("material"), "none",
     "coefficients by pairs of materials, in place of those of the walls"},
    {HEAD("contacts", contacts), ANY("list of texts or of [contact](#contact)", ""),
     "joints and end points",
     "points and shapes that can touch walls; a text names a frame or link and means its origin"},
    {HEAD("collisions", collisions), MAP("collisions"), "none",
     "the collision shapes of the robot file are contacts as well"},
    {HEAD("links", links), FLAG, "true", "shapes of different links touch each other"},
    {HEAD("start", start), ANY("map of joint names to [start](#start)", ""), "zero, at rest",
     "positions and velocities at the start; a single number is q. For a mechanism: its "
     "coordinates, or joints"},
    {HEAD("joints", joints), ANY("map of joint names to [joint](#joint)", ""), "none",
     "springs, dampers and stops in joints with one degree of freedom"},
    {HEAD("forces", forces), ANY("text, or map of joint names to numbers", "N m or N"), "none",
     "joint forces: constant ones by name (a list where the joint has several degrees of freedom), "
     "or a file of forces over time"},
    {"scenario", "loads", 0, LIST("load"), "none", "forces and couples on links"},
    {HEAD("start_time", start_time), NUMBER("s"), "0", "time at the start"},
    {HEAD("duration", duration), NUMBER("s"), "required", "length of the run, above 0"},
    {HEAD("output_step", output_step), NUMBER("s"), "0.01", "time between two lines of the log"},
    {"scenario", "integrator", 0, MAP("integrator"), "adaptive", "integration method and accuracy"},
    {HEAD("window", window), NUMBER("s"), "0",
     "impacts within this time count as one; 0: only simultaneous ones"},
    {HEAD("depth", depth), NUMBER("m (or rad)"), "1e-9",
     "a start deeper inside a wall, or farther beyond a limit, is refused; at most 1e-3"},
    {HEAD("most_contacts", most_contacts), NUMBER(""), "256",
     "contacts at a time at most, 1 to 4096; memory grows with the square"},

    {OTHER(robot), ANY("text", ""), "required",
     "as `robot` of the scenario, without closed chains"},
    {OTHER(name), TEXT, "required",
     "its bodies, joints and frames are called NAME_THEIRS; also the link that carries it"},
    {OTHER(xyz), NUMBERS(3, "m"), "0 0 0", "where it stands"},
    {OTHER(rpy), NUMBERS(3, "rad"), "0 0 0", "and how it is turned: roll, pitch, yaw"},
    {OTHER(floating), FLAG, "false", "as of the scenario"},

    {WALL("name", wall.name), TEXT, "wall1, wall2, ...",
     "for events and messages, unique among walls"},
    {WALL("kind", kind),
     CHOICE("plane circle ellipse cylinder sphere ellipsoid torus profile disc rectangle box "
            "capped_cylinder cone stairs height_field"),
     "required", "its shape"},
    {WALL("centre", wall.centre), NUMBERS(3, "m"), "0 0 0",
     "its centre; for a plane, any point of it; for a profile or stairs, the origin; for a cone, "
     "the "
     "centre of its base; for a height field, the place of its first height"},
    {WALL("normal", normal), NUMBERS(3, ""), "0 0 1",
     "for a plane, disc or rectangle: into the free region; any length"},
    {WALL("axis", wall.axis), NUMBERS(3, ""), "0 0 1",
     "for all other kinds but spheres; any length. Circles, ellipses, profiles and stairs lie in "
     "the "
     "plane perpendicular to it and extend along it without end; heights of a field are along it"},
    {WALL("x", wall.x), NUMBERS(3, ""), "1 0 0",
     "direction of the first semi-axis or length, or of the x of a profile, stairs or height "
     "field"},
    {WALL("radius", radius), NUMBER("m"), "none",
     "required for a circle, cylinder, sphere, disc, capped_cylinder or cone (of its base)"},
    {WALL("semi_axes", semi_axes), ANY("2 or 3 numbers", "m"), "none",
     "required for an ellipse (along x, then perpendicular to it) and an ellipsoid (along x, along "
     "axis cross x, along the axis)"},
    {WALL("ring", ring), NUMBER("m"), "none",
     "required for a torus: radius of its ring about the axis"},
    {WALL("tube", tube), NUMBER("m"), "none", "required for a torus: radius of its tube"},
    {WALL("points", points), ANY("list of 2 numbers each", "m"), "none",
     "required for a profile: x, increasing, and height; a smooth spline between points, straight "
     "beyond the ends"},
    {WALL("lengths", lengths), ANY("2 or 3 numbers", "m"), "none",
     "required for a rectangle (along x, then perpendicular to it) and a box (along x, along axis "
     "cross x, along the axis): from end to end"},
    {WALL("length", length), NUMBER("m"), "none",
     "required for a capped_cylinder or cone: along the axis, from end to end"},
    {WALL("top_radius", top_radius), NUMBER("m"), "0",
     "for a cone: radius at the other end; 0: sharp (a flat of 1e-6 of the radius)"},
    {WALL("steps", steps), NUMBER(""), "none", "required for stairs: how many, 1 to 1000"},
    {WALL("rise", rise), NUMBER("m"), "none", "required for stairs: height of a step"},
    {WALL("run", run), NUMBER("m"), "none", "required for stairs: length of a step along x"},
    {WALL("heights", heights), ANY("list of lists of numbers", "m"), "none",
     "required for a height field: rows of heights along x, one row after the other along axis "
     "cross x"},
    {WALL("spacing", spacing), NUMBERS(2, "m"), "1 1",
     "for a height field: distance of two heights along x, and of two rows"},
    {WALL("inside", inside), FLAG, "false",
     "the free region is inside; for closed kinds, not for planes, profiles, discs, rectangles, "
     "stairs and height fields"},
    {WALL("restitution", wall.restitution), NUMBER(""), "0", "0 (no rebound) to 1 (no loss)"},
    {WALL("friction", wall.friction), NUMBER(""), "0",
     "coefficient of Coulomb friction; above 0, restitution also acts along the wall, see below"},
    {WALL("static_friction", wall.static_friction), NUMBER(""), "as friction",
     "coefficient up to which a point sticks; at least friction"},
    {WALL("rolling_friction", wall.rolling_friction), NUMBER("m"), "0",
     "of rolling resistance: a couple up to this times the normal force"},
    {WALL("spinning_friction", wall.spinning_friction), NUMBER("m"), "0",
     "of torsional friction: a couple about the normal up to this times the normal force"},
    {WALL("restitution_speed", wall.restitution_speed), NUMBER("m/s"), "0: never",
     "normal velocity above which restitution falls, as the fourth root of speed / velocity"},
    {WALL("friction_across", wall.friction_across), NUMBER(""), "as friction",
     "coefficient across x, where friction is that along x: an ellipse of both; 1e-3 to 1e3 of it"},
    {WALL("surface_velocity", wall.surface_velocity), NUMBERS(3, "m/s"), "0 0 0",
     "of a belt on a plane, disc or rectangle, which itself stays; what is along the normal does "
     "not count"},
    {WALL("motion", wall.motion), MAP("motion"), "none", "how the wall moves"},
    {WALL("material", wall.material), TEXT, "none", "name of its material, see `materials`"},

    {MOTION(velocity), NUMBERS(3, "m/s"), "0 0 0", "constant velocity"},
    {MOTION(amplitude), NUMBERS(3, "m"), "0 0 0", "of a sinusoidal displacement"},
    {MOTION(axis), NUMBERS(3, ""), "the wall's", "of turning; any length"},
    {MOTION(pivot), NUMBERS(3, "m"), "0 0 0", "a point of that axis, from the wall's centre"},
    {MOTION(spin), NUMBER("rad/s"), "0", "constant rate of turning, at most 1e5"},
    {MOTION(swing), NUMBER("rad"), "0", "amplitude of a sinusoidal turning"},
    {MOTION(frequency), NUMBER("Hz"), "0", "of the sinusoidal motions, at most 1e5"},
    {MOTION(phase), NUMBER("rad"), "0", "of the sinusoidal motions"},
    {MOTION(from), NUMBER("s"), "0", "when it begins; before, the wall stands where it is then"},
    {MOTION(to), NUMBER("s"), "never", "when it ends; then the wall stands where it is"},

    {MATERIAL("between", between), ANY("list of 2 texts", ""), "required",
     "names of the two materials, in any order"},
    {MATERIAL("restitution", pair.restitution), NUMBER(""), "0", "as of a wall"},
    {MATERIAL("restitution_speed", pair.restitution_speed), NUMBER("m/s"), "0: never",
     "as of a wall"},
    {MATERIAL("friction", pair.friction), NUMBER(""), "0", "as of a wall"},
    {MATERIAL("static_friction", pair.static_friction), NUMBER(""), "as friction", "as of a wall"},
    {MATERIAL("friction_across", pair.friction_across), NUMBER(""), "as friction", "as of a wall"},
    {MATERIAL("rolling_friction", pair.rolling_friction), NUMBER("m"), "0", "as of a wall"},
    {MATERIAL("spinning_friction", pair.spinning_friction), NUMBER("m"), "0", "as of a wall"},

    {CONTACT(name), TEXT, "the link's name", "for events and messages, unique among contacts"},
    {CONTACT(link), TEXT, "required", "the link that carries it"},
    {CONTACT(at), NUMBERS(3, "m"), "0 0 0", "position in the link's frame"},
    {CONTACT(material), TEXT, "none", "name of its material, see `materials`"},
    {CONTACT(shape), CHOICE("point sphere capsule box hull cylinder"), "point",
     "its shape, whose frame is at `at`; a capsule or a cylinder is along z"},
    {CONTACT(radius), NUMBER("m"), "none", "required for a sphere, capsule or cylinder"},
    {CONTACT(length), NUMBER("m"), "none",
     "required for a capsule, between the centres of its ends, or a cylinder"},
    {CONTACT(sides), NUMBERS(3, "m"), "none", "required for a box: along x, y, z"},
    {CONTACT(points), ANY("list of 3 numbers each", "m"), "none",
     "required for a hull: at least 4, not in one plane; at most 64 corners"},
    {CONTACT(rpy), NUMBERS(3, "rad"), "0 0 0", "orientation of a shape in the link's frame"},
    {CONTACT(restitution), NUMBER(""), "0",
     "of a shape against other shapes: the geometric mean of both"},
    {CONTACT(friction), NUMBER(""), "0", "likewise; against walls, that of the wall counts"},
    {CONTACT(rolling_friction), NUMBER("m"), "0", "likewise"},
    {CONTACT(spinning_friction), NUMBER("m"), "0", "likewise"},

    {COLLISIONS(restitution), NUMBER(""), "0", "as of a contact"},
    {COLLISIONS(friction), NUMBER(""), "0", "as of a contact"},
    {COLLISIONS(rolling_friction), NUMBER("m"), "0", "as of a contact"},
    {COLLISIONS(spinning_friction), NUMBER("m"), "0", "as of a contact"},
    {COLLISIONS(material), TEXT, "none", "as of a contact"},

    {START(q), ANY("number, or list", "rad or m"), "0",
     "one number for each coordinate of the joint"},
    {START(v), ANY("number, or list", "rad/s or m/s"), "0",
     "one number for each velocity of the joint; for a free or spherical joint in the body's "
     "frame"},
    {START(position), NUMBERS(3, "m"), "0 0 0", "for a free joint, instead of q"},
    {START(orientation), NUMBERS(4, ""), "0 0 0 1",
     "for a free or spherical joint, instead of q: unit quaternion x y z w"},
    {START(rpy), NUMBERS(3, "rad"), "0 0 0",
     "the same as roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)"},
    {START(velocity), NUMBERS(3, "m/s"), "0 0 0",
     "for a free joint, instead of v; in the axes of position"},
    {START(angular_velocity), NUMBERS(3, "rad/s"), "0 0 0",
     "for a free or spherical joint, instead of v; in the axes of position"},

    {JOINT("stiffness", spring.stiffness), NUMBER("N m/rad or N/m"), "0",
     "spring constant: tau = -stiffness (q - rest) - damping v"},
    {JOINT("rest", spring.rest), NUMBER("rad or m"), "0",
     "position at which the spring has no force"},
    {JOINT("damping", spring.damping), NUMBER("N m s/rad or N s/m"), "0", "of the damper"},
    {JOINT("stop_restitution", stop.restitution), NUMBER(""), "0",
     "rigid stops at the joint's limits: 0 (no rebound) to 1 (no loss)"},
    {JOINT("stop_stiffness", stop.stiffness), NUMBER("N m/rad or N/m"), "0: rigid",
     "elastic stops: beyond a limit they push back with stiffness times the penetration, plus "
     "damping times the speed"},
    {JOINT("stop_damping", stop.damping), NUMBER("N m s/rad or N s/m"), "0", "of elastic stops"},

    {LOAD("link", link), TEXT, "required", "the link that it acts on"},
    {LOAD("at", load.at), NUMBERS(3, "m"), "0 0 0", "where the force acts, in the link's frame"},
    {LOAD("force", load.force), NUMBERS(3, "N"), "0 0 0", "in the world's axes"},
    {LOAD("couple", load.couple), NUMBERS(3, "N m"), "0 0 0", "in the world's axes"},
    {LOAD("from", load.from), NUMBER("s"), "the start", "when it begins to act"},
    {LOAD("to", load.to), NUMBER("s"), "the end", "when it stops"},

    {STEP("method", method), CHOICE("adaptive rk4 euler"), "adaptive",
     "Dormand-Prince of order 8 to a tolerance, or fixed steps of order 4 (Runge-Kutta) or of "
     "order 1 (semi-implicit Euler)"},
    {STEP("relative", relative), NUMBER(""), "2e-11",
     "relative tolerance of adaptive, 1e-15 to 0.1"},
    {STEP("absolute", absolute), NUMBER("units of q and v"), "2e-11",
     "absolute tolerance of adaptive, more than 0"},
    {STEP("step", step), NUMBER("s"), "1e-3", "fixed step of rk4 and euler"},

    {NULL, NULL, 0, TEXT, NULL, NULL}};
