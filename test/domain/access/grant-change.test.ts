import { beforeEach, expect, test } from "@jest/globals";
import { type GrantRecord, grantBody } from "../../../domain/access/grant.ts";
import { deleteGrant, replaceGrant } from "../../../domain/access/grant-change.ts";
import { keyDependencies, limits } from "../../support/people/key-dependencies.ts";
import { memberCommand } from "../../support/people/members.ts";
import { ann, memoryStores } from "../../support/people/memory-stores.ts";

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: ReturnType<typeof keyDependencies>;
beforeEach(async () => {
  stores = await memoryStores();
  deps = keyDependencies(stores);
});

const replace = (changes: object = {}, expected?: string[], sub = "dan") =>
  replaceGrant(deps, ann, sub, grantBody.parse({ ...limits, ...changes }), expected);
const actions = async () => (await stores.trail()).map(({ action }) => action).toReversed();

test("a grant is replaced as a whole, and records a usable region and the person who gave it", async () => {
  await replace({ max_in_flight: 3 });
  stores.time.now += 1_000;
  const grant = await replace({ monthly_budget_usd: 2 });
  expect(grant).toEqual({
    tenant_id: "t1",
    dev_sub: "dan",
    ...limits,
    monthly_budget_usd: 2,
    budget_enforcement: "reserved",
    allow_global_profiles: false,
    // The workspace's own region, eu-central-1, is not allowed.
    default_region: "us-east-1",
    updated_at: "2026-11-21T05:00:01.000Z",
    updated_by: "ann",
  });
  expect(await stores.grants.get("t1", "dan")).toEqual(grant);
  expect(await actions()).toEqual(["grant.put", "grant.put"]);
});

test("a grant that is replaced by the same grant keeps its version and gets no audit entry", async () => {
  const first = await replace();
  stores.time.now += 1_000;
  expect(await replace({ budget_enforcement: "reserved" })).toEqual(first);
  expect(await actions()).toEqual(["grant.put"]);
});

test("a grant can be given only to members and invited people, and only for models of the catalog", async () => {
  await stores.client.send(memberCommand({ sub: "ivy", tenant_id: "t1", invited_at: "2026-11-21T05:00:00.000Z" }));
  await stores.client.send(memberCommand({ sub: "rob", tenant_id: "t1", status: "removed" }));
  expect(await replace({}, undefined, "ivy")).toMatchObject({ dev_sub: "ivy" });
  for (const sub of ["rob", "stranger"]) {
    await expect(replace({}, undefined, sub)).rejects.toThrow(`dev_sub: ${sub} is not a member of this workspace`);
  }
  await expect(replace({ allowed_models: ["claude-2"] })).rejects.toThrow(/^allowed_models\.0: no model "claude-2"/);
});

test("in a suspended workspace a grant can be lowered, and neither raised nor given", async () => {
  await replace({ monthly_budget_usd: 2 });
  const tenant = await stores.tenants.get("t1");
  deps = { ...deps, tenants: { ...deps.tenants, get: async () => tenant && { ...tenant, status: "suspended" } } };
  const refused = { code: "tenant_suspended" };
  await expect(replace({ monthly_budget_usd: 3 })).rejects.toMatchObject(refused);
  await expect(replace({}, undefined, "ann")).rejects.toMatchObject(refused);
  expect(await replace({ monthly_budget_usd: 1 })).toMatchObject({ monthly_budget_usd: 1 });
});

test("a grant is changed and deleted only on the expected version; 0 expects no grant", async () => {
  const first = await replace({}, ["0"]);
  const second = await replace({ monthly_budget_usd: 2 }, [first.updated_at]);
  // The time is the version, so it moves although the clock stands still.
  expect(second.updated_at > first.updated_at).toBe(true);
  await expect(replace({}, [first.updated_at])).rejects.toMatchObject({ code: "precondition_failed" });
  const remove = (expected?: string[], sub = "dan") =>
    deleteGrant({ ...deps, users: stores.users }, ann, sub, expected);
  await expect(remove([first.updated_at])).rejects.toMatchObject({ code: "precondition_failed" });
  await remove([second.updated_at]);
  await remove();
  await expect(remove([second.updated_at])).rejects.toMatchObject({ code: "precondition_failed" });
  await expect(remove(undefined, "stranger")).rejects.toMatchObject({ code: "not_found" });
  expect(await actions()).toEqual(["grant.put", "grant.put", "grant.delete"]);
});

test("a change of a grant that conflicts with another change starts again from the stored grant, and gives up after a few attempts", async () => {
  let others = 2;
  const outrun = async (grant: GrantRecord) => {
    if (others-- > 0)
      await replaceGrant(keyDependencies(stores), ann, "dan", { ...grant, monthly_budget_usd: others }, undefined);
  };
  const put: typeof stores.grants.put = async (grant, change) => {
    await outrun(grant);
    return stores.grants.put(grant, change);
  };
  const racing = { ...deps, grants: { ...stores.grants, put } };
  const written = await replaceGrant(
    racing,
    ann,
    "dan",
    grantBody.parse({ ...limits, monthly_budget_usd: 9 }),
    undefined,
  );
  expect(await stores.grants.get("t1", "dan")).toEqual(written);
  others = 100;
  await expect(replaceGrant(racing, ann, "dan", grantBody.parse(limits), undefined)).rejects.toMatchObject({
    code: "changed_meanwhile",
    fields: [{ path: "dev_sub" }],
  });
});
