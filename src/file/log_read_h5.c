// SPDX-License-Identifier: Apache-2.0
// Logs read back from HDF5, a block of rows at a time. Whatever a file has that a log does not, is
// refused: other types, other shapes, lists of another length; numbers that are in other files (by
// links, external storage or virtual datasets); rows that are not there; filters that are not
// HDF5's own; compression that makes a small file endless.

#include "file/log_read.h"

#ifndef AP_HAVE_HDF5

static ap_status open_log(ap_log_reader *r, const char *path, ap_error *error) {
  (void)r, (void)path;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "built without HDF5: install it (libhdf5-dev on Debian) and build again");
}
static void close_log(ap_log_reader *r) { (void)r; }

const ap__log_source ap__log_of_h5 = {
    .size = sizeof(ap_log_reader), .open = open_log, .close = close_log};

#else

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/log_h5.h"

enum {
  BLOCK_BYTES = 1 << 22,     // of rows, about
  MOST_WORD = 1 << 16,       // bytes of a word of an event
  MOST_TEXT = AP__MAX_BYTES, // of an attribute
  MOST_CHUNK = 1 << 20,      // bytes, where compressed: what HDF5 keeps, so that none is read twice
  MOST_UNPACKED = 64 << 20,  // bytes of a table that are compressed without limit
  MOST_RATIO = 100,          // and of a larger one, for each byte in the file
  MOST_NUMBER = 16           // bytes
};

// A dataset with a column or more.
typedef struct dataset {
  hid_t id;
  int first, columns;
  int rank;
  double row_bytes;    // of its type in the file
  double stored_bytes; // in the file
  bool packed;         // by a filter
} dataset;

typedef struct table {
  dataset *set;
  int n, capacity;
  int columns;
  long rows; // in the file
  long at;   // of the first row of the block
  int room, in_block, next;
  double *block; // [room][columns]
} table;

enum { WORDS = 3 };

typedef struct h5_reader {
  ap_log_reader r;
  hid_t file;
  table rows, events;
  double file_bytes;
  dataset word_set[WORDS]; // of events
  size_t word_bytes[WORDS];
  char *word[WORDS]; // [room of events][word_bytes]
} h5_reader;

static ap_status refuse(ap_error *error, const char *name, const char *what) {
  return AP__REFUSE(error, AP_E_SYNTAX, 0, "\"%.*s\" %s", ap__shown(name), name, what);
}

// ---- attributes --------------------------------------------------------------------------------

// Texts of an attribute: a list, or one.
typedef struct texts {
  char *bytes; // each closed by a zero
  char **text; // [n] in them
  int n;
  bool no_memory;
} texts;

static void free_texts(texts *t) {
  free(t->bytes);
  free(t->text);
  *t = (texts){.no_memory = t->no_memory};
}

// n texts of so many bytes out of an attribute. Those of any length are not ours.
static bool take_texts(hid_t attribute, hid_t type, size_t n, size_t size, texts *t) {
  char *packed = malloc(n * size);
  t->bytes = calloc(n, size + 1);
  t->text = calloc(n, sizeof *t->text);
  bool good = packed && t->bytes && t->text && H5Aread(attribute, type, packed) >= 0;
  for (size_t i = 0; good && i < n; i++) {
    t->text[i] = t->bytes + i * (size + 1);
    memcpy(t->text[i], packed + i * size, size);
  }
  if (good) t->n = (int)n;
  t->no_memory = !good && (!packed || !t->bytes || !t->text ||
                           ap__refuse_h5(NULL, "read an attribute") == AP_E_MEMORY);
  free(packed);
  return good;
}

// False where there is no such attribute, or another kind of it.
static bool read_texts(hid_t object, const char *name, texts *t) {
  *t = (texts){0};
  if (H5Aexists(object, name) <= 0) return false;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
  hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  bool good = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
              n > 0 && n <= AP__LOG_COLUMNS;
  const size_t size = good ? H5Tget_size(type) : 0;
  good = good && size > 0 && size <= MOST_TEXT && (size_t)n <= MOST_TEXT / size;
  good = good && take_texts(attribute, type, (size_t)n, size, t);
  if (!good) free_texts(t);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}

