// SPDX-License-Identifier: Apache-2.0
/// @file file.h
/// Robot files, URDF, MJCF and Appell YAML, read and written; state files; logs of runs. Part of
/// libappell-tools; allocates.

#ifndef APPELL_FILE_H
#define APPELL_FILE_H

#include <appell/mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A robot read from a file: its definition, and what a file has besides.
/// Owns its memory; free it with ap_robot_free().
typedef struct ap_robot ap_robot;

/// How to read.
typedef struct ap_read_options {
  bool floating;     ///< hang the root link on a free joint instead of the ground
  bool ignore_mimic; ///< make mimic followers independent, with a warning
  bool ignore_loops; ///< leave closed chains open, with a warning: the robot is the tree
} ap_read_options;

/// Read a file by its name's ending (.urdf, .xml, .mjcf; .yaml, .yml); URDF and MJCF are told apart
/// by their root element. "-" is not a robot file.
/// Returns AP_OK and *robot, or a status and *error with the line and the reason.
AP_API ap_status ap_robot_read(const char *path, const ap_read_options *options, ap_robot **robot,
                               ap_error *error);
/// The same from memory; format is "urdf", "mjcf" or "yaml". Such a text cannot include files, nor
/// have inertias of meshes in files.
AP_API ap_status ap_robot_parse(const char *text, size_t length, const char *format,
                                const ap_read_options *options, ap_robot **robot, ap_error *error);
/// A built-in robot in the same form (options apply: floating is refused with AP_E_ARG where the
/// robot already has a free base).
AP_API ap_status ap_robot_builtin(const char *name, const ap_read_options *options,
                                  ap_robot **robot, ap_error *error);
/// A robot defined in C in the same form, to write it to a file; everything is copied, nothing is
/// checked before ap_robot_model().
AP_API ap_status ap_robot_from_definition(const ap_robot_def *def, ap_robot **robot,
                                          ap_error *error);
/// A mechanism with closed chains in the same form.
AP_API ap_status ap_robot_from_mechanism(const ap_mechanism_def *def, ap_robot **robot,
                                         ap_error *error);
/// Lock joints of a robot or keep a part of it, as ap_reduce() does; lines, shapes and closed
/// chains follow. In a mechanism only joints that are coordinates can be locked, and a root must
/// not part what a closure ties; AP_E_UNSUPPORTED otherwise. A robot that was refused can only be
/// freed.
AP_API ap_status ap_robot_reduce(ap_robot *robot, const ap_reduction_def *how, ap_error *error);
/// Free a robot and everything it handed out; NULL is allowed.
AP_API void ap_robot_free(ap_robot *robot);

/// The definition, for ap_model_init(); valid until ap_robot_free().
AP_API const ap_robot_def *ap_robot_definition(const ap_robot *robot);
/// What makes a mechanism with closed chains of it, for ap_mechanism_make(); NULL: it is a tree.
/// Valid until ap_robot_free().
AP_API const ap_mechanism_def *ap_robot_mechanism(const ap_robot *robot);
/// The line on which body i was defined, 0 if unknown.
AP_API int ap_robot_line(const ap_robot *robot, int body);
/// The line that an error text of ap_model_init() or a text of ap_remark_text() is about: that of
/// the mass, axis, ... it names, else that of the body or frame; 0 if unknown.
AP_API int ap_robot_message_line(const ap_robot *robot, const char *text);
/// Number of warnings: parts of the file that affect dynamics but are not used, or were
/// corrected.
AP_API int ap_robot_warnings(const ap_robot *robot);
/// Warning i, from 0, with its line; NULL past the last. Valid until ap_robot_free().
AP_API const ap_error *ap_robot_warning(const ap_robot *robot, int i);
/// What a shape is.
typedef enum ap_shape_kind {
  AP_SHAPE_NONE,     ///< nothing that can be drawn: no geometry, or numbers that cannot be read
  AP_SHAPE_BOX,      ///< size: three sides
  AP_SHAPE_CYLINDER, ///< size: radius, length along z; its middle is the origin
  AP_SHAPE_SPHERE,   ///< size: radius
  AP_SHAPE_MESH      ///< size: scale along x, y, z; file: where the triangles are
} ap_shape_kind;

