// SPDX-License-Identifier: Apache-2.0
// Launches on arrays of the host: chunks of states pass through the device, and while one is
// computed the next one comes in and the last one goes out.

#include "codegen/cuda_source.h"

static const char header_text[] =
    "\n"
    "/* What passes arrays of the host through the device in chunks of so many states, several "
    "under\n"
    "   way at a time. Copies overlap with each other and with computing where the arrays are\n"
    "   page-locked (cudaMallocHost(), cudaHostRegister()). A chunk of 2^17 states hides what it\n"
    "   costs to begin one. */\n"
    "enum { $N_STAGES = 4 };\n"
    "typedef struct $N_pipe {\n"
    "  size_t states;\n"
    "  $R *memory;    /* on the device, for every stage */\n"
    "  int *singular; /* likewise */\n"
    "  cudaStream_t stream[$N_STAGES];\n"
    "} $N_pipe;\n"
    "\n"
    "/* Close it whatever opening returns. */\n"
    "cudaError_t $N_pipe_open($N_pipe *p, size_t states);\n"
    "void $N_pipe_close($N_pipe *p);\n"
    "\n"
    "/* The functions on arrays of the host; they return when all is done. The results of "
    "singular\n"
    "   states are NaN. */\n";

static void put_prototype(ap__text *t, const ap_unit *u, int k) {
  ap__text_add(t, "cudaError_t %s_%s_pipe(%s_pipe *pipe, size_t n, ", u->name, u->part_name[k],
               u->name);
  ap__put_parameters(t, u, &u->part[k], false);
  put(t, u->part[k].pivots > 0 ? ", int *singular)" : ")");
}

static int rows_of(const ap_program *p) {
  int rows = 0;
  for (int k = 0; k < p->inputs + p->outputs; k++) rows += ap__array(p, k)->size;
  return rows;
}

void ap__put_cuda_pipe_header(ap__text *t, const ap_unit *u) {
  ap__put_text(t, u, header_text, "", "");
  for (int k = 0; k < u->entries; k++) {
    put_prototype(t, u, k);
    put(t, ";\n");
  }
}

static const char open_text[] =
    "cudaError_t $N_pipe_open($N_pipe *p, size_t states) {\n"
    "  memset(p, 0, sizeof *p);\n"
    "  p->states = states;\n"
    "  cudaError_t status = cudaMalloc(&p->memory, $N_STAGES * $N_ROWS * states * sizeof($R));\n"
    "  if (status == cudaSuccess)\n"
    "    status = cudaMalloc(&p->singular, $N_STAGES * states * sizeof(int));\n"
    "  for (int k = 0; k < $N_STAGES && status == cudaSuccess; k++)\n"
    "    status = cudaStreamCreate(&p->stream[k]);\n"
    "  return status;\n"
    "}\n"
    "\n"
    "void $N_pipe_close($N_pipe *p) {\n"
    "  for (int k = 0; k < $N_STAGES; k++)\n"
    "    if (p->stream[k]) cudaStreamDestroy(p->stream[k]);\n"
    "  cudaFree(p->memory);\n"
    "  cudaFree(p->singular);\n"
    "  memset(p, 0, sizeof *p);\n"
    "}\n"
    "\n"
    "/* Rows of m states between an array of m on the device and one of n on the host. */\n"
    "static cudaError_t $N_to_device(cudaStream_t stream, $R *to, size_t m, const $R *from, size_t "
    "n,\n"
    "                                int rows) {\n"
    "  return cudaMemcpy2DAsync(to, m * sizeof($R), from, n * sizeof($R), m * sizeof($R), rows,\n"
    "                           cudaMemcpyHostToDevice, stream);\n"
    "}\n"
    "static cudaError_t $N_to_host(cudaStream_t stream, $R *to, size_t n, const $R *from, size_t "
    "m,\n"
    "                              int rows) {\n"
    "  return cudaMemcpy2DAsync(to, n * sizeof($R), from, m * sizeof($R), m * sizeof($R), rows,\n"
    "                           cudaMemcpyDeviceToHost, stream);\n"
    "}\n"
    "static cudaError_t $N_drain($N_pipe *p, cudaError_t status) {\n"
    "  for (int k = 0; k < $N_STAGES; k++) {\n"
    "    const cudaError_t last = cudaStreamSynchronize(p->stream[k]);\n"
    "    if (status == cudaSuccess) status = last;\n"
    "  }\n"
    "  return status;\n"
    "}\n";

