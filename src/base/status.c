// SPDX-License-Identifier: Apache-2.0
#include <appell/base.h>

// The build system passes the version; a source dropped into another build has none.
#ifndef AP_VERSION
#define AP_VERSION "0.0.0"
#endif

const char *ap_status_text(ap_status status) {
  switch (status) {
#define AP_STATUS_TEXT(code, text) \
  case code: return text;
    AP_STATUS_LIST(AP_STATUS_TEXT)
#undef AP_STATUS_TEXT
  }
  return "unknown status";
}

const char *ap_version(void) { return AP_VERSION; }
