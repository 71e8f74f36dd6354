// SPDX-License-Identifier: Apache-2.0
// MuJoCo's inverse dynamics of an MJCF file in Appell's coordinates.

import load from '@mujoco/mujoco';

const JOINT = 3; // mjtObj
const FREE = 0, BALL = 1; // mjtJoint
const EQ_JOINT = 2, EQ_DATA = 11; // mjtEq, mjNEQDATA

const mj = await load();

const cross = (u, v) =>
  [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];

// A vector turned by the quaternion w x y z.
function rotate([w, ...u], x) {
  const t = cross(u, x).map((y) => 2 * y), s = cross(u, t);
  return x.map((y, k) => y + w * t[k] + s[k]);
}

// info: what `appell info --json` prints of the robot. A follower of an equality moves with its
// leader, which gets its force. The planar joint NAME is the joints NAME_x, NAME_y, NAME_angle.
export class Robot {
  constructor(xml, info) {
    this.m = mj.MjModel.from_xml_string(xml);
    this.d = new mj.MjData(this.m);
    this.info = info;
    this.own = info.joints.map((joint) => [joint, this.parts(joint)]);
    const { m } = this, leads = new Set(this.own.flatMap(([, parts]) => parts));
    this.followers = [];
    for (let k = 0; k < m.neq; k++) {
      const [a, b] = [m.eq_obj1id[k], m.eq_obj2id[k]];
      if (m.eq_type[k] === EQ_JOINT && !leads.has(a))
        this.followers.push([a, b, m.eq_data[EQ_DATA * k], m.eq_data[EQ_DATA * k + 1]]);
    }
  }

  // The joints of MuJoCo that one of ours is.
  parts(joint) {
    const names = joint.type === 'planar' ? ['_x', '_y', '_angle'].map((part) => joint.name + part) : [joint.name];
    return names.map((name) => {
      const id = mj.mj_name2id(this.m, JOINT, name);
      if (id < 0) throw new Error(`MuJoCo has no joint ${name}`);
      return id;
    });
  }

  sizes(j) {
    return this.m.jnt_type[j] === FREE ? [7, 6] : this.m.jnt_type[j] === BALL ? [4, 3] : [1, 1];
  }

  // A free joint is linear in the world's axes there, in the body's here.
  setFree(j, q, v, a) {
    const { m, d } = this, turned = [q[6], q[3], q[4], q[5]];
    const turn = cross(v.slice(3), v.slice(0, 3));
    d.qpos.set([q[0], q[1], q[2], ...turned], m.jnt_qposadr[j]);
    d.qvel.set([...rotate(turned, v.slice(0, 3)), ...v.slice(3)], m.jnt_dofadr[j]);
    d.qacc.set([...rotate(turned, a.slice(0, 3).map((x, k) => x + turn[k])), ...a.slice(3)], m.jnt_dofadr[j]);
  }

  setJoint(j, q, v, a) {
    const { m, d } = this;
    if (m.jnt_type[j] === FREE) return this.setFree(j, q, v, a);
    d.qpos.set(m.jnt_type[j] === BALL ? [q[3], q[0], q[1], q[2]] : q, m.jnt_qposadr[j]);
    d.qvel.set(v, m.jnt_dofadr[j]);
    d.qacc.set(a, m.jnt_dofadr[j]);
  }

  setState(x) {
    const { nq, nv } = this.info;
    for (const [joint, parts] of this.own)
      parts.forEach((j, k) => {
        const [n, r] = this.sizes(j), q = joint.q + k, v = nq + joint.v + k, a = v + nv;
        this.setJoint(j, x.slice(q, q + n), x.slice(v, v + r), x.slice(a, a + r));
      });
    const { m, d } = this;
    for (const _ of this.followers) // as often as a chain of them may be long
      for (const [f, l, offset, ratio] of this.followers) {
        d.qpos[m.jnt_qposadr[f]] = offset + ratio * d.qpos[m.jnt_qposadr[l]];
        d.qvel[m.jnt_dofadr[f]] = ratio * d.qvel[m.jnt_dofadr[l]];
        d.qacc[m.jnt_dofadr[f]] = ratio * d.qacc[m.jnt_dofadr[l]];
      }
  }

  // Forces of followers go to what they follow, from the last of a chain on.
  project(tau) {
    const { m } = this, rest = new Set(this.followers);
    while (rest.size > 0) {
      const last = [...rest].find((c) => ![...rest].some((other) => other[1] === c[0]));
      tau[m.jnt_dofadr[last[1]]] += last[3] * tau[m.jnt_dofadr[last[0]]];
      rest.delete(last);
    }
  }

  collect(tau) {
    const { m, d } = this, out = new Array(this.info.nv).fill(0);
    for (const [joint, parts] of this.own)
      parts.forEach((j, k) => {
        const at = m.jnt_dofadr[j], q = m.jnt_qposadr[j];
        let t = Array.from(tau.slice(at, at + this.sizes(j)[1]));
        if (m.jnt_type[j] === FREE) {
          const [w, x, y, z] = d.qpos.slice(q + 3, q + 7);
          t = [...rotate([w, -x, -y, -z], t.slice(0, 3)), ...t.slice(3)];
        }
        t.forEach((force, i) => { out[joint.v + k + i] = force; });
      });
    return out;
  }

  // tau of the numbers q v a; with passive, armature, damping, friction, springs and gravity
  // compensation are in it.
  inverse(x, passive) {
    const { m, d } = this, buffer = new mj.DoubleBuffer(m.nv);
    this.setState(x);
    mj.mj_kinematics(m, d);
    mj.mj_comPos(m, d);
    mj.mj_comVel(m, d);
    mj.mj_rne(m, d, 1, buffer);
    const tau = Float64Array.from(buffer.GetView());
    buffer.delete();
    if (passive) {
      mj.mj_passive(m, d);
      for (let k = 0; k < m.nv; k++)
        tau[k] += m.dof_armature[k] * d.qacc[k] - d.qfrc_passive[k] + m.dof_frictionloss[k] * Math.sign(d.qvel[k]);
    }
    this.project(tau);
    return this.collect(tau);
  }

  // The largest violation of the closures in keyframe k.
  violation(k) {
    mj.mj_resetDataKeyframe(this.m, this.d, k);
    mj.mj_forward(this.m, this.d);
    return Math.max(0, ...Array.from(this.d.efc_pos.slice(0, this.d.ne)).map(Math.abs));
  }
}
