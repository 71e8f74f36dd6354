// Many states at once give the bits of one state at a time: every function, every robot, both
// layouts, both precisions, every instruction set that this processor has.

#include <appell/batch.h>

#include "batch/ops.h"
#include "dyn/isa.h"
#include "models.h"

enum { MOST = 40 };
#define MARK 12345 // what an output that must stay alone holds

extern const batch_ops ap__batch_f64_base, ap__batch_f64_v3, ap__batch_f64_v4;
#define F(name)    name
#define FLOAT      double
#define TABLE(isa) ap__batch_f64_##isa
#include "batch_laws.inc"
#undef F
#undef FLOAT
#undef TABLE

extern const batch_ops_f32 ap__batch_f32_base, ap__batch_f32_v3, ap__batch_f32_v4;
#define F(name)    name##_f32
#define FLOAT      float
#define TABLE(isa) ap__batch_f32_##isa
#include "batch_laws.inc"
#undef F
#undef FLOAT
#undef TABLE

// Every built-in robot, one after the other.
static const ap_model *builtin(int i) {
  static _Alignas(64) unsigned char memory[1 << 18];
  ap_error error;
  if (!ap_builtin_name(i)) return NULL;
  test_context("%s", ap_builtin_name(i));
  const ap_model *m = ap_model_init(ap_builtin(ap_builtin_name(i)), memory, sizeof memory, &error);
  CHECK(m);
  return m;
}

TEST(batch_is_one_state_at_a_time) {
  FOR_EACH_MODEL (r) check_robot(r->m), check_robot_f32(r->m);
  const ap_model *m;
  for (int i = 0; (m = builtin(i)); i++) check_robot(m), check_robot_f32(m);
}

TEST(any_number_of_states) {
  for (int k = 0; k < robot_count(); k += 4) {
    const test_robot *r = robot_at(k);
    if (ap_nv(r->m) < 40) check_counts(r->m), check_counts_f32(r->m);
  }
}

TEST(an_odd_state_leaves_the_others_alone) {
  FOR_EACH_MODEL (r)
    if (ap_nq(r->m) > 0) check_odd_states(r->m), check_odd_states_f32(r->m);
}

TEST(outputs_may_be_inputs) {
  FOR_EACH_MODEL (r) check_in_place(r->m), check_in_place_f32(r->m);
}
