// The limits of runs: what one takes and gives, and how many there may be.
import { runSeconds } from "../skills/limits.ts";

const kb = 1024;

export const runLimits = {
  seconds: runSeconds,
  inputBytes: 256 * kb,
  /** Arguments of a script, together. */
  argumentBytes: 64 * kb,
  arguments: 100,
  files: 5,
  /** Bytes of all files of a run together, given or returned. */
  fileBytes: 3 * kb * kb,
  outputBytes: 256 * kb,
  stderrBytes: 64 * kb,
  outputFiles: 10,
  fileNameLength: 100,
} as const;

/** A workspace has so many runs at once and so many seconds of runs a day (UTC); a person starts so many runs a minute. */
export const useLimits = { atOnce: 5, secondsOfDay: 3_600, ofMinute: 30 } as const;

/** How long a run may wait in the queue: one that was not started by then is lost. */
export const mostWaitSeconds = 300;
/** Seconds of a run beside its script: starting the session, writing files, reading results, stopping. */
export const aroundSeconds = 90;