/// What a link looks like, or collides as. No meaning for dynamics: whatever a file says here, the
/// robot is read.
typedef struct ap_shape {
  ap_shape_kind kind; ///< what the fields below mean
  bool collision;     ///< of a collision element; else of a visual one
  bool masked;      ///< do contype and conaffinity say what it touches, as in MJCF? else collision
  int body;         ///< number of the body, whose link frame xyz and rpy are in
  int line;         ///< of the element in the file, 0 if unknown
  double xyz[3];    ///< origin in the link frame, m
  double rpy[3];    ///< roll, pitch, yaw, rad
  double size[3];   ///< m, or a scale; see the kinds
  const char *file; ///< of a mesh, as written; else NULL
  bool colored;     ///< is a colour given?
  double color[4];  ///< red, green, blue, opacity, 0 to 1
  int contype;      ///< bits as in MJCF, 1 by default: two shapes touch if a bit of contype of the
  int conaffinity;  ///< one is a bit of conaffinity of the other, in either order
} ap_shape;

/// Shape k of body i, from 0, in the order of the file; NULL past the last. Links on fixed joints
/// are bodies of their own here: ap_body_mover() tells what carries them, kinematics where they
/// are. Valid until ap_robot_free().
AP_API const ap_shape *ap_robot_shape(const ap_robot *robot, int body, int k);
/// Number of shapes of the whole robot, visual and collision.
AP_API int ap_robot_shapes(const ap_robot *robot);

/// The file that a mesh's name in a robot file means. `package://NAME/REST` (also `model://`, and
/// xacro's `$(find NAME)/REST`) is looked for, from the robot file's folder upwards, in a folder
/// called NAME, a folder NAME inside, a folder whose package.xml has that name; then in the folders
/// of ROS_PACKAGE_PATH (and one level below), AMENT_PREFIX_PATH (in share/) and, for model://,
/// GAZEBO_MODEL_PATH. `file://` is taken off. Any other name is a path, relative to the robot
/// file's folder. robot_file NULL means the working folder.
/// AP_OK and *path, to be freed with free(); AP_E_NOT_FOUND and what was tried in *error;
/// AP_E_UNSUPPORTED for a name that points into the network. *path is NULL then.
AP_API ap_status ap_mesh_find(const char *name, const char *robot_file, char **path,
                              ap_error *error);

/// Build the model of a robot on the heap; free it with ap_model_free(). Errors of the model carry
/// the line of the body they are about. AP_E_UNSUPPORTED for a mechanism with closed chains: its
/// tree alone would move otherwise than it.
AP_API ap_status ap_robot_model(const ap_robot *robot, ap_model **model, ap_error *error);
/// Free a model made by ap_robot_model(); NULL is allowed.
AP_API void ap_model_free(ap_model *model);

/// Write a robot to a file by its name's ending: .urdf; .yaml, .yml; .xml, .mjcf for MJCF. The file
/// appears only when complete, and keeps the permissions of one that it replaces. A link is
/// followed; a folder, pipe or device is refused. What the format cannot say is named in *error
/// with AP_E_UNSUPPORTED, and nothing is written, except for the losses that
/// ap_robot_visit_losses() tells. Springs are written to URDF as Gazebo's extensions of joints. A
/// spherical joint is written to URDF as type="spherical":
/// ap_robot_read() knows it, others don't.
AP_API ap_status ap_robot_write(const ap_robot *robot, const char *path, ap_error *error);
/// What ap_robot_write() leaves out of a file of this name without failing, and what programs that
/// read it will refuse: say is called with a line about each. Nothing is written.
AP_API ap_status ap_robot_visit_losses(const ap_robot *robot, const char *path,
                                       void (*say)(void *context, const char *text), void *context,
                                       ap_error *error);
/// The text that ap_robot_write() would write, of the format "urdf", "mjcf" or "yaml". free() it;
/// NULL where the status is not AP_OK. Numbers read back to the same bits.
AP_API ap_status ap_robot_text(const ap_robot *robot, const char *format, char **text,
                               ap_error *error);

