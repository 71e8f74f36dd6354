// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file, found beside the page: the doctor samples motions, and a page must not wait for it. The
// worker is this page's own script once more, with the same module.

import { init, lint, loadAny, weigh } from "../appell/index.js";

const LONGEST = 60000; // ms for a file; then what needs motions is left out

const quiet = { disable: ["mesh-missing", "mesh-scale"] }; // the page has no folders to look in

async function examine({ source, quick }) {
  const { bytes, builtin, file, files, options } = source;
  if (builtin) {
    const robot = await loadAny(builtin, options);
    const findings = robot.lint({ quick });
    robot.free();
    return { findings, weighed: null };
  }
  const findings = await lint(bytes, { ...quiet, file, files, quick });
  const isUrdf = /<robot[\s>]/.test(new TextDecoder().decode(bytes.subarray(0, 1 << 16)));
  const weighed =
    isUrdf && findings.some(({ severity }) => severity !== "note")
      ? await weigh(bytes, { file }).catch(() => null)
      : null;
  return { findings, weighed };
}

/** In the worker: answers one question after the other. */
export function serve() {
  let ready = null;
  addEventListener("message", async ({ data: { module, question, number } }) => {
    if (module) return void (ready = init(module));
    try {
      await ready;
      postMessage({ number, answer: await examine(question) });
    } catch (error) {
      postMessage({ number, failure: error.message });
    }
  });
}

/** In the page. */
export class Doctor {
  constructor(module, script) {
    this.module = module;
    this.script = script;
    this.number = 0;
  }

  start() {
    if (this.worker || this.script === null) return;
    try {
      const url = URL.createObjectURL(new Blob([this.script], { type: "text/javascript" }));
      this.worker = new Worker(url);
      this.worker.postMessage({ module: this.module });
    } catch {
      this.worker = null;
      this.script = null; // no workers here
    }
  }

  /** Findings, and what shapes say; null where there is nothing to be had. */
  async examine({ bytes = null, builtin = null, file, files = {}, options }, quick = false) {
    const source = { bytes, builtin, file, files, options };
    this.cancel?.(); // of the robot before, which nobody looks at any longer
    this.start();
    if (!this.worker) return examine({ source, quick: true });
    const { worker } = this;
    const number = ++this.number;
    const answer = await new Promise((done) => {
      const end = (value) => {
        clearTimeout(timer);
        this.cancel = null;
        done(value);
      };
      this.cancel = () => {
        this.stop();
        end(null);
      };
      const timer = setTimeout(() => end("late"), LONGEST);
      worker.onmessage = ({ data }) => data.number === number && end(data.answer ?? null);
      worker.onerror = (event) => {
        event.preventDefault();
        end("late");
      };
      worker.postMessage({ question: { source, quick }, number });
    });
    if (answer !== "late") return answer;
    this.stop();
    return quick ? null : this.examine(source, true);
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
  }
}