// A copy that the reader keeps; NULL where there is none. *status is set where memory is short.
static const char *keep_text(h5_reader *h, const char *name, ap_status *status, ap_error *error) {
  texts t;
  if (!read_texts(h->file, name, &t)) {
    if (t.no_memory) *status = ap__no_memory(error);
    return NULL;
  }
  const size_t length = strlen(t.text[0]);
  const char *kept = length < MOST_TEXT ? ap__pool_text(&h->r.pool, t.text[0], length) : NULL;
  if (!kept && length < MOST_TEXT) *status = ap__no_memory(error);
  free_texts(&t);
  return kept;
}

// ---- what is stored ----------------------------------------------------------------------------

// A path would lead through links.
static bool is_path(const char *name) {
  return !*name || strchr(name, '/') || strcmp(name, ".") == 0;
}

// Is the link of that name one that a log has: to what is in the same group of the same file?
static ap_status check_link(hid_t place, const char *name, ap_error *error) {
  H5L_info_t info;
  if (H5Lget_info(place, name, &info, H5P_DEFAULT) < 0) return refuse(error, name, "is not there");
  if (info.type == H5L_TYPE_HARD) return AP_OK;
  return refuse(error, name,
                info.type == H5L_TYPE_SOFT ? "is a soft link (a log holds its datasets itself)"
                : info.type == H5L_TYPE_EXTERNAL
                    ? "is a link to another file (a log holds its datasets itself)"
                    : "is a link of a kind of its own (a log holds its datasets itself)");
}

static double entries_of(hid_t set) {
  hid_t space = H5Dget_space(set);
  const double n = space >= 0 ? (double)H5Sget_simple_extent_npoints(space) : 0;
  if (space >= 0) H5Sclose(space);
  return n;
}

// What is wrong with the filters and chunks of a dataset; NULL: nothing.
static const char *chunk_fault(hid_t list, double entries, double entry_bytes, bool *packed) {
  hsize_t chunk[2] = {1, 1};
  const int filters = H5Pget_nfilters(list);
  for (int k = 0; k < filters; k++) {
    unsigned flags, settings;
    size_t none = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(list, (unsigned)k, &flags, &none, NULL, 0, NULL, &settings);
    if (id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE && id != H5Z_FILTER_FLETCHER32)
      return "has a filter that a log may not have (deflate, shuffle or fletcher32)";
  }
  *packed = filters > 0;
  if (filters < 0 || H5Pget_chunk(list, 2, chunk) < 0) return "has unreadable chunks";
  if (filters && (double)chunk[0] * (double)chunk[1] * entry_bytes > MOST_CHUNK)
    return "has compressed chunks of more than 1 MiB (h5repack -l CHUNK=1000 makes smaller ones)";
  const double size = (double)chunk[0] * (double)chunk[1]; // HDF5 keeps a record of every chunk
  if (size < 64 && entries > 1e5 * size)
    return "has chunks of few numbers (h5repack -l CHUNK=1000 makes larger ones)";
  return NULL;
}

// Is the dataset stored in this file alone, in a way that is read in steps? entry_bytes: of its
// type.
static ap_status check_stored(hid_t set, const char *name, double entry_bytes, bool *packed,
                              ap_error *error) {
  const char *fault = NULL;
  hid_t list = H5Dget_create_plist(set);
  if (list < 0) return refuse(error, name, "is damaged");
  const H5D_layout_t layout = H5Pget_layout(list);
  *packed = false;
  if (layout == H5D_VIRTUAL)
    fault = "is a virtual dataset: its numbers are in other files (a log holds them itself)";
  else if (H5Pget_external_count(list) != 0)
    fault = "is in another file, by external storage (a log holds its numbers itself)";
  else if (layout == H5D_CHUNKED)
    fault = chunk_fault(list, entries_of(set), entry_bytes, packed);
  else if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)
    fault = "is stored in an unknown way";
  H5Pclose(list);
  return fault ? refuse(error, name, fault) : AP_OK;
}

