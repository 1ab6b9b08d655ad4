// `npm run bench:budget`: agents' traffic in virtual time over the product's own rules and expressions, against other rules.
// The process exits with 1 if the new rule refuses a call, or lets one pass, that it must not.
import { parseArgs } from "node:util";
import { problemsOf } from "./budget/judge.ts";
import { simulate } from "./budget/parts.ts";
import { tables } from "./budget/tables.ts";

const usage = `Usage: npm run bench:budget -- [options]

  --quick   a look, under half a minute
  --runs N  of each judged shape under the new rule; 120 unless given, a third of it for all others
  --seed N  the first run's seed, 1 unless given: the same seed prints the same tables
  --help    this text
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    runs: { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(usage);
else {
  const runs = Number(values.runs ?? (values.quick ? 4 : 120));
  const firstSeed = Number(values.seed);
  if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(firstSeed)) throw new Error(usage);
  const progress = (text: string) => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`));
  const results = await simulate({ runs, fewerRuns: Math.ceil(runs / 3), firstSeed }, progress);
  progress("");
  console.log(tables(results));
  const problems = problemsOf(results);
  for (const problem of problems) console.error(`WRONG: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
