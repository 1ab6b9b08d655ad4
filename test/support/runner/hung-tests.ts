// Ends a process whose test hangs, and says which: the runner knows no time-outs. No test is judged by its speed, and some long
// suites play thousands of schedules in one test.
import { expect } from "@jest/globals";
import { isLong } from "../sizes.ts";

const allowedMinutes = isLong ? 30 : 10;

let running = "";
let minutes = 0;

// A timer of the machine, whatever timers a test fakes later.
setInterval(() => {
  const { testPath, currentTestName } = expect.getState();
  const name = `${testPath}: ${currentTestName ?? "before its first test"}`;
  minutes = name === running ? minutes + 1 : 0;
  running = name;
  if (minutes < allowedMinutes) return;
  process.stderr.write(`Has not ended in ${minutes} minutes: ${name}\n`);
  process.exit(1);
}, 60_000).unref();
