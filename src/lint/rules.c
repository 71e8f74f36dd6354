// The rules, in the order of docs/lint.md, which describes each (a test compares).

#include <string.h>

#include "lint/examine.h"

static const ap_lint_rule rules[] = {
    // the file
    {"syntax", AP_ERROR, "the file is not well-formed XML or YAML"},
    {"refused", AP_ERROR, "the reader of robot files refuses the file"},
    {"bad-number", AP_ERROR, "a number that cannot be read"},
    {"missing-part", AP_ERROR, "an element or attribute that has to be there is not"},
    {"unknown-element", AP_WARNING, "an element or key that nobody knows, perhaps misspelt"},
    {"unknown-attribute", AP_WARNING, "an attribute that nobody knows, perhaps misspelt"},
    {"ignored-dynamics", AP_WARNING, "something with a meaning for dynamics that is not used"},
    {"ignored", AP_NOTE, "an element without a meaning for rigid-body dynamics"},
    {"mesh-missing", AP_WARNING, "a mesh file that does not exist"},
    {"mesh-scale", AP_WARNING, "a mesh that is a thousand times too large or small"},
    // structure
    {"duplicate-name", AP_ERROR, "two links or two joints with the same name"},
    {"name-characters", AP_NOTE, "a name with blanks or characters beyond ASCII"},
    {"unknown-link", AP_ERROR, "a joint that names a link or joint which is not there"},
    {"two-parents", AP_ERROR, "a link that is the child of two joints"},
    {"cycle", AP_ERROR, "links that hang on each other in a ring"},
    {"disconnected", AP_ERROR, "a link that nothing connects to the rest"},
    {"joint-type", AP_ERROR, "a type of joint that does not exist"},
    // mass and inertia
    {"mass-negative", AP_ERROR, "a mass below zero"},
    {"massless", AP_ERROR, "a link that moves and has no mass or inertia"},
    {"inertia-negative", AP_ERROR, "an inertia that is not positive definite"},
    {"inertia-triangle", AP_ERROR, "principal moments that no body can have"},
    {"inertia-zero", AP_WARNING, "a mass without extent"},
    {"inertia-gyration", AP_WARNING, "an inertia too large for the size of the link"},
    {"inertia-shape", AP_WARNING, "an inertia far from that of the link's shape"},
    {"inertia-frame", AP_WARNING, "an inertia that seems to be about the link's origin"},
    {"inertia-placeholder", AP_WARNING, "an inertia that looks made up: ones, or round and equal"},
    {"inertia-repeated", AP_WARNING, "the same inertia on links that differ"},
    {"com-outside", AP_WARNING, "a centre of mass outside the link's shapes"},
    {"decimal-point", AP_WARNING, "a mass or inertia a power of ten off"},
    {"density", AP_WARNING, "a mass that does not suit the volume of the shapes"},
    // left and right
    {"mirror-mass", AP_WARNING, "masses differ between left and right"},
    {"mirror-com", AP_WARNING, "centres of mass differ between left and right"},
    {"mirror-inertia", AP_WARNING, "inertias differ between left and right"},
    {"mirror-origin", AP_WARNING, "places of joints differ between left and right"},
    {"mirror-limit", AP_WARNING, "limits differ between left and right"},
    // joints
    {"axis", AP_ERROR, "an axis without direction or not of length one"},
    {"rotation", AP_WARNING, "a rotation that is not orthonormal"},
    {"origin-unit", AP_WARNING, "a place that seems to be in degrees or millimetres"},
    {"limit-inverted", AP_ERROR, "a lower limit above the upper one"},
    {"limit-empty", AP_WARNING, "a range of zero, or none at all"},
    {"limit-unit", AP_WARNING, "limits that seem to be in degrees or millimetres"},
    {"limit-zero", AP_NOTE, "the zero position is outside the limits"},
    {"limit-effort", AP_WARNING, "an effort or velocity limit of zero or below"},
    {"limit-mimic", AP_WARNING, "a follower that leaves its own limits"},
    {"effort-gravity", AP_WARNING, "an effort limit below what gravity asks for"},
    {"friction-negative", AP_ERROR, "damping or friction below zero"},
    {"friction-static", AP_ERROR, "static friction below that of sliding"},
    {"rotor", AP_WARNING, "a rotor inertia or gear that cannot be right"},
    // the whole
    {"gravity", AP_NOTE, "a gravity that is not the Earth's"},
    {"single-precision", AP_WARNING, "single precision loses too many digits with these masses"},
    {"closure-open", AP_ERROR, "closed chains that cannot be assembled from the guess"},
    {"closure-redundant", AP_NOTE, "closures that say the same thing twice"},
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
