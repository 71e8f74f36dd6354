// SPDX-License-Identifier: Apache-2.0
// How finely to draw while the picture moves: coarser where frames are slow, sharp again at rest.

const LEAST = 0.5; // pixels drawn per pixel of the page
const SLOW = 34; // ms of a frame above which it gets coarser,
const GOAL = 22; // those it should take,
const QUICK = 11; // and those below which it gets finer again
const REST = 180; // ms without a frame, after which it stands still

/** A finer or coarser ratio after a frame that has taken so long. */
export function nextRatio(ratio, full, took) {
  if (took > SLOW) return Math.max(Math.min(LEAST, full), ratio * Math.max(0.6, Math.sqrt(GOAL / took)));
  return took < QUICK ? Math.min(full, ratio * 1.15) : ratio;
}

export class Resolution {
  /** Calls atRest when no frame has followed for a while and the last one was coarse. */
  constructor(gl, atRest) {
    Object.assign(this, { gl, atRest, moving: Infinity, waits: false, timer: 0 });
  }

  full() {
    return Math.min(globalThis.devicePixelRatio || 1, 2);
  }

  ratio(sharp) {
    return sharp ? this.full() : Math.min(this.moving, this.full());
  }

  /** After a frame was handed to the graphics at such a ratio. */
  drawn(ratio, sharp) {
    clearTimeout(this.timer);
    if (ratio < this.full()) this.timer = setTimeout(this.atRest, REST);
    if (!sharp) this.clock(ratio);
  }

  // The graphics work on while scripts run: a fence says when they are done with the frame.
  clock(ratio) {
    const { gl } = this;
    if (this.waits || !gl.fenceSync) return;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    const start = performance.now();
    if (!fence) return;
    gl.flush();
    this.waits = true;
    const look = () => {
      const took = performance.now() - start;
      const done = gl.isContextLost() || gl.getSyncParameter(fence, gl.SYNC_STATUS) === gl.SIGNALED;
      if (!done && took < 1000) return setTimeout(look, 4);
      this.waits = false;
      gl.deleteSync(fence);
      this.moving = nextRatio(ratio, this.full(), took);
    };
    setTimeout(look, 4);
  }
}
