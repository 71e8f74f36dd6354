// SPDX-License-Identifier: Apache-2.0
// A small host of FMUs that follows FMI 3.0 with the standard's own headers: unpacks the archive,
// validates its files, loads the binary.

#ifndef AP_TESTS_FMU_HOST_H
#define AP_TESTS_FMU_HOST_H

#include <appell/codegen.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../third_party/fmi3/headers/fmi3FunctionTypes.h"
#include "test.h"

#ifdef __aarch64__
#define FMU_BINARIES "binaries/aarch64-linux"
#else
#define FMU_BINARIES "binaries/x86_64-linux"
#endif

// ---- the archive -------------------------------------------------------------------------------

static inline unsigned number_at(const unsigned char *b, int bytes) {
  unsigned x = 0;
  for (int k = bytes - 1; k >= 0; k--) x = x << 8 | b[k];
  return x;
}

static inline unsigned crc_of(const unsigned char *b, size_t n) {
  unsigned crc = ~0u;
  for (size_t k = 0; k < n; k++)
    for (int bit = 0; bit < 8; bit++) {
      const unsigned one = (crc ^ (unsigned)b[k] >> bit) & 1;
      crc = crc >> 1 ^ (one ? 0xedb88320u : 0);
    }
  return ~crc;
}

typedef struct unpacked {
  char folder[64];
  char token[128];
  int files;
} unpacked;

static inline void save(const unpacked *u, const char *name, const unsigned char *bytes, size_t n) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", u->folder, name);
  for (char *slash = strchr(path + strlen(u->folder) + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *f = fopen(path, "wb");
  if (!CHECK(f)) return;
  CHECK(fwrite(bytes, 1, n, f) == n);
  fclose(f);
}

// By the directory at its end, as an importer reads it.
static inline bool unpack(const ap_fmu *fmu, unpacked *u) {
  size_t size;
  const unsigned char *b = ap_fmu_bytes(fmu, &size);
  *u = (unpacked){.folder = "/tmp/appell-fmu-test-XXXXXX"};
  if (!CHECK(mkdtemp(u->folder)) || !CHECK(size > 22)) return false;
  const unsigned char *end = b + size - 22;
  if (!CHECK(memcmp(end, "PK\5\6", 4) == 0)) return false;
  u->files = (int)number_at(end + 10, 2);
  const unsigned char *entry = b + number_at(end + 16, 4);
  for (int k = 0; k < u->files; k++) {
    char name[256] = "";
    if (!CHECK(memcmp(entry, "PK\1\2", 4) == 0)) return false;
    const unsigned length = number_at(entry + 28, 2), n = number_at(entry + 24, 4);
    const unsigned char *local = b + number_at(entry + 42, 4);
    memcpy(name, entry + 46, length);
    CHECK(memcmp(local, "PK\3\4", 4) == 0 && memcmp(local + 30, name, length) == 0);
    CHECK_EQ_INT(number_at(entry + 10, 2), 0); // stored
    CHECK_EQ_INT(number_at(local + 18, 4), n);
    CHECK_EQ_INT(number_at(entry + 16, 4), crc_of(local + 30 + length, n));
    save(u, name, local + 30 + length, n);
    if (strcmp(name, "modelDescription.xml") == 0) {
      const char *at = strstr((const char *)local + 30 + length, "instantiationToken=\"");
      if (CHECK(at)) snprintf(u->token, sizeof u->token, "%.64s", at + 20);
    }
    entry += 46 + length;
  }
  return true;
}

static inline void clear(const unpacked *u) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", u->folder);
  CHECK(system(command) == 0);
}

// ---- the host ----------------------------------------------------------------------------------

typedef struct host {
  void *library;
  fmi3InstantiateModelExchangeTYPE *exchange;
  fmi3InstantiateCoSimulationTYPE *cosimulation;
  fmi3FreeInstanceTYPE *free_instance;
  fmi3EnterInitializationModeTYPE *enter;
  fmi3ExitInitializationModeTYPE *exit;
  fmi3EnterContinuousTimeModeTYPE *continuous;
  fmi3SetContinuousStatesTYPE *set_states;
  fmi3GetContinuousStateDerivativesTYPE *derivatives;
  fmi3GetFloat64TYPE *get;
  fmi3SetFloat64TYPE *set;
  fmi3GetDirectionalDerivativeTYPE *along;
  fmi3GetAdjointDerivativeTYPE *adjoint;
  fmi3DoStepTYPE *step;
  fmi3GetFMUStateTYPE *get_state;
  fmi3SetFMUStateTYPE *set_state;
  fmi3FreeFMUStateTYPE *free_state;
  fmi3SerializedFMUStateSizeTYPE *state_size;
  fmi3SerializeFMUStateTYPE *serialize;
  fmi3DeserializeFMUStateTYPE *deserialize;
  fmi3TerminateTYPE *terminate;
  fmi3ResetTYPE *reset;
} host;

