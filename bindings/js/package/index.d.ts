// SPDX-License-Identifier: Apache-2.0
// Appell: the dynamics of robots, in WebAssembly. The manual is docs/js.md of the project.
//
// SI units. Matrices are row by row. q has nq numbers; v, a and tau have nv. A free joint has x y z
// qx qy qz qw in q, and its linear, then its angular velocity along the axes of its link in v.
// Methods take one state, or n states one behind another, and give as many results.

/** Numbers: a Float64Array is used as it is, others are converted. */
export type Numbers = ArrayLike<number>;
/** Axes and point that a vector refers to: those of the frame, of the ground, or the ground's axes at the frame. */
export type Reference = "local" | "world" | "mixed";
export type Format = "urdf" | "mjcf" | "yaml";
/** Text, or its bytes. */
export type Text = string | Uint8Array | ArrayBuffer;

/** What is wrong, where, and what would be right: `file:line: reason`. */
export class AppellError extends Error {
  /** Without the place. */
  readonly reason: string;
  /** 'syntax', 'model', 'argument', 'singular', 'unreachable', ...; 'stopped': the module trapped. */
  readonly status: string;
  /** Name of the file, as it was given. */
  readonly file: string | null;
  /** From 1; 0 where there is none. */
  readonly line: number;
}

/** How a robot is read. */
export interface ReadOptions {
  /** Of the text; detected where it is not given. */
  format?: Format;
  /** Name of the file, for messages; its ending tells the format. */
  file?: string;
  /** Files that the robot includes, by their paths relative to it: MJCF parts, meshes. */
  files?: Record<string, Text>;
}

export interface LoadOptions extends ReadOptions {
  /** Joints that stand still, at zero or at given values. */
  lock?: string | string[] | Record<string, number | number[]>;
  /** Link that is fixed to the ground. */
  root?: string;
  /** Link or frame: joints that do not move it are locked. */
  tip?: string;
  /** Hang the root link on a free joint. */
  floating?: boolean;
  /** Make mimic joints independent. */
  ignoreMimic?: boolean;
  /** Leave closed chains open. */
  ignoreLoops?: boolean;
}

export interface Warning {
  line: number;
  text: string;
}

/** A joint and its place in q and v. Limits are null where there are none. */
export interface Joint {
  name: string;
  type: string;
  q: number;
  v: number;
  nq: number;
  nv: number;
  body: string;
  parent: string;
  axis?: [number, number, number];
  lower: number | null;
  upper: number | null;
  velocity: number | null;
  effort: number | null;
  viscous: number;
  coulomb: number;
  static: number;
  stiffness: number;
  rest: number[];
  rotor_inertia: number;
  gear_ratio: number;
}

/** What `appell info --json` prints. */
export interface Info {
  name: string;
  nq: number;
  nv: number;
  gravity: [number, number, number];
  mass: number;
  moving_mass: number;
  joints: Joint[];
  mimic: { name: string; type: string; body: string; parent: string; leader: string; ratio: number; offset: number }[];
  bodies: { name: string; parent: string; joint: string; mass: number; com: number[]; inertia: number[]; merged: string[] }[];
  frames: { name: string; body: string; xyz: number[]; rpy: number[] }[];
  warnings: { line?: number; text: string }[];
  coordinates?: { name: string; type: string; joint?: string; body?: string; xyz?: number[]; along?: number[] }[];
  actuators?: string[];
  closures?: Record<string, unknown>[];
  closure_rows?: number;
  branches?: string[];
  start?: { closed: boolean; status: string; q?: number[]; tree_q?: number[]; [key: string]: unknown };
}

/** What a link looks like. */
export interface Shape {
  kind: "none" | "box" | "cylinder" | "sphere" | "mesh";
  collision: boolean;
  /** Number of the frame of its link. */
  body: number;
  link: string;
  line: number;
  xyz: number[];
  rpy: number[];
  size: number[];
  file?: string;
  color?: number[];
}

/** A finding of the doctor. */
export interface Finding {
  severity: "note" | "warning" | "error";
  rule: string;
  line: number;
  subject: string;
  what: string;
  why: string;
  fix: string;
  joint: string | null;
  unit: string | null;
  difference: number | null;
  largest: number | null;
}

