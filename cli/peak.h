/// @file peak.h
/// What one core can do at most.

#ifndef CLI_PEAK_H
#define CLI_PEAK_H

/// Multiplications and additions per ns in double precision, in the widest vectors of this
/// processor, each rounded (not fused), as ours are; measured in a fraction of a second.
double cli_peak(void);

#endif
