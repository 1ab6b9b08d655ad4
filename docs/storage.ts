// `npm run docs:storage`: writes the tables of docs/storage.md, from what the records declare and from the policies that the program does.
import { readFileSync, writeFileSync } from "node:fs";
import type { Listing, Purge, StoredRecord } from "../adapters/dynamodb/record.ts";
import { type Declared, records } from "../adapters/dynamodb/records.ts";
import { removals } from "../adapters/dynamodb/removal.ts";
import { retentionText } from "../domain/kernel/retention.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../local/program/program.ts";

export const storageFile = new URL("storage.md", import.meta.url);

/** A function's policy as the program declares it, in IAM's form. */
export type Policy = { name: string; inputs: { policy: string } };
type Statement = {
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string | string[]>>;
};

const operations: Record<string, string> = {
  "dynamodb:GetItem": "get",
  "dynamodb:BatchGetItem": "batchGet",
  "dynamodb:Query": "query",
  "dynamodb:PutItem": "put",
  "dynamodb:UpdateItem": "update",
  "dynamodb:DeleteItem": "delete",
  "dynamodb:ConditionCheckItem": "condition",
};

/** The page with its tables as they follow today. */
export function drawn(page: string, policies: readonly Policy[], declared: Declared = records): string {
  const tables = {
    records: recordTable(declared),
    purge: purgeTable(declared),
    rights: rightsTable(policies, declared),
  };
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [begin, end] = [`<!-- npm run docs:storage: ${name} -->`, `<!-- end of ${name} -->`];
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Error(`docs/storage.md has no place for ${name}`);
    return `${before}${begin}\n\n${table}\n\n${end}${after}`;
  }, page);
}

/** The keys, the writers and the life of every record. */
export function recordTable(declared: Declared): string {
  return table(
    ["Record", "pk", "sk", "index keys", "Written", "Life", "Version"],
    Object.values(declared).map(({ title, pk, sk, index, activeIndex, written, life, version }) => [
      ...[title, code(pk), code(sk)],
      [index, activeIndex].flatMap((one) => (one ? [listing(one)] : [])).join("; "),
      ...[written, typeof life === "string" ? life : retentionText(life), String(version)],
    ]),
  );
}

/** The rows that go, in the order of the purge, and then those that stay. */
export function purgeTable(declared: Declared): string {
  const going = [...removals(declared, "person"), ...removals(declared, "workspace"), ...removals(declared, "owner")];
  const staying = Object.values(declared).flatMap(({ title, purge }) =>
    "stays" in purge ? [[title, "", purge.stays]] : [],
  );
  const rows = going.map(({ record, purge }) => [record.title, `the ${purge.with}`, wayOf(declared, purge)]);
  return table(["Removed", "with", "found, or why it stays"], [...rows, ...staying]);
}

/** The operations that each function may apply to each kind of record. `*`: only with some attributes. */
export function rightsTable(policies: readonly Policy[], declared: Declared): string {
  const functions = policies
    .map(({ name, inputs }) => ({ name, statements: statementsOf(inputs.policy) }))
    .filter(({ statements }) => statements.length > 0)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rights = functions.map(({ statements }) => rightsOf(statements));
  const keys = keysOf(declared);
  const unknown = rights.flatMap((one) => Object.keys(one)).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw new Error(`rights to keys of no record: ${unknown.join(", ")}`);
  const rows = keys.map((key) => [key.replace(/[A-Z]+#$/, code), ...rights.map((one) => (one[key] ?? []).join(", "))]);
  return table(["Keys", ...functions.map(({ name }) => name)], rows);
}

/** The beginning of keys: `TENANT#` in the table, `index SLUG#` in an index. */
function keysOf(declared: Declared): string[] {
  const all: StoredRecord[] = Object.values(declared);
  const listed = all.flatMap(({ patterns: { index, activeIndex } }) =>
    [index, activeIndex].flatMap((one) => (one ? [`index ${one.pk.prefix}`] : [])),
  );
  return [...new Set([...all.map(({ prefix }) => prefix), ...listed.toSorted()])];
}

function statementsOf(policy: string): Statement[] {
  const { Statement } = JSON.parse(policy) as { Statement: Statement[] };
  return Statement.filter(({ Action }) => Action.some((action) => action.startsWith("dynamodb:")));
}

function rightsOf(statements: readonly Statement[]): Record<string, string[]> {
  const rights: Record<string, string[]> = {};
  for (const { Action, Resource, Condition } of statements) {
    const limits = Condition?.["ForAllValues:StringLike"] ?? {};
    const place = Resource.some((arn) => arn.includes("/index/")) ? "index " : "";
    const words = Action.map(
      (action) => `${operations[action] ?? action}${"dynamodb:Attributes" in limits ? "*" : ""}`,
    );
    for (const pattern of [limits["dynamodb:LeadingKeys"] ?? []].flat()) {
      const key = place + pattern.replace(/\*$/, "");
      rights[key] = [...(rights[key] ?? []), ...words];
    }
  }
  return rights;
}

function wayOf(declared: Declared, purge: Purge): string {
  if (!("by" in purge)) return "";
  const ways = {
    key: "by its key",
    partition: "as the rows of a partition",
    index: "by the first index",
    activeIndex: "by the second index",
    transaction: "at the very end, in one transaction with the audit entry",
  };
  const through = "through" in purge && purge.through !== undefined ? declared[purge.through]?.title : undefined;
  return `${ways[purge.by]}${through ? `, through ${through}` : ""}${orderOf(purge)}`;
}

function orderOf(purge: Exclude<Purge, { stays: string }>): string {
  if (purge.with === "owner") return ", with the other rows of the owner in one transaction";
  return "isLast" in purge && purge.isLast ? ", after the others" : "";
}

function listing({ pk, sk, rows }: Listing): string {
  return `${code(pk)} / ${code(sk)}${rows ? ` ${rows}` : ""}`;
}

/** A key's pattern as people write it: `SKILL#<tenant_id>#<name>`. */
function code(pattern: string): string {
  return `\`${pattern.replaceAll(/\{\w+:month\}/g, "<month>").replaceAll(/\{(\w+)(?::\w+)?\}/g, "<$1>")}\``;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) {
  const { resources } = await evaluateProgram(await readStackConfig(localStackFile));
  const policies = [...resources].filter(({ type }) => type === "aws:iam/rolePolicy:RolePolicy") as unknown as Policy[];
  writeFileSync(storageFile, drawn(readFileSync(storageFile, "utf8"), policies));
  process.exit();
}
