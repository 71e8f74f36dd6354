// SPDX-License-Identifier: Apache-2.0
// FMUs of scenes: those that carry the simulator, run beside it, and those whose springs and
// gravity become the model's.
//
// Compiling the simulator takes longer than all of this. So the FMU's own file is compiled with the
// headers that the FMU has, and linked with the libraries of the build, which are the same sources;
// that the sources in an FMU are all that is needed is seen from headers and symbols.

#include <appell/kin.h>
#include <appell/scenario.h>
#include <appell/sim.h>

#include "fmu_host.h"
#include "generated.h"
#include "scenario_text.h"

// ---- beside the simulator ----------------------------------------------------------------------

// The folder of the build, from the path of the command.
static const char *build_folder(void) {
  static char folder[300];
  const char *command = getenv("APPELL");
  snprintf(folder, sizeof folder, "%s", command ? command : "build/appell");
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  return folder;
}

// Compile fmu.c and put the binary where an importer looks for it.
static bool build_binary(const unpacked *u, const char *name) {
  char command[2000];
  const char *build = build_folder();
  snprintf(command, sizeof command,
           "mkdir -p '%s/" FMU_BINARIES "' && %s -std=c11 -O0 " GENERATED_WARNINGS
           " -DFMU_HEADERS -isystem third_party/fmi3/headers -fPIC -shared -fvisibility=hidden "
           "-isystem '%s/sources/include' '%s/sources/fmu.c' '%s/libappell-tools.a' "
           "'%s/libappell-research.a' '%s/libappell.a' -lm -Wl,-Bsymbolic -o '%s/" FMU_BINARIES
           "/%s.so'",
           u->folder, generated_compiler(), u->folder, u->folder, build, build, build, u->folder,
           name);
  return CHECK_EQ_INT(system(command), 0);
}

// A force on every joint, which changes from step to step, besides those of the scenario.
typedef struct held {
  int n;
  double tau;
  const ap_scene *scene;
} held;

static ap_status hold(void *context, double t, const double *q, const double *v, double *tau) {
  const held *h = context;
  if (h->scene->force) CHECK_OK(h->scene->force(h->scene->context, t, q, v, tau));
  for (int k = 0; k < h->n; k++) tau[k] += h->tau;
  return AP_OK;
}

static int last_event;
static void note(void *context, const ap_event *e) { *(int *)context = e->number; }

enum { MOST_X = 200, STEPS = 12 };

// Step by step beside ap_sim_advance(), to the last bit. Without a force of the inputs, too, which
// is what `appell simulate` runs but for the places where steps end.
static void check_steps(const host *h, fmi3Instance i, const ap_scenario *s) {
  ap_scene scene = *ap_scenario_scene(s);
  const ap_model *m = ap_scenario_model(s);
  const int nq = ap_nq(m), nv = ap_nv(m), nx = nq + nv;
  held force = {nv, 0, ap_scenario_scene(s)};
  double start, end, step, x[MOST_X], other[5], u[MOST_X];
  fmi3ValueReference state[MOST_X], input[MOST_X], others[5];
  for (int k = 0; k < nx; k++) state[k] = (fmi3ValueReference)(1 + k);
  for (int k = 0; k < nv; k++) input[k] = (fmi3ValueReference)(1 + nx + k);
  for (int k = 0; k < 5; k++) others[k] = (fmi3ValueReference)(1 + nx + nv + k);
  scene.force = hold, scene.context = &force, scene.nforce_time = -1;
  ap_scenario_times(s, &start, &end, &step);
  ap_sim *sim;
  ap_sim_state now;
  if (!CHECK_OK(ap_sim_create(&scene, &sim, NULL))) return;
  last_event = 0;
  ap_sim_on_event(sim, note, &last_event);
  CHECK_OK(ap_sim_start(sim, start, ap_scenario_q(s), ap_scenario_v(s), NULL));
  for (int k = 0; k < STEPS; k++) {
    const double from = start + (end - start) * k / STEPS,
                 to = start + (end - start) * (k + 1) / STEPS;
    force.tau = k % 4 == 1 ? 0.01 : 0;
    for (int j = 0; j < nv; j++) u[j] = force.tau;
    CHECK_EQ_INT(h->set(i, input, (size_t)nv, u, (size_t)nv), fmi3OK);
    CHECK_EQ_INT(h->step(i, from, to - from, true, NULL, NULL, NULL, NULL), fmi3OK);
    CHECK_OK(ap_sim_advance(sim, from + (to - from), NULL));
    CHECK_OK(ap_sim_now(sim, &now, NULL));
    CHECK_EQ_INT(h->get(i, state, (size_t)nx, x, (size_t)nx), fmi3OK);
    CHECK_EQ_INT(h->get(i, others, 5, other, 5), fmi3OK);
    CHECK_BITS(x, now.q, nq);
    CHECK_BITS(x + nq, now.v, nv);
    CHECK(other[0] == now.kinetic && other[1] == now.potential && other[2] == now.lost);
    CHECK(other[3] == now.contacts && other[4] == last_event);
  }
  CHECK(last_event > 0);
  ap_sim_free(sim);
}

