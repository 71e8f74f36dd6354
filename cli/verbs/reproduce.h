// SPDX-License-Identifier: Apache-2.0
/// @file reproduce.h
/// Papers beside what came out, as a page for a browser.

#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include <papers.h>

#include "ui/output.h"

/// @{
/// Digits of a printed number, and of ours beside it.
int cli_printed_digits(double printed);
int cli_our_digits(const report_line *line);
/// @}

/// What follows the head of the page: the paper's tables with all their rows, notes and remarks.
/// Figures PAPER-*.svg and reports PAPER-*.html in folder are shown and linked.
int cli_reproduce_paper(cli_out *out, const paper *p, const report *r, const char *folder);
/// @{
/// The page before the first paper, and behind the last.
void cli_reproduce_head(cli_out *out, const paper *const *papers, int n);
void cli_reproduce_tail(cli_out *out);
/// @}

#endif
