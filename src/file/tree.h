// SPDX-License-Identifier: Apache-2.0
// A robot file as a tree, mistakes included: what comes before a fault of syntax is kept. The
// strict readers and the doctor stand on it, so that each format is parsed in one place. What can
// make a small file large (entities, anchors, aliases, depth) is refused on the way.

#ifndef AP_FILE_TREE_H
#define AP_FILE_TREE_H

#include "file/robot.h"

typedef enum ap__kind {
  AP__ELEMENT, // XML: its attributes, its children
  AP__ATTRIBUTE,
  AP__SCALAR, // YAML: a text
  AP__LIST,
  AP__MAP // its children are key, value, key, ...; the last value may be missing in a cut file
} ap__kind;

enum { AP__MAX_TEXT = 255 }; // bytes of an element's text that are kept

typedef struct ap__node ap__node;
struct ap__node {
  ap__kind kind;
  bool plain;       // a scalar without quotes
  int line, column; // where it starts, from 1; an attribute is where its element is
  int end_line;     // where an element ends; 0: the file is cut before
  int file_line;    // of an element of an included file: its line there; `line` is the include's
  int length;       // children of a list or map; bytes of a text, also of those not kept
  const char *file; // the included file that an element is of, as written; NULL: the robot file
  const char *name; // of an element or attribute; else ""
  const char *text; // of a scalar or attribute. Of an element: the characters before its first
                    // child, without blanks around them
  ap__node *parent, *attribute, *first, *last, *next; // attribute: the first; NULL: none
};

// Nodes and texts live as long as the tree. All zero is a valid empty tree.
typedef struct ap__tree {
  ap__node *root; // NULL: none
  ap_error error; // why the text could not be read to its end
  bool empty;     // because there is nothing in it
  int n;          // nodes
  ap__pool pool;
} ap__tree;

// Make the tree of a text. False with t->error: the tree ends there. The caller frees it in any
// case. A YAML file is called `file` in messages, and starts with `opening`.
bool ap__tree_xml(ap__tree *t, const char *text, size_t length);
bool ap__tree_yaml(ap__tree *t, const char *text, size_t length, const char *file,
                   const char *opening);
void ap__tree_free(ap__tree *t);

// The value of an element's attribute; NULL: none.
const char *ap__attribute(const ap__node *e, const char *name);
// An element's first child of a name, a map's value of a key, of n bytes; NULL: none.
const ap__node *ap__child_n(const ap__node *n, const char *name, size_t length);
const ap__node *ap__child(const ap__node *n, const char *name);
// The line of the value of a key in a map; that of the map where it has none.
int ap__line_of(const ap__node *n, const char *key);

// ---- robots ------------------------------------------------------------------------------------

// The tree of a robot file in a format, "urdf", "mjcf" or "yaml". path is where it was read, for
// the files that it includes; NULL: from memory.
void ap__robot_tree(const char *text, size_t length, const char *format, const char *path,
                    ap__tree *tree);
// As ap_robot_parse() of the text; path as above, for meshes.
ap_status ap__robot_of_tree(const ap__tree *tree, const char *format, const char *path,
                            const ap_read_options *options, ap_robot **robot, ap_error *error);
// Is the root element that of an MJCF file?
bool ap__is_mjcf(const ap__tree *tree);
// Put the files that an MJCF file includes into its tree, in the place of each <include>, and those
// of <asset><model> into that element. False with t->error: one cannot be read, or is refused.
bool ap__mjcf_include(ap__tree *t, const char *path);
// ap_robot_parse() of the text of a file, whose parts are looked for beside it; NULL: of none.
ap_status ap__robot_parse(const char *text, size_t length, const char *format, const char *path,
                          const ap_read_options *options, ap_robot **robot, ap_error *error);
// The strict readings of the formats. options is never NULL.
ap_status ap__urdf_read(const ap__tree *tree, const ap_read_options *options, ap_robot *robot,
                        ap_error *error);
ap_status ap__yaml_read(const ap__tree *tree, const ap_read_options *options, ap_robot *robot,
                        ap_error *error);
ap_status ap__mjcf_read(const ap__tree *tree, const char *path, const ap_read_options *options,
                        ap_robot *robot, ap_error *error);

// ---- for the parsers ---------------------------------------------------------------------------

// A node at the end of its parent's children, or the root; NULL: no memory, or too many, and
// t->error says so.
ap__node *ap__tree_add(ap__tree *t, ap__node *parent, ap__kind kind, int line, int column);
// A text that lives as long as the tree; "" and t->error where there is no memory.
const char *ap__tree_text(ap__tree *t, const char *text, size_t length);

#endif
