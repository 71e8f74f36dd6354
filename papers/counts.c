// SPDX-License-Identifier: Apache-2.0
// The tables of operation counts of the three papers, as printed, and the methods beside them.

#include <stdlib.h>

#include "count_table.h"

#define ENTRIES(table) ((int)(sizeof(table) / sizeof(table)[0]))

/// An entry with one note for multiplications and additions.
#define BOTH(...) \
  { __VA_ARGS__, NULL }

#define OUR_VERSION \
  "ours is the method as this library writes it; where the printed count differs is not known"
#define PER_LINK "as printed for each link that is added, fewer at the ends of the chain"
#define PER_PAIR "as printed for each pair of links, fewer for each link"
#define COMPOSED "which bias and which solution the printed number contains is not said"

// ---- inverse dynamics and inertia matrices -----------------------------------------------------

static const counted mata_inverse[] = {
    BOTH("Luh et al.", "newton-euler", AP_INVERSE, 0, "150n-48", "131n-48",
         "printed is the count of Hollerbach (1980); Valera et al. (2003) print 121n-112 and "
         "90n-82"),
    BOTH("Angeles et al.", "kane", AP_INVERSE, 0, "105n-109", "90n-105", OUR_VERSION),
    BOTH("Balafoutis and Patel", "newton-euler-tensor", AP_INVERSE, 0, "93n-69", "81n-66",
         PER_LINK),
    BOTH("this work", "gibbs-tensor", AP_INVERSE, 0, "96n-101", "84n-100", PER_LINK),
    BOTH("Hollerbach", "lagrange", AP_INVERSE, 0, NULL, NULL,
         "not in the table; Hollerbach (1980) prints 412n-277 multiplications, 320n-201 additions"),
};

static const counted mata_inertia[] = {
    BOTH("Walker and Orin", "composite-body", AP_INERTIA, 0, "12n^2+56n-27", "7n^2+67n-56",
         "printed 741 and 598 here, 741 and 601 in Provenzano et al. 2002; " OUR_VERSION),
    BOTH("Angeles and Ma", "orthogonal-complement", AP_INERTIA, 0, "n^3+17n^2-21n+8",
         "n^3+14n^2-16n+5", OUR_VERSION),
    BOTH("this work", "gibbs-hessian", AP_INERTIA, 0, "11.5n^2+19.5n-49", "8.5n^2+31.5n-69",
         PER_PAIR),
    BOTH("Featherstone's form of it", "composite-body-origin", AP_INERTIA, 0, NULL, NULL,
         "not in the table: composite bodies about the joints' origins"),
};

static const counted provenzano_inertia[] = {
    BOTH("Walker and Orin", "composite-body", AP_INERTIA, 0, "12n^2+56n-27", "7n^2+67n-53",
         "printed 741 and 601 here, 741 and 598 in Mata et al. 2002; " OUR_VERSION),
    BOTH("Angeles and Ma", "orthogonal-complement", AP_INERTIA, 0, "n^3+17n^2-21n+8",
         "n^3+14n^2-16n+5", OUR_VERSION),
    BOTH("this work", "gibbs-hessian", AP_INERTIA, 0, "11.5n^2+19.5n-49", "8.5n^2+31.5n-69",
         PER_PAIR),
    BOTH("Featherstone's form of it", "composite-body-origin", AP_INERTIA, 0, NULL, NULL,
         "not in the table: composite bodies about the joints' origins"),
};

// ---- forward dynamics --------------------------------------------------------------------------

static const counted mata_forward[] = {
    BOTH("Walker and Orin", "composite-body-cholesky", AP_FORWARD, 0, "1627", "1261", COMPOSED),
    BOTH("Featherstone", "articulated-body", AP_FORWARD, 0, "1533", "1415", OUR_VERSION),
    BOTH("Angeles and Ma", "orthogonal-complement-cholesky", AP_FORWARD, 0, "1353", "1165",
         COMPOSED),
    BOTH("this work", "gibbs-cholesky", AP_FORWARD, 0, "1042", "905", "the total of Table 3"),
    BOTH("without square roots", "gibbs-ltdl", AP_FORWARD, 0, "1042", "905",
         "the total of Table 3"),
};

#define DECOMPOSITION "(1/6)n^3+0.5n^2+(1/3)n"
#define TOTAL         "(1/6)n^3+13n^2+(695/6)n-157", "(1/6)n^3+10n^2+(683/6)n-174"
#define PARTS_DIFFER  "by what the parts above differ"
#define SUBTRACTIONS                                                                           \
  "by what the parts above differ; the printed sum leaves out the n subtractions of the bias " \
  "from the forces"