// Open a dataset that is stored as one of a log; closed by the caller, also where it is refused.
static ap_status open_stored(hid_t place, const char *name, dataset *set, ap_error *error) {
  ap_status status = check_link(place, name, error);
  if (status) return status;
  set->id = H5Dopen2(place, name, H5P_DEFAULT);
  hid_t type = set->id >= 0 ? H5Dget_type(set->id) : H5I_INVALID_HID;
  if (type < 0) return refuse(error, name, "is no dataset");
  set->row_bytes = (double)H5Tget_size(type);
  H5Tclose(type);
  status = check_stored(set->id, name, set->row_bytes, &set->packed, error);
  if (!status) set->stored_bytes = (double)H5Dget_storage_size(set->id);
  return status;
}

// Are the rows that datasets claim really there? Each byte of the file counts once, so that the
// same numbers cannot be many columns.
static ap_status check_rows(const h5_reader *h, const dataset *set, int n, long rows,
                            ap_error *error) {
  double stored = 0, claimed = 0;
  bool packed = false;
  for (int k = 0; k < n; k++) {
    const double needed = set[k].row_bytes * (double)rows;
    if (!set[k].packed && set[k].stored_bytes < needed)
      return AP__REFUSE(error, AP_E_SYNTAX, 0, "says that it has %ld rows, and stores %.0f of them",
                        rows, floor(set[k].stored_bytes / set[k].row_bytes));
    packed = packed || set[k].packed;
    stored += set[k].stored_bytes;
    claimed += needed;
  }
  if (stored > h->file_bytes)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "its datasets have more bytes than the file: some are the same");
  if (packed && claimed > MOST_UNPACKED && claimed > MOST_RATIO * stored)
    return AP__REFUSE(error, AP_E_SYNTAX, 0,
                      "unpacks to %.0f times its size (at most %d times; h5repack -f NONE makes it "
                      "a file of its full size)",
                      claimed / fmax(stored, 1), MOST_RATIO);
  return AP_OK;
}

// ---- datasets ----------------------------------------------------------------------------------

