// An XML file as a tree of elements that know their lines. What comes before a mistake is kept.

#ifndef AP_LINT_XML_H
#define AP_LINT_XML_H

#include "file/robot.h"

typedef struct xml_attribute {
  const char *name, *value;
} xml_attribute;

// Elements name each other by their place in the array; -1: none.
typedef struct xml_element {
  const char *name;
  const char *text; // character data, cut at 255 bytes, without blanks around it
  int line;
  int parent, first, last, next;
  int attribute, nattribute; // where they begin in the list
} xml_element;

typedef struct xml_tree {
  xml_element *element; // the first is the root; there may be none
  int n, capacity;
  xml_attribute *attribute;
  int nattribute, attribute_capacity;
  ap__pool pool;
  bool cut; // the text is not well-formed: *error says where it ends to be
} xml_tree;

// False: no memory. The caller frees the tree in any case.
bool ap__xml_parse(xml_tree *tree, const char *text, size_t length, ap_error *error);
void ap__xml_free(xml_tree *tree);
// The value of an attribute; NULL where there is none.
const char *ap__xml_value(const xml_tree *tree, int element, const char *name);
// The first child of that name; -1: none.
int ap__xml_child(const xml_tree *tree, int element, const char *name);

#endif
