// SPDX-License-Identifier: Apache-2.0
/// @file lint.h
/// The model doctor: what is wrong or suspicious in a robot file, why it matters in numbers, and
/// how to fix it. Part of libappell-tools; allocates.
///
/// It does not stop at the first mistake. It finds what ap_robot_read() refuses, and mistakes that
/// ap_robot_read() accepts silently. docs/lint.md has the rules.

#ifndef APPELL_LINT_H
#define APPELL_LINT_H

#include <appell/file.h>
#include <appell/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How bad a finding is.
typedef enum ap_severity {
  AP_NOTE,    ///< worth knowing
  AP_WARNING, ///< most likely a mistake, or something that another program takes otherwise
  AP_ERROR    ///< cannot be right, or cannot be computed with
} ap_severity;

/// What a finding changes in the forces of the joints, over the typical motion that
/// docs/lint.md describes.
typedef struct ap_lint_effect {
  const char *joint; ///< the joint that it affects most; NULL: not computed
  const char *unit;  ///< of difference and largest: "N m" or "N"
  double difference; ///< largest change of its force
  double largest;    ///< largest force of that joint, the file being as it is
} ap_lint_effect;

/// One finding. Texts are one line each and never NULL; they live as long as the ap_lint.
typedef struct ap_finding {
  ap_severity severity;  ///< how bad
  const char *rule;      ///< the rule's id, as in ap_lint_rule
  int line;              ///< of the file, from 1; 0 where there is none
  const char *subject;   ///< the link, joint or element it is about; "" where that is the file
  const char *what;      ///< what is wrong
  const char *why;       ///< why it matters, in numbers where there are any
  const char *fix;       ///< a fix; "" if none can be computed
  ap_lint_effect effect; ///< the same as numbers
} ap_finding;

/// A rule.
typedef struct ap_lint_rule {
  const char *id;       ///< "inertia-triangle"
  ap_severity severity; ///< of its findings, or the worst of them
  const char *about;    ///< one line
} ap_lint_rule;

/// The i-th rule, NULL past the last.
AP_API const ap_lint_rule *ap_lint_rule_at(int i);
/// The rule with this id, NULL where there is none.
AP_API const ap_lint_rule *ap_lint_find_rule(const char *id);

/// How to examine.
typedef struct ap_lint_options {
  const char *const *disabled; ///< ids of rules that are to be silent
  int ndisabled;               ///< how many
  bool quick; ///< leave out what samples the motion: effects, gravity, single precision
} ap_lint_options;

/// The findings on one robot. Free with ap_lint_free().
typedef struct ap_lint ap_lint;

/// Examine a robot file by its name's ending (.urdf, .xml; .yaml, .yml). A file that cannot be
/// understood gives findings, too; a status other than AP_OK and *error say that there is nothing
/// to examine: another ending, no such file, no memory, AP_E_NOT_FOUND for a rule in options that
/// does not exist. options may be NULL.
AP_API ap_status ap_lint_file(const char *path, const ap_lint_options *options, ap_lint **lint,
                              ap_error *error);
/// The same from memory; format is "urdf" or "yaml". folder is where names of meshes begin, NULL
/// where nobody knows: meshes are not looked for then.
AP_API ap_status ap_lint_text(const char *text, size_t length, const char *format,
                              const char *folder, const ap_lint_options *options, ap_lint **lint,
                              ap_error *error);
/// The same for a robot that was read already, as of ap_robot_reduce(): what its definition alone
/// tells, without lines.
AP_API ap_status ap_lint_robot(const ap_robot *robot, const ap_lint_options *options,
                               ap_lint **lint, ap_error *error);
/// The same for a built-in robot or mechanism.
AP_API ap_status ap_lint_builtin(const char *name, const ap_lint_options *options, ap_lint **lint,
                                 ap_error *error);
/// Free findings; NULL is allowed.
AP_API void ap_lint_free(ap_lint *lint);

/// Number of findings.
AP_API int ap_lint_findings(const ap_lint *lint);
/// Finding i, from 0, in the order of the lines; NULL past the last.
AP_API const ap_finding *ap_lint_finding(const ap_lint *lint, int i);
/// How many have this severity.
AP_API int ap_lint_count(const ap_lint *lint, ap_severity severity);
/// Name of a severity: "note", "warning", "error".
AP_API const char *ap_severity_name(ap_severity severity);
/// Write all findings as a list under this key of a JSON document; strict: warnings are errors.
AP_API void ap_lint_json(const ap_lint *lint, bool strict, ap_json *json, const char *key);

#ifdef __cplusplus
}
#endif

#endif
