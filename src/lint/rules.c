// SPDX-License-Identifier: Apache-2.0
// The rules, in the order of docs/lint.md, which describes each (a test compares).

#include <string.h>

#include "lint/examine.h"

static const ap_lint_rule rules[] = {
    // the file
    {"syntax", AP_ERROR, "the file is not well-formed XML or YAML"},
    {"refused", AP_ERROR, "the other commands refuse the file"},
    {"bad-number", AP_ERROR, "a number that cannot be read"},
    {"missing-part", AP_ERROR, "a required element or attribute is missing"},
    {"unknown-element", AP_WARNING, "an unknown element or key, perhaps misspelt"},
    {"unknown-attribute", AP_WARNING, "an unknown attribute, perhaps misspelt"},
    {"ignored-dynamics", AP_WARNING, "something that affects dynamics but is not used"},
    {"ignored", AP_NOTE, "an element that rigid-body dynamics does not use"},
    {"mesh-missing", AP_WARNING, "a mesh file that does not exist"},
    {"mesh-scale", AP_WARNING, "a mesh that is a thousand times too large or small"},
    // structure
    {"duplicate-name", AP_ERROR, "two links or two joints with the same name"},
    {"name-characters", AP_NOTE, "a name with blanks or characters beyond ASCII"},
    {"unknown-link", AP_ERROR, "a joint that refers to a missing link or joint"},
    {"two-parents", AP_ERROR, "a link that is the child of two joints"},
    {"cycle", AP_ERROR, "links that are each other's parents in a ring"},
    {"disconnected", AP_ERROR, "a link that is not connected to the rest"},
    {"joint-type", AP_ERROR, "a type of joint that does not exist"},
    // mass and inertia
    {"mass-negative", AP_ERROR, "a mass below zero"},
    {"massless", AP_ERROR, "a link that moves and has no mass or inertia"},
    {"inertia-negative", AP_ERROR, "an inertia that is not positive definite"},
    {"inertia-triangle", AP_ERROR, "physically impossible principal moments"},
    {"inertia-zero", AP_WARNING, "a mass without inertia"},
    {"inertia-gyration", AP_WARNING, "an inertia too large for the size of the link"},
    {"inertia-shape", AP_WARNING, "an inertia far from that of the link's shape"},
    {"inertia-frame", AP_WARNING, "an inertia that seems to be about the link's origin"},
    {"inertia-placeholder", AP_WARNING,
     "an inertia that looks like a placeholder: ones, or round and equal"},
    {"inertia-repeated", AP_WARNING, "the same inertia on links that differ"},
    {"com-outside", AP_WARNING, "a centre of mass outside the link's shapes"},
    {"decimal-point", AP_WARNING, "a mass or inertia that is wrong by a power of ten"},
    {"density", AP_WARNING, "a mass that does not match the volume of the shapes"},
    // left and right
    {"mirror-mass", AP_WARNING, "masses differ between left and right"},
    {"mirror-com", AP_WARNING, "centres of mass differ between left and right"},
    {"mirror-inertia", AP_WARNING, "inertias differ between left and right"},
    {"mirror-origin", AP_WARNING, "joint positions differ between left and right"},
    {"mirror-limit", AP_WARNING, "limits differ between left and right"},
    // joints
    {"axis", AP_ERROR, "an axis without direction or not of length one"},
    {"rotation", AP_WARNING, "a rotation that is not orthonormal"},
    {"origin-unit", AP_WARNING, "an origin that seems to be in degrees or millimetres"},
    {"limit-inverted", AP_ERROR, "a lower limit above the upper one"},
    {"limit-empty", AP_WARNING, "a range of zero, or no range"},
    {"limit-unit", AP_WARNING, "limits that seem to be in degrees or millimetres"},
    {"limit-zero", AP_NOTE, "the zero position is outside the limits"},
    {"limit-effort", AP_WARNING, "an effort or velocity limit of zero or below"},
    {"limit-mimic", AP_WARNING, "a mimic follower that exceeds its limits"},
    {"effort-gravity", AP_WARNING, "an effort limit below the gravity torque"},
    {"friction-negative", AP_ERROR, "damping or friction below zero"},
    {"friction-static", AP_ERROR, "static friction below Coulomb friction"},
    {"spring-negative", AP_ERROR, "a spring with a stiffness below zero"},
    {"spring-rest", AP_NOTE, "a spring that is relaxed outside the joint's limits"},
    {"gravity-compensation", AP_NOTE, "less than none or more than all of a weight compensated"},
    {"rotor", AP_WARNING, "an implausible rotor inertia or gear"},
    // the whole
    {"gravity", AP_NOTE, "a gravity that is not the Earth's"},
    {"single-precision", AP_WARNING, "single precision loses too many digits with these masses"},
    {"closure-open", AP_ERROR, "closed chains that cannot be assembled from the guess"},
    {"closure-redundant", AP_NOTE, "redundant closures"},
    {"closure-singular", AP_WARNING, "the guess is in or near a singular configuration"},
};

const ap_lint_rule *ap_lint_rule_at(int i) {
  return i >= 0 && i < (int)(sizeof rules / sizeof rules[0]) ? &rules[i] : NULL;
}

const ap_lint_rule *ap_lint_find_rule(const char *id) {
  for (int i = 0; ap_lint_rule_at(i); i++)
    if (strcmp(rules[i].id, id) == 0) return &rules[i];
  return NULL;
}

const char *ap_severity_name(ap_severity severity) {
  return severity == AP_ERROR ? "error" : severity == AP_WARNING ? "warning" : "note";
}
