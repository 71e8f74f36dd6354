// SPDX-License-Identifier: Apache-2.0
/// @file codegen.h
/// A robot's dynamics as source text: the library's kernels run once for one model on a tape, and
/// what is left after folding and sharing is written as straight-line C. Part of libappell-tools;
/// allocates.
///
/// The text depends on nothing but libm, has no static mutable data and allocates nothing. What its
/// functions compute is what the library computes without friction, to rounding.

#ifndef APPELL_CODEGEN_H
#define APPELL_CODEGEN_H

#include <appell/loop.h>
#include <appell/model.h>
#include <appell/parallel.h>
#include <appell/research.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A function that can be generated. q has nq entries; v, a, tau have nv; matrices are row-major.
typedef enum ap_function {
  AP_GEN_INVERSE,  ///< NAME_inverse_dynamics(q, v, a, tau)
  AP_GEN_INERTIA,  ///< NAME_inertia_matrix(q, M)
  AP_GEN_BIAS,     ///< NAME_bias(q, v, tau)
  AP_GEN_GRAVITY,  ///< NAME_gravity(q, tau)
  AP_GEN_FORWARD,  ///< NAME_forward_dynamics(q, v, tau, a); 0, or not 0 where M is singular
  AP_GEN_JACOBIAN, ///< NAME_jacobian_FRAME(q, J), 6 * nv, see ap_generate_options.frames
  /// NAME_inverse_dynamics_derivatives(q, v, a, dtau_dq, dtau_dv, dtau_da), nv * nv each, as
  /// ap_inverse_dynamics_derivatives()
  AP_GEN_INVERSE_DERIVATIVES,
  /// NAME_forward_dynamics_derivatives(q, v, tau, da_dq, da_dv, da_dtau), likewise
  AP_GEN_FORWARD_DERIVATIVES,
  AP_GEN_REGRESSOR,  ///< NAME_regressor(q, v, a, K), as ap_regressor()
  AP_GEN_INTEGRATE,  ///< NAME_integrate(q, v, result), as ap_integrate(); result is not q
  AP_GEN_DIFFERENCE, ///< NAME_difference(q0, q1, v), as ap_difference()
  /// NAME_forward_kinematics(q, R, p, J), as ap_forward_kinematics() of those frames with AP_MIXED;
  /// the header lists their names
  AP_GEN_KINEMATICS,
  AP_FUNCTIONS ///< how many there are
} ap_function;

/// Name of a function on the command line and in the generated names ("inverse_dynamics", ...);
/// NULL for what is none.
AP_API const char *ap_function_name(ap_function function);

/// The language of generated text.
typedef enum ap_target {
  AP_TARGET_C,    ///< C11, for processors: NAME.c and NAME.h
  AP_TARGET_CUDA, ///< CUDA C++17, one thread per state: NAME.cu and NAME.cuh
  /// C11 with the interface of CasADi's external functions: NAME.c and NAME.h. Of each function f
  /// (AP_GEN_INVERSE, _INERTIA, _BIAS, _GRAVITY, _FORWARD, and AP_GEN_KINEMATICS as
  /// NAME_frame_FRAME_pose: q -> R, p): NAME_f, jac_NAME_f, fwd1_NAME_f, adj1_NAME_f,
  /// jac_adj1_NAME_f and fwd1_adj1_NAME_f, each with its names, patterns and work sizes. With
  /// _FORWARD comes NAME_rate: q, v -> dq/dt.
  /// Derivatives are by the numbers q (also those of quaternions), v, a and tau.
  AP_TARGET_CASADI
} ap_target;

/// What to generate. Start from ap_default_generate().
typedef struct ap_generate_options {
  const char *name;         ///< prefix of all names; NULL: the model's name as a C identifier
  ap_arithmetic arithmetic; ///< AP_F64 or AP_F32
  unsigned functions;       ///< bit 1 << AP_GEN_...; default: all
  bool batch;    ///< also NAME_..._batch(n, ...) for n states at once; default: true; CUDA always
  bool friction; ///< with friction, springs and rotors, as ap_set_friction(); default: false
  bool regroup;  ///< inertial parameters regrouped to base parameters; default: true
  ap_target target; ///< default: AP_TARGET_C
  /// Frames of NAME_jacobian_FRAME() and NAME_forward_kinematics(), in this order; default: none,
  /// which means links without children and named frames, as far as they move.
  const int *frames;
  int nframes;     ///< how many
  int order;       ///< of derivatives for AP_TARGET_CASADI: 0, 1, or 2 (default)
  unsigned cookie; ///< ap_default_generate() sets it
} ap_generate_options;

/// The defaults named above, in double.
AP_API ap_generate_options ap_default_generate(void);

/// Generated text in memory.
typedef struct ap_code ap_code;
/// Generate. The same model and options always give the same bytes. AP_E_ARG: a name that is no C
/// identifier, an arithmetic or a function that cannot be generated, frames that are none or twice
/// the same. AP_E_UNSUPPORTED: numbers of
/// the robot that leave none in that arithmetic. Free it with ap_code_free().
AP_API ap_status ap_generate(const ap_model *m, const ap_generate_options *options, ap_code **code,
                             ap_error *error);