#define STEP(k) (1u << (k))

enum {
  PART_D,
  PART_BIAS,
  PART_CHOLESKY,
  PART_SYSTEM,
  PART_TOTAL,
  PART_LTDL,
  PART_LTDL_TOTAL,
  PARTS
};
static const counted mata_parts[PARTS] = {
    [PART_D] = BOTH("calculation of D", "gibbs-hessian", AP_INERTIA, 0, "11.5n^2+19.5n-49",
                    "8.5n^2+31.5n-69", PER_PAIR),
    [PART_BIAS] = BOTH("bias vector", "gibbs-tensor", AP_BIAS, 0, "96n-108", "83n-105", PER_LINK),
    [PART_CHOLESKY] = {"Cholesky decomposition", "gibbs-cholesky", AP_FORWARD, STEP(1),
                       DECOMPOSITION, DECOMPOSITION, "a root and an inverse for each pivot",
                       "(n^3-n)/6 are enough"},
    [PART_SYSTEM] = BOTH("linear system", "gibbs-cholesky", AP_FORWARD, STEP(2), "n^2", "n^2-n",
                         "two products with the inverse of each pivot"),
    [PART_TOTAL] = {"total", "gibbs-cholesky", AP_FORWARD, 0, TOTAL, PARTS_DIFFER, SUBTRACTIONS},
    [PART_LTDL] = {"decomposition and system without square roots", "gibbs-ltdl", AP_FORWARD, 0,
                   "(1/6)n^3+1.5n^2+(1/3)n", "(1/6)n^3+1.5n^2-(2/3)n",
                   "the total less D and bias; printed is the sum of both rows",
                   "the total less D, bias and n subtractions; printed is the sum of both rows"},
    [PART_LTDL_TOTAL] = {"total", "gibbs-ltdl", AP_FORWARD, 0, TOTAL, PARTS_DIFFER, SUBTRACTIONS},
};

// What the solution costs: the total less D, the bias, and the n subtractions of the bias from the
// forces.
static void keep_solution(int n, const ap_count *D, const ap_count *bias, ap_count *total) {
  total->mul -= D->mul + bias->mul;
  total->add -= D->add + bias->add + n;
  total->div -= D->div + bias->div;
  total->sqrt -= D->sqrt + bias->sqrt;
}

static ap_status forward_parts(report *r, ap_error *error) {
  survey *s = survey_new(PARTS, error);
  if (!s) return error->status;
  ap_status status = count_entries(mata_parts, PARTS, s, error);
  const survey *D = &s[PART_D], *bias = &s[PART_BIAS];
  for (int g = 0; g < SURVEY_GEOMETRIES; g++)
    for (int i = 0; i < SURVEY_SIZES; i++)
      keep_solution(SURVEY_FIRST + i, &D->of[g][i], &bias->of[g][i], &s[PART_LTDL].of[g][i]);
  keep_solution(6, &D->puma, &bias->puma, &s[PART_LTDL].puma);
  if (status == AP_OK) show_entries(r, mata_parts, s, PARTS);
  free(s);
  return status;
}

// ---- vector notation ---------------------------------------------------------------------------

#define VECTOR(name, steps, multiplications, additions, note) \
  BOTH(name, "gibbs-vector", AP_INVERSE, steps, multiplications, additions, note)

#define TOGETHER \
  FORMULA_AT_SIX "; the recursion of beta carries alpha along: compare steps 4 and 5 together"

static const counted valera_steps[] = {
    VECTOR("step 1, rotations and vectors", STEP(1), "4n", "0",
           FORMULA_AT_SIX "; vectors are turned about x and z in turn: no rotation matrix is "
                          "formed"),
    VECTOR("step 2, velocities and accelerations", STEP(2), "62n-75", "46n-61",
           FORMULA_AT_SIX "; as printed for each link that is added; which 3 products the printed "
                          "count saves at the first link is not said"),
    VECTOR("step 3, partial derivatives", STEP(3), "0", "0", NULL),
    VECTOR("step 4, terms A", STEP(4), "24n-23", "18n-18", TOGETHER),
    VECTOR("step 5, terms B", STEP(5), "31n-38", "26n-37", TOGETHER),
    VECTOR("step 6, forces", STEP(6), "0", "n", FORMULA_AT_SIX "; A + B has been formed in step 5"),
    VECTOR("steps 4 and 5", STEP(4) | STEP(5), "55n-61", "44n-55",
           FORMULA_AT_SIX ", the sum of two; one product and one sum more in all, where is not "
                          "known"),
};

