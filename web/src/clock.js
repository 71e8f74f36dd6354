// SPDX-License-Identifier: Apache-2.0
// The moment that everything shows, and how it goes on.

import { lastAtOrBelow } from "./data.js";

export class Clock {
  constructor(run) {
    Object.assign(this, { run, t: run.start, speed: 1, playing: false });
    this.listeners = [];
  }

  on(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  set(t) {
    const { start, end } = this.run;
    this.t = Math.min(Math.max(Number.isFinite(t) ? t : start, start), end);
    this.tell();
  }

  setSpeed(speed) {
    this.speed = Math.min(Math.max(speed, 0.01), 10);
    this.tell();
  }

  play() {
    if (this.playing || !(this.run.end > this.run.start)) return;
    if (this.t >= this.run.end) this.t = this.run.start;
    this.playing = true;
    this.before = performance.now();
    requestAnimationFrame((now) => this.step(now));
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  step(now) {
    if (!this.playing) return;
    // After a pause of the browser (another tab was in front) go on, don't jump.
    const passed = Math.min(Math.max(now - this.before, 0), 250) / 1000;
    this.before = now;
    const t = this.t + passed * this.speed;
    if (t >= this.run.end) this.playing = false;
    else requestAnimationFrame((later) => this.step(later));
    this.set(t);
  }

  /** To the next or the previous event; from one to another, moments apart by rounding are one. */
  jump(direction) {
    const { eventTimes, start, end } = this.run;
    const least = 1e-9 * (end - start);
    this.playing = false;
    if (direction > 0) {
      const next = lastAtOrBelow(eventTimes, this.t + least) + 1;
      this.set(next < eventTimes.length ? eventTimes[next] : end);
      return;
    }
    let before = lastAtOrBelow(eventTimes, this.t - least);
    while (before >= 0 && eventTimes[before] > this.t - least) before--;
    this.set(before >= 0 ? eventTimes[before] : start);
  }

  /** By rows: to the row that is so many away. */
  stepRows(count) {
    const { run } = this;
    if (run.rows === 0) return;
    this.playing = false;
    let row = Math.max(0, lastAtOrBelow(run.time, this.t + 1e-12));
    while (count < 0 && row > 0 && run.time[row - 1] === run.time[row]) row--; // the sides of a jump are one moment
    this.set(run.time[Math.min(Math.max(row + count, 0), run.rows - 1)]);
  }
}