export interface LintOptions {
  /** Ids of rules that are to be silent. */
  disable?: string[];
  /** Leave out what samples the motion. */
  quick?: boolean;
}

export interface Wrench {
  frame: string | number;
  force?: Numbers;
  moment?: Numbers;
  reference?: Reference;
}

export interface Into {
  /** Takes the result; of its length. */
  out?: Float64Array;
}
export interface WithWrenches {
  wrenches?: Wrench[];
}
export interface InFrame extends Into {
  /** 'local' where it is not given. */
  reference?: Reference;
}
export interface Poses {
  /** Axes as columns, 9 numbers each, row by row. */
  R: Float64Array;
  /** Origins, m. */
  p: Float64Array;
}

/** A wall of a scene, as docs/scenarios.md describes it. */
export interface Wall {
  name?: string;
  kind: "plane" | "circle" | "ellipse" | "cylinder" | "sphere" | "ellipsoid" | "torus" | "profile";
  [key: string]: unknown;
}

/** The scene of a robot that stands alone. Keys mean what they mean in a scenario. */
export interface SceneOptions {
  /** Start; a mechanism takes its independent coordinates. */
  q?: Numbers;
  v?: Numbers;
  time?: number;
  walls?: Wall[];
  contacts?: (string | { name?: string; link: string; at?: number[] })[];
  integrator?: Record<string, unknown>;
  gravity?: Numbers;
  limits?: boolean;
  jointFriction?: boolean;
  joints?: Record<string, Record<string, number>>;
  branch?: string;
}

declare class Owned {
  /** Free what it holds in the module; it happens by itself when nobody can reach the object. */
  free(): void;
}

declare class Robot extends Owned {
  readonly name: string;
  readonly file: string | null;
  readonly nq: number;
  readonly nv: number;
  readonly nbody: number;
  readonly nframe: number;
  /** Links first, the ground before them. */
  readonly frames: string[];
  readonly joints: Joint[];
  readonly warnings: Warning[];
  /** Whether friction, springs and rotors take part. */
  friction: boolean;
  get gravityVector(): Float64Array;
  set gravityVector(value: Numbers);
  setPayload(link: string | number, mass: number, com?: Numbers, inertia?: Numbers): void;
  setInertia(link: string | number, mass: number, com?: Numbers, inertia?: Numbers): void;
  resetInertia(): void;
  info(): Info;
  /** Bodies with joints, places and shapes, as in the document of a report (docs/report.md). */
  drawing(): { model: { name: string; freedom: number; gravity: number[]; bodies: object[] }; closures?: object[] };
  /** Every link and the number of the link that moves it. */
  links(): (LinkMass & { name: string; mover: number })[];
  shapes(): Shape[];
  lint(options?: LintOptions): Finding[];
  /** The robot as the text of a file. */
  text(format?: Format): string;
  /** The same, with a line about everything that the format leaves out. */
  convert(format?: Format): { text: string; losses: string[] };
  /** A simulation of it among walls. */
  simulation(options?: SceneOptions): Simulation;
  /** Zeros in the module's memory, which methods take and fill without a copy, until that memory grows. */
  buffer(length: number): Float64Array;
}

