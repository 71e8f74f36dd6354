// SPDX-License-Identifier: Apache-2.0
// Names of robots and frames as parts of C identifiers, one to one.
//
// A name is any string of bytes. Letters and digits stay as they are, and so does an underscore
// between two of those. Other bytes become hexadecimal, neighbours in one group: "left-arm" is
// left_x2d_arm, "tool." is tool_x2e. The text is read back without doubt, because nothing else may
// look like a group: where a word behind an underscore begins like one, its x is written so, too.
// So no two names share a text, none has two underscores in a row, and none ends with one.
//
// What follows a name must not be taken for its end, nor be met elsewhere:
//   - a robot's text has no word "jacobian" (jacobia_x6e), so that the first one in
//     ROBOT_jacobian_FRAME ends the robot; other functions are told apart by their ends;
//   - a frame's text does not end with the word of another function of the same frame: batch,
//     lanes, launch, kernel, part1, part2, ... (tool_batch is tool_batc_x68);
//   - a robot's text begins with a letter: before others go "robot" and a zero byte, which no
//     name has ("2nd" is robot_x00_2nd); and not with the library's own word "ap" (a_x70);
//   - a robot's files are no system headers: "math" is math_robot, and a name that is such a
//     header with any number of _robot behind has one more;
//   - texts of more than AP_SYMBOL_MOST characters are long_x00 and the SHA-256 of the name.

#ifndef AP_CODEGEN_SYMBOL_H
#define AP_CODEGEN_SYMBOL_H

#include <stdbool.h>

/// Characters of a text at most, and room for one with its _robot and a NUL.
enum { AP_SYMBOL_MOST = 100, AP_SYMBOL_ROOM = AP_SYMBOL_MOST + 8 };

/// The text that begins the identifiers and the files of a robot.
void ap__robot_symbol(const char *name, char text[AP_SYMBOL_ROOM]);
/// The text of a frame, to stand behind an underscore.
void ap__frame_symbol(const char *name, char text[AP_SYMBOL_ROOM]);

#endif
