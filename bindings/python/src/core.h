// SPDX-License-Identifier: Apache-2.0
/// @file core.h
/// The extension module appell._core: what its files share.
///
/// It is written against CPython's stable interface of version 3.11, in which the buffer protocol
/// is part, so that one binary serves every later CPython and every NumPy. NumPy's headers are not
/// used: arrays come in as buffers (one state as it lies in NumPy's arrays, see array.c), and new
/// ones are made by calling numpy.empty().

#ifndef APPELL_PYTHON_CORE_H
#define APPELL_PYTHON_CORE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <appell/batch.h>
#include <appell/codegen.h>
#include <appell/file.h>
#include <appell/loop.h>
#include <stdbool.h>
#include <stdlib.h>

// ---- core.c: errors and arguments --------------------------------------------------------------

/// Raise the exception of a status with this text; file may be NULL and line 0. Returns NULL.
PyObject *raise_status(ap_status status, const char *file, int line, const char *text);
/// The same of an ap_error.
PyObject *raise_error(const ap_error *error, const char *file);

/// Positional and keyword arguments of a call sorted into value[], in the order of the names that
/// end with NULL; what is missing is NULL there. The first `positional` names may be given by
/// position, the first `needed` must be given. False, with an exception, where they do not fit.
bool sort_arguments(const char *function, const char *const *names, int positional, int needed,
                    PyObject *const *args, Py_ssize_t nargs, PyObject *keywords, PyObject **value);
/// So many finite numbers of a sequence; what names it in the message.
bool read_numbers(PyObject *from, const char *what, int n, double *number);
/// A finite number.
bool read_number(PyObject *from, const char *what, double *number);
/// A path, as text of the file system's encoding; *own is to be released after its use.
const char *read_path(PyObject *from, PyObject **own);
/// Add entry to a dictionary and release it; false where it is NULL or cannot be added.
bool put(PyObject *dictionary, const char *key, PyObject *value);

// ---- array.c: arrays over states ---------------------------------------------------------------

enum { MOST_AXES = 8 };

/// What an argument or result looks like for one state: up to two axes.
typedef struct shape {
  int axes;
  Py_ssize_t length[2];
} shape;

/// Numbers of one state.
static inline Py_ssize_t shape_entries(shape s) {
  Py_ssize_t n = 1;
  for (int i = 0; i < s.axes; i++) n *= s.length[i];
  return n;
}

/// An array that a call reads or writes: a buffer, which is held until array_release(). Of one
/// state in an array of NumPy, view has buf, ndim, shape, itemsize and len only.
typedef struct array {
  const char *name; ///< in messages
  Py_buffer view;
  bool held;        ///< view is to be released
  PyObject *object; ///< that the buffer is of, a reference of our own; NULL: none
  bool single;      ///< float, else double
  int leading;      ///< axes over states; 0: one state
  bool rows;        ///< may be read as AP_ROWS
  bool columns;     ///< may be read as AP_COLUMNS
} array;

/// Read an argument as an array of a shape with any axes before it. Numbers in another form (lists,
/// integers) are converted to double; a buffer of float or double is taken as it is. writable: it
/// is a result, and nothing is converted.
bool array_of(array *a, PyObject *from, const char *name, shape s, bool writable);
/// A new array for results: the states of like, and this shape for each.
bool array_new(array *a, const array *like, shape s, bool columns);
/// Release what an array holds; its object too.
void array_release(array *a);
/// The address of its numbers.
static inline void *array_data(const array *a) { return a->view.buf; }
/// Whether it begins at a multiple of its numbers' size.
bool array_aligned(const array *a);
/// Number of states.
size_t array_states(const array *a);

// ---- robot.c -----------------------------------------------------------------------------------

/// A robot as a file describes it.
typedef struct Robot {
  PyObject_HEAD ap_robot *robot;
  PyObject *file; ///< where it was read of, None: nowhere
} Robot;
extern PyTypeObject *robot_type;
/// A robot as an object, which owns it from now on; freed where it cannot be made.
PyObject *new_robot(ap_robot *robot, PyObject *file);
bool add_robot_type(PyObject *module);

// ---- settings.c: what may change between calls -------------------------------------------------

/// What was set with set_payload() and set_inertia().
typedef struct change {
  bool payload;
  int body;
  double mass, com[3], inertia[6];
} change;

/// What Model and Mechanism begin with.
typedef struct Base {
  PyObject_HEAD Robot *robot;
  const ap_model *model; ///< of a mechanism, that of its tree
  unsigned long version; ///< counts changes of the settings, from 1
  bool friction;
  double gravity[3];
  change *changes;
  int nchange;
} Base;

