// SPDX-License-Identifier: Apache-2.0
// What a reader and a model remark on.

#include <appell/info.h>
#include <string.h>

// Whether warning i says the same as one shortly before it. Shortly, because a file made to annoy
// may have a hundred thousand of them.
static bool said_before(const ap_robot *robot, int i) {
  const ap_error *this = ap_robot_warning(robot, i);
  for (int k = i > 100 ? i - 100 : 0; k < i; k++) {
    const ap_error *other = ap_robot_warning(robot, k);
    if (other->line == this->line && strcmp(other->text, this->text) == 0) return true;
  }
  return false;
}

void ap_visit_warnings(const ap_robot *robot, const ap_model *m,
                       void (*visit)(void *context, const ap_warning *warning), void *context) {
  for (int i = 0; i < ap_robot_warnings(robot); i++) {
    const ap_error *warning = ap_robot_warning(robot, i);
    if (said_before(robot, i)) continue;
    visit(context, &(ap_warning){.line = warning->line, .text = warning->text});
  }
  for (int i = 0; i < ap_model_remarks(m); i++) {
    char text[sizeof((ap_error *)0)->text];
    const ap_remark remark = ap_model_remark(m, i);
    ap_remark_text(m, remark, text, sizeof text);
    visit(context, &(ap_warning){.line = ap_robot_message_line(robot, text),
                                 .text = text,
                                 .is_remark = true,
                                 .is_gyration = remark.kind == AP_REMARK_GYRATION});
  }
}