// Rank and sizes of a dataset of numbers; false: it is none.
static bool measure(hid_t set, int *rank, hsize_t size[2]) {
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  size[0] = 0;
  size[1] = 1;
  *rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  bool good = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= MOST_NUMBER &&
              (*rank == 1 || *rank == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return good && size[1] > 0 && size[1] <= AP__LOG_COLUMNS && size[0] <= LONG_MAX / 2;
}

static ap_status add_columns(h5_reader *h, bool event, const char *name, const dataset *set,
                             ap_error *error) {
  texts names, units;
  const bool own = read_texts(set->id, "names", &names) && names.n == set->columns;
  const bool measured = read_texts(set->id, "units", &units);
  ap_status status = names.no_memory || units.no_memory ? ap__no_memory(error) : AP_OK;
  for (int i = 0; i < set->columns && !status; i++) {
    char column[600];
    if (h->r.dataset && own)
      snprintf(column, sizeof column, "%.390s", names.text[i]);
    else if (set->rank == 1)
      snprintf(column, sizeof column, "%.500s", name);
    else if (own)
      snprintf(column, sizeof column, "%.200s.%.390s", name, names.text[i]);
    else
      snprintf(column, sizeof column, "%.200s.%d", name, i + 1);
    const char *unit = measured && units.n == set->columns ? units.text[i] : "";
    status = ap__log_add_column(&h->r, event, column, strlen(column), unit, 0, error);
  }
  free_texts(&names);
  free_texts(&units);
  return status;
}

// A dataset to the end of a table; times of events are none of their columns.
static ap_status add_dataset(h5_reader *h, table *t, hid_t place, const char *name,
                             ap_error *error) {
  const bool event = t == &h->events;
  dataset *grown = ap__grown(t->set, t->n, &t->capacity, sizeof *grown);
  if (!grown) return ap__no_memory(error);
  t->set = grown;
  hsize_t size[2];
  dataset set = {.id = H5I_INVALID_HID, .first = t->columns};
  ap_status status = open_stored(place, name, &set, error);
  t->set[t->n++] = set; // closed with the table
  if (status) return status;
  if (!measure(set.id, &set.rank, size)) return refuse(error, name, "is not a table of numbers");
  set.columns = (int)size[1];
  set.row_bytes *= set.columns;
  t->set[t->n - 1] = set;
  if (t->columns > AP__LOG_COLUMNS) return refuse(error, name, "is one column too many");
  t->columns += set.columns;
  const long rows = (long)size[0];
  if (t->n == 1 || rows < t->rows) t->rows = rows;
  return event && t->n == 1 ? AP_OK : add_columns(h, event, name, &set, error);
}

// ---- finding them ------------------------------------------------------------------------------

typedef struct list {
  ap__pool *pool;
  const char **name;
  int n, capacity;
} list;

// Links of other kinds are noted, too: they are refused by name.
static herr_t note_link(hid_t place, const char *name, const H5L_info_t *info, void *context) {
  list *l = context;
  (void)place, (void)info;
  if (l->n == AP__LOG_COLUMNS) return 0;
  const char **kept = ap__append(&l->name, &l->n, &l->capacity, sizeof *kept);
  if (kept) *kept = ap__pool_text(l->pool, name, strlen(name));
  return kept && *kept ? 0 : -1;
}

// Is it something beside the datasets, a group?
static bool is_group(hid_t place, const char *name) {
  ap_error ignored;
  if (check_link(place, name, &ignored)) return false;
  hid_t object = H5Oopen(place, name, H5P_DEFAULT);
  const bool is = object >= 0 && H5Iget_type(object) == H5I_GROUP;
  if (object >= 0) H5Oclose(object);
  return is;
}

static bool is_one_of(const char *name, const char *const *all, int n) {
  for (int i = 0; i < n; i++)
    if (strcmp(name, all[i]) == 0) return true;
  return false;
}

static const char *const word_name[WORDS] = {"event", "point", "wall"};

// Every dataset of a group, the times first, the others in the order of the file or of their names.
static ap_status add_all(h5_reader *h, table *t, hid_t place, const texts *order, ap_error *error) {
  list found = {.pool = &h->r.pool};
  ap_status status = add_dataset(h, t, place, "t", error);
  if (status) return status;
  for (int i = 0; i < order->n && !status; i++) {
    const char *name = order->text[i];
    if (is_path(name))
      status = refuse(error, name, "is not a name of a dataset");
    else if (strcmp(name, "t") != 0 && H5Lexists(place, name, H5P_DEFAULT) > 0)
      status = add_dataset(h, t, place, name, error);
  }
  if (order->n == 0 && H5Literate(place, H5_INDEX_NAME, H5_ITER_INC, NULL, note_link, &found) < 0)
    status = refuse(error, "/", "cannot be listed");
  for (int i = 0; i < found.n && !status; i++)
    if (strcmp(found.name[i], "t") != 0 && !is_one_of(found.name[i], word_name, WORDS) &&
        !is_group(place, found.name[i]))
      status = add_dataset(h, t, place, found.name[i], error);
  free(found.name);
  return status;
}

static ap_status make_block(table *t, ap_error *error) {
  t->room = (int)(BLOCK_BYTES / ((size_t)t->columns * sizeof *t->block));
  if (t->room < 1) t->room = 1;
  if (t->room > t->rows) t->room = t->rows > 0 ? (int)t->rows : 1;
  t->block = malloc((size_t)t->room * (size_t)t->columns * sizeof *t->block);
  return t->block ? AP_OK : ap__no_memory(error);
}

// ---- words of events ---------------------------------------------------------------------------

static ap_status open_words(h5_reader *h, hid_t place, ap_error *error) {
  for (int k = 0; k < WORDS; k++) {
    dataset *set = &h->word_set[k];
    if (H5Lexists(place, word_name[k], H5P_DEFAULT) <= 0)
      return refuse(error, word_name[k], "is missing among the events");
    ap_status status = open_stored(place, word_name[k], set, error);
    if (status) return status;
    hid_t type = H5Dget_type(set->id), space = H5Dget_space(set->id);
    hssize_t n = space >= 0 && H5Sget_simple_extent_ndims(space) == 1
                     ? H5Sget_simple_extent_npoints(space)
                     : -1;
    const bool text = type >= 0 && H5Tget_class(type) == H5T_STRING &&
                      H5Tis_variable_str(type) == 0 && set->row_bytes <= MOST_WORD;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (n < 0 || !text) return refuse(error, word_name[k], "is not a list of texts");
    if (n < h->events.rows) h->events.rows = (long)n;
    h->word_bytes[k] = (size_t)set->row_bytes + 1;
  }
  return check_rows(h, h->word_set, WORDS, h->events.rows, error);
}

static ap_status make_words(h5_reader *h, ap_error *error) {
  for (int k = 0; k < WORDS; k++) {
    h->word[k] = malloc((size_t)h->events.room * h->word_bytes[k]);
    if (!h->word[k]) return ap__no_memory(error);
  }
  return AP_OK;
}

static ap_status open_events(h5_reader *h, ap_error *error) {
  static const texts none = {0};
  if (H5Lexists(h->file, "events", H5P_DEFAULT) <= 0) return AP_OK;
  ap_status status = check_link(h->file, "events", error);
  if (status) return status;
  hid_t place = H5Gopen2(h->file, "events", H5P_DEFAULT);
  if (place < 0) return refuse(error, "events", "is no group");
  status = add_all(h, &h->events, place, &none, error);
  if (!status) status = open_words(h, place, error);
  if (!status) status = check_rows(h, h->events.set, h->events.n, h->events.rows, error);
  H5Gclose(place);
  enum { MOST_EVENTS = 1024 };
  if (!status) status = make_block(&h->events, error);
  if (h->events.room > MOST_EVENTS) h->events.room = MOST_EVENTS;
  return status ? status : make_words(h, error);
}

// ---- opening -----------------------------------------------------------------------------------

// Of a run that was killed before HDF5 made its log: there is room for it, and nothing else.
static bool begins_with_zeros(const char *path) {
  char bytes[8] = {1};
  static const char zeros[sizeof bytes];
  FILE *file = fopen(path, "rb");
  const bool read = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
  if (file) fclose(file);
  return read && memcmp(bytes, zeros, sizeof bytes) == 0;
}

// A file that a killed run left in the midst of a flush is opened as one that is being written.
static ap_status open_file(h5_reader *h, const char *path, ap_error *error) {
  hsize_t bytes = 0;
  if (!ap__has_memory_for_h5()) return ap__no_memory(error);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
  if (access < 0) return ap__refuse_h5(error, "open the file");
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_metadata_read_attempts(access, 1); // nobody writes it: it would wait for that for ever
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE < 1)
  H5Pset_file_locking(access, false, true);
#endif
  file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (file < 0) file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  ap_status status = AP_OK;
  h->file = file;
  if (file < 0 || H5Fget_filesize(file, &bytes) < 0) {
    status = ap__refuse_h5(error, "open the file");
    if (status != AP_E_MEMORY)
      status = AP__REFUSE(error, AP_E_SYNTAX, 0, "%s",
                          begins_with_zeros(path) ? "it has no rows: its run ended before the first"
                                                  : "not a file that HDF5 can read");
  }
  h->file_bytes = (double)bytes;
  H5Pclose(access);
  return status;
}

