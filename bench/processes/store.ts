// DynamoDB's protocol with constant answers: what the proxy needs to get on, and no store behind it.
import type { Item, Workspace } from "../workspace.ts";
import { readBody, serve } from "./child.ts";

const { items } = JSON.parse(process.env.WORKSPACE ?? "") as Workspace;

const text = (value: unknown) => Buffer.from(JSON.stringify(value));
const answers = {
  tenant: text({ Items: [items.tenant], Count: 1, ScannedCount: 1 }),
  /** DynamoDB answers a write so, and a read of a row that is not there. */
  done: text({}),
};
const rows = new Map(
  [items.address, ...items.keys, ...items.grants].map((item) => [nameOf(item), text({ Item: item })]),
);

function nameOf(key: Item): string {
  return `${key.pk?.S} ${key.sk?.S}`;
}

const spending = JSON.stringify(items.spending).slice(0, -1);

/**
 * An admission looks for its own reservation in the item that it is answered with. It is cut out of the request's text: parsing
 * that would take the processor from the proxy, which on AWS has it alone.
 */
function updated(body: Buffer): Buffer {
  const request = body.toString("latin1");
  const name = /"#r":"([^"]+)"/.exec(request)?.[1];
  const own = /":r":(\{"M":\{.*?\}\}\})/.exec(request)?.[1];
  return Buffer.from(`{"Attributes":${spending}${name && own ? `,"${name}":${own}` : ""}}}`, "latin1");
}

function answerOf(operation: string, body: Buffer): Buffer | undefined {
  switch (operation) {
    case "Query":
      return answers.tenant;
    case "GetItem":
      return rows.get(nameOf(JSON.parse(body.toString()).Key)) ?? answers.done;
    case "UpdateItem":
      return body.includes('"ALL_NEW"') ? updated(body) : answers.done;
    case "PutItem":
      return answers.done;
    default:
      return undefined;
  }
}

serve(async (request, response) => {
  const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
  const known = answerOf(operation, await readBody(request));
  const body = known ?? text({ __type: "ValidationException", message: `the benchmark's store has no ${operation}` });
  response.writeHead(known ? 200 : 400, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": body.length,
  });
  response.end(body);
});
