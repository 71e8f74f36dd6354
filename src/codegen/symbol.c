// SPDX-License-Identifier: Apache-2.0
#include "codegen/symbol.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "codegen/sha256.h"
#include "file/names.h"

// Headers of C, POSIX, Linux' and other C libraries, compilers and CUDA that programs name without
// a folder; and names that a file cannot have on Windows.
static const char headers[] =
    "aio aliases alloca ar argp argz assert byteswap complex conio cpio crypt ctype curses direct "
    "dirent dlfcn elf endian envz err errno error execinfo fcntl features fenv float fmtmsg "
    "fnmatch fstab fts ftw gconv getopt glob gnu_versions grp gshadow iconv ifaddrs inttypes io "
    "iso646 langinfo lastlog libgen libintl limits link locale malloc math mcheck memory mntent "
    "monetary mqueue ncurses ndbm netdb newlib nl_types nss obstack paths poll printf "
    "proc_service process pthread pty pwd re_comp reent regex regexp resolv rseq sched search "
    "semaphore setjmp sgtty shadow signal spawn stab stdalign stdarg stdatomic stdbit stdbool "
    "stdckdint stddef stdint stdio stdio_ext stdlib stdnoreturn string strings stropts syscall "
    "sysexits syslog tar term termcap termio termios tgmath thread_db threads time trace ttyent "
    "uchar ucontext ulimit unctrl unistd ustat utime utmp utmpx values varargs wait wchar wctype "
    "winsock winsock2 windows wordexp xlocale zconf zlib "
    "arm_acle arm_bf16 arm_cmse arm_fp16 arm_mve arm_neon arm_sve cet cpuid float16 fpu_control "
    "gcov ieee754 mm3dnow mm_malloc omp openacc quadmath stdfix syslimits unwind varargs "
    "builtin_types channel_descriptor common_functions cooperative_groups cublas cublas_v2 "
    "cucomplex cuda cuda_bf16 cuda_fp16 cuda_fp8 cuda_runtime cuda_runtime_api cufft curand "
    "curand_kernel cusolverdn cusparse device_double_functions device_functions "
    "device_launch_parameters device_types driver_functions driver_types host_config host_defines "
    "math_constants math_functions nvml nvrtc sm_20_atomic_functions "
    "texture_types vector_functions vector_types "
    "appell aux con nul prn com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 "
    "lpt6 lpt7 lpt8 lpt9";

static const char robot_word[] = "_robot";

static bool is_plain(char c) { return ap__is_letter(c) || ap__is_digit(c); }
static bool is_hex(char c) { return ap__is_digit(c) || (c >= 'a' && c <= 'f'); }

// ---- which bytes stay --------------------------------------------------------------------------

typedef struct coding {
  const char *name;
  size_t length;
  bool frame; // not a robot
  char *text;
  size_t used; // of AP_SYMBOL_ROOM; more once it is too long
} coding;

static bool word_is(const coding *k, size_t from, size_t to, const char *word) {
  return to - from == strlen(word) && memcmp(k->name + from, word, to - from) == 0;
}

// A word and a number behind it.
static bool word_is_numbered(const coding *k, size_t from, size_t to, const char *word) {
  const size_t digits = from + strlen(word);
  if (digits >= to || memcmp(k->name + from, word, strlen(word)) != 0) return false;
  for (size_t i = digits; i < to; i++)
    if (!ap__is_digit(k->name[i])) return false;
  return true;
}

// A function of a frame besides that of one state.
static bool ends_another(const coding *k, size_t from, size_t to) {
  static const char *const words[] = {"batch", "lanes", "launch", "pipe"};
  static const char *const numbered[] = {"part", "kernel", "slice"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (word_is(k, from, to, words[i])) return true;
  for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
    if (word_is_numbered(k, from, to, numbered[i])) return true;
  return false;
}

// Whether the letter or digit at i stays: most do.
static bool stays_plain(const coding *k, size_t i) {
  const char *name = k->name;
  size_t from = i, to = i + 1;
  while (from > 0 && is_plain(name[from - 1])) from--;
  while (is_plain(name[to])) to++;
  if (i == from && (from > 0 || k->frame) && name[i] == 'x' && to - from >= 3 &&
      is_hex(name[i + 1]) && is_hex(name[i + 2]))
    return false;
  if (i + 1 < to) return true;
  if (k->frame) return to < k->length || !ends_another(k, from, to);
  return !word_is(k, from, to, "jacobian") && (from > 0 || !word_is(k, from, to, "ap"));
}

static bool stays(const coding *k, size_t i) {
  if (k->name[i] != '_') return is_plain(k->name[i]) && stays_plain(k, i);
  return i > 0 && is_plain(k->name[i - 1]) && stays_plain(k, i - 1) && is_plain(k->name[i + 1]) &&
         stays_plain(k, i + 1);
}

// ---- texts -------------------------------------------------------------------------------------

static void add(coding *k, char c) {
  if (k->used <= AP_SYMBOL_MOST) k->text[k->used] = c;
  k->used++;
}

static void add_text(coding *k, const char *text) {
  for (; *text; text++) add(k, *text);
}

static void add_hex(coding *k, unsigned char byte) {
  add(k, "0123456789abcdef"[byte >> 4]);
  add(k, "0123456789abcdef"[byte & 15]);
}

static void add_digest(coding *k) {
  unsigned char digest[AP_SHA256_BYTES];
  ap_sha256 h;
  ap__sha256_start(&h);
  ap__sha256_add(&h, k->name, k->length);
  ap__sha256_end(&h, digest);
  k->used = 0;
  add_text(k, "long_x00");
  for (int i = 0; i < AP_SHA256_BYTES; i++) add_hex(k, digest[i]);
}

// The zero byte stands before the name of a robot that begins with no letter, and for no name.
static void encode(coding *k) {
  bool zero = k->frame ? k->length == 0 : !ap__is_letter(k->name[0]);
  if (zero && !k->frame) add_text(k, "robot");
  bool open = zero; // in a group
  if (zero) add_text(k, k->frame ? "x00" : "_x00");
  for (size_t i = 0; i < k->length && k->used <= AP_SYMBOL_MOST; i++) {
    bool stay = stays(k, i);
    if (stay && open) add(k, '_');
    if (!stay && !open) add_text(k, i == 0 && k->frame ? "x" : "_x");
    open = !stay;
    if (stay)
      add(k, k->name[i]);
    else
      add_hex(k, (unsigned char)k->name[i]);
  }
  if (k->used > AP_SYMBOL_MOST) add_digest(k);
  k->text[k->used] = '\0';
}

// A header of the system in whatever case, with any number of "_robot" behind. Compilers have many
// that end in "intrin", and more with each version.
static bool is_header(const char *text) {
  char stem[AP_SYMBOL_ROOM];
  size_t n = strlen(text), ending = sizeof robot_word - 1;
  while (n > ending && memcmp(text + n - ending, robot_word, ending) == 0) n -= ending;
  for (size_t i = 0; i < n; i++)
    stem[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
  stem[n] = '\0';
  return ap__has_word(headers, stem) || (n >= 6 && strcmp(stem + n - 6, "intrin") == 0);
}

void ap__robot_symbol(const char *name, char text[AP_SYMBOL_ROOM]) {
  encode(&(coding){.name = name, .length = strlen(name), .text = text});
  if (is_header(text)) memcpy(text + strlen(text), robot_word, sizeof robot_word);
}

void ap__frame_symbol(const char *name, char text[AP_SYMBOL_ROOM]) {
  encode(&(coding){.name = name, .length = strlen(name), .frame = true, .text = text});
}
