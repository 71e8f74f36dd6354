// SPDX-License-Identifier: Apache-2.0
/// @file stdin_pipe.h
/// Standard input that tells when it has nothing more for the moment.
///
/// A program that sends a state and waits for the result must get it before it sends the next one;
/// a program that sends a million must not be slowed down by that. So a thread passes standard
/// input on through a pipe and notes the last line with numbers; whoever has read that line knows
/// that reading on would wait. A regular file never makes one wait and is read as it is.

#ifndef CLI_STDIN_PIPE_H
#define CLI_STDIN_PIPE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/// What passes standard input on. Start with {0}.
typedef struct cli_feed {
  pthread_t thread;
  bool running;
  int source, sink;   ///< standard input itself, and the end of the pipe that is written to
  int wake, stop;     ///< a pipe: once stop is closed, the thread ends
  int error;          ///< errno of a failed read; 0 while all is well
  long line;          ///< complete lines so far
  bool looked_at;     ///< whether it is known what the current line holds
  bool has_numbers;   ///< what it holds
  atomic_long ending; ///< the last complete line with numbers
} cli_feed;

/// Put a pipe in the place of standard input. Where that cannot be done, or makes no sense, nothing
/// happens, and nothing ever is said to wait.
void cli_feed_start(cli_feed *feed);
/// Whether a reader that has read up to this line would have to wait for more numbers.
bool cli_feed_waits(cli_feed *feed, int line);
/// Put standard input back; returns errno of a failed read, or 0.
int cli_feed_stop(cli_feed *feed);

#endif
