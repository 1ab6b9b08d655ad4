import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import { openControlPlane, type Reply } from "../../../support/control-plane.ts";
import { memberCommand } from "../../../support/people/members.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };

const now = Date.parse("2026-11-21T05:30:00Z");
const month = "2026-11";

const time = { now };
let plane: ControlPlane;
let owner: Person;
let developer: Person;
let workspaces = 0;

beforeAll(async () => {
  plane = await openControlPlane(() => ({ clock: () => time.now }));
});
afterAll(() => plane.close());
beforeEach(async () => {
  time.now = now;
  owner = await plane.workspace(`Me ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
});

const me = async (as: Partial<Claims>) => (await plane.call("GET", "/v1/me", { as })).body;

function setTenant(attribute: string, value: unknown) {
  const command = new UpdateCommand({
    TableName: "main",
    Key: tenantRecord.key({ tenant_id: owner.tenant_id }),
    UpdateExpression: "SET #a = :v",
    ExpressionAttributeNames: { "#a": attribute },
    ExpressionAttributeValues: { ":v": value },
  });
  return plane.document.send(command);
}

function spend(sub: string, spent: number) {
  const Item = {
    ...spendingRecord.key({ tenant_id: owner.tenant_id, caller_id: sub, month }),
    spent,
    committed: spent,
    inflight: 0,
    tat: 0,
  };
  return plane.document.send(new PutCommand({ TableName: "main", Item }));
}

describe("signing out everywhere", () => {
  const signOut = (as: Partial<Claims>) => plane.call("POST", "/v1/me/sign-out-everywhere", { as });
  const code = ({ status, body }: Reply) => [status, body?.error?.details?.error_code];

  test("signing out everywhere ends the person's sign-ins at the identity provider, and makes every route refuse the earlier tokens", async () => {
    const before = { ...developer, auth_time: now / 1000 - 1 };
    expect(await me(before)).toMatchObject({ user_id: developer.sub });
    expect((await signOut({ ...developer, auth_time: now / 1000 - 3_000 })).status).toBe(204);
    expect(plane.ended).toEqual([developer.sub]);
    time.now = now + 60_000;
    expect(code(await plane.call("GET", "/v1/me", { as: before }))).toEqual([401, "credential_ended"]);
    expect(code(await plane.call("GET", "/v1/keys", { as: before }))).toEqual([401, "credential_ended"]);
    expect(code(await signOut(before))).toEqual([401, "credential_ended"]);
    expect(await me({ ...developer, auth_time: now / 1000 })).toMatchObject({ user_id: developer.sub });
    expect(await me({ ...owner, auth_time: before.auth_time })).toMatchObject({ user_id: owner.sub });
  });

  test("signing out everywhere takes effect even if the identity provider does not answer, and a repeat ends the sign-ins there", async () => {
    let attempts = 0;
    const failing = await openControlPlane(({ accounts }) => ({
      clock: () => now,
      accounts: {
        ...accounts,
        async endSignIns() {
          attempts += 1;
          if (attempts === 1) throw new Refusal("identity_unavailable", "not now");
        },
      },
    }));
    const as = { sub: "ann", auth_time: now / 1000 - 1 };
    expect(code(await failing.call("POST", "/v1/me/sign-out-everywhere", { as }))).toEqual([
      503,
      "identity_unavailable",
    ]);
    expect(await failing.stores.signOuts.of("ann")).toBe(now);
    expect((await failing.call("POST", "/v1/me/sign-out-everywhere", { as })).status).toBe(204);
    await failing.close();
  });
});

describe("the own budget", () => {
  test("the caller's budget tells a developer the rest, the time of the reset, the models and the regions", async () => {
    const grant = { allowed_models: ["claude-haiku-4-5"], allowed_regions: ["us-east-1"], monthly_budget_usd: 12.5 };
    await plane.call("PUT", `/v1/grants/${developer.sub}`, { as: owner, body: grant });
    await spend(developer.sub, 2_000_000_001);
    expect((await me(developer)).budget).toEqual({
      month,
      spent_usd: 2.000000001,
      reserved_usd: 0,
      limit_usd: 12.5,
      left_usd: 10.499999999,
      resets_at: "2026-12-01T00:00:00.000Z",
      models: ["claude-haiku-4-5"],
      regions: ["us-east-1"],
      default_region: "us-east-1",
      workspace_capped: false,
    });
  });

  test("the caller's budget of an owner without a grant has no limit, the whole catalog and all regions", async () => {
    await spend(owner.sub, 1_000_000_000);
    const { budget } = await me(owner);
    expect(budget).toMatchObject({ spent_usd: 1, default_region: "eu-central-1" });
    for (const limit of ["limit_usd", "left_usd"]) expect(budget).not.toHaveProperty(limit);
    expect(budget.models.length).toBe(plane.dependencies.catalog.models.length);
    expect(budget.regions).toContain("us-east-1");
  });

  test("the caller's budget is missing for a developer without a grant", async () => {
    const body = await me(developer);
    expect(body).toMatchObject({ tenant_id: owner.tenant_id });
    expect(body).not.toHaveProperty("budget");
  });

  test("the caller's budget says so if the whole workspace has reached its cap", async () => {
    await setTenant("monthly_cap_usd", 5);
    await setTenant("capped_month", { month, spent: 5_000_000_000 });
    expect((await me(owner)).budget.workspace_capped).toBe(true);
    await setTenant("monthly_cap_usd", 6);
    expect((await me(owner)).budget.workspace_capped).toBe(false);
  });

  test("the caller's budget is shown only to members of the token's workspace", async () => {
    const { tenant_id } = owner;
    await plane.document.send(memberCommand({ sub: "removed", tenant_id, status: "removed" }));
    await plane.document.send(memberCommand({ sub: "guest", tenant_id, invited_at: "2026-11-21T05:00:00.000Z" }));
    const other = await plane.workspace(`Me ${workspaces++}`);
    for (const sub of ["removed", "guest", "stranger", other.sub]) {
      expect(await me({ ...owner, sub })).not.toHaveProperty("budget");
    }
    const { tenant_id: _tenantId, ...withoutTenant } = owner;
    expect(await me(withoutTenant)).not.toHaveProperty("budget");
    await setTenant("status", "deleted");
    expect(await me(owner)).not.toHaveProperty("budget");
  });
});

describe("memberships", () => {
  test("the caller's memberships are listed with their workspaces' names, addresses and states, without removed ones", async () => {
    const other = await plane.workspace("Other & Söhne", "second-owner");
    await plane.developer(other.tenant_id, owner.sub);
    await setTenant("status", "suspended");
    const gone = await plane.workspace(`Me ${workspaces++}`, "third-owner");
    await plane.document.send(memberCommand({ sub: owner.sub, tenant_id: gone.tenant_id, status: "removed" }));
    const { memberships } = await me(owner);
    const of = (tenantId: string) => memberships.find((one: { tenant_id: string }) => one.tenant_id === tenantId);
    expect(of(owner.tenant_id)).toMatchObject({ tenant_role: "owner", tenant_status: "suspended" });
    expect(of(other.tenant_id)).toMatchObject({
      ...{
        tenant_name: "Other & Söhne",
        tenant_slug: "other-sohne",
        tenant_status: "active",
        tenant_role: "developer",
      },
    });
    expect(of(gone.tenant_id)).toEqual({
      ...{ tenant_id: gone.tenant_id, tenant_role: "developer", status: "removed", created_at: expect.any(String) },
    });
  });
});

describe("the free credit", () => {
  test("the workspace's free credit is shown to every member without a call to the payment provider", async () => {
    const Item = {
      ...creditRecord.key({ tenant_id: owner.tenant_id }),
      granted_tokens: 1_000_000,
      spent: 250_000,
      committed: 300_000,
    };
    await plane.document.send(new PutCommand({ TableName: "main", Item }));
    const free_credit = { granted_tokens: 1_000_000, spent_tokens: 250_000, left_tokens: 750_000 };
    expect(await me(owner)).toMatchObject({ free_credit });
    expect(await me(developer)).toMatchObject({ free_credit });
    expect(await me({ sub: "newcomer" })).not.toHaveProperty("free_credit");
  });
});
