// SPDX-License-Identifier: Apache-2.0
import { Clock } from "./clock.js";
import { readRun } from "./data.js";
import { h } from "./dom.js";
import { EventTable } from "./events.js";
import { makeKinematics } from "./kinematics.js";
import { Plots } from "./plots.js";
import { makeReplay } from "./replay.js";
import { makeFacts, makeFigures, makeHeader, makeLedger, makeRuns, makeScenario, makeWarnings, remark } from "./summary.js";
import { startTheme } from "./theme.js";
import { listenToKeys, makeHelp, makeTransport } from "./transport.js";

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
  const others = run.others.map((other) => ({ run: other, kin: makeKinematics(other) }));
  const plots = new Plots(run, clock, kin);
  const replay = makeReplay(run, kin, clock, others, (body) => plots.light(body, view?.robot.carriers ?? []));
  const events = new EventTable(run, clock);
  const sections = [
    makeHeader(run),
    makeFigures(run),
    makeRuns(run),
    makeWarnings([...run.warnings, ...run.others.flatMap(({ title, warnings }) => warnings.map((text) => `${title}: ${text}`))]),
    h("div.stagearea", null, replay.element, plots.element),
    events.element,
    h("div.pair", null, ...[makeLedger(run, clock), makeFacts(run.facts)].filter(Boolean)),
    makeScenario(run.scenario),
  ];
  page.replaceChildren(...sections.filter(Boolean));
  document.body.append(makeTransport(run, clock));
  const view = replay.build ? replay.build() : null;
  plots.onColumn = (body) => view?.light(body);
  plots.start();
  events.draw();
  const help = makeHelp();
  document.body.append(help);
  page.querySelector(".top .keys")?.addEventListener("click", () => help.showModal());
  listenToKeys(clock, view, plots, help);
  view?.draw();
  page.dataset.ready = String(performance.now() - began);
  globalThis.appell = { run, clock, kin, view, plots, events };
}

// The live page has this script, too, for the reports that it writes.
if (globalThis.document?.getElementById("run")) start();