/** A robot without closed chains. */
export class Model extends Robot {
  private constructor();
  readonly closed: false;
  neutral(): Float64Array;
  inverseDynamics(q: Numbers, v: Numbers, a: Numbers, options?: Into & WithWrenches): Float64Array;
  forwardDynamics(q: Numbers, v: Numbers, tau: Numbers, options?: Into & WithWrenches): Float64Array;
  bias(q: Numbers, v: Numbers, options?: Into): Float64Array;
  gravity(q: Numbers, options?: Into): Float64Array;
  inertia(q: Numbers, options?: Into): Float64Array;
  inertiaInverse(q: Numbers, options?: Into): Float64Array;
  coriolis(q: Numbers, v: Numbers, options?: Into): Float64Array;
  inverseDynamicsDerivatives(q: Numbers, v: Numbers, a: Numbers, options?: WithWrenches): { dq: Float64Array; dv: Float64Array; da: Float64Array };
  forwardDynamicsDerivatives(q: Numbers, v: Numbers, tau: Numbers, options?: WithWrenches): { dq: Float64Array; dv: Float64Array; dtau: Float64Array };
  regressor(q: Numbers, v: Numbers, a: Numbers, options?: Into): Float64Array;
  kineticEnergy(q: Numbers, v: Numbers): number;
  kineticEnergy(q: Numbers, v: Numbers, options: Required<Into>): Float64Array;
  potentialEnergy(q: Numbers): number;
  potentialEnergy(q: Numbers, options: Required<Into>): Float64Array;
  elasticEnergy(q: Numbers): number;
  elasticEnergy(q: Numbers, options: Required<Into>): Float64Array;
  pose(q: Numbers, frame: string | number): Poses;
  /** Of all frames at once. */
  poses(q: Numbers, into?: Partial<Poses>): Poses;
  jacobian(q: Numbers, frame: string | number, options?: InFrame): Float64Array;
  velocity(q: Numbers, v: Numbers, frame: string | number, options?: InFrame): Float64Array;
  acceleration(q: Numbers, v: Numbers, a: Numbers, frame: string | number, options?: InFrame): Float64Array;
  jacobianDotV(q: Numbers, v: Numbers, frame: string | number, options?: InFrame): Float64Array;
  centreOfMass(q: Numbers, options?: Into): Float64Array;
  centroidalMomentum(q: Numbers, v: Numbers, options?: Into): Float64Array;
  centroidalMatrix(q: Numbers, options?: Into): Float64Array;
  integrate(q: Numbers, v: Numbers, options?: Into): Float64Array;
  difference(q0: Numbers, q1: Numbers, options?: Into): Float64Array;
  normalize(q: Numbers, options?: Into): Float64Array;
  /** The q that puts a frame at p and, where given, R. */
  inverseKinematics(frame: string | number, p: Numbers, options?: {
    R?: Numbers; q0?: Numbers; tolerance?: number; iterations?: number; respectLimits?: boolean;
  }): { q: Float64Array; reached: boolean; iterations: number; positionError: number; orientationError: number };
  /** Its dynamics as C or CUDA: texts by file name. */
  generate(options?: {
    name?: string; functions?: string[]; single?: boolean; batch?: boolean; friction?: boolean; cuda?: boolean;
  }): Record<string, string>;
}

/** A robot with closed chains, in its n independent coordinates; tau has nact numbers. */
export class Mechanism extends Robot {
  private constructor();
  readonly closed: true;
  readonly n: number;
  readonly nact: number;
  readonly coordinates: string[];
  readonly actuators: string[];
  readonly branches: string[];
  /** Begin the next search, which is for q, on a branch; null: its own. */
  begin(branch: string | null, q: Numbers): void;
  inverseDynamics(q: Numbers, v: Numbers, a: Numbers, options?: Into & WithWrenches): Float64Array;
  forwardDynamics(q: Numbers, v: Numbers, tau: Numbers, options?: Into & WithWrenches): Float64Array;
  forces(q: Numbers, v: Numbers, a: Numbers, options?: Into): Float64Array;
  inertia(q: Numbers, options?: Into): Float64Array;
  coriolis(q: Numbers, v: Numbers, options?: Into): Float64Array;
  gravity(q: Numbers, options?: Into): Float64Array;
  kineticEnergy(q: Numbers, v: Numbers): number;
  potentialEnergy(q: Numbers): number;
  /** The configuration of the tree. */
  configuration(q: Numbers, options?: Into): Float64Array;
  treeVelocity(q: Numbers, v: Numbers, options?: Into): Float64Array;
  treeAcceleration(q: Numbers, v: Numbers, a: Numbers, options?: Into): Float64Array;
  actuatorMap(q: Numbers, options?: Into): Float64Array;
  /** To a serial and to a parallel singularity. */
  distances(q: Numbers, options?: Into): Float64Array;
  /** Of all frames of the tree at its configuration. */
  treePoses(x: Numbers): Poses;
}

export interface RunEvent {
  time: number;
  kind: string;
  point: string;
  wall: string;
  numbers: Record<string, number | null>;
}

