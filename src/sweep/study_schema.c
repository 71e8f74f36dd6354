// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_rows.h"
#include "sweep/study.h"

#define HEAD(key)      "study", #key, offsetof(ap__study_head, key)
#define EVAL(key)      "eval", #key, offsetof(ap__eval_map, key)
#define ROLLOUT(key)   "rollout", #key, offsetof(ap__rollout_map, key)
#define IDENTIFY(key)  "identify", #key, offsetof(ap__identify_map, key)
#define PARAMETER(key) "parameter", #key, offsetof(ap__parameter_map, key)
#define OUTCOME(key)   "outcome", #key, offsetof(ap__outcome, key)

const ap__yaml_key ap__study_keys[] = {
    {"study", "appell-study", VERSION},
    {HEAD(name), TEXT, "study", "name of the study"},
    {HEAD(run), TEXT, "none",
     "a scenario or control scenario beside the study, run in every trial"},
    {HEAD(eval), MAP("eval"), "none", "or a quantity, computed in every trial"},
    {HEAD(rollout), MAP("rollout"), "none", "or a motion in fixed steps, without contacts"},
    {HEAD(identify), MAP("identify"), "none", "or an identification from noisy forces"},
    {HEAD(trials), NUMBER(""), "1",
     "samples of the parameters that are not grids; each is run with every combination of the "
     "grids"},
    {HEAD(design), CHOICE("random latin sobol saltelli morris"), "random",
     "how the samples are spread: independent, Latin hypercube, scrambled Sobol sequence; saltelli "
     "and morris are for sensitivities and run `trials` blocks"},
    {HEAD(seed), NUMBER(""), "1", "whole number from 0 to 2^53: another one gives other samples"},
    {HEAD(chunk), NUMBER(""), "by the kind", "trials that are computed and written together"},
    {"study", "parameters", 0, LIST("parameter"), "required", "what differs between the trials"},
    {"study", "outcomes", 0, LIST("outcome"), "required", "the numbers that a trial gives"},

    {EVAL(model), TEXT, "required", "a built-in robot, or a robot file beside the study"},
    {EVAL(quantity), TEXT, "required",
     "inverse, forward, inertia, bias, gravity or energy, as `appell eval` has it"},
    {EVAL(method), TEXT, "the default", "how it is computed (`appell methods` lists them)"},
    {EVAL(friction), FLAG, "false", "with friction, damping, springs and rotor inertia"},
    {EVAL(floating), FLAG, "false", "give the robot a free base"},
    {EVAL(gravity), NUMBERS(3, "m/s2"), "the robot's", "acceleration of gravity"},

    {ROLLOUT(model), TEXT, "required", "a built-in robot, or a robot file beside the study"},
    {ROLLOUT(dt), NUMBER("s"), "0.001", "length of a step"},
    {ROLLOUT(steps), NUMBER(""), "1000", "number of steps"},
    {ROLLOUT(every), NUMBER(""), "10", "steps between rows, of which outcomes are taken"},
    {ROLLOUT(integrator), CHOICE("semi_implicit_euler rk4"), "semi_implicit_euler",
     "how a step is taken"},
    {ROLLOUT(friction), FLAG, "false", "with friction, damping, springs and rotor inertia"},
    {ROLLOUT(floating), FLAG, "false", "give the robot a free base"},

    {IDENTIFY(model), TEXT, "required", "the robot whose parameters are the truth"},
    {IDENTIFY(data), TEXT, "required", "a log beside the study, whose motion is used"},
    {IDENTIFY(method), CHOICE("qr svd pinv ridge weighted consistent"), "qr", "the estimator"},
    {IDENTIFY(friction), FLAG, "false", "look for viscous and Coulomb friction too"},

    {PARAMETER(key), TEXT, "required", "what it is: see [Keys](#keys)"},
    {PARAMETER(name), TEXT, "its key", "what it is called, unique among parameters and outcomes"},
    {PARAMETER(relative), FLAG, "false", "a factor of the number that the file has"},
    {PARAMETER(uniform), NUMBERS(2, ""), "none", "from, to"},
    {PARAMETER(normal), NUMBERS(2, ""), "none", "mean, standard deviation"},
    {PARAMETER(lognormal), NUMBERS(2, ""), "none", "median, standard deviation of the logarithm"},
    {PARAMETER(loguniform), NUMBERS(2, ""), "none", "from, to, both above 0"},
    {PARAMETER(triangular), NUMBERS(3, ""), "none", "least, most likely, most"},
    {PARAMETER(choice), ANY("list of numbers", ""), "none", "one of them, all alike"},
    {PARAMETER(grid), ANY("list of numbers", ""), "none", "each of them, with all other grids"},
    {PARAMETER(range), NUMBERS(3, ""), "none", "a grid from, to, with so many values"},

    {OUTCOME(name), TEXT, "by what it takes", "what it is called"},
    {OUTCOME(column), TEXT, "none",
     "a column of the run, `tau.joint1`, or all of a group, `tau.*`"},
    {OUTCOME(minus), TEXT, "none", "a column, or group, that is subtracted first"},
    {OUTCOME(event), TEXT, "none", "or an event of the run, such as `impact`"},
    {OUTCOME(number), TEXT, "none",
     "of an event: its number, such as `impulse`; without: its time"},
    {OUTCOME(take), CHOICE("last first least most largest mean rms sum count"), "last",
     "what is taken of the rows or events; largest: of the magnitudes"},
    {OUTCOME(from), NUMBER("s"), "-infinity", "what is before this time does not count"},
    {OUTCOME(worst), CHOICE("largest smallest"), "largest", "which trials a summary lists"},
    {NULL, NULL, 0, AP__YAML_ANY, 0, NULL, NULL, NULL, NULL}};
