// The kernels in double, compiled once per instruction set (AP_ISA).

#include "kin/text_f64.h"

#include "dyn/text.inc"

#define NAME2(isa)   ap__kernels_f64_##isa
#define NAME1(isa)   NAME2(isa)
#define STRING2(isa) #isa
#define STRING1(isa) STRING2(isa)

extern const ap_kernels NAME1(AP_ISA);
const ap_kernels NAME1(AP_ISA) = KERNEL_TABLE(STRING1(AP_ISA));
