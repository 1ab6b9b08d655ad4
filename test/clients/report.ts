// What is printed, and what docs/clients.md says.
import { type Cell, failures, type Mode, refusalOf, type Way } from "./cell.ts";
import { clients, installedVersion } from "./commands.ts";
import { seconds } from "./judge.ts";
import { clientNames } from "./scenarios.ts";

export function lineOf(cell: Cell): string {
  const { client, mode, way, scenario, problems, milliseconds } = cell;
  const head = `${problems.length === 0 ? "ok  " : "FAIL"} ${client}, ${placeOf(mode, way)}: ${scenario} (${failures(cell)}; ${seconds(milliseconds)})`;
  return [head, ...grouped(problems).map((problem) => `       ${problem}`)].join("\n");
}

/** Each problem once, with how often it was. */
function grouped(problems: string[]): string[] {
  return [...Map.groupBy(problems, (problem) => problem)].map(([problem, { length }]) =>
    length > 1 ? `${problem} (${length} times)` : problem,
  );
}

function placeOf(mode: Mode, way: Way): string {
  return `${mode === "terminal" ? "in a terminal" : "without a terminal"}, ${way === "key" ? "a key in its settings" : "archway setup"}`;
}

/** Scenarios by clients, as Markdown: what was not answered with success, and the longest step. */
function table(cells: Cell[], rowOf: (cell: Cell) => string): string {
  const columns = clientNames.filter((name) => cells.some(({ client }) => client === name));
  const rows = [...Map.groupBy(cells, rowOf)];
  const shown = (row: Cell[], column: string) => {
    const cell = row.find(({ client }) => client === column);
    if (!cell) return "";
    return `${cell.problems.length === 0 ? "" : "**FAIL** "}${failures(cell)}, ${seconds(cell.milliseconds)}`;
  };
  return [
    `| | ${columns.join(" | ")} |`,
    `| --- | ${columns.map(() => "---").join(" | ")} |`,
    ...rows.map(([name, row]) => `| ${name} | ${columns.map((column) => shown(row, column)).join(" | ")} |`),
  ].join("\n");
}

export function tables(cells: Cell[]): string {
  const usual = (mode: Mode, way: Way) => cells.filter((c) => !c.isRefusal && c.mode === mode && c.way === way);
  const parts: [title: string, cells: Cell[], rowOf: (cell: Cell) => string][] = [
    ["In a terminal, as `archway setup` left it", usual("terminal", "setup"), ({ scenario }) => scenario],
    ["In a terminal, with a key in its settings", usual("terminal", "key"), ({ scenario }) => scenario],
    ["Without a terminal, with a key in its settings", usual("headless", "key"), ({ scenario }) => scenario],
    ["Without a terminal, as `archway setup` left it", usual("headless", "setup"), ({ scenario }) => scenario],
    [
      "Refusals",
      cells.filter(({ isRefusal }) => isRefusal).toSorted((a, b) => a.scenario.localeCompare(b.scenario)),
      ({ scenario, mode, way }) => `${scenario}; ${placeOf(mode, way)}`,
    ],
  ];
  return parts
    .filter(([, each]) => each.length > 0)
    .map(([title, each, rowOf]) => `### ${title}\n\n${table(each, rowOf)}`)
    .join("\n\n");
}

export function page(cells: Cell[], date: string): string {
  const failed = cells.filter(({ problems }) => problems.length > 0);
  return `# Clients: what ran, and what each answered

Written by \`npm run clients\` (test/clients/), ${date}; do not edit it. The clients are those of npm, unmodified, each
in a home of its own, against \`npm start\`'s stack with its built-in model host: nothing here has seen a real model.
A run fails on any 4xx or 5xx, any retry, and any ten seconds without a byte that its scenario does not ask for; Claude Code's probes
(\`HEAD {base}\`, \`/api/hello\`) may be 404 and are left out. In a terminal a run also fails if a step takes more than ten seconds, or if
what follows it is not answered. opencode retries each 429 for more than a minute, whatever \`x-should-retry\` says:
that is let pass for a spent budget, and \`archway:budgetStatus: 402\` ends it at once. ${cells.length - failed.length} of ${cells.length} runs are as they should be.

| Client | Package | Version |
| --- | --- | --- |
${clientNames.map((name) => `| ${name} | \`${clients[name].packageName}\` | ${installedVersion(name)} |`).join("\n")}

\`archway setup claude-code\` writes \`CLAUDE_CODE_ATTRIBUTION_HEADER=0\`: three sessions of Opus 5.5 with different first questions, local cache. Without it
each wrote its whole prefix, 12,018 tokens for 0.0615 USD; with it each after the first read 9,541 and wrote 2,459, for 0.0156 USD.

No install script runs: the programs of Claude Code and opencode are those of their platform packages.

## What ran

A cell is the number of exchanges without success and their status, then the seconds of the longest step: from the question until
the client waited for the next one, or had ended; of a refusal without a terminal, from the client's first request. An empty cell: the client has no such feature.

${tables(cells)}

## What a refusal says

${refusals(cells) || "Nothing was refused."}

## What failed

${
  failed
    .map(
      (cell) =>
        `- **${cell.client}, ${placeOf(cell.mode, cell.way)}, ${cell.scenario}**\n${grouped(cell.problems)
          .map((each) => `  - ${each}`)
          .join("\n")}`,
    )
    .join("\n") || "Nothing."
}
`;
}

/** Lists each text of a refusal once, with the clients that showed it at the end. */
function refusals(cells: Cell[]): string {
  const told = cells.filter(({ isRefusal }) => isRefusal).flatMap((cell) => ({ cell, refusal: refusalOf(cell) }));
  const texts = Map.groupBy(told, ({ refusal }) => (refusal ? `${refusal.status} ${refusal.error}` : "no refusal"));
  return [...texts]
    .map(([text, group]) => {
      const scenarios = [...new Set(group.map(({ cell }) => cell.scenario))].join(", ");
      const unread = group.filter(({ refusal }) => !refusal?.isRead);
      const names = unread.map(({ cell }) => `${cell.client} (${placeOf(cell.mode, cell.way)})`).join("; ");
      return `- ${scenarios}: ${text}\n  Read at the end in ${group.length - unread.length} of ${group.length} runs${names ? `, not in ${names}` : ""}.`;
    })
    .join("\n");
}