/// Take over mass, centre of mass and inertia of bodies and damping, friction, rotor and stiffness
/// of joints from `bodies`, as many as the robot's definition has, in its order; nothing is checked
/// before ap_robot_model().
AP_API void ap_robot_set_bodies(ap_robot *robot, const ap_body_def *bodies);
/// Write a copy of the URDF or MJCF file that a robot was read from, in which mass, centre of mass
/// and inertia of bodies and damping, friction, rotor inertia and stiffness of joints are those of
/// `bodies`, as many as the robot's definition has, in its order. Every other byte stays, comments
/// included. path may be the file itself. AP_E_UNSUPPORTED and nothing is written where the robot
/// is of no such file, or where a number stands elsewhere, as in an included file.
AP_API ap_status ap_robot_patch(const ap_robot *robot, const ap_body_def *bodies, const char *path,
                                ap_error *error);

/// Reader of rows of numbers, one for each state: text with numbers separated by blanks or commas
/// and lines starting with '#' skipped; NumPy's .npy arrays of float64 or float32, in any order;
/// HDF5 datasets, as FILE.h5:/DATASET; logs in HDF5. What a file is, its first bytes tell. "-" is
/// standard input. Numbers must be finite.
typedef struct ap_rows ap_rows;
/// Open a file of rows; close it with ap_rows_close(). On failure *rows is NULL and *error says
/// why.
AP_API ap_status ap_rows_open(const char *path, ap_rows **rows, ap_error *error);
/// Read a line of names before the rows, as CSV files have it, without a '#' before them; *names is
/// its text until the next call, NULL at the end of the file. AP_E_SYNTAX for an .npy array, which
/// has no names.
AP_API ap_status ap_rows_header(ap_rows *rows, const char **names, ap_error *error);
/// Read the next row of exactly columns numbers. AP_OK with *end set at the end of the file.
AP_API ap_status ap_rows_next(ap_rows *rows, int columns, double *row, bool *end, ap_error *error);
/// Say what a row holds ("q v a"), for the message about a row of the wrong length.
AP_API void ap_rows_describe(ap_rows *rows, const char *what);
/// Line number of the row read last; in an array its number from 1.
AP_API int ap_rows_line(const ap_rows *rows);
/// How much of the file has been read, 0 to 1; negative where nobody knows, as of a pipe.
AP_API double ap_rows_fraction(const ap_rows *rows);
/// Whether reading on would wait for more input, as from a pipe.
AP_API bool ap_rows_waits(const ap_rows *rows);
/// Close the file (standard input stays open) and free the reader; NULL is allowed.
AP_API void ap_rows_close(ap_rows *rows);

/// Rows as they stand in a file, for several threads: one takes blocks from a reader, others decode
/// them. Not to be mixed with ap_rows_next().
typedef struct ap_rows_block ap_rows_block;
/// A block for about so many bytes of a file, and more only where one row needs them; NULL: no
/// memory.
AP_API ap_rows_block *ap_rows_block_make(size_t bytes);
/// Free a block; NULL is allowed.
AP_API void ap_rows_block_free(ap_rows_block *block);
/// Fill a block with the next rows of a file, from a pipe with what is there, but at least with a
/// line; *end tells that no more follow. Lines in errors count from the block's first.
AP_API ap_status ap_rows_take(ap_rows *rows, ap_rows_block *block, bool *end, ap_error *error);
/// Decode up to `most` further rows of columns numbers; *n of them are in x, and their lines, from
/// 1 in this block, in line (NULL: not wanted). None are left where *n is 0. Where a row is wrong,
/// *n are before it.
AP_API ap_status ap_rows_decode(ap_rows_block *block, int columns, int most, double *x, int *line,
                                int *n, ap_error *error);
/// How many lines of a block are decoded, or rows of an array.
AP_API int ap_rows_block_line(const ap_rows_block *block);

/// Bytes that stand before the numbers of an .npy array that ap_npy_header() describes.
#define AP_NPY_HEADER 128
/// Write them to text, for rows of columns doubles in the machine's order, row by row; returns
/// their number. As they are always as many, they can be written again when the rows are counted.
AP_API int ap_npy_header(long long rows, int columns, char *text);

