// Errors of HDF5.

#ifdef AP_HAVE_HDF5

#include "file/h5.h"

#include <string.h>

ap__h5_silence ap__h5_be_silent(void) {
  ap__h5_silence before = {0};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

void ap__h5_end_silence(ap__h5_silence before) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, before.print, before.context);
}

typedef struct reason {
  char text[160];
  bool no_memory;
} reason;

// The innermost entry says most: "... error message = 'No space left on device', ...".
static herr_t look(unsigned n, const H5E_error2_t *entry, void *context) {
  static const char system[] = "error message = '";
  reason *why = context;
  if (entry->maj_num == H5E_RESOURCE &&
      (entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC))
    why->no_memory = true;
  if (n > 0 || !entry->desc) return 0;
  const char *said = strstr(entry->desc, system);
  said = said ? said + sizeof system - 1 : entry->desc;
  size_t length = said == entry->desc ? strlen(said) : strcspn(said, "'");
  if (length >= sizeof why->text) length = sizeof why->text - 1;
  memcpy(why->text, said, length);
  why->text[length] = 0;
  return 0;
}

ap_status ap__h5_refuse(const char *what, ap_error *error) {
  reason why = {.text = "HDF5 gives no reason"};
  why.no_memory = H5Eget_num(H5E_DEFAULT) == 0; // it was not HDF5 that had too little
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &why);
  if (why.no_memory) return ap__no_memory(error);
  return AP__REFUSE(error, AP_E_FILE, 0, "cannot %s the file: %s", what, why.text);
}

#else

typedef int ap__no_h5; // a file is not empty

#endif
