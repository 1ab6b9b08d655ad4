// A reporter that ends the run where a test file hangs, and says which: the runner knows no time-outs. No test is judged by its
// speed, and some long suites play thousands of schedules in one test.
import type { Reporter, Test } from "@jest/reporters";

const allowedMinutes = process.env.ARCHWAY_LONG ? 120 : 30;

export default class HungFiles implements Reporter {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  onTestFileStart({ path }: Test): void {
    const end = () => {
      process.stderr.write(`${path} has not ended in ${allowedMinutes} minutes.\n`);
      process.exit(1);
    };
    this.#timers.set(path, setTimeout(end, allowedMinutes * 60_000));
  }

  onTestFileResult({ path }: Test): void {
    clearTimeout(this.#timers.get(path));
  }
}
