import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { thingHandler } from "../../../support/example-routes.ts";

type Person = Partial<Claims>;

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };
let developer: Person;
let stranger: Person;
const admin: Person = { sub: "root", platform_role: "platform_admin" };

beforeAll(async () => {
  plane = await openControlPlane(undefined, (dependencies) => thingHandler(dependencies, () => ({})));
  owner = await plane.workspace("Acme");
  developer = await plane.developer(owner.tenant_id);
  stranger = await plane.workspace("Other");
});
afterAll(() => plane.close());

const get = (path: string, as: Person) => plane.call("GET", path, { as });

describe("an operation is reached, with what its access rule proves of the caller, by", () => {
  test("a route for anyone signed in admits every person with a valid token", async () => {
    for (const person of [owner, developer, stranger, admin]) {
      expect(await get("/v1/things/signed-in", person)).toMatchObject({ status: 200, body: {} });
    }
  });

  test("a route for members admits a member", async () => {
    const { tenant_id } = owner;
    expect((await get("/v1/things/member", owner)).body).toEqual({ role: "owner", tenant_id });
    expect((await get("/v1/things/member", developer)).body).toEqual({ role: "developer", tenant_id });
    expect(await get("/v1/things/member", { ...stranger, tenant_id })).toMatchObject({ status: 403 });
    expect(await get("/v1/things/member", admin)).toMatchObject({ status: 404 });
  });

  test("a route for owners admits the role owner", async () => {
    const { tenant_id } = owner;
    expect((await get("/v1/things/owner", owner)).body).toEqual({ role: "owner", tenant_id });
    for (const person of [developer, { ...stranger, tenant_id }, { ...admin, tenant_id }]) {
      const { status, body } = await get("/v1/things/owner", person);
      expect([status, body.error.details.error_code]).toEqual([403, "role_missing"]);
    }
  });

  test("a route for a tenant's owner admits the owner of the tenant in the path, with any token", async () => {
    const { tenant_id } = owner;
    const path = `/v1/tenants/${tenant_id}/things`;
    for (const named of [tenant_id, stranger.tenant_id, undefined]) {
      const { body } = await get(path, { ...owner, tenant_id: named });
      expect(body).toEqual({ tenant_id, name: "Acme" });
    }
  });

  test("a route for a tenant's owner refuses a developer of the tenant", async () => {
    const { status, body } = await get(`/v1/tenants/${owner.tenant_id}/things`, developer);
    expect([status, body.error.message]).toEqual([403, "This needs the role owner; yours is developer"]);
  });

  test("a route is not found for callers whom its access rule does not admit", async () => {
    const { tenant_id } = owner;
    for (const person of [
      { ...stranger, tenant_id },
      { ...admin, tenant_id },
    ]) {
      const { status, body } = await get(`/v1/tenants/${tenant_id}/things`, person);
      expect([status, body.error.message]).toEqual([404, `id: there is no workspace ${tenant_id} here`]);
    }
    expect(await get("/v1/tenants/nothing/things", owner)).toMatchObject({ status: 404 });
  });

  test("a route for platform admins admits a platform admin", async () => {
    expect((await get("/v1/things/platform-admin", admin)).body).toEqual({ role: "platform_admin" });
    for (const person of [owner, developer, stranger]) {
      const { status, body } = await get("/v1/things/platform-admin", person);
      expect([status, body.error.details.error_code]).toEqual([403, "role_missing"]);
    }
  });
});

test("the log names the tenant in the path, and not the token's", async () => {
  await get(`/v1/tenants/${owner.tenant_id}/things`, { ...owner, tenant_id: stranger.tenant_id });
  expect(plane.lines.at(-1)?.facts).toMatchObject({
    route: "GET /v1/tenants/{id}/things",
    tenant_id: owner.tenant_id,
  });
});
