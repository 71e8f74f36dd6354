import { armRun, shafeiRun } from "./fixtures.mjs";

export const gallery = () => ({ shafei2018: shafeiRun(), arm: armRun({ events: 40 }) });
