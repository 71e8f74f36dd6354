// SPDX-License-Identifier: Apache-2.0
/// @file words.h
/// What the words in capitals of a usage line stand for: "QUANTITY MODEL FILE", "--plot FILE.svg".
///
/// A word is, in this order: alternatives with bars between them, "f32|f64"; a file with an ending,
/// "FILE.svg"; or one of the table in words.c. `appell help --completion` is written from them.

#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/// A kind of word.
typedef struct cli_word {
  const char *name;         ///< "MODEL"
  const char *(*at)(int k); ///< the names that it may be, NULL behind the last; NULL: none
  /// Files that it may be: their endings with blanks between, "*" for all, "/" for folders alone,
  /// NULL for none.
  const char *files;
  bool list; ///< several names with commas between
  /// Names that the robot on the line has: a list of `appell info --json`; NULL:
  /// none.
  const char *robot;
} cli_word;

/// Word k of the table; its name is NULL behind the last.
const cli_word *cli_word_at(int k);
/// The next word of the arguments of a verb, "[MODEL...]" without its brackets, from *rest on,
/// which is moved behind it. *more: any number of them. False: there is none.
bool cli_next_word(const char **rest, char *name, size_t size, bool *more);

#endif
