// SPDX-License-Identifier: Apache-2.0
// What the writers of URDF and MJCF share: attributes of XML, names that nothing has yet, texts
// that can be changed byte by byte.

#ifndef AP_FILE_XML_WRITE_H
#define AP_FILE_XML_WRITE_H

#include "file/names.h"
#include "file/text.h"

// ATTRIBUTE="text" with a blank before it.
void ap__xml_text(ap__text *t, const char *attribute, const char *text);
// ATTRIBUTE="x[0] x[1] ..." with a blank before it.
void ap__xml_numbers(ap__text *t, const char *attribute, const double *x, int n);

// Refuse a text in another encoding than UTF-8 or ASCII: what is added to it would not be in it.
ap_status ap__xml_check_encoding(const char *text, size_t length, ap_error *error);

// NAME SUFFIX, with underscores before it until `taken` does not have it; it is put there. The
// text belongs to the pool. NULL: no memory.
const char *ap__new_name(ap__names *taken, ap__pool *pool, const char *name, const char *suffix);

// The <transmission> of a joint with its rotor, for URDF.
void ap__urdf_transmission(ap__text *t, const ap_body_def *body);

#endif
