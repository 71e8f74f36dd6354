// SPDX-License-Identifier: Apache-2.0
// CasADi itself on generated functions: casadi::external loads them, and its values, Jacobians,
// directional derivatives, gradients and Hessians are compared with the library's. Built where
// CMake finds CasADi; tests/test_casadi.c has the same comparisons in binary128 for every robot,
// through a host that follows CasADi's loader.

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>

#include <casadi/casadi.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

using casadi::DM;
using casadi::Function;
using casadi::MX;
using std::vector;

static int failures = 0;

// Prints a comparison; its error is relative to the largest number of either.
static void compare(const char *robot, const char *what, const vector<double> &got,
                    const vector<double> &want, double tolerance) {
  double size = 0, error = got.size() == want.size() ? 0 : INFINITY;
  for (size_t k = 0; k < want.size() && error < INFINITY; k++) {
    size = std::fmax(size, std::fabs(want[k]));
    const double d = std::fabs(got[k] - want[k]);
    error = d <= error ? error : d;
  }
  error /= size > 0 ? size : 1;
  const bool good = error <= tolerance;
  std::printf("%-12s %-40s %9.2e %s\n", robot, what, error, good ? "" : "FAILED");
  failures += !good;
}

static void check(bool good, const std::string &what) {
  if (good) return;
  std::printf("FAILED: %s\n", what.c_str());
  failures++;
}

static vector<double> dense(const DM &x) { return DM::densify(x).nonzeros(); }

// A robot, its generated functions, and states.
struct bed {
  std::string name, folder, library;
  ap_model *m = nullptr;
  ap_work *w = nullptr;
  vector<unsigned char> room;
  std::mt19937_64 random{24};

  vector<double> numbers(int n, double most) {
    std::uniform_real_distribution<double> between(-most, most);
    vector<double> x(static_cast<size_t>(n));
    for (double &number : x) number = between(random);
    return x;
  }
};

static bool open_bed(bed &b, const char *robot) {
  char folder[] = "/tmp/appell-casadi-XXXXXX";
  ap_error error = {};
  ap_robot *read = nullptr;
  ap_code *code = nullptr;
  if (!mkdtemp(folder) || ap_robot_read(robot, nullptr, &read, &error) ||
      ap_robot_model(read, &b.m, &error)) {
    std::printf("%s: %s\n", robot, error.text);
    return false;
  }
  b.folder = folder;
  b.name = ap_model_name(b.m);
  b.room.resize(ap_work_size(b.m));
  b.w = ap_work_init(b.m, b.room.data(), b.room.size());
  ap_generate_options o = ap_default_generate();
  o.target = AP_TARGET_CASADI;
  o.name = "robot";
  o.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD | 1u << AP_GEN_INERTIA;
  const ap_status status = ap_generate(b.m, &o, &code, &error);
  if (status) std::printf("%s: %s\n", robot, error.text);
  ap_robot_free(read);
  if (status) return false;
  std::ofstream(b.folder + "/robot.c") << ap_code_source(code);
  std::ofstream(b.folder + "/robot.h") << ap_code_header(code);
  ap_code_free(code);
  b.library = b.folder + "/robot.so";
  const std::string command =
      "cc -O0 -fPIC -shared " + b.folder + "/robot.c -o " + b.library + " -lm";
  return std::system(command.c_str()) == 0;
}

static void close_bed(bed &b) {
  for (const char *name : {"/robot.c", "/robot.h", "/robot.so"}) unlink((b.folder + name).c_str());
  rmdir(b.folder.c_str());
  ap_model_free(b.m);
}

// ---- the library's side ------------------------------------------------------------------------

// Robots here have no quaternion: x is q, v and a or tau, and J is nv rows of their numbers.
static bool compute(bed &b, bool forward, const vector<double> &x, vector<double> &y,
                    vector<double> &J) {
  const int n = ap_nv(b.m);
  const size_t nn = static_cast<size_t>(n * n);
  const double *q = x.data(), *v = q + n, *u = v + n;
  vector<double> by_q(nn), by_v(nn), by_u(nn);
  y.assign(static_cast<size_t>(n), 0);
  if (forward) {
    if (ap_forward_dynamics(b.m, b.w, q, v, u, y.data()) ||
        ap_forward_dynamics_derivatives(b.m, b.w, q, v, u, by_q.data(), by_v.data(), by_u.data()))
      return false;
  } else {
    ap_inverse_dynamics(b.m, b.w, q, v, u, y.data());
    ap_inverse_dynamics_derivatives(b.m, b.w, q, v, u, by_q.data(), by_v.data(), by_u.data());
  }
  J.assign(3 * nn, 0); // column-major, as CasADi has it
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      J[static_cast<size_t>(j * n + i)] = by_q[static_cast<size_t>(i * n + j)];
      J[static_cast<size_t>((n + j) * n + i)] = by_v[static_cast<size_t>(i * n + j)];
      J[static_cast<size_t>((2 * n + j) * n + i)] = by_u[static_cast<size_t>(i * n + j)];
    }
  return true;
}

// The gradient of weights . y.
static vector<double> gradient(bed &b, bool forward, const vector<double> &x,
                               const vector<double> &weights) {
  const size_t n = weights.size();
  vector<double> y, J, g(x.size());
  check(compute(b, forward, x, y, J), "the state is singular");
  for (size_t k = 0; k < g.size(); k++)
    for (size_t i = 0; i < n; i++) g[k] += weights[i] * J[k * n + i];
  return g;
}

