import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { appClientRecord, connectorClientRecord } from "../../../../adapters/dynamodb/access/app-client.record.ts";
import { tokenFacts } from "../../../../adapters/dynamodb/access/token-facts.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { countedCalls } from "../../../support/dynamodb/counted-calls.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

const facts = () => tokenFacts(rowsOf(plane.document, tableName));
const put = (client_id: string, item: object, key = (client_id: string) => appClientRecord.key({ client_id })) =>
  plane.document.send(new PutCommand({ TableName: tableName, Item: { ...key(client_id), ...item } }));

test("an app client and its tenants are read in one call, and missing ones are left out", async () => {
  const { tenant_id } = await plane.workspace("Facts", "ann");
  await put("helper", { client_id: "helper", use: "token_helper" });
  let read: Awaited<ReturnType<ReturnType<typeof facts>["read"]>> | undefined;
  const calls = await countedCalls(plane.document, async () => {
    read = await facts().read("helper", [tenant_id, "nowhere"]);
  });
  expect(calls).toBe(1);
  expect(read).toMatchObject({ client: { client_id: "helper", use: "token_helper" }, tenants: [{ tenant_id }] });
  expect(await plane.stores.tenants.get(tenant_id)).toEqual(read?.tenants[0]);
});

test.each([
  ["that nobody registered", undefined],
  ["of a use that is not known", { client_id: "odd", use: "administrator" }],
  ["without a use", { client_id: "odd" }],
])("an app client %s has no facts", async (_which, item) => {
  if (item) await put("odd", item);
  expect(await facts().read("odd", [])).toEqual({ client: undefined, tenants: [] });
});

test("the app client of a connector names its tenant", async () => {
  await put("gateway", { client_id: "gateway", use: "connector", tenant_id: "t1" }, (client_id) =>
    connectorClientRecord.key({ client_id }),
  );
  expect((await facts().read("gateway", [])).client).toEqual({
    client_id: "gateway",
    use: "connector",
    tenant_id: "t1",
  });
});

test("the function that registers connectors cannot give an app client another use, nor change the program's own app clients", async () => {
  await put("mallory", { client_id: "mallory", use: "console", tenant_id: "t1" }, (client_id) =>
    connectorClientRecord.key({ client_id }),
  );
  expect((await facts().read("mallory", [])).client).toBeUndefined();
  await put("console", { client_id: "console", use: "console" });
  await put("console", { client_id: "console", use: "connector", tenant_id: "t1" }, (client_id) =>
    connectorClientRecord.key({ client_id }),
  );
  expect((await facts().read("console", [])).client).toEqual({ client_id: "console", use: "console" });
});

test("a workspace is read in its current state, not from a cache", async () => {
  const { tenant_id } = await plane.workspace("Facts that change", "bob");
  const suspended = new UpdateCommand({
    TableName: tableName,
    Key: tenantRecord.key({ tenant_id }),
    UpdateExpression: "SET #status = :suspended",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":suspended": "suspended" },
  });
  await plane.document.send(suspended);
  expect((await facts().read("helper", [tenant_id])).tenants).toMatchObject([{ status: "suspended" }]);
});