static void check_scene(ap_scenario *s) {
  ap_fmu *fmu;
  unpacked u;
  host h = {0};
  ap_error error = {0};
  ap_fmu_options o = ap_default_fmu();
  double end, step;
  ap_scenario_times(s, &o.start, &end, &step);
  o.stop = end - o.start, o.compile = false;
  o.q = ap_scenario_q(s), o.v = ap_scenario_v(s);
  if (CHECK_OK(ap_generate_fmu_of_scene(ap_scenario_scene(s), &o, &fmu, &error)) &&
      unpack(fmu, &u)) {
    if (build_binary(&u, ap_fmu_name(fmu)) && open_host(&u, ap_fmu_name(fmu), &h)) {
      int messages = 0;
      CHECK(!h.exchange("one", u.token, NULL, false, true, &messages, hear));
      CHECK_EQ_INT(messages, 1);
      fmi3Instance i = h.cosimulation("one", u.token, NULL, false, true, false, false, NULL, 0,
                                      &messages, hear, NULL);
      for (int again = 0; CHECK(i) && again < 2; again++) {
        CHECK_EQ_INT(h.enter(i, false, 0, o.start, false, 0), fmi3OK);
        CHECK_EQ_INT(h.exit(i), fmi3OK);
        check_steps(&h, i, s);
        CHECK_EQ_INT(h.terminate(i), fmi3OK);
        CHECK_EQ_INT(h.step(i, end, 1, true, NULL, NULL, NULL, NULL), fmi3Error);
        CHECK_EQ_INT(h.reset(i), fmi3OK);
      }
      CHECK_EQ_INT(messages, 3);
      h.free_instance(i);
      dlclose(h.library);
    }
    clear(&u);
    ap_fmu_free(fmu);
  }
  ap_scenario_free(s);
}

static void check_scenario(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "models/%s.yaml", name);
  test_context("%s", name);
  ap_scenario *s = read_file(path);
  if (s) check_scene(s);
}

TEST(points_at_walls) {
  check_scenario("double_pendulum_in_ellipse");
  check_scenario("pendulum_at_walls"); // forces
  check_scenario("quadruped_drop");    // a free base
  check_scenario("lift");              // a wall that moves
}
TEST(shapes) { check_scenario("rocking_block"); }
TEST(closed_chains_at_walls) { check_scenario("four_bar_at_wall"); }

// ---- the sources -------------------------------------------------------------------------------

static ap_fmu *of_text(const char *text, const ap_fmu_options *given, ap_status wanted,
                       ap_error *error) {
  ap_scenario *s = read_text(text);
  ap_fmu *fmu = NULL;
  ap_fmu_options o = *given;
  if (!s) return NULL;
  o.q = ap_scenario_q(s), o.v = ap_scenario_v(s);
  CHECK_STATUS(ap_generate_fmu_of_scene(ap_scenario_scene(s), &o, &fmu, error), wanted);
  ap_scenario_free(s);
  return fmu;
}

static const char bouncing[] =
    "appell-scenario: 1\nrobot: particle.yaml\nduration: 1\nstart: {z: 1}\n"
    "walls: [{name: floor, kind: plane}]\n...\n";

// All headers are there; and what is compiled leaves no symbol open but those of other instruction
// sets, which a build has that picks among them.
TEST(the_sources_are_whole) {
  ap_fmu_options o = ap_default_fmu();
  ap_error error = {0};
  unpacked u;
  char command[3000], here[512];
  o.compile = false;
  ap_fmu *fmu = of_text(bouncing, &o, AP_OK, &error);
  if (!CHECK(fmu) || !unpack(fmu, &u) || !CHECK(getcwd(here, sizeof here))) return;
  const char *build = build_folder();
  char objects[800];
  snprintf(objects, sizeof objects, "%s%.300s%s/CMakeFiles", build[0] == '/' ? "" : here,
           build[0] == '/' ? "" : "/", build);
  struct stat info;
  if (system("xmllint --version >/dev/null 2>&1") == 0) {
    check_schema(&u, "fmi3ModelDescription.xsd", "modelDescription.xml");
    check_schema(&u, "fmi3BuildDescription.xsd", "sources/buildDescription.xml");
  }
  snprintf(command, sizeof command,
           "cd '%s/sources' && %s -std=c17 -M -Iinclude -Isrc -DAP_ISA=base $(find src -name "
           "'*.c') > deps && ! grep -q '%.300s' deps",
           u.folder, generated_compiler(), here);
  CHECK_EQ_INT(system(command), 0);
  if (stat(objects, &info) == 0) {
    snprintf(
        command, sizeof command,
        "cd '%s/sources' && ln -s '%s' objects && for f in $(find src -name '*.c'); do "
        "for t in appell-tools_objects appell_objects core_run_base core_run_v3 core_run_v4; do "
        "ls objects/$t.dir/$f.o 2>/dev/null; done | head -n 1; done > list; "
        "test $(wc -l < list) = $(find src -name '*.c' | wc -l) && "
        "%s -shared $(cat list) -lm -Wl,-z,defs -Wl,--warn-unresolved-symbols -o x.so >said "
        "2>&1 && ! grep 'undefined reference' said | grep -vE "
        "'_v[34]|__(asan|ubsan|tsan|sanitizer)'",
        u.folder, objects, generated_compiler());
    CHECK_EQ_INT(system(command), 0);
  }
  clear(&u);
  ap_fmu_free(fmu);
}

