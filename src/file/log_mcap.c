// SPDX-License-Identifier: Apache-2.0
// Logs as MCAP (version 0 of the format), for Foxglove and others: messages in JSON with schemas.
//
//   /run            all columns of a row, in objects by what stands before the first '.' of a name
//   /joint_states   name, position, velocity, effort of joints with one coordinate
//   /tf             foxglove.FrameTransforms: the frame of every link in "world"
//   /events         what happened, with its numbers
//
// The two in the middle need the robot. The scenario is an attachment. Rows are collected in a
// chunk; with each flush it goes to the file, followed by its index, so that a part can be read up
// to there.

#include <appell/json.h>
#include <appell/kin.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/log.h"
#include "file/text.h"

enum {
  HEADER = 0x01,
  FOOTER,
  SCHEMA,
  CHANNEL,
  MESSAGE,
  CHUNK,
  MESSAGE_INDEX,
  CHUNK_INDEX,
  ATTACHMENT,
  STATISTICS = 0x0b,
  METADATA = 0x0c,
  DATA_END = 0x0f
};
enum { RUN, JOINTS, POSES, EVENTS, CHANNELS };
enum { FULL_BYTES = 1 << 20 }; // of a chunk that is written unasked

static const char magic[8] = "\x89MCAP0\r\n";

typedef struct place { // of a message in its chunk
  uint64_t time, offset;
} place;

typedef struct places {
  place *at;
  int n, room;
} places;

typedef struct mcap_log {
  ap_log log;
  ap__draft part;
  ap_column *column, *event_column; // their names belong to the pool
  ap__pool pool;
  const ap_model *robot; // NULL: unknown
  void *memory;
  ap_work *work;
  int *q, *joint; // [nq] columns of coordinates; [3 * joints] of q, v, tau (-1: none)
  int joints;
  const char **joint_name;
  double *pose;                        // [nq] coordinates, then R and p of each body
  int *frame;                          // [bodies]
  off_t length;                        // of the file
  ap__text chunk, index, json, chunks; // chunks: their index, for the end
  places where[CHANNELS];
  uint64_t count[CHANNELS], first, last; // messages, and their times
  uint64_t chunk_first, chunk_last;
  uint32_t nchunk, attachments, metadata;
} mcap_log;

// ---- bytes -------------------------------------------------------------------------------------

static void put(ap__text *t, uint64_t x, int bytes) {
  char text[8];
  for (int k = 0; k < bytes; k++) text[k] = (char)(x >> 8 * k & 0xff);
  ap__text_bytes(t, text, (size_t)bytes);
}

static void put_string(ap__text *t, const char *text) {
  put(t, strlen(text), 4);
  ap__text_bytes(t, text, strlen(text));
}

// Begin a record, and write its length when it is there.
static size_t open_record(ap__text *t, int opcode) {
  put(t, (uint64_t)opcode, 1);
  put(t, 0, 8);
  return t->length;
}

static void close_record(ap__text *t, size_t begin) {
  if (t->failed) return;
  for (int k = 0; k < 8; k++)
    t->text[begin - 8 + (size_t)k] = (char)((uint64_t)(t->length - begin) >> 8 * k & 0xff);
}

