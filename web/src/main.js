// SPDX-License-Identifier: Apache-2.0
import { Clock } from "./clock.js";
import { readRun } from "./data.js";
import { h } from "./dom.js";
import { EventTable } from "./events.js";
import { makeKinematics } from "./kinematics.js";
import { Plots } from "./plots.js";
import { makeReplay } from "./replay.js";
import { makeFacts, makeFigures, makeHeader, makeLedger, makeScenario, makeWarnings, remark } from "./summary.js";
import { startTheme } from "./theme.js";
import { listenToKeys, makeTransport } from "./transport.js";

function start() {
  startTheme();
  const page = document.getElementById("page");
  const began = performance.now();
  let run;
  try {
    run = readRun(JSON.parse(document.getElementById("run").textContent));
  } catch (error) {
    page.replaceChildren(
      remark(
        `This page holds no run that can be read (${error.message}). 'appell report RUN -o FILE.html' writes one that does.`,
      ),
    );
    return;
  }
  document.title = `${run.title}: ${run.program}`;
  const clock = new Clock(run);
  const kin = makeKinematics(run);
  const replay = makeReplay(run, kin, clock);
  const plots = new Plots(run, clock);
  const events = new EventTable(run, clock);
  const sections = [
    makeHeader(run),
    makeFigures(run),
    makeWarnings(run.warnings),
    h("div.stagearea", null, replay.element, plots.element),
    events.element,
    h("div.pair", null, ...[makeLedger(run, clock), makeFacts(run.facts)].filter(Boolean)),
    makeScenario(run.scenario),
  ];
  page.replaceChildren(...sections.filter(Boolean));
  document.body.append(makeTransport(run, clock));
  const view = replay.build ? replay.build() : null;
  plots.start();
  events.draw();
  listenToKeys(clock, view);
  view?.draw();
  page.dataset.ready = String(performance.now() - began);
  globalThis.appell = { run, clock, kin, view, plots, events };
}

start();
