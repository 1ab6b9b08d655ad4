// What operators see of runs: a line for each, without what it was given and what it gave.
import type { RunRecord } from "./run.ts";

export interface RunTelemetry {
  ended(run: RunRecord): void;
}