static const char loop_text[] =
    " {\n"
    "  cudaError_t status = cudaSuccess;\n"
    "  int stage = 0;\n"
    "  for (size_t k = 0; k < n && status == cudaSuccess; k += pipe->states) {\n"
    "    const size_t m = n - k < pipe->states ? n - k : pipe->states;\n"
    "    const cudaStream_t stream = pipe->stream[stage];\n";

// Where each array of a chunk lies on the device.
static void put_places(ap__text *t, const ap_unit *u, const ap_program *p) {
  ap__text_add(t, "    %s *const d_%s = pipe->memory + stage * %s_ROWS * pipe->states;\n",
               ap__scalar(u), ap__array(p, 0)->name, u->name);
  for (int k = 1; k < p->inputs + p->outputs; k++)
    ap__text_add(t, "    %s *const d_%s = d_%s + %d * m;\n", ap__scalar(u), ap__array(p, k)->name,
                 ap__array(p, k - 1)->name, ap__array(p, k - 1)->size);
  if (p->pivots > 0) put(t, "    int *const d_singular = pipe->singular + stage * pipe->states;\n");
}

static void put_step(ap__text *t, const char *call) {
  ap__text_add(t, "    if (status == cudaSuccess) status = %s", call);
}

static void put_copies(ap__text *t, const ap_unit *u, const ap_program *p, bool in) {
  for (int k = in ? 0 : p->inputs; k < (in ? p->inputs : p->inputs + p->outputs); k++) {
    const ap_array *a = ap__array(p, k);
    put_step(t, u->name);
    if (in)
      ap__text_add(t, "_to_device(stream, d_%s, m, %s + k, n, %d);\n", a->name, a->name, a->size);
    else
      ap__text_add(t, "_to_host(stream, %s + k, n, d_%s, m, %d);\n", a->name, a->name, a->size);
  }
}

// What a singular state leaves as it was becomes NaN.
static void put_clearing(ap__text *t, const ap_unit *u, const ap_program *p) {
  int rows = 0;
  for (int k = 0; k < p->outputs; k++) rows += p->output[k].size;
  put_step(t, "cudaMemsetAsync(");
  ap__text_add(t, "d_%s, 0xff, %d * m * sizeof(%s), stream);\n", p->output[0].name, rows,
               ap__scalar(u));
}

static void put_launch(ap__text *t, const ap_unit *u, const ap_program *p, const char *name) {
  put_step(t, u->name);
  ap__text_add(t, "_%s_launch(m", name);
  for (int k = 0; k < p->inputs + p->outputs; k++) ap__text_add(t, ", d_%s", ap__array(p, k)->name);
  put(t, p->pivots > 0 ? ", d_singular, stream);\n" : ", stream);\n");
}

void ap__put_cuda_pipe(ap__text *t, const ap_unit *u) {
  int rows = 0;
  for (int k = 0; k < u->entries; k++)
    if (rows_of(&u->part[k]) > rows) rows = rows_of(&u->part[k]);
  ap__text_add(t, "\nenum { %s_ROWS = %d };\n\n", u->name, rows);
  ap__put_text(t, u, open_text, "", "");
  for (int k = 0; k < u->entries; k++) {
    const ap_program *p = &u->part[k];
    put(t, "\nextern \"C\" ");
    put_prototype(t, u, k);
    put(t, loop_text);
    put_places(t, u, p);
    put_copies(t, u, p, true);
    if (p->pivots > 0) put_clearing(t, u, p);
    put_launch(t, u, p, u->part_name[k]);
    put_copies(t, u, p, false);
    if (p->pivots > 0) {
      put(t,
          "    if (singular && status == cudaSuccess)\n"
          "      status = cudaMemcpyAsync(singular + k, d_singular, m * sizeof(int),\n"
          "                               cudaMemcpyDeviceToHost, stream);\n");
    }
    ap__text_add(
        t, "    stage = (stage + 1) %% %s_STAGES;\n  }\n  return %s_drain(pipe, status);\n}\n",
        u->name, u->name);
  }
}