static const char *const all_functions[] = {"GetVersion",
                                            "SetDebugLogging",
                                            "InstantiateModelExchange",
                                            "InstantiateCoSimulation",
                                            "InstantiateScheduledExecution",
                                            "FreeInstance",
                                            "EnterInitializationMode",
                                            "ExitInitializationMode",
                                            "EnterEventMode",
                                            "Terminate",
                                            "Reset",
                                            "GetFloat32",
                                            "GetFloat64",
                                            "GetInt8",
                                            "GetUInt8",
                                            "GetInt16",
                                            "GetUInt16",
                                            "GetInt32",
                                            "GetUInt32",
                                            "GetInt64",
                                            "GetUInt64",
                                            "GetBoolean",
                                            "GetString",
                                            "GetBinary",
                                            "GetClock",
                                            "SetFloat32",
                                            "SetFloat64",
                                            "SetInt8",
                                            "SetUInt8",
                                            "SetInt16",
                                            "SetUInt16",
                                            "SetInt32",
                                            "SetUInt32",
                                            "SetInt64",
                                            "SetUInt64",
                                            "SetBoolean",
                                            "SetString",
                                            "SetBinary",
                                            "SetClock",
                                            "GetNumberOfVariableDependencies",
                                            "GetVariableDependencies",
                                            "GetFMUState",
                                            "SetFMUState",
                                            "FreeFMUState",
                                            "SerializedFMUStateSize",
                                            "SerializeFMUState",
                                            "DeserializeFMUState",
                                            "GetDirectionalDerivative",
                                            "GetAdjointDerivative",
                                            "EnterConfigurationMode",
                                            "ExitConfigurationMode",
                                            "GetIntervalDecimal",
                                            "GetIntervalFraction",
                                            "GetShiftDecimal",
                                            "GetShiftFraction",
                                            "SetIntervalDecimal",
                                            "SetIntervalFraction",
                                            "SetShiftDecimal",
                                            "SetShiftFraction",
                                            "EvaluateDiscreteStates",
                                            "UpdateDiscreteStates",
                                            "EnterContinuousTimeMode",
                                            "CompletedIntegratorStep",
                                            "SetTime",
                                            "SetContinuousStates",
                                            "GetContinuousStateDerivatives",
                                            "GetEventIndicators",
                                            "GetContinuousStates",
                                            "GetNominalsOfContinuousStates",
                                            "GetNumberOfEventIndicators",
                                            "GetNumberOfContinuousStates",
                                            "EnterStepMode",
                                            "GetOutputDerivatives",
                                            "DoStep",
                                            "ActivateModelPartition"};

static inline void *symbol(void *library, const char *name) {
  char whole[64];
  snprintf(whole, sizeof whole, "fmi3%s", name);
  return dlsym(library, whole);
}

static inline void bind(void *library, const char *name, void *field) {
  void *found = symbol(library, name);
  memcpy(field, &found, sizeof found); // ISO C has no cast from an object to a function
}

#define BIND(field, name) bind(h->library, name, &h->field)

static inline bool open_host(const unpacked *u, const char *name, host *h) {
  char path[256];
  snprintf(path, sizeof path, "%s/" FMU_BINARIES "/%s.so", u->folder, name);
  *h = (host){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (!CHECK(h->library)) return false;
  for (size_t k = 0; k < sizeof all_functions / sizeof *all_functions; k++)
    if (!symbol(h->library, all_functions[k])) CHECK_STR(all_functions[k], "an exported function");
  BIND(exchange, "InstantiateModelExchange"), BIND(cosimulation, "InstantiateCoSimulation");
  BIND(free_instance, "FreeInstance"), BIND(enter, "EnterInitializationMode");
  BIND(exit, "ExitInitializationMode"), BIND(continuous, "EnterContinuousTimeMode");
  BIND(set_states, "SetContinuousStates"), BIND(derivatives, "GetContinuousStateDerivatives");
  BIND(get, "GetFloat64"), BIND(set, "SetFloat64"), BIND(along, "GetDirectionalDerivative");
  BIND(adjoint, "GetAdjointDerivative"), BIND(step, "DoStep"), BIND(get_state, "GetFMUState");
  BIND(set_state, "SetFMUState"), BIND(free_state, "FreeFMUState"), BIND(terminate, "Terminate");
  BIND(state_size, "SerializedFMUStateSize"), BIND(serialize, "SerializeFMUState");
  BIND(deserialize, "DeserializeFMUState"), BIND(reset, "Reset");
  return true;
}

// Counts messages of errors, in the int that the environment is; NULL: not counted.
static inline void hear(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                        fmi3String message) {
  if (environment) *(int *)environment += status == fmi3Error && category && message && message[0];
}

// A file of it beside the official schema.
static inline void check_schema(const unpacked *u, const char *schema, const char *file) {
  char command[512];
  snprintf(command, sizeof command,
           "xmllint --noout --schema third_party/fmi3/schema/%s '%s/%s' >/dev/null 2>&1", schema,
           u->folder, file);
  test_context("%s", file);
  CHECK_EQ_INT(system(command), 0);
}

#endif