/// Begin with the model's own settings.
void settings_init(Base *b, Robot *robot, const ap_model *model);
void settings_free(Base *b);
/// Put the settings into a work.
void settings_apply(const Base *b, ap_work *w);
void settings_apply_f32(const Base *b, ap_work_f32 *w);
/// The arguments link, mass, com, inertia of set_payload() and set_inertia().
bool read_change(const Base *b, PyObject *args, PyObject *keywords, change *c);
/// Whether the library refused a change; raises the exception that says so.
bool refuse_change(ap_status status);
/// Methods and properties that set them; both end with an empty entry.
extern const PyMethodDef settings_methods[];
extern const PyGetSetDef settings_properties[];
/// Append what a table has to another that has room for it.
void append_methods(PyMethodDef *to, const PyMethodDef *from);
void append_properties(PyGetSetDef *to, const PyGetSetDef *from);

/// The number of a frame by its name or number; -1 with an exception where there is none.
int read_frame(const Base *b, PyObject *from);
/// The number of a body likewise.
int read_body(const Base *b, PyObject *from);

// ---- model.c -----------------------------------------------------------------------------------

/// What one thread works in: made when first needed.
typedef struct slot {
  struct slot *next;
  unsigned long version; ///< of the settings that it has
  void *memory[4];       ///< of the following, in this order
  ap_work *work;
  ap_work_f32 *work_f32;
  ap_batch *batch;
  ap_batch_f32 *batch_f32;
} slot;

/// A model and what it is computed with.
typedef struct Model {
  Base base;
  ap_model *made;        ///< base.model, to free
  slot *idle;            ///< slots that no call uses now
  ap_compiled *compiled; ///< functions that were compiled for it; NULL: none
  ap_compiled_f32 *compiled_f32;
  ap_compiled **older; ///< [nolder] that took their place
  ap_compiled_f32 **older_f32;
  int nolder;
} Model;
extern PyTypeObject *model_type;
bool add_model_type(PyObject *module);

/// A slot with the model's settings that this call alone uses; NULL: no memory. Call it with the
/// interpreter's lock, and give the slot back with it.
slot *take_slot(Model *m, bool single, bool batch);
void give_slot(Model *m, slot *s);
/// Compute with these functions from now on, one of which is NULL. Older ones live as long as the
/// model: a thread may be computing with them.
bool keep_compiled(Model *m, ap_compiled *made, ap_compiled_f32 *made_f32);

// ---- mechanism.c -------------------------------------------------------------------------------

bool add_mechanism_type(PyObject *module);

// ---- feed_forward.c ----------------------------------------------------------------------------

bool add_feed_forward_type(PyObject *module);

// ---- run.c -------------------------------------------------------------------------------------

/// record_run(path, log, kind, robot, reference, end, step, progress): runs a scenario (kind
/// AP_RUN_...) to its end and records it; None leaves what the scenario says. Returns its
/// warnings as tuples (line, text).
PyObject *record_run(PyObject *module, PyObject *args);
/// read_run(log): columns (name, unit), rows as bytes, events (t, event, point, wall, numbers),
/// warnings.
PyObject *read_run(PyObject *module, PyObject *args);
/// report_run(log, page, title): the page of a log.
PyObject *report_run(PyObject *module, PyObject *args);

// ---- quantity.c --------------------------------------------------------------------------------

/// Methods of Model that compute, for its table of methods; ends with an empty entry.
extern const PyMethodDef quantity_methods[];
/// To be called before any of them.
void prepare_quantities(void);

// ---- motion.c ----------------------------------------------------------------------------------

/// Methods of Model that move it; ends with an empty entry.
extern const PyMethodDef motion_methods[];

// ---- code.c ------------------------------------------------------------------------------------

/// Methods of Model that generate and compile code; ends with an empty entry.
extern const PyMethodDef code_methods[];

// ---- lint.c ------------------------------------------------------------------------------------

/// lint(path or None, robot or None, disabled, quick): the findings of a file or a robot.
PyObject *lint_robot(PyObject *module, PyObject *args);

// ---- ident.c -----------------------------------------------------------------------------------

/// Functions of the module; ends with an empty entry.
extern const PyMethodDef ident_functions[];

// ---- research.c --------------------------------------------------------------------------------

/// Functions of the module; ends with an empty entry.
extern const PyMethodDef research_functions[];

// ---- sweep.c -----------------------------------------------------------------------------------

/// Functions of the module; ends with an empty entry.
extern const PyMethodDef sweep_functions[];

#endif