/// The same of a parallel robot: of the functions asked for NAME_inverse_dynamics(q, v, a, tau,
/// margin), NAME_inertia_matrix(q, M, margin), NAME_bias(q, v, tau, margin), NAME_gravity(q, tau,
/// margin) and NAME_forward_dynamics(q, v, tau, a, margin), tau being torques of the motors.
/// margin[0] is the least square of `serial` of ap_parallel_margin (of a Delta also of cos chi),
/// not above 0 where a limb does not reach, or NaN; margin[1] is `parallel`. Without options.name
/// names begin with wrist, five_bar or delta.
AP_API ap_status ap_generate_parallel(const ap_parallel *r, const ap_generate_options *options,
                                      ap_code **code, ap_error *error);
/// The same of a mechanism with closed chains, in its independent coordinates: NAME.c and NAME.h
/// with those of AP_GEN_INVERSE, AP_GEN_INERTIA, AP_GEN_BIAS, AP_GEN_GRAVITY, AP_GEN_FORWARD, their
/// two derivatives and kinematics that are asked for and that its actuators can. Every function
/// returns 0, or says why there is no result, and closes the mechanism from its own guess;
/// `NAME_..._from(x, q, ...)` begins at x and leaves the configuration there. Tolerances are those
/// of loop.h. AP_E_UNSUPPORTED for other targets than AP_TARGET_C.
AP_API ap_status ap_generate_mechanism(const ap_mechanism *m, const ap_generate_options *options,
                                       ap_code **code, ap_error *error);
/// The prefix of its names, which is also the name of its files without their endings.
AP_API const char *ap_code_name(const ap_code *code);
/// ".c" or ".cu" of the source, ".h" or ".cuh" of the header.
AP_API const char *ap_code_ending(const ap_code *code, bool header);
/// The text of NAME.c (NAME.cu), ending with a NUL; valid until ap_code_free().
AP_API const char *ap_code_source(const ap_code *code);
/// The text of NAME.h (NAME.cuh), ending with a NUL; valid until ap_code_free().
AP_API const char *ap_code_header(const ap_code *code);
/// Operations that one call of a function costs: mul, add, div, sqrt and sincos are filled in. For
/// AP_GEN_JACOBIAN those of all frames together. AP_E_ARG where it was not generated, and of
/// mechanisms.
AP_API ap_status ap_code_count(const ap_code *code, ap_function function, ap_count *count);
/// Free generated text; NULL is allowed.
AP_API void ap_code_free(ap_code *code);

// ---- functional mock-up units -------------------------------------------------------------------

/// What an FMU is made of. Start from ap_default_fmu().
typedef struct ap_fmu_options {
  const char *name;     ///< model identifier, as ap_generate_options.name
  bool friction;        ///< with friction, springs and rotors; default: true, as in a simulation
  const double *q;      ///< start values, nq numbers; NULL: ap_neutral()
  const double *v;      ///< likewise, nv numbers; NULL: at rest
  const double *x;      ///< of a mechanism: configuration where it begins; NULL: its guess
  double start;         ///< start time of the default experiment, s; default: 0
  double stop;          ///< its length, s; default: 1
  bool compile;         ///< with a binary for this machine; default: true
  const char *compiler; ///< as ap_compile_options.compiler
  const char *flags;    ///< separated by blanks; NULL: "-O2"
  unsigned cookie;      ///< ap_default_fmu() sets it
} ap_fmu_options;

/// The defaults named above.
AP_API ap_fmu_options ap_default_fmu(void);

/// An FMU of FMI 3.0 in memory: model exchange and co-simulation, with the sources inside.
typedef struct ap_fmu ap_fmu;

/// Make one. Continuous states are q and v, which are outputs, too; inputs are the joint forces.
/// Directional and adjoint derivatives are exact. Without a binary the same model and options give
/// the same bytes. AP_E_UNSUPPORTED and AP_E_FILE: the binary could not be made, *error says why;
/// *fmu is there all the same, with sources alone, unless the robot cannot be generated at all.
/// Free it with ap_fmu_free().
AP_API ap_status ap_generate_fmu(const ap_model *m, const ap_fmu_options *options, ap_fmu **fmu,
                                 ap_error *error);
/// The same of a mechanism with closed chains: continuous states are its independent coordinates
/// and their rates, of which options->q and options->v have ap_mechanism_n() each; inputs are the
/// forces of its actuators. AP_E_UNREACHABLE: it does not close at its start. AP_E_UNSUPPORTED also
/// where it has no actuator.
AP_API ap_status ap_generate_fmu_of_mechanism(const ap_mechanism *m, const ap_fmu_options *options,
                                              ap_fmu **fmu, ap_error *error);
