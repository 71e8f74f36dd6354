// SPDX-License-Identifier: Apache-2.0
/// @file threads.h
/// Long work without the interpreter's lock, which Ctrl-C ends, and many states in several threads.

#ifndef APPELL_PYTHON_THREADS_H
#define APPELL_PYTHON_THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "core.h"

// ---- long work ---------------------------------------------------------------------------------

/// Work between long_work_begin() and long_work_end(). Set progress and part, where they are
/// wanted; zero the rest.
typedef struct long_work {
  PyObject *progress; ///< called now and then with the part that is done; NULL or None: nothing is
  double part;
  PyThreadState *state;
  pthread_t thread; ///< that began it
  double look;      ///< when to look for signals next, s
  atomic_bool ended;
} long_work;

/// Give up the interpreter's lock.
void long_work_begin(long_work *w);
/// Whether the work is to go on: ask between two pieces of it, each well below a second. Any thread
/// may ask; the one that began it looks for signals where it is time.
bool long_work_goes_on(long_work *w);
/// Take the lock back. False: an exception ended the work, and is set.
bool long_work_end(long_work *w);

// ---- errands -----------------------------------------------------------------------------------

/// Work of which some pieces take long, done by a thread of its own. Where Ctrl-C comes first, it
/// is asked to end, and nobody waits for it longer than a moment. Begin a struct of the work's own
/// with it; zero what is not set.
typedef struct errand {
  void (*work)(struct errand *e);    ///< called without the interpreter's lock
  void (*release)(struct errand *e); ///< frees the struct and what it holds, with the lock
  PyObject *progress;                ///< as in long_work, called by the thread that waits
  _Atomic double part;               ///< for progress; the work sets it
  atomic_bool abandoned;             ///< the work may look at it between two pieces, and end
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done, left; ///< left: by the thread that waited; its own releases it
} errand;

/// Let it be done. True: the caller takes its results and releases it. False: an exception is set,
/// and the thread will release it.
bool errand_run(errand *e);

// ---- many states -------------------------------------------------------------------------------

/// How many threads a call uses at most.
extern int most_threads;

/// Computes a block of the states in a slot of its own; what takes long asks the work whether to go
/// on.
typedef ap_status block_function(const void *context, slot *s, bool single, ap_states block,
                                 long_work *work);

/// Compute all states, in blocks of so many between two looks for signals; the interpreter's lock
/// is held on entry and given up meanwhile. *status is that of a block that failed. False: an
/// exception ended it, and is set.
bool compute_in_threads(Model *m, bool single, ap_states all, size_t block, block_function *compute,
                        const void *context, ap_status *status);

#endif