// CRC-32 of IEEE 802.3, four bits at a time.
static uint32_t crc_of(uint32_t crc, const char *bytes, size_t n) {
  static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                     0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                     0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  crc = ~crc;
  for (size_t k = 0; k < n; k++) {
    crc ^= (unsigned char)bytes[k];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

static ap_status hand_over(mcap_log *m, ap__text *t, ap_error *error) {
  if (t->failed) return ap__no_memory(error);
  for (size_t done = 0; done < t->length;) {
    const ssize_t n = write(m->part.file, t->text + done, t->length - done);
    if (n >= 0) {
      done += (size_t)n;
    } else if (errno != EINTR) {
      const int code = errno;
      (void)!ftruncate(m->part.file, m->length); // whole records stay
      return ap__refuse_file(error, "write the file", code);
    }
  }
  m->length += (off_t)t->length;
  t->length = 0;
  return AP_OK;
}

// ---- JSON --------------------------------------------------------------------------------------

// A text in quotes; dots of a key become '_', so that a path of Foxglove needs no quotes.
static void put_quoted(ap__text *t, const char *text, bool key) {
  ap__text_bytes(t, "\"", 1);
  while (*text) {
    const size_t n = ap_utf8_length(text);
    const unsigned char c = (unsigned char)*text;
    if (n == 0)
      ap__text_add(t, "\xef\xbf\xbd");
    else if (c == '"' || c == '\\')
      ap__text_add(t, "\\%c", c);
    else if (c < 0x20)
      ap__text_add(t, "\\u%04x", c);
    else if (key && c == '.')
      ap__text_bytes(t, "_", 1);
    else
      ap__text_bytes(t, text, n);
    text += n ? n : 1;
  }
  ap__text_bytes(t, "\"", 1);
}

static void put_number(ap__text *t, double x) {
  char text[32];
  if (isfinite(x))
    ap__text_bytes(t, text, (size_t)ap_format_shortest(x, text));
  else
    ap__text_add(t, "null");
}

static void put_key(ap__text *t, const char *key, bool first) {
  if (!first) ap__text_bytes(t, ",", 1);
  put_quoted(t, key, true);
  ap__text_bytes(t, ":", 1);
}

// Bytes of the group of a name; 0: it has none.
static size_t group_of(const char *name) {
  const char *dot = strchr(name, '.');
  return dot ? (size_t)(dot - name) : 0;
}

static bool same_group(const char *a, const char *b) {
  const size_t n = group_of(a);
  return n > 0 && n == group_of(b) && memcmp(a, b, n) == 0;
}

// Columns as members of an object, their values by `value`: numbers of a row, or types of a schema.
static void put_columns(ap__text *t, const ap_column *column, int n, const double *row,
                        bool first) {
  for (int k = 0; k < n; k++) {
    const char *name = column[k].name;
    const size_t group = group_of(name);
    const bool opens = group > 0 && (k == 0 || !same_group(column[k - 1].name, name));
    const bool closes = group > 0 && (k == n - 1 || !same_group(name, column[k + 1].name));
    if (opens) {
      ap__text_add(t, "%s\"%.*s\":%s{", first ? "" : ",", (int)group, name,
                   row ? "" : "{\"type\":\"object\",\"properties\":");
      first = true;
    }
    put_key(t, group > 0 ? name + group + 1 : name, first);
    first = false;
    if (row)
      put_number(t, row[k]);
    else
      ap__text_add(t, "{\"type\":\"number\"}");
    if (closes) ap__text_add(t, row ? "}" : "}}");
  }
}

static uint64_t time_of(double t) { return t > 0 && t < 1.8e10 ? (uint64_t)(t * 1e9 + 0.5) : 0; }

static void put_stamp(ap__text *t, const char *key, double time) {
  const uint64_t ns = time_of(time);
  ap__text_add(t, "\"%s\":{\"sec\":%llu,\"nsec\":%llu}", key, (unsigned long long)(ns / 1000000000),
               (unsigned long long)(ns % 1000000000));
}

// ---- messages ----------------------------------------------------------------------------------

// Take the message that m->json holds into the chunk.
static ap_status add_message(mcap_log *m, int channel, double t, ap_error *error) {
  const uint64_t time = time_of(t);
  places *w = &m->where[channel];
  const size_t offset = m->chunk.length;
  place *at = ap__append(&w->at, &w->n, &w->room, sizeof *at);
  if (!at || m->json.failed) return ap__no_memory(error);
  *at = (place){time, offset};
  const size_t begin = open_record(&m->chunk, MESSAGE);
  put(&m->chunk, (uint64_t)channel + 1, 2);
  put(&m->chunk, m->count[channel] & 0xffffffff, 4);
  put(&m->chunk, time, 8);
  put(&m->chunk, time, 8);
  ap__text_bytes(&m->chunk, m->json.text, m->json.length);
  close_record(&m->chunk, begin);
  if (m->chunk.failed) return ap__no_memory(error);
  bool none = true, fresh = true;
  for (int k = 0; k < CHANNELS; k++) {
    none = none && m->count[k] == 0;
    fresh = fresh && m->where[k].n == (k == channel);
  }
  if (none || time < m->first) m->first = time;
  if (none || time > m->last) m->last = time;
  if (fresh || time < m->chunk_first) m->chunk_first = time;
  if (fresh || time > m->chunk_last) m->chunk_last = time;
  m->count[channel]++;
  m->json.length = 0;
  return AP_OK;
}

static ap_status add_joints(mcap_log *m, const double *row, ap_error *error) {
  static const char *const key[] = {"position", "velocity", "effort"};
  ap__text *t = &m->json;
  ap__text_add(t, "{");
  put_stamp(t, "timestamp", row[0]);
  ap__text_add(t, ",\"name\":[");
  for (int k = 0; k < m->joints; k++) {
    if (k > 0) ap__text_bytes(t, ",", 1);
    put_quoted(t, m->joint_name[k], false);
  }
  for (int i = 0; i < 3; i++) {
    ap__text_add(t, "],\"%s\":[", key[i]);
    for (int k = 0; k < m->joints; k++) {
      const int at = m->joint[3 * k + i];
      if (k > 0) ap__text_bytes(t, ",", 1);
      put_number(t, at < 0 ? NAN : row[at]);
    }
  }
  ap__text_add(t, "]}");
  return add_message(m, JOINTS, row[0], error);
}

// The quaternion x y z w of a rotation: from the largest of its entries, so that nothing cancels.
static void quaternion_of(const double R[9], double q[4]) {
  const double square[4] = {1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8],
                            1 + R[0] + R[4] + R[8]}; // 4 q^2
  int k = 3;
  for (int i = 0; i < 3; i++)
    if (square[i] > square[k]) k = i;
  const double x[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};     // 4 w (x, y, z)
  const double pairs[3] = {R[1] + R[3], R[2] + R[6], R[5] + R[7]}; // 4 xy, 4 xz, 4 yz
  const double rows[4][4] = {{square[0], pairs[0], pairs[1], x[0]},
                             {pairs[0], square[1], pairs[2], x[1]},
                             {pairs[1], pairs[2], square[2], x[2]},
                             {x[0], x[1], x[2], square[3]}};
  const double length = 2 * sqrt(square[k]);
  for (int i = 0; i < 4; i++) q[i] = rows[k][i] / length;
}

static void put_pose(ap__text *t, const char *name, double time, const double *R, const double *p) {
  double q[4];
  quaternion_of(R, q);
  ap__text_add(t, "{");
  put_stamp(t, "timestamp", time);
  ap__text_add(t, ",\"parent_frame_id\":\"world\",\"child_frame_id\":");
  put_quoted(t, name, false);
  static const char *const member[] = {"x", "y", "z", "w"};
  for (int part = 0; part < 2; part++) {
    ap__text_add(t, part ? "},\"rotation\":{" : ",\"translation\":{");
    for (int k = 0; k < 3 + part; k++) {
      put_key(t, member[k], k == 0);
      put_number(t, part ? q[k] : p[k]);
    }
  }
  ap__text_add(t, "}}");
}

static ap_status add_poses(mcap_log *m, const double *row, ap_error *error) {
  const int nq = ap_nq(m->robot), bodies = ap_nbody(m->robot) - 1;
  double *R = m->pose + nq, *p = R + 9 * (ptrdiff_t)bodies;
  for (int k = 0; k < nq; k++) {
    m->pose[k] = row[m->q[k]];
    if (!isfinite(m->pose[k])) return AP_OK; // a sensor that gave none
  }
  if (ap_normalize(m->robot, m->pose) != AP_OK) return AP_OK;
  ap_forward_kinematics(m->robot, m->work, m->pose, m->frame, bodies, AP_WORLD, R, p, NULL);
  ap__text_add(&m->json, "{\"transforms\":[");
  for (int k = 0; k < bodies; k++) {
    if (k > 0) ap__text_bytes(&m->json, ",", 1);
    put_pose(&m->json, ap_frame_name(m->robot, k + 1), row[0], R + 9 * (ptrdiff_t)k,
             p + 3 * (ptrdiff_t)k);
  }
  ap__text_add(&m->json, "]}");
  return add_message(m, POSES, row[0], error);
}

// ---- chunks ------------------------------------------------------------------------------------

static void put_index(mcap_log *m, uint64_t begin, uint64_t length, uint64_t index,
                      const uint64_t at[CHANNELS]) {
  ap__text *t = &m->chunks;
  int used = 0;
  for (int k = 0; k < CHANNELS; k++) used += m->where[k].n > 0;
  const size_t record = open_record(t, CHUNK_INDEX);
  put(t, m->chunk_first, 8);
  put(t, m->chunk_last, 8);
  put(t, begin, 8);
  put(t, length, 8);
  put(t, (uint64_t)used * 10, 4);
  for (int k = 0; k < CHANNELS; k++) {
    if (m->where[k].n == 0) continue;
    put(t, (uint64_t)k + 1, 2);
    put(t, at[k], 8);
  }
  put(t, index, 8);
  put(t, 0, 4); // no compression
  put(t, m->chunk.length, 8);
  put(t, m->chunk.length, 8);
  close_record(t, record);
}

// The chunk and its index to the file.
static ap_status flush(ap_log *log, ap_error *error) {
  mcap_log *m = (mcap_log *)log;
  ap__text *t = &m->index;
  if (m->chunk.length == 0) return AP_OK;
  if (m->chunk.failed) return ap__no_memory(error);
  const uint64_t begin = (uint64_t)m->length;
  uint64_t at[CHANNELS];
  const size_t record = open_record(t, CHUNK);
  put(t, m->chunk_first, 8);
  put(t, m->chunk_last, 8);
  put(t, m->chunk.length, 8);
  put(t, crc_of(0, m->chunk.text, m->chunk.length), 4);
  put(t, 0, 4);
  put(t, m->chunk.length, 8);
  ap__text_bytes(t, m->chunk.text, m->chunk.length);
  close_record(t, record);
  const uint64_t length = t->length;
  for (int k = 0; k < CHANNELS; k++) {
    at[k] = begin + t->length;
    if (m->where[k].n == 0) continue;
    const size_t one = open_record(t, MESSAGE_INDEX);
    put(t, (uint64_t)k + 1, 2);
    put(t, 16 * (uint64_t)m->where[k].n, 4);
    for (int i = 0; i < m->where[k].n; i++) {
      put(t, m->where[k].at[i].time, 8);
      put(t, m->where[k].at[i].offset, 8);
    }
    close_record(t, one);
  }
  put_index(m, begin, length, t->length - length, at);
  const ap_status status = hand_over(m, t, error);
  if (status != AP_OK) return status;
  m->nchunk++;
  m->chunk.length = 0;
  for (int k = 0; k < CHANNELS; k++) m->where[k].n = 0;
  log->holds = true;
  return AP_OK;
}

static ap_status row(ap_log *log, const double *numbers, ap_error *error) {
  mcap_log *m = (mcap_log *)log;
  ap__text_add(&m->json, "{");
  put_columns(&m->json, m->column, log->columns, numbers, true);
  ap__text_add(&m->json, "}");
  ap_status status = add_message(m, RUN, numbers[0], error);
  if (status == AP_OK && m->robot && m->joints > 0) status = add_joints(m, numbers, error);
  if (status == AP_OK && m->robot) status = add_poses(m, numbers, error);
  return status == AP_OK && m->chunk.length > FULL_BYTES ? flush(log, error) : status;
}

static ap_status event(ap_log *log, double t, const char *what, const char *point, const char *wall,
                       const double *numbers, ap_error *error) {
  mcap_log *m = (mcap_log *)log;
  const char *const key[] = {"event", "point", "wall"}, *const text[] = {what, point, wall};
  ap__text_add(&m->json, "{\"t\":");
  put_number(&m->json, t);
  for (int k = 0; k < 3; k++) {
    put_key(&m->json, key[k], false);
    put_quoted(&m->json, text[k], false);
  }
  put_columns(&m->json, m->event_column, log->event_columns, numbers, false);
  ap__text_add(&m->json, "}");
  return add_message(m, EVENTS, t, error);
}

// ---- the beginning -----------------------------------------------------------------------------

#define NUMBER "{\"type\":\"number\"}"
#define TEXT   "{\"type\":\"string\"}"
#define STAMP                                                                               \
  "{\"type\":\"object\",\"title\":\"time\",\"properties\":{\"sec\":{\"type\":\"integer\"}," \
  "\"nsec\":{\"type\":\"integer\"}}}"
#define LIST(of)  "{\"type\":\"array\",\"items\":" of "}"
#define OBJECT(x) "{\"type\":\"object\",\"properties\":{" x "}}"
#define XYZ       "\"x\":" NUMBER ",\"y\":" NUMBER ",\"z\":" NUMBER

static const char joints_schema[] = OBJECT("\"timestamp\":" STAMP ",\"name\":" LIST(
    TEXT) ",\"position\":" LIST(NUMBER) ",\"velocity\":" LIST(NUMBER) ",\"effort\":" LIST(NUMBER));
static const char poses_schema[] = OBJECT("\"transforms\":" LIST(
    OBJECT("\"timestamp\":" STAMP ",\"parent_frame_id\":" TEXT ",\"child_frame_id\":" TEXT
           ",\"translation\":" OBJECT(XYZ) ",\"rotation\":" OBJECT(XYZ ",\"w\":" NUMBER))));

// Schemas and channels; the same bytes stand at the beginning and at the end.
static void put_channels(mcap_log *m, ap__text *t) {
  static const char *const topic[] = {"/run", "/joint_states", "/tf", "/events"};
  static const char *const name[] = {"appell.Run", "appell.JointState", "foxglove.FrameTransforms",
                                     "appell.Event"};
  for (int k = 0; k < CHANNELS; k++) {
    m->json.length = 0;
    if (k == RUN || k == EVENTS) {
      ap__text_add(
          &m->json, "{\"type\":\"object\",\"properties\":{%s",
          k == RUN ? "" : "\"t\":" NUMBER ",\"event\":" TEXT ",\"point\":" TEXT ",\"wall\":" TEXT);
      put_columns(&m->json, k == RUN ? m->column : m->event_column,
                  k == RUN ? m->log.columns : m->log.event_columns, NULL, k == RUN);
      ap__text_add(&m->json, "}}");
    } else {
      ap__text_add(&m->json, "%s", k == JOINTS ? joints_schema : poses_schema);
    }
    size_t record = open_record(t, SCHEMA);
    put(t, (uint64_t)k + 1, 2);
    put_string(t, name[k]);
    put_string(t, "jsonschema");
    put(t, m->json.length, 4);
    ap__text_bytes(t, m->json.text, m->json.length);
    close_record(t, record);
    record = open_record(t, CHANNEL);
    put(t, (uint64_t)k + 1, 2);
    put(t, (uint64_t)k + 1, 2);
    put_string(t, topic[k]);
    put_string(t, "json");
    put(t, 0, 4);
    close_record(t, record);
  }
  if (m->json.failed) t->failed = true;
  m->json.length = 0;
}

static void put_scenario(ap__text *t, const ap_log_def *def) {
  if (!def->scenario) return;
  const size_t n = strlen(def->scenario), record = open_record(t, ATTACHMENT);
  put(t, 0, 8);
  put(t, 0, 8);
  put_string(t, "scenario.yaml");
  put_string(t, "application/yaml");
  put(t, n, 8);
  ap__text_bytes(t, def->scenario, n);
  if (!t->failed) put(t, crc_of(0, t->text + record, t->length - record), 4);
  close_record(t, record);
}

static ap_status begin(mcap_log *m, const ap_log_def *def, ap_error *error) {
  ap__text *t = &m->index;
  ap__text_bytes(t, magic, sizeof magic);
  size_t record = open_record(t, HEADER);
  put_string(t, "");
  put_string(t, "appell " AP_VERSION);
  close_record(t, record);
  if (def->model) {
    m->metadata = 1;
    record = open_record(t, METADATA);
    put_string(t, "appell");
    put(t, 4 + 5 + 4 + strlen(def->model), 4);
    put_string(t, "model");
    put_string(t, def->model);
    close_record(t, record);
  }
  m->attachments = def->scenario != NULL;
  put_scenario(t, def);
  put_channels(m, t);
  return hand_over(m, t, error);
}

// ---- columns and robot -------------------------------------------------------------------------

static ap_column *copy_columns(mcap_log *m, const ap_column *column, int n) {
  ap_column *copy = calloc((size_t)n + 1, sizeof *copy);
  for (int k = 0; copy && k < n; k++) {
    copy[k].name = ap__pool_text(&m->pool, column[k].name, strlen(column[k].name));
    if (!copy[k].name) {
      free(copy);
      return NULL;
    }
  }
  return copy;
}

static int find(const mcap_log *m, ap_joint_vector vector, const char *group, int entry) {
  char name[512];
  ap_column_name(m->robot, vector, group, entry, name, sizeof name);
  for (int k = 0; k < m->log.columns; k++)
    if (strcmp(m->column[k].name, name) == 0) return k;
  return -1;
}

// Where coordinates and joints are among the columns; without all coordinates there is no robot.
static bool use_robot(mcap_log *m, const ap_model *robot) {
  const int nq = ap_nq(robot), bodies = ap_nbody(robot) - 1;
  const size_t size = ap_work_size(robot);
  m->robot = robot;
  m->q = calloc((size_t)nq + 1, sizeof *m->q);
  m->joint = calloc(3 * (size_t)bodies + 1, sizeof *m->joint);
  m->joint_name = calloc((size_t)bodies + 1, sizeof *m->joint_name);
  m->pose = calloc((size_t)nq + 12 * (size_t)bodies + 1, sizeof *m->pose);
  m->frame = calloc((size_t)bodies + 1, sizeof *m->frame);
  m->memory = malloc(size);
  if (!m->q || !m->joint || !m->joint_name || !m->pose || !m->frame || !m->memory) return false;
  m->work = ap_work_init(robot, m->memory, size);
  for (int k = 0; k < nq && m->robot; k++)
    if ((m->q[k] = find(m, AP_JOINT_Q, "q", k)) < 0) m->robot = NULL;
  for (int i = 1; i <= bodies && m->robot; i++) {
    m->frame[i - 1] = i;
    if (ap_joint_nq(robot, i) != 1) continue;
    const char *name = ap__joint_name(ap_body(robot, i));
    m->joint_name[m->joints] = ap__pool_text(&m->pool, name, strlen(name));
    if (!m->joint_name[m->joints]) return false;
    int *at = &m->joint[3 * m->joints++];
    at[0] = find(m, AP_JOINT_Q, "q", ap_joint_q(robot, i));
    at[1] = find(m, AP_JOINT_V, "v", ap_joint_v(robot, i));
    at[2] = find(m, AP_JOINT_TAU, "tau", ap_joint_v(robot, i));
  }
  return m->work != NULL;
}

static ap_status create(ap_log *log, const char *path, const ap_log_def *def, ap_error *error) {
  mcap_log *m = (mcap_log *)log;
  m->part.file = -1;
  m->column = copy_columns(m, def->column, def->columns);
  m->event_column = copy_columns(m, def->event_column, def->event_columns);
  if (!m->column || !m->event_column || (def->robot && !use_robot(m, def->robot)))
    return ap__no_memory(error);
  const ap_status status = ap__draft_open(&m->part, path, error);
  return status == AP_OK ? begin(m, def, error) : status;
}

// ---- the end -----------------------------------------------------------------------------------

static void put_statistics(const mcap_log *m, ap__text *t) {
  uint64_t messages = 0;
  for (int k = 0; k < CHANNELS; k++) messages += m->count[k];
  const size_t record = open_record(t, STATISTICS);
  put(t, messages, 8);
  put(t, CHANNELS, 2);
  put(t, CHANNELS, 4);
  put(t, m->attachments, 4);
  put(t, m->metadata, 4);
  put(t, m->nchunk, 4);
  put(t, m->first, 8);
  put(t, m->last, 8);
  put(t, CHANNELS * 10, 4);
  for (int k = 0; k < CHANNELS; k++) {
    put(t, (uint64_t)k + 1, 2);
    put(t, m->count[k], 8);
  }
  close_record(t, record);
}

static ap_status finish(ap_log *log, ap_error *error) {
  mcap_log *m = (mcap_log *)log;
  ap__text *t = &m->index;
  size_t record = open_record(t, DATA_END);
  put(t, 0, 4);
  close_record(t, record);
  const size_t summary = t->length;
  const uint64_t summary_start = (uint64_t)m->length + summary;
  put_channels(m, t);
  put_statistics(m, t);
  ap__text_bytes(t, m->chunks.text ? m->chunks.text : "", m->chunks.length);
  record = open_record(t, FOOTER);
  put(t, summary_start, 8);
  put(t, 0, 8);
  if (t->failed || m->chunks.failed) return ap__no_memory(error);
  put(t, 0, 4);
  close_record(t, record); // its length belongs to what is summed
  t->length -= 4;
  put(t, crc_of(0, t->text + summary, t->length - summary), 4);
  ap__text_bytes(t, magic, sizeof magic);
  const ap_status status = hand_over(m, t, error);
  return status == AP_OK ? ap__draft_publish(&m->part, error) : status;
}

static void release(ap_log *log, bool remove) {
  mcap_log *m = (mcap_log *)log;
  ap__draft_close(&m->part, remove);
  ap__pool_free(&m->pool);
  for (int k = 0; k < CHANNELS; k++) free(m->where[k].at);
  ap__text *const text[] = {&m->chunk, &m->index, &m->json, &m->chunks};
  for (int k = 0; k < 4; k++) ap__text_free(text[k]);
  free(m->column);
  free(m->event_column);
  free(m->q);
  free(m->joint);
  free(m->joint_name);
  free(m->pose);
  free(m->frame);
  free(m->memory);
}

const ap__log_format ap__log_mcap = {.ending = ".mcap",
                                     .size = sizeof(mcap_log),
                                     .create = create,
                                     .row = row,
                                     .event = event,
                                     .flush = flush,
                                     .finish = finish,
                                     .release = release};
