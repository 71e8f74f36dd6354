// VECTOR_LOOP before a loop: its iterations don't touch each other's data.

#ifndef AP_NUM_VECTOR_LOOP_H
#define AP_NUM_VECTOR_LOOP_H

#if defined(__clang__)
#define VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define VECTOR_LOOP _Pragma("GCC ivdep")
#else
#define VECTOR_LOOP
#endif

#endif
