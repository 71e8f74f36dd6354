// SPDX-License-Identifier: Apache-2.0
// Small matrices in flat arrays, row by row.

/** J J^T of a matrix with so many rows. */
export function outer(J, rows) {
  const n = J.length / rows;
  const A = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++)
    for (let k = i; k < rows; k++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += J[i * n + j] * J[k * n + j];
      A[i * rows + k] = A[k * rows + i] = sum;
    }
  return A;
}

/** Eigenvalues of a symmetric matrix, descending, and eigenvectors in columns (Jacobi). */
export function eigen(given, n) {
  const A = Float64Array.from(given);
  const V = new Float64Array(n * n);
  for (let i = 0; i < n; i++) V[i * n + i] = 1;
  for (let sweep = 0; sweep < 40; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++)
      for (let k = 0; k < n; k++) {
        all += A[i * n + k] ** 2;
        if (i !== k) off += A[i * n + k] ** 2;
      }
    if (!(off > 1e-30 * all)) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (A[p * n + q] === 0) continue;
        const angle = 0.5 * Math.atan2(2 * A[p * n + q], A[q * n + q] - A[p * n + p]);
        const c = Math.cos(angle);
        const s = Math.sin(angle);
        for (let k = 0; k < n; k++) {
          const x = A[k * n + p];
          const y = A[k * n + q];
          A[k * n + p] = c * x - s * y;
          A[k * n + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const x = A[p * n + k];
          const y = A[q * n + k];
          A[p * n + k] = c * x - s * y;
          A[q * n + k] = s * x + c * y;
          const u = V[k * n + p];
          const w = V[k * n + q];
          V[k * n + p] = c * u - s * w;
          V[k * n + q] = s * u + c * w;
        }
      }
  }
  const order = [...Array(n).keys()].sort((a, b) => A[b * n + b] - A[a * n + a]);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let k = 0; k < n; k++) vectors[k * n + to] = V[k * n + from];
  });
  return { values: order.map((i) => A[i * n + i]), vectors };
}

export const eigen3 = (A) => eigen(A, 3);

/** x of A x = b, A symmetric and positive definite, 3 * 3. */
export function solve3(A, b) {
  const [a, d, e, , f, g, , , h] = A;
  const c00 = f * h - g * g;
  const c01 = e * g - d * h;
  const c02 = d * g - e * f;
  const determinant = a * c00 + d * c01 + e * c02;
  if (!(Math.abs(determinant) > 0)) return [0, 0, 0];
  const c11 = a * h - e * e;
  const c12 = d * e - a * g;
  const c22 = a * f - d * d;
  return [
    (c00 * b[0] + c01 * b[1] + c02 * b[2]) / determinant,
    (c01 * b[0] + c11 * b[1] + c12 * b[2]) / determinant,
    (c02 * b[0] + c12 * b[1] + c22 * b[2]) / determinant,
  ];
}