/// Write a double so that it reads back to the same double, exactly as "%.17g" does in the C
/// locale. text has room for 25 bytes, all of which may be written; returns the length, at most 24.
AP_API int ap_format_double(double x, char *text);
/// The same with the fewest digits that read back to the same double, the nearest of them: 0.1, not
/// 0.10000000000000001.
AP_API int ap_format_shortest(double x, char *text);
/// The bytes that a row of n numbers may take as text.
AP_API size_t ap_row_room(int n);
/// Write a row of n numbers as ap_format_double() or ap_format_shortest() does, blanks between them
/// and a newline behind. text has room for ap_row_room(n) bytes, all of which may be written;
/// returns the length.
AP_API size_t ap_format_row(const double *x, int n, bool shortest, char *text);

/// Rows on their way to a dataset of an HDF5 file.
typedef struct ap_h5_rows ap_h5_rows;
/// Add a dataset to a file that is there, and empty or HDF5; in the place of one that has its name.
/// dataset is its path, /NAME or /GROUP/NAME; name[k], of column k, go to its attribute "names".
/// AP_E_UNSUPPORTED where the library was built without HDF5.
AP_API ap_status ap_h5_rows_open(const char *path, const char *dataset, int columns,
                                 const char *const *name, ap_h5_rows **rows, ap_error *error);
/// Append n rows.
AP_API ap_status ap_h5_rows_add(ap_h5_rows *rows, int n, const double *x, ap_error *error);
/// Complete the file and free rows; NULL is allowed.
AP_API ap_status ap_h5_rows_close(ap_h5_rows *rows, ap_error *error);

// ---- logs of runs ------------------------------------------------------------------------------

/// A column of a log. Columns side by side that share what stands before the first '.' of their
/// names belong together: HDF5 has them as one dataset.
typedef struct ap_column {
  const char *name; ///< "q.shoulder"; the first column of the rows is "t"
  const char *unit; ///< "rad"; "" for pure numbers
} ap_column;

/// Vectors that have an entry, or several, for every joint of a model.
typedef enum ap_joint_vector {
  AP_JOINT_Q,  ///< [nq] rad, m; quaternions
  AP_JOINT_V,  ///< [nv] rad/s, m/s
  AP_JOINT_A,  ///< [nv] rad/s2, m/s2
  AP_JOINT_TAU ///< [nv] N m, N
} ap_joint_vector;

/// The column of entry k of a vector: GROUP.JOINT, "q.elbow", or GROUP.JOINT.PART where a joint has
/// several entries, "v.root_joint.wx"; without the first dot where group is "". Blanks, commas and
/// control characters become '_', so that a line of names has as many words as a line of numbers
/// has numbers. text gets at most size bytes; returns the length of the whole name.
AP_API int ap_column_name(const ap_model *m, ap_joint_vector vector, const char *group, int k,
                          char *text, size_t size);

/// What a log is about.
typedef struct ap_log_def {
  const ap_column *column;       ///< [columns] of the rows
  int columns;                   ///< number of columns
  const ap_column *event_column; ///< [event_columns] numbers of an event
  int event_columns;             ///< number of them
  const char *scenario;          ///< text of the scenario file; NULL: none
  const char *scenario_file;     ///< where it was read of, for reports of the run; NULL: nowhere
  const char *model;             ///< name of the robot; NULL: none
  int longest_word;      ///< bytes of the longest word of an event, where HDF5 cuts them; 0: 63
  const ap_model *robot; ///< for poses of its links in MCAP; must live as long; NULL: none
} ap_log_def;

