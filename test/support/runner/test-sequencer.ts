// The order of the tests: those that start whole stacks first, and the longest before all. On a machine that runs them for the first
// time Jest goes by the size of a file, and one core would wait for the longest at the end.
import { createRequire } from "node:module";
import { relative } from "node:path";
import type sequencer from "@jest/test-sequencer";

// Its types are those of its CommonJS file.
const Sequencer: typeof sequencer.default = createRequire(import.meta.url)("@jest/test-sequencer").default;
type Tests = Awaited<ReturnType<InstanceType<typeof Sequencer>["sort"]>>;

/** The suites that take longest, the longest first. */
const longest = [
  "budget/limits",
  "billing/billing-usage",
  "access/token-helper",
  "skills/skills-server",
  "billing/debt",
  "messages/clients",
  "metering/notices",
].map((name) => `test/e2e/${name}.test.ts`);

export default class StacksFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const rank = ({ path, context }: Tests[number]) => {
      const name = relative(context.config.rootDir, path);
      const place = longest.indexOf(name);
      if (place >= 0) return place;
      return name.startsWith("test/e2e/") ? longest.length : longest.length + 1;
    };
    return [...(await super.sort(tests))].sort((one, other) => rank(one) - rank(other));
  }
}