/** A run that is over. */
export class Run {
  private constructor();
  readonly kind: "simulation" | "control";
  readonly columns: string[];
  readonly units: Record<string, string>;
  readonly warnings: Warning[];
  readonly events: RunEvent[];
  /** Number of rows. */
  readonly length: number;
  /** All numbers, row by row. */
  readonly rows: Float64Array;
  column(name: string): Float64Array;
}

export interface SimulationEvent {
  time: number;
  kind: string;
  point: string;
  wall: string;
  /** Place of the joint in v; -1: a point at a wall. */
  joint: number;
  position: number[];
  impulse: number[];
  lost: number;
}

/** A simulation that goes on when it is told to. A mechanism's q and v are those of its tree. */
export class Simulation extends Owned {
  private constructor();
  readonly nq: number;
  readonly nv: number;
  readonly time: number;
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly a: Float64Array;
  readonly tau: Float64Array;
  /** Independent coordinates of a mechanism, and their rates. */
  readonly coordinates: Float64Array;
  readonly rates: Float64Array;
  readonly kinetic: number;
  readonly potential: number;
  readonly elastic: number;
  readonly work: number;
  readonly dissipated: number;
  readonly lost: number;
  /** Energy balance error, J. */
  readonly balance: number;
  readonly contacts: number;
  readonly closure: number;
  /** What is to be said of the run, '' if nothing. */
  readonly remark: string;
  /** Go on by so many seconds. */
  advance(seconds: number): SimulationEvent[];
  /** Start again from a state. */
  start(q: Numbers, v: Numbers, time?: number): void;
  /** Joint forces from now on. */
  drive(tau: Numbers): void;
  /** A force (N, world axes) on a point of a link from now on; null ends it. */
  push(link: string, force: Numbers | null, at?: Numbers): void;
  /** A spring and damper from a point of a link to a place of the world from now on; null ends it. */
  pull(link: string, target: Numbers | null, options?: { at?: Numbers; stiffness?: number; damping?: number }): void;
}

export interface ScenarioOptions {
  /** Name of the scenario, for messages. */
  file?: string;
  /** Files that it names: robots, forces. */
  files?: Record<string, Text>;
}

/** Say where appell.wasm is, before anything else: an address, its bytes, or the compiled module. */
export function init(source?: string | URL | Text | WebAssembly.Module): Promise<void>;
export function version(): Promise<string>;
/** Built-in robots and mechanisms, with a line about each. */
export function builtins(): Promise<Record<string, string>>;
/** Load a robot of a text, or a built-in one by its name. */
export function load(text: Text, options?: LoadOptions): Promise<Model>;
/** The same with closed chains. */
export function loadMechanism(text: Text, options?: LoadOptions): Promise<Mechanism>;
/** Either: `closed` tells which. */
export function loadAny(text: Text, options?: LoadOptions): Promise<Model | Mechanism>;
/** Find mistakes in a robot file. */
export function lint(text: Text, options?: LintOptions & ReadOptions): Promise<Finding[]>;
/** Mass properties of a link in its own frame; inertia: xx xy xz yy yz zz about the centre of mass. */
export interface LinkMass { mass: number; com: [number, number, number]; inertia: [number, number, number, number, number, number] }
export interface Weighed {
  link: string;
  /** "missing", or the rule that suspects its inertia. */
  reason: string;
  done: boolean;
  /** Why it is not done; "". */
  problem: string;
  remark: string;
  before: LinkMass;
  after: LinkMass;
}
/** Inertias from the shapes of a URDF file, for links whose own are missing or suspicious; text: the file with them, null if there are none. */
export function weigh(text: Text, options?: ReadOptions): Promise<{ links: Weighed[]; text: string | null }>;
/** Run a scenario, or a controller on a simulated robot, to its end. onProgress gets the part that is done; false ends it. */
export function simulate(scenario: Text, options?: ScenarioOptions & {
  end?: number; step?: number; onProgress?: (part: number) => boolean | void;
}): Promise<Run>;
/** A scenario to step through. */
export function openSimulation(scenario: Text, options?: ScenarioOptions): Promise<Simulation>;
