// SPDX-License-Identifier: Apache-2.0
// The tree of a robot file: names, texts and places, whatever the rest of the file is like.

#include "file/tree.h"

#include "test.h"

static bool xml(ap__tree *t, const char *text) {
  *t = (ap__tree){0};
  return ap__tree_xml(t, text, strlen(text));
}

static bool yaml(ap__tree *t, const char *text) {
  *t = (ap__tree){0};
  return ap__tree_yaml(t, text, strlen(text), "a test", "a: 1");
}

static void is_at(const ap__node *n, int line, int column) {
  if (!CHECK(n != NULL)) return;
  CHECK_EQ_INT(n->line, line);
  CHECK_EQ_INT(n->column, column);
}

TEST(elements_know_their_places) {
  ap__tree t;
  CHECK(xml(&t, "<robot name='r'>\n  <link\n name='a' x='1'/> <joint>\n </joint>\n</robot>\n"));
  const ap__node *link = ap__child(t.root, "link"), *joint = ap__child(t.root, "joint");
  is_at(t.root, 1, 1);
  is_at(link, 2, 3);
  is_at(joint, 3, 19);
  CHECK_EQ_INT(t.root->end_line, 5);
  CHECK_EQ_INT(link->end_line, 3);
  CHECK_EQ_INT(joint->end_line, 4);
  CHECK_STR(ap__attribute(link, "name"), "a");
  CHECK_STR(ap__attribute(link, "x"), "1");
  CHECK(ap__attribute(link, "y") == NULL && ap__attribute(joint, "name") == NULL);
  is_at(link->attribute, 2, 3); // where its element is
  CHECK(link->parent == t.root && link->next == joint && joint->next == NULL);
  CHECK(ap__child(t.root, "robot") == NULL);
  ap__tree_free(&t);
}

// Blanks around it are taken off; what stands behind a child is not part of it.
TEST(texts_of_elements) {
  ap__tree t;
  char text[1000], many[AP__MAX_TEXT + 2];
  CHECK(xml(&t, "<a> \n 1 2 \t<b>x &lt; <![CDATA[<y>]]></b> 3 </a>"));
  CHECK_STR(t.root->text, "1 2");
  CHECK_STR(ap__child(t.root, "b")->text, "x < <y>");
  ap__tree_free(&t);
  memset(many, '7', sizeof many);
  many[sizeof many - 1] = 0;
  for (size_t extra = 0; extra < 2; extra++) { // one byte more than is kept, and no more
    snprintf(text, sizeof text, "<a>%s</a>", many + 1 - extra);
    CHECK(xml(&t, text));
    CHECK_EQ_INT((int)strlen(t.root->text), AP__MAX_TEXT);
    CHECK_EQ_INT(t.root->length, AP__MAX_TEXT + (int)extra);
    ap__tree_free(&t);
  }
}

TEST(a_cut_file_keeps_its_beginning) {
  ap__tree t;
  CHECK(!xml(&t, "<robot>\n<link name='a'/>\n<link name='b'>\n<mass"));
  CHECK_STATUS(t.error.status, AP_E_SYNTAX);
  CHECK_EQ_INT(t.error.line, 4);
  CHECK_HAS(t.error.text, "ends too early");
  CHECK_HAS(t.error.text, "inside <link>");
  CHECK_STR(ap__attribute(t.root->last, "name"), "b");
  CHECK(t.root->first->end_line == 2 && t.root->last->end_line == 0 && t.root->end_line == 0);
  ap__tree_free(&t);
  CHECK(!yaml(&t, "a: 1\nb: [1, 2\n"));
  CHECK_STATUS(t.error.status, AP_E_SYNTAX);
  CHECK_STR(ap__child(t.root, "a")->text, "1");
  CHECK_EQ_INT(ap__child(t.root, "b")->length, 2);
  ap__tree_free(&t);
  CHECK(!yaml(&t, "a: 1\nb"));
  CHECK(t.root == NULL || ap__child(t.root, "b") == NULL); // a key without its value
  ap__tree_free(&t);
}

TEST(maps_and_lists_know_their_places) {
  ap__tree t;
  CHECK(yaml(&t, "a: 1\nlist:\n  - x\n  - {b: 'q', c: [1, 2, 3]}\n...\n"));
  const ap__node *list = ap__child(t.root, "list"), *item = list->last;
  is_at(ap__child(t.root, "a"), 1, 4);
  is_at(list, 3, 3);
  is_at(item, 4, 5);
  is_at(ap__child(item, "b"), 4, 9);
  CHECK_EQ_INT(list->length, 2);
  CHECK(list->kind == AP__LIST && item->kind == AP__MAP && list->first->kind == AP__SCALAR);
  CHECK(list->first->plain && !ap__child(item, "b")->plain);
  CHECK_EQ_INT(ap__child(item, "c")->length, 3);
  CHECK(ap__child(list, "x") == NULL && ap__child(item, "d") == NULL);
  CHECK_EQ_INT(ap__line_of(t.root, "list"), 3);
  CHECK_EQ_INT(ap__line_of(item, "d"), 4); // the map's own
  ap__tree_free(&t);
}

// Depth and what could expand: what comes before stays.
TEST(limits) {
  static const char *const refused[][2] = {
      {"<!DOCTYPE r [<!ENTITY a 'x'>]><r>&a;</r>", "DOCTYPE"}, {" \n ", "empty"}, {"robot", "XML"}};
  ap__tree t;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    CHECK(!xml(&t, refused[i][0]));
    CHECK_HAS(t.error.text, refused[i][1]);
    CHECK(t.root == NULL);
    ap__tree_free(&t);
  }
  char deep[8 * (AP__MAX_DEPTH + 2)] = "";
  for (int extra = 0; extra < 2; extra++) {
    size_t n = 0;
    for (int i = 0; i < AP__MAX_DEPTH + extra; i++) n += (size_t)sprintf(deep + n, "<a>");
    for (int i = 0; i < AP__MAX_DEPTH + extra; i++) n += (size_t)sprintf(deep + n, "</a>");
    CHECK(xml(&t, deep) == (extra == 0));
    int depth = 0;
    for (const ap__node *e = t.root; e; e = e->first) depth++;
    CHECK_EQ_INT(depth, AP__MAX_DEPTH);
    ap__tree_free(&t);
  }
}