static const counted valera_algorithms[] = {
    BOTH("Luh, Walker and Paul", "newton-euler", AP_INVERSE, 0, "121n-112", "90n-82", OUR_VERSION),
    VECTOR(
        "proposed algorithm", 0, "121n-136", "91n-116",
        "4n-4 and n-1 fewer: no rotation matrix is formed, A and B are one recursion (the steps of "
        "Table 2)"),
};

#define LUH(name, multiplications, additions)                           \
  BOTH(name, "newton-euler", AP_INVERSE, 0, multiplications, additions, \
       FORMULA_AT_SIX "; others count the same recursion otherwise, how is not said")
static const counted valera_luh[] = {
    LUH("Luh et al. by Hollerbach", "150n-48", "131n-48"),
    LUH("Luh et al. by Fu et al.", "117n-24", "103n-21"),
    LUH("Luh et al. by Zomaya", "150n", "116n"),
    LUH("Luh et al. by Craig", "126n-99", "106n-92"),
};

static const counted valera_paul[] = {
    VECTOR("Paul's convention", 0, "133n-74", "97n-71",
           FORMULA_AT_SIX "; the library turns standard DH frames into modified ones when it takes "
                          "in a model"),
};

// The proposed algorithm on robots described by Paul's convention, the standard one of Denavit and
// Hartenberg.
static ap_status pauls_convention(report *r, ap_error *error) {
  survey *s = survey_new(1, error);
  if (!s) return error->status;
  ap_status status =
      survey_method(valera_paul->what, valera_paul->method, AP_DH_STANDARD, s, error);
  s->general_only = true; // the other geometries are about modified parameters
  if (status == AP_OK) show_entries(r, valera_paul, s, 1);
  free(s);
  return status;
}

// ---- the papers --------------------------------------------------------------------------------

ap_status counts_mata2002(report *r, ap_error *error) {
  report_item(r, "Table 1", "inverse dynamics, complexity of the algorithms; rows at n = 6");
  how_counted(r);
  ap_status status = count_table(r, mata_inverse, ENTRIES(mata_inverse), error);
  if (status) return status;
  report_item(r, "Table 2", "generalized inertia matrix, complexity of the methods; rows at n = 6");
  status = count_table(r, mata_inertia, ENTRIES(mata_inertia), error);
  if (status) return status;
  report_item(r, "Table 3", "forward dynamics by the proposed method, its parts; rows at n = 6");
  report_remark(r,
                "Divisions and square roots count as multiplications. So read, the printed 56 and "
                "36 are what "
                "the solution without square roots takes (gibbs-ltdl). The decomposition takes "
                "(n^3-n)/6 = 35 additions, not 56.");
  status = forward_parts(r, error);
  if (status) return status;
  report_item(r, "Table 4", "forward dynamics, computational cost for n = 6");
  report_remark(r, "Divisions and square roots count as multiplications, as in Table 3.");
  return count_table(r, mata_forward, ENTRIES(mata_forward), error);
}

ap_status counts_provenzano2002(report *r, ap_error *error) {
  report_item(r, "Table 1",
              "generalized inertia matrix, comparison of complexities; rows at n = 6");
  how_counted(r);
  return count_table(r, provenzano_inertia, ENTRIES(provenzano_inertia), error);
}

ap_status counts_valera2003(report *r, ap_error *error) {
  report_item(r, "Section 1", "the algorithm of Luh, Walker and Paul as others count it; n = 6");
  how_counted(r);
  ap_status status = count_table(r, valera_luh, ENTRIES(valera_luh), error);
  if (status) return status;
  report_item(r, "Table 2", "the proposed algorithm by its steps; rows at n = 6");
  status = count_table(r, valera_steps, ENTRIES(valera_steps), error);
  if (status) return status;
  report_item(r, "Table 3", "computational complexity for robots with n >= 3; rows at n = 6");
  status = count_table(r, valera_algorithms, ENTRIES(valera_algorithms), error);
  if (status) return status;
  report_item(r, "Section 2", "the proposed algorithm under Paul's convention; rows at n = 6");
  return pauls_convention(r, error);
}
