// SPDX-License-Identifier: Apache-2.0
// The bits of everything that a robot computes, in one number: what fingerprint() of tests/test_isa.c gives. The text of
// fingerprint() also runs in pages: it needs nothing from outside.

export function fingerprint(arm) {
  const mask = (1n << 64n) - 1n;
  // tests/rng.h
  let state = 18n;
  const uniform = (low, high) => {
    let z = (state = (state + 0x9e3779b97f4a7c15n) & mask);
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return low + (high - low) * (Number((z ^ (z >> 31n)) >> 11n) * 2 ** -53);
  };
  const bits = new DataView(new ArrayBuffer(8)), last = arm.nframe - 1;
  const vector = (n) => Float64Array.from({ length: n }, () => uniform(-3, 3));
  const zeros = () => new Float64Array(arm.nv * arm.nv);
  const unless = (use, otherwise) => {
    try {
      return use();
    } catch (error) {
      if (error.status !== "singular") throw error;
      return otherwise();
    }
  };
  let hash = 0n;
  for (let k = 0; k < 20; k++) {
    const q = vector(arm.nq), v = vector(arm.nv), a = vector(arm.nv);
    const inverse = arm.inverseDynamicsDerivatives(q, v, a);
    const forward = unless(() => arm.forwardDynamicsDerivatives(q, v, a), () => ({ dq: zeros(), dv: zeros(), dtau: zeros() }));
    const parts = [arm.inverseDynamics(q, v, a), arm.bias(q, v), arm.gravity(q), arm.inertia(q),
      unless(() => arm.forwardDynamics(q, v, a), () => new Float64Array(arm.nv)), inverse.dq, inverse.dv, inverse.da,
      forward.dq, forward.dv, forward.dtau, arm.coriolis(q, v)];
    for (const reference of ["local", "world", "mixed"]) parts.push(arm.jacobian(q, last, { reference }));
    parts.push(arm.acceleration(q, v, a, last, { reference: "world" }));
    for (const part of parts)
      for (const x of part) {
        bits.setFloat64(0, x + 0);
        hash = ((hash ^ bits.getBigUint64(0)) * 0x100000001b3n) & mask;
      }
  }
  return hash.toString(16);
}

/** Robots and the numbers that test_isa.c records, of builds without fused products. */
export function recorded(text) {
  return [...text.matchAll(/\{"([\w-]+)", (0x[0-9a-f]{16}), 0x[0-9a-f]{16}\}/g)].map(([, name, apart]) => [name, BigInt(apart).toString(16)]);
}