// Forces over time, before, between and behind the rows of a table.
TEST(tables_of_forces) {
  static const char rows[] = "t z x\n0.1 0 0\n0.3 15 1\n0.7 -2 0.5\n";
  char text[sizeof bouncing + 80], file[] = "/tmp/appell-forces-XXXXXX";
  const int fd = mkstemp(file);
  if (!CHECK(fd >= 0)) return;
  CHECK_EQ_INT((int)write(fd, rows, sizeof rows - 1), (int)sizeof rows - 1);
  close(fd);
  snprintf(text, sizeof text, "%.*sforces: %s\n...\n", (int)sizeof bouncing - 5, bouncing, file);
  ap_scenario *s = read_text(text);
  if (s) check_scene(s);
  unlink(file);
}

TEST(the_same_scene_gives_the_same_bytes) {
  ap_fmu_options o = ap_default_fmu();
  ap_error error = {0};
  size_t size, other;
  o.compile = false;
  ap_fmu *a = of_text(bouncing, &o, AP_OK, &error), *b = of_text(bouncing, &o, AP_OK, &error);
  if (!CHECK(a && b)) return;
  const void *one = ap_fmu_bytes(a, &size), *two = ap_fmu_bytes(b, &other);
  CHECK(size == other && memcmp(one, two, size) == 0);
  ap_fmu_free(a), ap_fmu_free(b);
}

// ---- without events ----------------------------------------------------------------------------

static const char sprung[] =
    "appell-scenario: 1\nrobot: ascher2.yaml\nduration: 1\ngravity: [0, 1, -3]\nlimits: false\n"
    "start: {joint1: 0.3, joint2: -0.2}\n"
    "joints: {joint1: {stiffness: 20, rest: 0.1, damping: 0.5}, joint2: {damping: 0.3}}\n...\n";

TEST(springs_and_gravity_are_the_models) {
  ap_fmu_options o = ap_default_fmu();
  ap_error error = {0};
  unpacked u;
  host h;
  o.flags = "-O0";
  ap_fmu *fmu = of_text(sprung, &o, AP_OK, &error);
  ap_scenario *s;
  if (!CHECK(fmu) || !unpack(fmu, &u) || !open_host(&u, ap_fmu_name(fmu), &h)) return;
  if (!(s = read_text(sprung))) return;
  ap_sim *sim;
  ap_sim_state now;
  if (!CHECK_OK(ap_sim_create(ap_scenario_scene(s), &sim, &error))) return;
  CHECK_OK(ap_sim_start(sim, 0, ap_scenario_q(s), ap_scenario_v(s), &error));
  fmi3Instance i =
      h.cosimulation("one", u.token, NULL, false, true, false, false, NULL, 0, NULL, hear, NULL);
  CHECK_EQ_INT(h.enter(i, true, 1e-11, 0, false, 0), fmi3OK);
  CHECK_EQ_INT(h.exit(i), fmi3OK);
  const fmi3ValueReference state[] = {1, 2, 3, 4};
  for (int k = 0; k < 5; k++) {
    double x[4];
    CHECK_EQ_INT(h.step(i, k * 0.2, 0.2, true, NULL, NULL, NULL, NULL), fmi3OK);
    CHECK_EQ_INT(h.get(i, state, 4, x, 4), fmi3OK);
    CHECK_OK(ap_sim_advance(sim, (k + 1) * 0.2, &error));
    CHECK_OK(ap_sim_now(sim, &now, &error));
    CHECK_NEAR(x, now.q, 2, 1e-7);
    CHECK_NEAR(x + 2, now.v, 2, 1e-7);
  }
  CHECK(fabs(now.q[0] - 0.3) > 0.01);
  h.free_instance(i);
  dlclose(h.library);
  clear(&u);
  ap_fmu_free(fmu);
  ap_sim_free(sim);
  ap_scenario_free(s);
}

TEST(a_function_of_forces_is_refused) {
  ap_fmu_options o = ap_default_fmu();
  ap_error error = {0};
  ap_fmu *fmu;
  ap_scenario *s = read_text(bouncing);
  if (!s) return;
  ap_scene scene = *ap_scenario_scene(s);
  scene.force = hold;
  CHECK_STATUS(ap_generate_fmu_of_scene(&scene, &o, &fmu, &error), AP_E_UNSUPPORTED);
  CHECK(!fmu);
  CHECK_HAS(error.text, "inputs");
  ap_scenario_free(s);
}
