// SPDX-License-Identifier: Apache-2.0
// Logs as HDF5: a dataset for every group of columns, a row after the other.
//
// Rows are collected in memory. To flush them the file is opened, appended to and closed again, so
// that between two flushes it is an HDF5 file like any other. It is opened for "single writer,
// multiple readers": HDF5 then writes in an order in which the file is consistent at every moment,
// also when the program is killed within a flush. Then the file keeps a mark that it is being
// written, and is read with H5F_ACC_SWMR_READ or after `h5clear -s`. Times are appended last:
// whatever happens, each time has its row.

#include "file/log.h"

#ifndef AP_HAVE_HDF5

static ap_status create(ap_log *log, const char *path, const ap_log_def *def, ap_error *error) {
  (void)log, (void)path, (void)def;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "built without HDF5: use a name that ends in .csv, or install HDF5 "
                    "(libhdf5-dev on Debian) and build again");
}
static void release(ap_log *log, bool remove) { (void)log, (void)remove; }

const ap__log_format ap__log_h5 = {
    .ending = ".h5", .size = sizeof(ap_log), .create = create, .release = release};

#else

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/log_h5.h"

enum {
  BUFFER_BYTES = 1 << 20, // rows collected before they are flushed unasked
  CHUNK_BYTES = 1 << 14,  // of a dataset, about; what it grows by in the file
  LEAST_CHUNK = 16,       // rows
  WORDS = 3,              // of an event
  WORD_BYTES = 64         // where the caller says nothing, with a zero
};

// Columns that make one dataset; several where their names have a common beginning and a '.'.
typedef struct group {
  char *name;  // of the dataset, with its path
  int first;   // column
  int columns; // 0: one, without a '.'
} group;

// Rows, or the numbers of events with their times in front.
typedef struct table {
  group *groups;
  int ngroup;
  int columns;
  double *row; // [room][columns], collected
  char *words; // [room][WORDS][word_bytes]; NULL: none
  size_t word_bytes;
  int rows, room;
  hsize_t written; // rows in the file
} table;

typedef struct h5_log {
  ap_log log;
  ap__draft part;
  table rows, events;
} h5_log;

static const char *const word_name[WORDS] = {"/events/event", "/events/point", "/events/wall"};

// ---- errors ------------------------------------------------------------------------------------

typedef struct reason {
  char text[160];
  bool no_memory;
} reason;

// The innermost entry says most: "... error message = 'No space left on device', ...".
static herr_t first_reason(unsigned n, const H5E_error2_t *entry, void *context) {
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

ap_status ap__refuse_h5(ap_error *error, const char *what) {
  reason why = {.text = "HDF5 reports no reason"};
  why.no_memory = H5Eget_num(H5E_DEFAULT) == 0; // it was not HDF5 that had too little
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, &why);
  if (why.no_memory) return ap__no_memory(error);
  return AP__REFUSE(error, AP_E_FILE, 0, "cannot %s: %s", what, why.text);
}

static ap_status refuse(ap_error *error) { return ap__refuse_h5(error, "write the file"); }

// ---- making the file ---------------------------------------------------------------------------

// Their format is that of HDF5 1.10, the first with single writer and
// multiple readers. Our own lock is on the file; HDF5's would make a flush fail while somebody
// reads.
hid_t ap__h5_access_list(void) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list < 0) return list;
  bool good = H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0 &&
              H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0;
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE < 1)
  good = good && H5Pset_file_locking(list, false, true) >= 0;
#endif
  if (good) return list;
  H5Pclose(list);
  return H5I_INVALID_HID;
}

