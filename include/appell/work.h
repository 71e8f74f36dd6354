/// @file work.h
/// The memory that algorithms work in, and what may change between calls.
///
/// One ap_work per thread. Ask for the size once, place it wherever you like (static memory, a
/// stack, the heap), initialise it; after that no function that takes it allocates, locks, does
/// I/O or touches a global.
///
///     static _Alignas(64) unsigned char pool[POOL_BYTES];
///     ap_work *w = ap_work_init(model, pool, sizeof pool);   // NULL: too small
///
/// The work remembers its model: pass the same model to every function that takes both.

#ifndef APPELL_WORK_H
#define APPELL_WORK_H

#include <appell/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Work in double precision.
typedef struct ap_work ap_work;

/// Bytes that ap_work_init() needs (any alignment of the memory is taken into account).
AP_API size_t ap_work_size(const ap_model *m);
/// Prepare mem for this model, with the kernels for the best instruction set of this processor.
/// Returns NULL when size is too small.
AP_API ap_work *ap_work_init(const ap_model *m, void *mem, size_t size);
/// The instruction set that its kernels were compiled for: "base", the processor's least, or on
/// x86-64 "v3" (AVX2) or "v4" (AVX-512). The results are the same to the bit.
AP_API const char *ap_work_isa(const ap_work *w);

/// Replace mass, centre of mass (m, link frame) and inertia about it (xx xy xz yy yz zz, link axes,
/// kg m2) of body i >= 1 from now on; ap_reset_inertia() goes back to the model's own.
/// com or inertia may be NULL for zeros. AP_E_ARG and no change for a body that is not there, a
/// negative mass, a number that is not finite, a principal moment below -1e-9 kg m2.
AP_API ap_status ap_set_inertia(const ap_model *m, ap_work *w, int i, double mass,
                                const double com[3], const double inertia[6]);
/// Undo every ap_set_inertia() and every ap_set_payload().
AP_API void ap_reset_inertia(const ap_model *m, ap_work *w);
/// Hang a payload on body i >= 1, besides its own mass; a later call replaces it, mass 0 takes it
/// off. com and inertia (about com, link axes) are in the link frame of body i. Refuses what
/// ap_set_inertia() refuses.
AP_API ap_status ap_set_payload(const ap_model *m, ap_work *w, int i, double mass,
                                const double com[3], const double inertia[6]);
/// Gravity from now on, m/s2 in the ground frame (the model's own until then).
AP_API void ap_set_gravity(ap_work *w, const double gravity[3]);
/// Whether joint friction (viscous, Coulomb) and reflected rotor inertia take part in inverse,
/// forward, bias and inertia functions; off until this is called.
AP_API void ap_set_friction(ap_work *w, bool on);

// ---- single precision --------------------------------------------------------------------------

/// Work in single precision. The functions with the ending _f32 do what their namesakes do; apart
/// from taking in the model, and changes of inertia and payload, they compute in float alone.
typedef struct ap_work_f32 ap_work_f32;

/// @name Twins in single precision
/// @{

/// As its namesake in double precision.
AP_API size_t ap_work_size_f32(const ap_model *m);
AP_API ap_work_f32 *ap_work_init_f32(const ap_model *m, void *mem, size_t size);
AP_API const char *ap_work_isa_f32(const ap_work_f32 *w);
AP_API ap_status ap_set_inertia_f32(const ap_model *m, ap_work_f32 *w, int i, float mass,
                                    const float com[3], const float inertia[6]);
AP_API void ap_reset_inertia_f32(const ap_model *m, ap_work_f32 *w);
AP_API ap_status ap_set_payload_f32(const ap_model *m, ap_work_f32 *w, int i, float mass,
                                    const float com[3], const float inertia[6]);
AP_API void ap_set_gravity_f32(ap_work_f32 *w, const float gravity[3]);
AP_API void ap_set_friction_f32(ap_work_f32 *w, bool on);
/// @}

#ifdef __cplusplus
}
#endif

#endif
