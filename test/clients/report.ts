// What is printed, and what docs/clients.md says.
import { clients, installedVersion } from "./commands.ts";
import { isFailure, isProbe, isReadable, type Run, seconds } from "./judge.ts";
import { type ClientName, clientNames, type Scenario, scenarios } from "./scenarios.ts";

export type Result = { client: ClientName; scenario: Scenario; run: Run; problems: string[] };

export function lineOf({ client, scenario, run, problems }: Result): string {
  const milliseconds = run.finished.reduce((sum, step) => sum + step.milliseconds, 0);
  const head = `${problems.length === 0 ? "ok  " : "FAIL"} ${client}: ${scenario.name} (${answers(run)}; ${seconds(milliseconds)})`;
  return [head, ...grouped(problems).map((problem) => `       ${problem}`)].join("\n");
}

/** `200 x 3, 403 x 1`: what was answered, the probes too. */
function answers({ exchanges }: Run): string {
  const counts = Map.groupBy(exchanges, ({ status, inStream }) => (inStream ? `${status} broken off` : nameOf(status)));
  return [...counts].map(([status, { length }]) => `${status} x ${length}`).join(", ") || "no request";
}

function nameOf(status: number): string {
  if (status === -1) return "left by the client";
  return status === -2 ? "no answer" : String(status);
}

/** Each problem once, with how often it was. */
function grouped(problems: string[]): string[] {
  return [...Map.groupBy(problems, (problem) => problem)].map(([problem, { length }]) =>
    length > 1 ? `${problem} (${length} times)` : problem,
  );
}

/** Scenarios by clients, as Markdown. */
export function table(results: Result[]): string {
  const columns = clientNames.filter((name) => results.some(({ client }) => client === name));
  const rows = scenarios.filter(({ name }) => results.some(({ scenario }) => scenario.name === name));
  const cell = (name: string, column: ClientName) => {
    const result = results.find(({ client, scenario }) => client === column && scenario.name === name);
    if (!result) return "";
    return `${result.problems.length === 0 ? "ok" : "**FAIL**"}: ${answers(result.run)}`;
  };
  return [
    `| Scenario | ${columns.join(" | ")} |`,
    `| --- | ${columns.map(() => "---").join(" | ")} |`,
    ...rows.map(({ name }) => `| ${name} | ${columns.map((column) => cell(name, column)).join(" | ")} |`),
  ].join("\n");
}

export function page(results: Result[], date: string): string {
  const failed = results.filter(({ problems }) => problems.length > 0);
  const refusals = results.filter(({ scenario }) => scenario.refusal);
  return `# Clients: what ran, and what each answered

Written by \`npm run clients\` (test/clients/), ${date}; do not edit it. The clients are those of npm, unmodified, each
in a home of its own, against \`npm start\`'s stack with its built-in model host: nothing here has seen a real model.
A run fails on any 4xx or 5xx, any retry, and any ten seconds without a byte that its scenario does not ask for; Claude Code's probes
(\`HEAD {base}\`, \`/api/hello\`) may be 404. opencode retries each 429 for more than a minute, whatever \`x-should-retry\` says:
that is let pass for a spent budget, and \`archway:budgetStatus: 402\` ends it at once. ${results.length - failed.length} of ${results.length} runs are as they should be.

| Client | Package | Version |
| --- | --- | --- |
${clientNames.map((name) => `| ${name} | \`${clients[name].packageName}\` | ${installedVersion(name)} |`).join("\n")}

No install script runs: the programs of Claude Code and opencode are those of their platform packages.

## What ran

Statuses are those of all exchanges of a run. An empty cell: the client has no such feature.

${table(results)}

## What a refusal looks like in the terminal

${refusals.map(({ client, scenario, run }) => `- ${scenario.name}, ${client}: ${shown(run)}`).join("\n")}

## What failed

${
  failed
    .map(
      ({ client, scenario, problems }) =>
        `- **${client}, ${scenario.name}**\n${grouped(problems)
          .map((each) => `  - ${each}`)
          .join("\n")}`,
    )
    .join("\n") || "Nothing."
}
`;
}

function shown({ finished, exchanges }: Run): string {
  const refusal = exchanges.find((exchange) => isFailure(exchange) && !isProbe(exchange));
  if (!refusal) return "no refusal";
  const readable = finished.every(({ output }) => isReadable(refusal, output));
  return `${readable ? "the proxy's words" : "**not the proxy's words**"}: ${refusal.status} ${refusal.error}`;
}
