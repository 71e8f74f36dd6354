// SPDX-License-Identifier: Apache-2.0
// What a Cortex-M4F needs before the C library starts: a vector table, and the floating-point unit
// switched on. The C library talks to the emulator by semihosting.

#include <stdint.h>

extern void _start(void);
void reset(void);
void fault(void);

#define COPROCESSOR_ACCESS (*(volatile uint32_t *)0xE000ED88)
#define STACK_END          0x00400000

typedef struct vector_table {
  uintptr_t stack;
  void (*entry[15])(void);
} vector_table;

__attribute__((section(".vectors"), used)) static const vector_table vectors = {
    STACK_END, {reset, fault, fault, fault, fault, fault}};

void reset(void) {
  COPROCESSOR_ACCESS |= 0xFu << 20; // full access to coprocessors 10 and 11
  __asm__ volatile("dsb\n\tisb");
  _start();
}

// Semihosting's SYS_EXIT with a reason that is not the program's end: the emulator ends with 1.
void fault(void) {
  __asm__ volatile("mov r0, #0x18\n\tmov r1, #0\n\tbkpt 0xab");
  for (;;) {
  }
}
