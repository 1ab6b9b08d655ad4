// Keys are changed on the version that their reader saw; what changes nothing leaves the version, and no entry.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { type Call, openControlPlane } from "../../../support/control-plane.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };
let path: string;
let workspaces = 0;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

const grant = { allowed_models: ["*"], allowed_regions: ["us-east-1"], monthly_budget_usd: 1 };
const call = (method: string, to: string, request: Call = {}) => plane.call(method, to, { as: owner, ...request });
const at = (version: number | string) => ({ "if-match": `"${version}"` });
const actions = async () =>
  (await call("GET", "/v1/audit")).body.data.map(({ action }: { action: string }) => action).reverse();

beforeEach(async () => {
  owner = await plane.workspace(`Versions ${workspaces++}`);
  const made = await call("POST", "/v1/keys", { body: { name: "CI", kind: "service_account", grant } });
  expect(made.headers.etag).toBe('"1"');
  path = `/v1/keys/${made.body.key_id}`;
});

test("a change of a key with If-Match applies only to that version", async () => {
  const patch = (name: string, version: number) => call("PATCH", path, { body: { name }, headers: at(version) });
  expect((await patch("One", 1)).headers.etag).toBe('"2"');
  const { status, body } = await patch("Two", 1);
  expect([status, body.error.details.error_code]).toEqual([412, "precondition_failed"]);
  expect(body.error.message).toContain('its version is "2" now');
  // One of two simultaneous changes passes; the other is told that there was a change.
  const both = await Promise.all([patch("Three", 2), patch("Four", 2)]);
  expect(both.map((one) => one.status).toSorted()).toEqual([200, 412]);
  expect((await call("GET", "/v1/keys")).body.data).toMatchObject([{ version: 3 }]);
  expect(await actions()).toEqual(["tenant.create", "key.create", "key.update", "key.update"]);
});

test("a rotation with If-Match applies only to the old key's version, and answers with the new key's", async () => {
  const rotate = (version: number, key: string) =>
    call("POST", `${path}/rotate`, { body: {}, headers: { ...at(version), "idempotency-key": key } });
  expect((await rotate(7, "first")).status).toBe(412);
  const rotated = await rotate(1, "second");
  expect([rotated.status, rotated.headers.etag]).toEqual([201, '"1"']);
  // A repeat is told of its own key, and not that the old one has changed by it.
  const { status, body } = await rotate(1, "second");
  expect([status, body.error.message]).toEqual([409, expect.stringContaining(rotated.body.key_id)]);
  expect((await rotate(1, "third")).status).toBe(412);
  expect(await actions()).toEqual(["tenant.create", "key.create", "key.rotate"]);
});

test("a revocation with If-Match applies only to that version", async () => {
  const revoke = (version: number | string) => call("DELETE", path, { headers: at(version) });
  expect((await revoke("2")).status).toBe(412);
  expect((await revoke("1")).status).toBe(204);
  expect((await call("GET", "/v1/keys")).body.data).toMatchObject([{ status: "revoked", version: 2 }]);
});

test.each([
  ["the name", { name: "CI" }],
  ["the limits, however they are written", { grant: { ...grant, budget_enforcement: "reserved" } }],
  ["no end", { expires_at: null }],
])("a PATCH of a key with %s that it has already answers with the key, and writes nothing", async (_, body) => {
  const { status, headers, body: key } = await call("PATCH", path, { body });
  expect([status, headers.etag, key.name]).toEqual([200, '"1"', "CI"]);
  expect(await actions()).toEqual(["tenant.create", "key.create"]);
});

test("changing, suspending or resuming a workspace without effect writes nothing", async () => {
  const tenant = `/v1/tenants/${owner.tenant_id}`;
  const { body } = await call("GET", tenant);
  for (const same of [{ name: body.name }, { monthly_cap_usd: null }, { default_region: body.default_region }]) {
    expect(await call("PATCH", tenant, { body: same })).toMatchObject({ status: 200, body, headers: { etag: '"0"' } });
  }
  const admin: Call = { as: { sub: "root", platform_role: "platform_admin" } };
  expect((await call("POST", `${tenant}/resume`, admin)).headers.etag).toBe('"0"');
  const suspend = () => call("POST", `${tenant}/suspend`, { ...admin, body: { reason: "Unpaid" } });
  expect([(await suspend()).headers.etag, (await suspend()).headers.etag]).toEqual(['"1"', '"1"']);
  expect(await actions()).toEqual(["tenant.create", "key.create", "tenant.suspend"]);
});
