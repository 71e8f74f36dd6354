/// @file chain.h
/// Chains of equal links, to see how times grow.

#ifndef CLI_CHAIN_H
#define CLI_CHAIN_H

#include <appell/model.h>

/// Beyond so many joints a chain is not generated: compiling would take longer than all the rest.
enum { CLI_MOST_GENERATED = 12 };

/// A chain and the memory it lies in.
typedef struct cli_chain {
  ap_model *model; ///< NULL: no memory
  void *memory;
} cli_chain;

/// n slender links on revolute joints, each turned against the one before about two axes, so that
/// nothing is planar.
cli_chain cli_chain_open(int n);
void cli_chain_close(cli_chain *c);

#endif
