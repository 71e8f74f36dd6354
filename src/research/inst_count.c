// The kernels in the counting arithmetic, and the studies made with them.

#include "research/text_count.h"

#define ISA_NAME             "count"
#define STUDY_CONTEXT(count) (count)
#include "research/study_by_text.inc"

const study_ops ap__study_count = STUDY_OPS;
