// docs/newest-clients.md, of what the last stored run found.
import { notPlayed } from "./clients.ts";
import type { Outcome } from "./play.ts";
import type { ClientResult, Results, Silence } from "./results.ts";
import { ofModel, scenarioNames, scenarios } from "./scenarios.ts";

/** Of scenarios that are about a failure. */
const failing = scenarioNames.filter((name) => scenarios[name].mayFail);
const isFailing = (name: string) => failing.some((each) => each === name);
const meanings: Record<Outcome["is"], string> = {
  ok: "answered, and a request of its own was refused",
  vendor: "refused",
  client: "its own error",
  none: "",
  FAIL: "FAIL",
};
const cellOf: Record<Outcome["is"], string> = { ok: "ok", vendor: "v", client: "c", none: "", FAIL: "**FAIL**" };

export function page({ day, clients, silences }: Results): string {
  const played = Object.entries(clients).filter(([, { missing }]) => missing === undefined);
  const missing = Object.entries(clients).filter(([, client]) => client.missing !== undefined);
  const fields = [...new Set(played.flatMap(([, { unclassed }]) => unclassed))];
  const columns = [...new Set(played.flatMap(([, { outcomes }]) => Object.keys(outcomes)))];
  const outcomes = played.flatMap(([, client]) => Object.values(client.outcomes)).filter(({ is }) => is !== "none");
  const count = (is: Outcome["is"]) => outcomes.filter((each) => each.is === is).length;
  const row = ([name, { version, outcomes: found }]: [string, ClientResult]) =>
    `| ${name} | ${version} | ${columns.map((column) => cellOf[found[column]?.is ?? "none"]).join(" | ")} |`;
  return `# The newest clients

Written by \`npm run clients:newest -- --keep\` (test/clients/newest/), ${day}; do not edit it. The newest version of each client, unmodified, against \`npm start\`'s stack with its built-in model host, which
refuses as the real one does ([rules](local-host.md)): nothing here has seen a real model. ${played.length} clients, ${outcomes.length} cells: ${count("ok")} ok, ${count("vendor")} v, ${count("client")} c, ${count("FAIL")} FAIL.

- \`ok\`: the client did what the scenario asks, and no request failed that is not meant to fail.
- \`v\`: the client sends what the vendor's own API refuses for this model, and shows the refusal (below).
- \`c\`: the client fails by itself before it asks anything (below).
- Empty: the client has no such feature, or its program here does not use it.

| Client | Version | ${columns.join(" | ")} |
| --- | --- | ${columns.map(() => "---").join(" | ")} |
${played.map(row).join("\n")}

## The scenarios

${columns.map((column) => `- ${column}: ${aboutOf(column)}`).join("\n")}

## What is not ok

${list(played.flatMap(([name, client]) => notOk(name, client)))}

## What was left out

Flags and fields of the requests that the model host does not know, as \`x-archway-dropped\` named them.

${list(played.filter(([, { leftOut }]) => leftOut.length > 0).map(([name, { leftOut }]) => `${name}: ${leftOut.map((each) => `\`${each}\``).join(", ")}`))}

Fields that clients or the newest SDK's types have and nobody has classed: ${fields.join(", ") || "none"}.

## How clients take a failure

The statuses of a client's requests, in their order.

| Client | ${failing.join(" | ")} |
| --- | ${failing.map(() => "---").join(" | ")} |
${played.map(([name, { outcomes: found }]) => `| ${name} | ${failing.map((each) => found[each]?.why ?? "").join(" | ")} |`).join("\n")}

## Silence

${silencesOf(silences)}

## Not played

${list([...missing.map(([name, client]) => `${name}: ${client.missing}`), ...Object.entries(notPlayed).map(([name, why]) => `${name}: ${why}`)])}
`;
}

const list = (lines: string[]) => lines.map((line) => `- ${line}`).join("\n") || "Nothing.";

function aboutOf(column: string): string {
  const name = scenarioNames.find((each) => each === column);
  return (name ? scenarios[name] : ofModel(column.replace(/^newest: /, ""))).about;
}

function notOk(name: string, { outcomes }: ClientResult): string[] {
  const told = Object.entries(outcomes).filter(
    ([scenario, { is, why }]) => is !== "none" && (is !== "ok" || (why !== undefined && !isFailing(scenario))),
  );
  const byWords = Map.groupBy(told, ([, { is, why = "" }]) => `${meanings[is]}: ${why}`);
  return [...byWords].map(([words, each]) => `${name}, ${each.map(([scenario]) => scenario).join(", ")}: ${words}`);
}

function silencesOf(silences: Silence[]): string {
  if (silences.length === 0) return "Not played.";
  const rows = silences.map(
    ({ client, point, seconds, saw, billed }) => `| ${client} | ${point} | ${seconds} | ${saw} | ${billed} |`,
  );
  return `The model host falls silent in a streamed answer: \`npm run clients:newest -- --silence\`. The stack sends a ping every 15 s, and ends the stream after 300 s.

| Client | Silence | For | What the client saw | Billed |
| --- | --- | --- | --- | --- |
${rows.join("\n")}`;
}