struct ap_scene;
/// The same of a scene (sim.h), of which options->q and options->v are the start; options->friction
/// is not read. Where nothing in it is an event, springs, dampers and gravity of the scene become
/// those of the model, and the FMU is that of ap_generate_fmu(). A scene with walls, shapes, loads,
/// or stops at limits of joints becomes an FMU for co-simulation alone, which carries the sources
/// of the simulator: its steps are those of ap_sim_advance(), events included; inputs are the
/// forces of all joints, of a mechanism those of its tree, and are added to those of a scenario.
/// AP_E_UNSUPPORTED, and no FMU, for a scene with another function of forces.
AP_API ap_status ap_generate_fmu_of_scene(const struct ap_scene *scene,
                                          const ap_fmu_options *options, ap_fmu **fmu,
                                          ap_error *error);
/// Its model identifier.
AP_API const char *ap_fmu_name(const ap_fmu *fmu);
/// Whether there is a binary inside.
AP_API bool ap_fmu_has_binary(const ap_fmu *fmu);
/// The archive, *size bytes, valid until ap_fmu_free(): what a file NAME.fmu has.
AP_API const void *ap_fmu_bytes(const ap_fmu *fmu, size_t *size);
/// Free it; NULL is allowed.
AP_API void ap_fmu_free(ap_fmu *fmu);

// ---- compiled while the program runs ------------------------------------------------------------

// What ap_generate() writes, compiled by the system's C compiler, kept in a cache, and loaded:
//
//     ap_compiled *c;
//     ap_error why;
//     if (ap_compile(model, NULL, &c, &why) != AP_OK) log(why.text);   // slower, not wrong
//     if (c) ap_work_use(model, w, ap_compiled_functions(c));
//
// ap_compile() and ap_compiled_free() allocate, do input and output and start processes.

/// How to compile. Start from ap_default_compile().
typedef struct ap_compile_options {
  /// A command that takes the options of cc; NULL: what $CC names, or cc. Words are separated by
  /// blanks ("ccache gcc -m64"), and nothing is quoted; a path of a program that has blanks stands
  /// alone, and is one word.
  const char *compiler;
  const char *flags;  ///< separated by blanks; NULL: "-O3 -march=native"
  const char *folder; ///< of the cache; NULL: $XDG_CACHE_HOME/appell, or ~/.cache/appell
  unsigned functions; ///< bit 1 << AP_GEN_...; default: those of ap_functions
  bool friction;      ///< with friction, springs and rotors, as ap_set_friction(); default: false
  bool batch;         ///< also for many states at once; default: true
  double seconds;     ///< that the compiler may take, 0: any number; default: 600
  unsigned cookie;    ///< ap_default_compile() sets it
} ap_compile_options;

/// The defaults named above.
AP_API ap_compile_options ap_default_compile(void);

/// A model with its compiled functions; may be shared by any number of threads.
typedef struct ap_compiled ap_compiled;

/// Generate, compile or find in the cache, and load; options NULL: the defaults. The model must
/// live as long as *c.
///
/// AP_OK: what options->functions names is compiled. Any other status is explained in *error (which
/// may be NULL). AP_E_UNSUPPORTED: there is no compiler, it failed or took too long, there is
/// nothing to generate, or the program has more rights than its user (setuid). AP_E_FILE: the
/// folder of the cache cannot be made or written, or is not private (a link, someone else's,
/// writable by others, or below a folder that others could replace it in); or /proc is not mounted.
/// With both *c is there all the same, without functions. AP_E_ARG (as from ap_generate()) and
/// AP_E_MEMORY: *c is NULL.
///
/// A cached object is found again by a hash of the generated text, the flags, and what the compiler
/// says about itself and the processor it compiles for. It is verified before it is loaded, and
/// what was verified is what is loaded (by its descriptor, which stays open until
/// ap_compiled_free()); one that was damaged is compiled anew. Any number of processes may use a
/// cache at once. Who can write to the folder can make this program run what they want, hence the
/// demands on it.
AP_API ap_status ap_compile(const ap_model *m, const ap_compile_options *options, ap_compiled **c,
                            ap_error *error);
/// The file that was loaded; NULL where there is none.
AP_API const char *ap_compiled_path(const ap_compiled *c);
/// The compiled functions, for ap_work_use(), all NULL where there are none; valid until
/// ap_compiled_free().
AP_API const ap_functions *ap_compiled_functions(const ap_compiled *c);
/// Unload and free; NULL is allowed.
AP_API void ap_compiled_free(ap_compiled *c);

// ---- single precision --------------------------------------------------------------------------

/// ap_compiled in single precision.
typedef struct ap_compiled_f32 ap_compiled_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API ap_status ap_compile_f32(const ap_model *m, const ap_compile_options *options,
                                ap_compiled_f32 **c, ap_error *error);
AP_API const char *ap_compiled_path_f32(const ap_compiled_f32 *c);
AP_API const ap_functions_f32 *ap_compiled_functions_f32(const ap_compiled_f32 *c);
AP_API void ap_compiled_free_f32(ap_compiled_f32 *c);
/// @}

#ifdef __cplusplus
}
#endif

#endif
