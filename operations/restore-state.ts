// Puts a restored table in the place of the stack's own: reads what `pulumi stack export` wrote from the standard input, and writes what
// `pulumi stack import` takes. Only the entries of the table and of its items change; `pulumi up --refresh` brings all else after them.
import { text } from "node:stream/consumers";
import * as z from "zod";

const tableType = "aws:dynamodb/table:Table";
const itemType = "aws:dynamodb/tableItem:TableItem";

const resource = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
const exported = z.looseObject({
  version: z.literal(3),
  deployment: z.looseObject({ resources: z.array(resource), pending_operations: z.array(z.unknown()).nullish() }),
});
type Resource = z.output<typeof resource>;

const [from, to] = process.argv.slice(2);
if (!from || !to || from === to) fail("Usage: npm run -s restore:state -- OLD_TABLE NEW_TABLE < EXPORTED > EDITED");
const state = exported.safeParse(parsed(await text(process.stdin)));
if (!state.success) fail("The standard input is no state of version 3, as `pulumi stack export` writes it");
const { deployment } = state.data;
if (deployment.pending_operations?.length) {
  fail("The stack was cut off in mid-change: run `pulumi refresh` first, then export it again");
}
const concerned = deployment.resources.filter((each) => isTable(each, from) || isItemOf(each, from));
if (!concerned.some(({ type }) => type === tableType)) fail(`The state has no table ${from}`);
if (deployment.resources.some((each) => isTable(each, to))) fail(`The state has the table ${to} already`);
for (const each of concerned) Object.assign(each, renamed(each, from, to));
process.stdout.write(`${JSON.stringify(state.data, null, 4)}\n`);
console.error(`${to} is in the place of ${from} in ${concerned.length} entries of ${deployment.resources.length}.`);

function isTable({ type, id }: Resource, name: string): boolean {
  return type === tableType && id === name;
}

function isItemOf({ type, inputs }: Resource, name: string): boolean {
  return type === itemType && inputs?.tableName === name;
}

/** The entry with the new name wherever the old one is a whole part of a value: a name, the end of an ARN, the beginning of an item's id. */
function renamed(value: Resource, from: string, to: string): Resource {
  const part = new RegExp(`(?<![\\w.-])${from.replaceAll(".", "\\.")}(?![\\w.-])`, "g");
  const withName = (one: unknown): unknown => {
    if (typeof one === "string") return one.replaceAll(part, () => to);
    if (Array.isArray(one)) return one.map(withName);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, withName(inner)]));
  };
  const { id, inputs, outputs } = value;
  return { ...value, ...(withName({ id, inputs, outputs }) as object) };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
