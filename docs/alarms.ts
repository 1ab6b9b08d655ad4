// `npm run docs:alarms`: writes the table of alarms in docs/operations.md, from components/alarm-data.ts and from what the local stack declares.
import { readFileSync, writeFileSync } from "node:fs";
import { type AlarmKind, alarmData } from "../components/alarm-data.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../local/program/program.ts";

export const operationsFile = new URL("operations.md", import.meta.url);
const begin = "<!-- npm run docs:alarms -->";
const end = "<!-- end of alarms -->";

/** CloudWatch's price of one alarm in US cents a month (aws.amazon.com/cloudwatch/pricing, read on 2026-11-27). */
const centsAMonth = 10;
/** Subjects of a placeholder are listed up to this many. */
const mostListed = 8;

/** The page with the table of these alarms. */
export function drawn(page: string, alarms: readonly string[]): string {
  const rows = Object.entries<AlarmKind>(alarmData).map(([name, kind]) => row(name, kind, alarms));
  const price = ((alarms.length * centsAMonth) / 100).toFixed(2);
  const text = [
    `The local stack declares ${alarms.length} alarms, which cost ${price} USD a month (0.${centsAMonth} USD each). An alarm's description has its meaning, its first command and its runbook.`,
    ["| Alarm | It rings when | First | Runbook |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ];
  const [before, rest = ""] = page.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n\n${text.join("\n\n")}\n\n${end}${after}`;
}

/** The names of the alarms that the local stack declares. */
export async function declaredAlarms(): Promise<string[]> {
  const { resources } = await evaluateProgram(await readStackConfig(localStackFile));
  return resources.ofType("aws:cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name);
}

function row(name: string, { meaning, first, runbook }: AlarmKind, alarms: readonly string[]): string {
  const [, kind] = /<(.+)>/.exec(name) ?? [];
  const subjects = alarms.flatMap((alarm) => (patternOf(alarm) === name ? (subject(name, alarm) ?? []) : []));
  const listed = subjects.length > mostListed ? ` (${subjects.length})` : `: ${subjects.toSorted().join(", ")}`;
  return `| \`${name}\`${kind ? listed : ""} | ${meaning(`the ${kind}`)} | \`${first}\` | [${runbook}](#${runbook}) |`;
}

/** The name in the data of a declared alarm: the longest that fits, since the dead letters of a schedule are those of a queue, too. */
export function patternOf(alarm: string): string | undefined {
  const names = Object.keys(alarmData).filter((name) => subject(name, alarm) !== undefined);
  return names.toSorted((one, other) => other.length - one.length)[0];
}

/** What the placeholder of a name stands for in an alarm's name; undefined if the two differ. */
function subject(name: string, alarm: string): string | undefined {
  const [start = "", end] = name.split(/<.+>/);
  if (end === undefined) return alarm === name ? "" : undefined;
  return alarm.startsWith(start) && alarm.endsWith(end)
    ? alarm.slice(start.length, -end.length || undefined)
    : undefined;
}

if (import.meta.main) {
  writeFileSync(operationsFile, drawn(readFileSync(operationsFile, "utf8"), await declaredAlarms()));
}