/// A log on its way to a file, by its ending CSV, HDF5 or MCAP. RUN.csv has a line of names, then a
/// line for each row; RUN.events.csv likewise, its columns "t", "event", "body/point", the numbers,
/// and "wall"; RUN.scenario.yaml is the scenario. RUN.h5 has all of it (docs/logs.md). Until
/// ap_log_finish() gives them their names, the files are called RUN.csv.part, RUN.events.csv.part,
/// RUN.scenario.yaml.part, RUN.h5.part, and older ones of the same name stay.
/// Whatever ends the program, the parts are readable up to their last flush. A link is followed.
/// Threads may write different logs at once where HDF5 was built for threads, as Debian's is.
typedef struct ap_log ap_log;
/// Start a log. AP_E_ARG for another ending, AP_E_UNSUPPORTED for .h5 where the library was built
/// without HDF5, AP_E_FILE where the files cannot be written or another log has locked them;
/// nothing is left behind then. Free it with ap_log_free().
AP_API ap_status ap_log_create(const char *path, const ap_log_def *def, ap_log **log,
                               ap_error *error);
/// Append a row of numbers. A failure of this or of a call below is final: all that follow fail.
AP_API ap_status ap_log_row(ap_log *log, const double *row, ap_error *error);
/// Append an event: its time, what happened, the point ("link/point") and the wall, its numbers.
AP_API ap_status ap_log_event(ap_log *log, double t, const char *event, const char *point,
                              const char *wall, const double *numbers, ap_error *error);
/// Hand over to the system what was appended: it outlives the program from then on.
AP_API ap_status ap_log_flush(ap_log *log, ap_error *error);
/// Complete the files and give them their names.
AP_API ap_status ap_log_finish(ap_log *log, ap_error *error);
/// Free the log; what was not finished is flushed and stays as .part. NULL is allowed.
AP_API void ap_log_free(ap_log *log);

// ---- logs read back ----------------------------------------------------------------------------

/// A log that is read, row by row and event by event: in memory there is one block of rows at a
/// time, however long the run was.
typedef struct ap_log_reader ap_log_reader;

/// What a log says of itself; texts are NULL where it does not.
typedef struct ap_log_about {
  const ap_column *column;       ///< [columns] of the rows, "t" first; units are "" in CSV
  int columns;                   ///< number of columns
  const ap_column *event_column; ///< [event_columns] numbers of an event
  int event_columns;             ///< number of them
  const char *scenario;          ///< text of the scenario file
  const char *scenario_file;     ///< where it was read of: files that it names are beside it
  const char *model;             ///< name of the robot
  const char *program;           ///< "appell 0.2.0"
  bool whole; ///< the run ended well: the name does not end in .part, and no line that was read is
              ///< cut off
} ap_log_about;

/// One event of a log.
typedef struct ap_logged_event {
  double t;              ///< s
  const char *event;     ///< "impact"
  const char *point;     ///< "link/point"; "" where there is none
  const char *wall;      ///< "" where there is none
  const double *numbers; ///< [event_columns]
} ap_logged_event;

/// Open a log, complete or a .part, of CSV or HDF5: its first bytes tell which. The events of
/// RUN.csv are read of RUN.events.csv, the scenario of RUN.scenario.yaml; either may be missing.
/// AP_E_FILE where it cannot be read, AP_E_SYNTAX with the line where it is no log,
/// AP_E_UNSUPPORTED for HDF5 where the library was built without. Close it with ap_log_close().
AP_API ap_status ap_log_open(const char *path, ap_log_reader **reader, ap_error *error);
/// What it says of itself; valid until ap_log_close().
AP_API const ap_log_about *ap_log_describe(const ap_log_reader *reader);
/// Read the next row, ap_log_about::columns finite numbers, times never going back. AP_OK with *end
/// set behind the last. A last line that was cut off, as a killed run may leave it, is no row.
AP_API ap_status ap_log_next(ap_log_reader *reader, double *row, bool *end, ap_error *error);
/// Read the next event, in the order of the log; its texts and numbers are valid until the next
/// call. AP_OK with *end set behind the last.
AP_API ap_status ap_log_next_event(ap_log_reader *reader, ap_logged_event *event, bool *end,
                                   ap_error *error);
/// Let numbers of rows be nan, inf and -inf too, as in the log of a controller whose sensor gave
/// none; times stay finite.
AP_API void ap_log_allow_any(ap_log_reader *reader);
/// Line of the row that was read last, its number from 1 in HDF5.
AP_API int ap_log_line(const ap_log_reader *reader);
/// Close a log and free the reader; NULL is allowed.
AP_API void ap_log_close(ap_log_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
