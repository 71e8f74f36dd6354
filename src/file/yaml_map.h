// SPDX-License-Identifier: Apache-2.0
// Maps of YAML files, read by a table of keys.

#ifndef AP_FILE_YAML_MAP_H
#define AP_FILE_YAML_MAP_H

#include "file/tree.h"

typedef enum ap__yaml_kind {
  AP__YAML_VERSION, // the number 1
  AP__YAML_TEXT,    // const char *
  AP__YAML_TEXTS,   // a list of texts, for the format's own function
  AP__YAML_NUMBERS, // double[count]
  AP__YAML_LIMIT,   // double, or none: the default stays
  AP__YAML_CHOICE,  // int, the place among the words of `of`
  AP__YAML_MAP,     // the map named by `of`, which fills what begins at the offset
  AP__YAML_LIST,    // a list of such maps, for the format's own function
  AP__YAML_ANY      // const ap__node *, read later; `of` says in words what it is
} ap__yaml_kind;

// One key that a file may have.
typedef struct ap__yaml_key {
  const char *map; // the map it stands in
  const char *key;
  size_t offset; // where the value goes in the struct of the map
  ap__yaml_kind kind;
  int count;           // of AP__YAML_NUMBERS
  const char *of;      // see the kinds
  const char *unit;    // for the manual, as is what follows
  const char *initial; // default in words; "required" means that
  const char *about;
} ap__yaml_key;

typedef struct ap__yaml ap__yaml;

// A format. Lists of pairs of words end with NULL.
typedef struct ap__yaml_format {
  const char *file;                  // "a robot file"
  const char *opening;               // its first line
  const ap__yaml_key *keys;          // closed by one without map; those of a map stand together
  const char *const (*names)[2];     // maps that a sentence does not call "a NAME"; NULL: none
  const char *const (*own_words)[2]; // what users of other formats write, and the word here
  // A value of AP__YAML_TEXTS or AP__YAML_LIST.
  bool (*list)(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target);
  // Rules across the keys of the map n that was read, those in `seen` (see ap__yaml_has).
  bool (*finish)(ap__yaml *y, const ap__node *n, const char *map, unsigned seen, void *target);
} ap__yaml_format;

// What the doctor does with a value or key: then the reading goes on past every fault.
typedef struct ap__yaml_doctor {
  void *context;
  // Numbers, of a list or alone. True: *x was read, or one can tell what was meant.
  bool (*numbers)(void *context, const char *key, const ap__node *n, int count, double *x);
  // meant: a key of the map that may be; NULL: none.
  void (*unknown_key)(void *context, const char *map, const ap__node *key, const char *meant);
} ap__yaml_doctor;

// A file while it is read. Set the first five, and the root where there is a tree already.
struct ap__yaml {
  const ap__yaml_format *format;
  const ap__yaml_doctor *doctor; // NULL: the strict reading, which the first fault ends
  ap_error *error;
  ap__pool *kept; // where texts go that outlive it
  void *context;  // for the format's functions
  const ap__node *root;
  ap_status status;
  ap__tree tree;  // of ap__yaml_parse()
  char a_map[24]; // one of its maps in a sentence
};

// All are false, so that a reader can return them.
bool ap__yaml_fail(ap__yaml *y, int line, const char *format, ...) AP_PRINTF(3, 4);
bool ap__yaml_no_memory(ap__yaml *y);
// An error of a file that the key names, at the line of that key.
bool ap__yaml_fail_file(ap__yaml *y, int line, const char *key, const char *file,
                        const ap_error *own, const char *remedy);
// Make the tree of a text. The caller frees it in any case.
bool ap__yaml_parse(ap__yaml *y, const char *text, size_t length);
void ap__yaml_free(ap__yaml *y);

// "a list", ...: what a node is, in a sentence.
const char *ap__yaml_kind_of(const ap__node *n);
bool ap__yaml_number(ap__yaml *y, const char *key, const ap__node *n, double *x);
// A list of count numbers, for 1 a number alone; a matrix of nine also as three rows.
bool ap__yaml_numbers(ap__yaml *y, const char *key, const ap__node *n, int count, double *x);
// A text of one line, not empty, copied to `kept`.
bool ap__yaml_text(ap__yaml *y, const char *key, const ap__node *n, const char **kept);
bool ap__yaml_expect_list(ap__yaml *y, const char *key, const ap__node *n, const char *of);
// A map by the rows of the table with this name, into the struct that they fill. The doctor's
// reading fails for want of memory alone.
bool ap__yaml_read_map(ap__yaml *y, const ap__node *n, const char *map, void *target);
// Was this key of the map there?
bool ap__yaml_has(const ap__yaml *y, const char *map, unsigned seen, const char *key);

#endif
