// SPDX-License-Identifier: Apache-2.0
// The papers that Appell stands on: their experiments run again, every printed number beside ours.
//
// A paper's program fills a report; `appell reproduce` prints it. Nothing is tuned to a printed
// number: where ours differs, the row's note says why, or that it is not known.

#ifndef PAPERS_H
#define PAPERS_H

#include <appell/base.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define PAPERS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PAPERS_PRINTF(text, first)
#endif

/// What a line of a report is.
typedef enum report_kind {
  REPORT_ITEM,   ///< a table, figure or experiment begins: text is its name ("Table 5")
  REPORT_REMARK, ///< a sentence about the item; text
  REPORT_ROW,    ///< one number beside the printed one
  REPORT_DETAIL  ///< a row for programs (`--json`, `--all`), too many for a person
} report_kind;

/// One line of a report. Texts belong to the report; never NULL.
typedef struct report_line {
  report_kind kind;
  const char *item;     ///< the item it belongs to ("Table 5"), narrowed down where a program needs
                        ///< it ("Table 1, n = 6")
  const char *text;     ///< of an item or remark: the rest of its heading, or the sentence
  const char *quantity; ///< of a row: what is compared ("multiplications, gibbs-tensor")
  const char *unit;     ///< of a row: SI, "" for pure numbers
  double printed;       ///< what the paper prints; NAN where it prints nothing
  double ours;          ///< what came out
  const char *note;     ///< why they differ, which reading was taken; "" where nothing is to say
  int digits;           ///< of ours that mean something; 0: as many as it takes to compare
} report_line;

/// The lines in their order; grows on the heap. Start with {0}; once memory has run out, nothing
/// is added any more and no_memory tells.
typedef struct report {
  report_line *line;
  int lines, room;
  bool no_memory;
  char changed[128]; ///< see report_changed()
} report;

/// Begin an item: name ("Table 5") and what it shows.
void report_item(report *r, const char *name, const char *about);
/// A sentence about the item that was begun last.
void report_remark(report *r, const char *format, ...) PAPERS_PRINTF(2, 3);
/// A number of that item beside the printed one (NAN: none); note may be NULL.
void report_row(report *r, const char *quantity, const char *unit, double printed, double ours,
                const char *note);
/// The same, of a part of the item: narrowed ("impact 1") is put behind its name. NULL: of the
/// whole.
void report_narrowed_row(report *r, const char *narrowed, const char *quantity, const char *unit,
                         double printed, double ours, const char *note);
/// So many digits of the last row's number of ours mean something: of a time, which scatters.
void report_digits(report *r, int digits);
/// A row for programs alone; what narrows the item down ("n = 7"), or NULL.
void report_detail(report *r, const char *narrowed, const char *quantity, const char *unit,
                   double printed, double ours, const char *note);
/// From here on the experiment is another than the paper's, as the text says ("with restitution =
/// 0.8"): the paper's numbers are left out, and that text is the note of the rows that had one. "":
/// it is the paper's again.
void report_changed(report *r, const char *text);
/// Free everything and start over from {0}.
void report_free(report *r);

/// A number of a paper's experiment that can be changed.
typedef struct paper_parameter {
  const char *name; ///< NULL closes a list
  const char *unit; ///< SI, "" for pure numbers
  double value;     ///< the paper's; where it prints none, what is assumed
  double least, most;
  bool whole;        ///< a whole number
  const char *about; ///< one line
} paper_parameter;

enum { PAPER_PARAMETERS_MOST = 16 };

/// How to run a paper. {0}: as it was.
typedef struct paper_options {
  const char *plots;   ///< folder that exists, for the figures as SVG; NULL: none are drawn
  const double *value; ///< of the paper's parameters in their order; NULL: the paper's own
} paper_options;

/// A paper and its program.
typedef struct paper {
  const char *name;   ///< on the command line: "mata2002"
  const char *title;  ///< of the paper
  const char *source; ///< authors, journal, year
  /// Run everything and fill the report. On failure *error says what could not be done; the lines
  /// so far stay.
  ap_status (*run)(const paper_options *options, report *r, ap_error *error);
  const paper_parameter *parameter; ///< closed by one without a name; NULL: there are none
} paper;

/// Run a paper: what was changed comes first in the report.
ap_status paper_run(const paper *p, const paper_options *options, report *r, ap_error *error);
/// How many parameters a paper has.
int paper_parameters(const paper *p);
/// The place of a parameter in the paper's list; -1: it has none of that name.
int paper_find_parameter(const paper *p, const char *name);
/// A parameter's value; options may be NULL.
double paper_value(const paper *p, const paper_options *options, int parameter);
/// Is one of the first n parameters another than the paper's? Then text (size bytes) says which:
/// "with restitution = 0.8, gravity = 1.62".
bool paper_is_changed(const paper *p, const paper_options *options, int n, char *text, size_t size);

extern const paper paper_mata2002, paper_provenzano2002, paper_valera2003, paper_shafei2018,
    paper_abedloo2014;

/// The i-th paper in the order of `appell reproduce`, NULL past the last.
const paper *paper_at(int i);
/// The paper of that name, NULL where there is none.
const paper *paper_find(const char *name);

#endif
