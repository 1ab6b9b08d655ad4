// DynamoDB's protocol with constant answers: what the proxy needs to get on, and no store behind it.
import type { Workspace } from "../workspace.ts";
import { readBody, serve } from "./child.ts";

const { items } = JSON.parse(process.env.WORKSPACE ?? "") as Workspace;
const [key, grant] = [items.key.pk?.S, items.grant.sk?.S];

const text = (value: unknown) => Buffer.from(JSON.stringify(value));
const answers = {
  tenant: text({ Items: [items.tenant], Count: 1, ScannedCount: 1 }),
  key: text({ Item: items.key }),
  grant: text({ Item: items.grant }),
  admitted: text({ Attributes: items.spending }),
  done: text({}),
};

function answerOf(operation: string, body: Buffer): Buffer | undefined {
  switch (operation) {
    case "Query":
      return answers.tenant;
    case "GetItem":
      if (body.includes(`"${grant}"`)) return answers.grant;
      return body.includes(`"${key}"`) ? answers.key : undefined;
    case "UpdateItem":
      return body.includes('"ALL_NEW"') ? answers.admitted : answers.done;
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