// The dataset that a path of names and slashes leads to, through groups of the same file.
static ap_status open_dataset(h5_reader *h, ap_error *error) {
  const char *s = h->r.dataset + strspn(h->r.dataset, "/");
  hid_t place = h->file;
  ap_status status = AP_OK;
  for (;;) {
    char name[256];
    const size_t n = strcspn(s, "/");
    const char *rest = s + n + strspn(s + n, "/");
    snprintf(name, sizeof name, "%.*s", (int)(n < 255 ? n : 255), s);
    if (!*name || n > 255) status = refuse(error, name, "is no name of a dataset");
    if (!status && !*rest) status = add_dataset(h, &h->rows, place, name, error);
    if (!status && *rest) status = check_link(place, name, error);
    const hid_t group = !status && *rest ? H5Gopen2(place, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (!status && *rest && group < 0) status = refuse(error, name, "is no group");
    if (place != h->file) H5Gclose(place);
    if (status || !*rest) return status;
    place = group;
    s = rest;
  }
}

static ap_status open_all(h5_reader *h, const char *path, ap_error *error) {
  texts order;
  ap_status status = open_file(h, path, error);
  if (status) return status;
  if (h->r.dataset) {
    status = open_dataset(h, error);
    if (!status) status = check_rows(h, h->rows.set, h->rows.n, h->rows.rows, error);
    return status ? status : make_block(&h->rows, error);
  }
  h->r.about.scenario = keep_text(h, "scenario", &status, error);
  h->r.about.scenario_file = keep_text(h, "scenario_file", &status, error);
  h->r.about.model = keep_text(h, "model", &status, error);
  h->r.about.program = keep_text(h, "program", &status, error);
  if (status) return status;
  if (H5Lexists(h->file, "t", H5P_DEFAULT) <= 0)
    return AP__REFUSE(error, AP_E_SYNTAX, 0, "not the log of a run (it has no dataset \"t\")");
  if (!read_texts(h->file, "order", &order) && order.no_memory) return ap__no_memory(error);
  status = add_all(h, &h->rows, h->file, &order, error);
  free_texts(&order);
  if (!status) status = check_rows(h, h->rows.set, h->rows.n, h->rows.rows, error);
  if (!status) status = make_block(&h->rows, error);
  return status ? status : open_events(h, error);
}

static ap_status open_log(ap_log_reader *r, const char *path, ap_error *error) {
  h5_reader *h = (h5_reader *)r;
  h->file = H5I_INVALID_HID;
  for (int k = 0; k < WORDS; k++) h->word_set[k].id = H5I_INVALID_HID;
  const ap__silence before = ap__be_silent();
  ap_status status = open_all(h, path, error);
  ap__end_silence(before);
  return status;
}

// ---- reading -----------------------------------------------------------------------------------

// Rows [at, at + n) of a dataset into columns of memory that is so wide.
static ap_status read_rows(hid_t id, int rank, hid_t type, long at, int n, int columns, int first,
                           int width, void *to, ap_error *error) {
  const hsize_t start[2] = {(hsize_t)at, 0}, count[2] = {(hsize_t)n, (hsize_t)columns};
  const hsize_t whole[2] = {(hsize_t)n, (hsize_t)width}, here[2] = {0, (hsize_t)first};
  hid_t memory = H5Screate_simple(2, whole, NULL), space = H5Dget_space(id);
  const bool good = memory >= 0 && space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                    H5Sselect_hyperslab(memory, H5S_SELECT_SET, here, NULL, count, NULL) >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                    H5Dread(id, type, memory, space, H5P_DEFAULT, to) >= 0;
  char what[60];
  snprintf(what, sizeof what, "read from row %ld on", at + 1);
  const ap_status status = good ? AP_OK : ap__refuse_h5(error, what);
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return status;
}

static ap_status read_block(table *t, ap_error *error) {
  t->at += t->in_block;
  const long left = t->rows - t->at;
  t->in_block = left < t->room ? (int)left : t->room;
  t->next = 0;
  ap_status status = AP_OK;
  for (int k = 0; k < t->n && t->in_block > 0 && !status; k++) {
    const dataset *set = &t->set[k];
    status = read_rows(set->id, set->rank, H5T_NATIVE_DOUBLE, t->at, t->in_block, set->columns,
                       set->first, t->columns, t->block, error);
  }
  return status;
}

static ap_status read_words(h5_reader *h, ap_error *error) {
  const table *t = &h->events;
  ap_status status = AP_OK;
  for (int k = 0; k < WORDS && !status; k++) {
    hid_t own = H5Dget_type(h->word_set[k].id), type = own >= 0 ? H5Tcopy(own) : own;
    if (type < 0 || H5Tset_size(type, h->word_bytes[k]) < 0 ||
        H5Tset_strpad(type, H5T_STR_NULLTERM) < 0)
      status = ap__refuse_h5(error, "read the words of events");
    else
      status =
          read_rows(h->word_set[k].id, 1, type, t->at, t->in_block, 1, 0, 1, h->word[k], error);
    if (type >= 0) H5Tclose(type);
    if (own >= 0) H5Tclose(own);
  }
  return status;
}

// The next row of a table, in its block; NULL behind the last.
static ap_status next_of(table *t, bool any, const double **row, ap_error *error) {
  ap_status status = AP_OK;
  *row = NULL;
  if (t->next == t->in_block) status = read_block(t, error);
  if (status || t->in_block == 0) return status;
  *row = t->block + (size_t)t->next++ * (size_t)t->columns;
  for (int i = 0; i < t->columns && !any; i++)
    if (!isfinite((*row)[i]))
      return AP__REFUSE(error, AP_E_SYNTAX, 0, "row %ld has a number that is not finite",
                        t->at + t->next);
  return AP_OK;
}

static ap_status next(ap_log_reader *r, double *row, bool *end, ap_error *error) {
  h5_reader *h = (h5_reader *)r;
  const double *from;
  const ap__silence before = ap__be_silent();
  ap_status status = next_of(&h->rows, r->any, &from, error);
  ap__end_silence(before);
  *end = !status && !from;
  if (!status && from) memcpy(row, from, (size_t)h->rows.columns * sizeof *row);
  return status;
}

static ap_status rows(ap_log_reader *r, int most, double *x, int *n, ap_error *error) {
  h5_reader *h = (h5_reader *)r;
  const size_t columns = (size_t)h->rows.columns;
  const double *from = x;
  ap_status status = AP_OK;
  const ap__silence before = ap__be_silent();
  for (*n = 0; *n < most && from && !status;) {
    status = next_of(&h->rows, r->any, &from, error);
    if (!status && from) memcpy(x + (size_t)(*n)++ * columns, from, columns * sizeof *x);
  }
  ap__end_silence(before);
  return status;
}

static ap_status next_event(ap_log_reader *r, ap_logged_event *event, bool *end, ap_error *error) {
  h5_reader *h = (h5_reader *)r;
  table *t = &h->events;
  const double *from = NULL;
  *end = t->n == 0;
  if (*end) return AP_OK;
  const ap__silence before = ap__be_silent();
  const bool fresh = t->next == t->in_block;
  ap_status status = next_of(t, false, &from, error);
  if (!status && from && fresh) status = read_words(h, error);
  ap__end_silence(before);
  *end = !status && !from;
  if (status || *end) return status;
  memcpy(r->number, from + 1, (size_t)r->about.event_columns * sizeof *r->number);
  *event = (ap_logged_event){.t = from[0], .numbers = r->number};
  const char **to[WORDS] = {&event->event, &event->point, &event->wall};
  for (int k = 0; k < WORDS; k++) *to[k] = h->word[k] + (size_t)(t->next - 1) * h->word_bytes[k];
  return AP_OK;
}

static int line(const ap_log_reader *r) {
  const table *t = &((const h5_reader *)r)->rows;
  const long row = t->at + t->next;
  return row < INT_MAX ? (int)row : INT_MAX;
}

static void free_table(table *t) {
  for (int k = 0; k < t->n; k++)
    if (t->set[k].id >= 0) H5Dclose(t->set[k].id);
  free(t->set);
  free(t->block);
}

static void close_log(ap_log_reader *r) {
  h5_reader *h = (h5_reader *)r;
  const ap__silence before = ap__be_silent();
  free_table(&h->rows);
  free_table(&h->events);
  for (int k = 0; k < WORDS; k++) {
    if (h->word_set[k].id >= 0) H5Dclose(h->word_set[k].id);
    free(h->word[k]);
  }
  if (h->file >= 0) H5Fclose(h->file);
  ap__end_silence(before);
}

const ap__log_source ap__log_of_h5 = {.size = sizeof(h5_reader),
                                      .open = open_log,
                                      .next = next,
                                      .rows = rows,
                                      .next_event = next_event,
                                      .line = line,
                                      .close = close_log};

#endif
