#include "file/log.h"

static ap_status create(ap_log *log, const char *path, const ap_log_def *def, ap_error *error) {
  (void)log, (void)path, (void)def;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "built without HDF5");
}
static void release(ap_log *log, bool remove) { (void)log, (void)remove; }
const ap__log_format ap__log_h5 = {
    .ending = ".h5", .size = sizeof(ap_log), .create = create, .release = release};