// Its derivative along d by differences of order four.
static vector<double> gradient_along(bed &b, bool forward, const vector<double> &x,
                                     const vector<double> &weights, const vector<double> &d) {
  const double h = 1e-3, weight[] = {1, -8, 0, 8, -1};
  vector<double> sum(x.size());
  for (int s = -2; s <= 2; s++) {
    vector<double> at = x;
    if (s == 0) continue;
    for (size_t k = 0; k < x.size(); k++) at[k] += s * h * d[k];
    const vector<double> g = gradient(b, forward, at, weights);
    for (size_t k = 0; k < x.size(); k++) sum[k] += weight[s + 2] * g[k] / (12 * h);
  }
  return sum;
}

// ---- CasADi's side -----------------------------------------------------------------------------

// That CasADi found the function, and does not derive it by itself.
static void check_ours(const Function &f, const std::string &what) {
  check(f.class_name().find("External") != std::string::npos, what + " is not the generated one");
}

// y, J, products with J and the Hessian of one function as CasADi has them from expressions.
static void compare_function(bed &b, bool forward) {
  const char *name = forward ? "robot_forward_dynamics" : "robot_inverse_dynamics";
  const std::string label = forward ? "forward dynamics: " : "inverse dynamics: ";
  const Function f = casadi::external(name, b.library);
  const int n = ap_nv(b.m);
  const MX x = MX::sym("x", 3 * n), w = MX::sym("w", n), d = MX::sym("d", 3 * n);
  const MX y = f(vector<MX>{x(casadi::Slice(0, n)), x(casadi::Slice(n, 2 * n)),
                            x(casadi::Slice(2 * n, 3 * n))})[0];
  check(f.name_in(0) == "q" && f.n_in() == 3 && f.n_out() == 1, "names and numbers of arguments");
  check_ours(f.jacobian(), label + "Jacobian");
  check_ours(f.forward(1), label + "directional derivative");
  check_ours(f.reverse(1), label + "gradient");
  check_ours(f.reverse(1).jacobian(), label + "Hessian");
  MX g;
  const MX H = MX::hessian(MX::dot(w, y), x, g);
  const Function all(
      "all", vector<MX>{x, w, d},
      vector<MX>{y, MX::jacobian(y, x), MX::jtimes(y, x, d), g, H, MX::mtimes(H, d)});
  const auto at = b.numbers(3 * n, 1.2), weights = b.numbers(n, 1), along = b.numbers(3 * n, 1);
  const vector<DM> got = all(vector<DM>{DM(at), DM(weights), DM(along)});
  vector<double> value, J;
  check(compute(b, forward, at, value, J), "the state is singular");
  vector<double> product(static_cast<size_t>(n));
  for (size_t k = 0; k < J.size(); k++)
    product[k % static_cast<size_t>(n)] += J[k] * along[k / static_cast<size_t>(n)];
  const vector<double> H_along = gradient_along(b, forward, at, weights, along);
  const char *robot = b.name.c_str();
  // Roundings of a few hundred operations, and for forward dynamics the condition of M.
  const double tolerance = forward ? 1e-11 : 1e-13;
  compare(robot, (label + "values").c_str(), dense(got[0]), value, tolerance);
  compare(robot, (label + "Jacobian (jac_f)").c_str(), dense(got[1]), J, tolerance);
  compare(robot, (label + "along d (fwd1_f)").c_str(), dense(got[2]), product, tolerance);
  compare(robot, (label + "gradient (adj1_f)").c_str(), dense(got[3]),
          gradient(b, forward, at, weights), tolerance);
  // Differences of the library's derivatives: h^4 of a fifth one, 1e-12 times what that is.
  compare(robot, (label + "Hessian times d (jac_adj1_f)").c_str(), dense(got[5]), H_along, 1e-8);
  const vector<double> full = dense(got[4]);
  vector<double> turned = full;
  for (int i = 0; i < 3 * n; i++)
    for (int j = 0; j < 3 * n; j++)
      turned[static_cast<size_t>(i * 3 * n + j)] = full[static_cast<size_t>(j * 3 * n + i)];
  compare(robot, (label + "Hessian is symmetric").c_str(), full, turned, tolerance * 10);
}

static void compare_inertia(bed &b) {
  const int n = ap_nv(b.m);
  const Function f = casadi::external("robot_inertia_matrix", b.library);
  const auto q = b.numbers(n, 1.2);
  vector<double> M(static_cast<size_t>(n * n));
  ap_inertia_matrix(b.m, b.w, q.data(), M.data());
  compare(b.name.c_str(), "inertia matrix: values", dense(f(vector<DM>{DM(q)})[0]), M, 1e-13);
}

int main(int count, char **robots) {
  std::printf("CasADi %s; errors relative to the largest number\n", casadi::CasadiMeta::version());
  for (int k = 1; k < count; k++) {
    bed b;
    if (!open_bed(b, robots[k])) return 1;
    compare_function(b, false);
    compare_function(b, true);
    compare_inertia(b);
    close_bed(b);
  }
  return failures > 0;
}
