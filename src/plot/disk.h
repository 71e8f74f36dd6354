// A file that appears only when complete.

#ifndef AP_PLOT_DISK_H
#define AP_PLOT_DISK_H

#include <appell/base.h>

// Write the text beside path under a name that nobody has, then give it its own. What a link leads
// to is replaced, not the link; a file that is replaced keeps its permissions; nothing stays behind
// on failure.
ap_status ap__plot_to_disk(const char *path, const char *text, size_t length, ap_error *error);

#endif
