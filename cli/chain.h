/// @file chain.h
/// Chains of equal links, to see how times grow.

#ifndef CLI_CHAIN_H
#define CLI_CHAIN_H

#include <appell/model.h>

/// Beyond so many joints a chain is not generated: compiling would take longer than all the rest.
enum { CLI_MOST_GENERATED = 12 };

/// n slender links on revolute joints, each turned against the one before about two axes, so that
/// nothing is planar; NULL: no memory.
ap_model *cli_chain_open(int n);
void cli_chain_close(ap_model *m);

#endif
