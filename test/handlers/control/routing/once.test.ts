import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { idempotencyRecord } from "../../../../adapters/dynamodb/kernel/idempotency.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";
import { thingHandler } from "../../../support/example-routes.ts";

type Member = Claims & { tenant_id: string };

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let ann: Member;
let created: string[];
/** Set by a test: what the next creation does instead. */
let instead: (() => object) | undefined;
let workspaces = 0;

beforeAll(async () => {
  plane = await openControlPlane(undefined, (dependencies) =>
    thingHandler(dependencies, (id) => {
      const act = instead ?? (() => ({ secret: "never leaves" }));
      instead = undefined;
      const more = act();
      created.push(id);
      return more;
    }),
  );
});
afterAll(() => plane.close());
beforeEach(async () => {
  created = [];
  ann = await plane.workspace(`Workspace ${workspaces++}`);
});

const post = (path: string, { as = ann, name = "a", key }: { as?: Partial<Claims>; name?: string; key?: string }) =>
  plane.call("POST", path, { as, body: { name }, headers: key === undefined ? {} : { "idempotency-key": key } });

async function recordOf(key: string) {
  const command = new GetCommand({ TableName: tableName, Key: idempotencyRecord.key({ sub: ann.sub, key }) });
  return (await plane.document.send(command)).Item;
}

test("a request repeated with its Idempotency-Key gets the first answer, and creates nothing", async () => {
  const first = await post("/v1/things", { key: "k" });
  expect(first).toMatchObject({ status: 201, body: { id: created[0], by: ann.sub } });
  const second = await post("/v1/things", { key: "k" });
  expect(second).toMatchObject({ status: 201, body: first.body });
  expect(created).toHaveLength(1);
});

test("without an Idempotency-Key each call creates a record", async () => {
  await post("/v1/things", {});
  await post("/v1/things", {});
  expect(new Set(created).size).toBe(2);
});

test("the answer that is stored for repeats is exactly the answer that was sent", async () => {
  const { body } = await post("/v1/things", { key: "k" });
  expect(body).not.toHaveProperty("secret");
  expect((await recordOf("k"))?.answer).toEqual(body);
});

test("an answer that is shown only once is not stored; a repeat creates again with the first id, and the operation decides", async () => {
  await post("/v1/secrets", { key: "k" });
  expect(await recordOf("k")).not.toHaveProperty("answer");
  instead = () => {
    throw new Refusal("idempotency_key_used", "idempotency-key: it is there");
  };
  expect(await post("/v1/secrets", { key: "k" })).toMatchObject({ status: 409 });
  await post("/v1/secrets", { key: "k" });
  expect(new Set(created).size).toBe(1);
});

test("an interrupted creation continues with its id", async () => {
  instead = () => {
    throw new Error("the function is gone");
  };
  expect(await post("/v1/things", { key: "k" })).toMatchObject({ status: 500 });
  const reserved = (await recordOf("k"))?.resource_id;
  expect(await post("/v1/things", { key: "k" })).toMatchObject({ status: 201, body: { id: reserved } });
});

test("an Idempotency-Key with another body, route, parameter or workspace is a conflict", async () => {
  const message = "idempotency-key: it was used for another request within the last 24 hours";
  const other = await plane.workspace(`Workspace ${workspaces++}`, ann.sub);
  await post("/v1/things", { key: "k" });
  await post("/v1/things/red/again", { key: "l" });
  for (const reply of [
    await post("/v1/things", { key: "k", name: "b" }),
    await post("/v1/secrets", { key: "k" }),
    await post("/v1/things", { key: "k", as: other }),
    await post("/v1/things/blue/again", { key: "l" }),
  ]) {
    expect(reply).toMatchObject({ status: 409, body: { error: { message } } });
  }
  expect(created).toHaveLength(2);
});

test("a new token with another workspace is the same caller for an Idempotency-Key, if the route does not need a workspace", async () => {
  const first = await post("/v1/things/red/again", { key: "k", as: { ...ann, tenant_id: undefined } });
  const second = await post("/v1/things/red/again", { key: "k", as: ann });
  expect(second).toMatchObject({ status: 201, body: first.body });
});

test("a route that is not idempotent ignores an Idempotency-Key", async () => {
  await post("/v1/events", { key: "k" });
  expect(await recordOf("k")).toBeUndefined();
  expect(await post("/v1/events", { key: "k", name: "b" })).toMatchObject({ status: 201, body: { id: "b" } });
});

test("a request that is refused before anything is created leaves its Idempotency-Key unused", async () => {
  const { tenant_id, sub } = ann;
  expect(await post("/v1/things", { key: "k", as: { sub: "stranger", tenant_id } })).toMatchObject({ status: 403 });
  expect(
    await plane.call("POST", "/v1/things", { as: ann, body: {}, headers: { "idempotency-key": "k" } }),
  ).toMatchObject({ status: 400 });
  expect(await recordOf("k")).toBeUndefined();
  expect(await post("/v1/things", { key: "k" })).toMatchObject({ status: 201, body: { by: sub } });
});