// The type of texts of so many bytes. Texts of any length would lie in a heap of HDF5's that a
// damaged file brings it to crash by.
static hid_t text_type(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  if (H5Tset_size(type, size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0)
    return type;
  H5Tclose(type);
  return H5I_INVALID_HID;
}

bool ap__h5_add_texts(hid_t object, const char *name, const char *const *text, int n) {
  const hsize_t length = (hsize_t)n;
  const size_t count = n ? (size_t)n : 1;
  size_t size = 1;
  for (size_t i = 0; i < count; i++) size = strlen(text[i]) > size ? strlen(text[i]) : size;
  char *packed = calloc(count, size);
  hid_t type = text_type(size);
  hid_t space = n ? H5Screate_simple(1, &length, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5I_INVALID_HID;
  for (size_t i = 0; packed && i < count; i++) memcpy(packed + i * size, text[i], strlen(text[i]));
  if (packed && type >= 0 && space >= 0)
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && H5Awrite(attribute, type, packed) >= 0;
  if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  free(packed);
  return good;
}

// How an object is made whose attributes may be long: beside it, not within its header of 64 KiB.
static hid_t creation_list(hid_t kind) {
  hid_t list = H5Pcreate(kind);
  if (list >= 0 && H5Pset_attr_phase_change(list, 0, 0) < 0) {
    H5Pclose(list);
    return H5I_INVALID_HID;
  }
  return list;
}

static bool add_text(hid_t object, const char *name, const char *text) {
  return !text || ap__h5_add_texts(object, name, &text, 0);
}

// Rows of a chunk.
static hsize_t chunk_rows(size_t row_bytes) {
  const size_t rows = CHUNK_BYTES / row_bytes;
  return rows < LEAST_CHUNK ? LEAST_CHUNK : rows;
}

hid_t ap__h5_add_dataset(hid_t file, const char *name, hid_t type, int columns) {
  const hsize_t width = columns ? (hsize_t)columns : 1;
  const int rank = columns ? 2 : 1;
  const hsize_t now[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
  const hsize_t chunk[2] = {chunk_rows((size_t)width * H5Tget_size(type)), width};
  hid_t space = H5Screate_simple(rank, now, most), list = creation_list(H5P_DATASET_CREATE);
  hid_t link = H5Pcreate(H5P_LINK_CREATE), set = H5I_INVALID_HID;
  if (space >= 0 && list >= 0 && link >= 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
      H5Pset_create_intermediate_group(link, 1) >= 0)
    set = H5Dcreate2(file, name, type, space, link, list, H5P_DEFAULT);
  ap__h5_close(link, H5Pclose);
  ap__h5_close(list, H5Pclose);
  ap__h5_close(space, H5Sclose);
  return set;
}

// The attributes of a group: names and units, lists where it has several columns.
static bool describe(hid_t set, const group *g, const ap_column *column) {
  if (g->columns == 0) return add_text(set, "units", column->unit);
  const char **text = malloc((size_t)g->columns * sizeof *text);
  if (!text) return false;
  for (int i = 0; i < g->columns; i++) text[i] = strchr(column[i].name, '.') + 1;
  bool good = ap__h5_add_texts(set, "names", text, g->columns);
  for (int i = 0; i < g->columns; i++) text[i] = column[i].unit;
  good = good && ap__h5_add_texts(set, "units", text, g->columns);
  free(text);
  return good;
}

static bool add_groups(hid_t file, const table *t, const ap_column *column) {
  for (int k = 0; k < t->ngroup; k++) {
    const group *g = &t->groups[k];
    hid_t set = ap__h5_add_dataset(file, g->name, H5T_IEEE_F64LE, g->columns);
    if (set < 0) return false;
    bool good = describe(set, g, &column[g->first]);
    if (H5Dclose(set) < 0 || !good) return false;
  }
  return true;
}

static bool add_words(hid_t file, size_t bytes) {
  hid_t type = text_type(bytes);
  bool good = type >= 0;
  for (int k = 0; k < WORDS && good; k++) {
    hid_t set = ap__h5_add_dataset(file, word_name[k], type, 0);
    good = set >= 0 && H5Dclose(set) >= 0;
  }
  if (type >= 0) H5Tclose(type);
  return good;
}

// In which order the columns were: HDF5 has datasets by their names.
static bool add_order(hid_t file, const table *t) {
  const char **name = malloc((size_t)t->ngroup * sizeof *name);
  if (!name) return false;
  for (int k = 0; k < t->ngroup; k++) name[k] = t->groups[k].name + 1; // without the '/'
  bool good = ap__h5_add_texts(file, "order", name, t->ngroup);
  free(name);
  return good;
}

static bool add_all(hid_t file, const h5_log *h5, const ap_log_def *def,
                    const ap_column *event_column) {
  hid_t events = H5Gcreate2(file, "/events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return events >= 0 && H5Gclose(events) >= 0 && add_text(file, "program", "appell " AP_VERSION) &&
         add_text(file, "model", def->model) && add_text(file, "scenario", def->scenario) &&
         add_text(file, "scenario_file", def->scenario_file) && add_order(file, &h5->rows) &&
         add_groups(file, &h5->rows, def->column) && add_groups(file, &h5->events, event_column) &&
         add_words(file, h5->events.word_bytes);
}

static ap_status make_file(const h5_log *h5, const ap_log_def *def, const ap_column *event_column,
                           ap_error *error) {
  ap_status status = AP_OK;
  const ap__silence before = ap__be_silent();
  hid_t list = ap__h5_access_list(), made = creation_list(H5P_FILE_CREATE), file = H5I_INVALID_HID;
  if (list >= 0 && made >= 0) file = H5Fcreate(h5->part.path, H5F_ACC_TRUNC, made, list);
  if (file < 0 || !add_all(file, h5, def, event_column)) status = refuse(error);
  if (file >= 0 && H5Fclose(file) < 0 && !status) status = refuse(error);
  if (made >= 0) H5Pclose(made);
  if (list >= 0) H5Pclose(list);
  ap__end_silence(before);
  return status;
}

// ---- tables ------------------------------------------------------------------------------------

static size_t prefix_length(const char *name) { return strcspn(name, "."); }

// Whether columns a and b belong to one dataset.
static bool same_group(const char *a, const char *b) {
  const size_t n = prefix_length(a);
  return a[n] == '.' && prefix_length(b) == n && b[n] == '.' && memcmp(a, b, n) == 0;
}

// The path of a dataset; a '/' in a name would be another folder.
static char *dataset_name(const char *place, const char *column) {
  const size_t before = strlen(place), length = prefix_length(column);
  char *name = malloc(before + length + 1);
  if (!name) return NULL;
  memcpy(name, place, before);
  memcpy(name + before, column, length);
  name[before + length] = 0;
  for (char *s = name + before; *s; s++)
    if (*s == '/') *s = '_';
  return name;
}

static ap_status plan(table *t, const char *place, const ap_column *column, int columns,
                      ap_error *error) {
  const size_t row_bytes = (size_t)columns * sizeof(double) + WORDS * t->word_bytes;
  t->columns = columns;
  t->room = row_bytes < BUFFER_BYTES ? (int)(BUFFER_BYTES / row_bytes) : 1;
  t->groups = calloc((size_t)columns, sizeof *t->groups);
  t->row = malloc((size_t)t->room * (size_t)columns * sizeof *t->row);
  if (t->word_bytes) t->words = malloc((size_t)t->room * WORDS * t->word_bytes);
  if (!t->groups || !t->row || (t->word_bytes && !t->words)) return ap__no_memory(error);
  for (int i = 0; i < columns; i++) {
    group *last = t->ngroup > 0 ? &t->groups[t->ngroup - 1] : NULL;
    if (last && same_group(column[last->first].name, column[i].name)) {
      last->columns++;
      continue;
    }
    const bool plain = !column[i].name[prefix_length(column[i].name)];
    group *g = &t->groups[t->ngroup];
    *g = (group){dataset_name(place, column[i].name), i, plain ? 0 : 1};
    if (!g->name) return ap__no_memory(error);
    t->ngroup++;
  }
  return AP_OK;
}

static void free_table(table *t) {
  for (int k = 0; k < t->ngroup; k++) free(t->groups[k].name);
  free(t->groups);
  free(t->row);
  free(t->words);
}

// ---- appending ---------------------------------------------------------------------------------

// Rows collected, of a dataset whose entries lie step apart in memory, to the end of the dataset.
static bool append(hid_t file, const table *t, const char *name, hid_t type, const void *from,
                   int columns, int step) {
  const hsize_t width = columns ? (hsize_t)columns : 1, n = (hsize_t)t->rows;
  const hsize_t end[2] = {t->written + n, width}, offset[2] = {t->written, 0},
                count[2] = {n, width};
  const hsize_t memory[2] = {n, (hsize_t)step}, start[2] = {0, 0};
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5I_INVALID_HID;
  hid_t here = H5Screate_simple(2, memory, NULL);
  bool good = set >= 0 && here >= 0 && H5Dset_extent(set, end) >= 0;
  if (good) space = H5Dget_space(set);
  good = good && space >= 0 &&
         H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL) >= 0 &&
         H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
         H5Dwrite(set, type, here, space, H5P_DEFAULT, from) >= 0;
  if (space >= 0) H5Sclose(space);
  if (here >= 0) H5Sclose(here);
  if (set >= 0) good = H5Dclose(set) >= 0 && good;
  return good;
}

static bool append_group(hid_t file, const table *t, int k) {
  const group *g = &t->groups[k];
  // The selection in memory begins at the first entry of the group, in rows of the whole table; the
  // last row would then reach beyond the table, but what is selected of it does not.
  return append(file, t, g->name, H5T_NATIVE_DOUBLE, t->row + g->first, g->columns, t->columns);
}

static bool append_words(hid_t file, const table *t) {
  if (!t->words) return true;
  hid_t type = text_type(t->word_bytes);
  bool good = type >= 0;
  for (int k = 0; k < WORDS && good; k++)
    good = append(file, t, word_name[k], type, t->words + (size_t)k * t->word_bytes, 0, WORDS);
  if (type >= 0) H5Tclose(type);
  return good;
}

// All but the times, which are the first column of a table.
static bool append_table(hid_t file, const table *t) {
  if (t->rows == 0) return true;
  for (int k = 1; k < t->ngroup; k++)
    if (!append_group(file, t, k)) return false;
  return append_words(file, t);
}

static bool append_times(hid_t file, const table *t) {
  return t->rows == 0 || append_group(file, t, 0);
}

// Bytes by which the file may grow: the rows, and a chunk and its index for each dataset.
static off_t growth(const table *t) {
  enum { INDEX_BYTES = 4096 };
  const size_t row_bytes = (size_t)t->columns * sizeof(double) + WORDS * t->word_bytes;
  size_t bytes = (size_t)t->rows * row_bytes;
  for (int k = 0; k < t->ngroup + (t->words ? WORDS : 0); k++) bytes += CHUNK_BYTES + INDEX_BYTES;
  return (off_t)(bytes + LEAST_CHUNK * row_bytes + INDEX_BYTES);
}

// more: bytes besides those of the rows.
static ap_status reserve(const h5_log *h5, size_t more, ap_error *error) {
  return ap__draft_reserve(&h5->part, growth(&h5->rows) + growth(&h5->events) + (off_t)more, error);
}

static void forget_collected(table *t) {
  t->written += (hsize_t)t->rows;
  t->rows = 0;
}

static ap_status flush(ap_log *log, ap_error *error) {
  h5_log *h5 = (h5_log *)log;
  if (h5->rows.rows == 0 && h5->events.rows == 0) return AP_OK;
  ap_status status = ap__has_memory_for_h5() ? reserve(h5, 0, error) : ap__no_memory(error);
  if (status) return status;
  const ap__silence before = ap__be_silent();
  hid_t list = ap__h5_access_list(), file = H5I_INVALID_HID;
  if (list >= 0) file = H5Fopen(h5->part.path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, list);
  const bool good = file >= 0 && append_table(file, &h5->rows) && append_table(file, &h5->events) &&
                    H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && append_times(file, &h5->rows) &&
                    append_times(file, &h5->events);
  if (!good) status = refuse(error);
  if (file >= 0 && H5Fclose(file) < 0 && !status) status = refuse(error);
  if (list >= 0) H5Pclose(list);
  ap__end_silence(before);
  forget_collected(&h5->rows);
  forget_collected(&h5->events);
  log->holds = log->holds || !status;
  return status;
}

// ---- the format --------------------------------------------------------------------------------

// Bytes of the file before its first rows: more than names, units and texts take.
static size_t empty_bytes(const ap_log_def *def) {
  enum { COLUMN_BYTES = 1024, FILE_BYTES = 1 << 16 };
  const size_t columns = (size_t)def->columns + (size_t)def->event_columns;
  return FILE_BYTES + columns * COLUMN_BYTES + (def->scenario ? strlen(def->scenario) : 0);
}

static ap_status create(ap_log *log, const char *path, const ap_log_def *def, ap_error *error) {
  h5_log *h5 = (h5_log *)log;
  const int columns = def->event_columns + 1;
  h5->events.word_bytes = def->longest_word > 0 ? (size_t)def->longest_word + 1 : WORD_BYTES;
  ap_status status = ap__draft_open(&h5->part, path, error);
  if (status) return status;
  ap_column *column = calloc((size_t)columns, sizeof *column); // of events, with their times
  if (!column) return ap__no_memory(error);
  column[0] = (ap_column){"t", "s"};
  for (int i = 1; i < columns; i++) column[i] = def->event_column[i - 1];
  status = plan(&h5->rows, "/", def->column, def->columns, error);
  if (!status) status = plan(&h5->events, "/events/", column, columns, error);
  if (!status && !ap__has_memory_for_h5()) status = ap__no_memory(error);
  if (!status) status = reserve(h5, empty_bytes(def), error);
  if (!status) status = make_file(h5, def, column, error);
  free(column);
  return status;
}

static ap_status row(ap_log *log, const double *numbers, ap_error *error) {
  table *t = &((h5_log *)log)->rows;
  ap_status status = t->rows == t->room ? flush(log, error) : AP_OK;
  if (status) return status;
  memcpy(t->row + (size_t)t->rows * (size_t)t->columns, numbers,
         (size_t)t->columns * sizeof *numbers);
  t->rows++;
  return AP_OK;
}

// A word, cut at a whole character where it is too long.
static void set_word(const table *t, int k, const char *word) {
  char *out = t->words + ((size_t)t->rows * WORDS + (size_t)k) * t->word_bytes;
  size_t length = strlen(word);
  if (length >= t->word_bytes) {
    length = t->word_bytes - 1;
    while (length > 0 && ((unsigned char)word[length] & 0xC0u) == 0x80u) length--;
  }
  for (size_t i = 0; i < t->word_bytes; i++) out[i] = i < length ? word[i] : '\0';
}

static ap_status event(ap_log *log, double time, const char *what, const char *point,
                       const char *wall, const double *numbers, ap_error *error) {
  table *t = &((h5_log *)log)->events;
  ap_status status = t->rows == t->room ? flush(log, error) : AP_OK;
  if (status) return status;
  double *out = t->row + (size_t)t->rows * (size_t)t->columns;
  out[0] = time;
  if (t->columns > 1) memcpy(out + 1, numbers, (size_t)(t->columns - 1) * sizeof *numbers);
  set_word(t, 0, what);
  set_word(t, 1, point);
  set_word(t, 2, wall);
  t->rows++;
  return AP_OK;
}

static ap_status finish(ap_log *log, ap_error *error) {
  return ap__draft_publish(&((h5_log *)log)->part, error);
}

static void release(ap_log *log, bool remove) {
  h5_log *h5 = (h5_log *)log;
  ap__draft_close(&h5->part, remove);
  free_table(&h5->rows);
  free_table(&h5->events);
}

const ap__log_format ap__log_h5 = {.ending = ".h5",
                                   .size = sizeof(h5_log),
                                   .create = create,
                                   .row = row,
                                   .event = event,
                                   .flush = flush,
                                   .finish = finish,
                                   .release = release};

#endif
