import { beforeEach, describe, expect, test } from "@jest/globals";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import type { Membership } from "../../../domain/people/user.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { authorization } from "../../../handlers/middleware/authorize.ts";
import { provenTenant, type SignedIn } from "../../../handlers/middleware/caller.ts";
import { aMembership } from "../../support/people/members.ts";

let now: number;
let reads: number;
let membership: Membership | undefined;
let tenant: Partial<Tenant> | undefined;
let authorize: ReturnType<typeof authorization>;

beforeEach(() => {
  now = 0;
  reads = 0;
  membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active" });
  tenant = { tenant_id: "t1", owner_sub: "ann", status: "active" };
  authorize = authorization({
    users: {
      membership: async () => {
        reads += 1;
        return membership;
      },
    },
    tenants: {
      get: async () => {
        reads += 1;
        return tenant as Tenant | undefined;
      },
    },
    clock: () => now,
  });
});

const ann: SignedIn = { sub: "ann", clientId: "console-client", tenantId: "t1" };
const enter = (access: AccessRule, caller: Partial<SignedIn> = {}, id = "t1") =>
  authorize(access, { ...ann, ...caller }, { id });
/** A membership and its tenant. */
const onePass = 2;

test("any signed-in person is admitted without reading the store", async () => {
  membership = undefined;
  expect(await enter("signed_in")).toEqual({ sub: "ann", clientId: "console-client", tenantId: "t1" });
  expect(reads).toBe(0);
});

describe("a member", () => {
  test("a member comes with the role of the membership", async () => {
    expect(await enter("member")).toMatchObject({ sub: "ann", tenantId: "t1", role: "developer" });
  });

  test("a member's row is read once a minute for all routes together", async () => {
    await enter("member");
    await expect(enter("owner")).rejects.toMatchObject({ code: "role_missing" });
    now = 59_999;
    await enter("member");
    expect(reads).toBe(onePass);
    now = 60_000;
    await enter("member");
    expect(reads).toBe(2 * onePass);
  });

  test("a member of one tenant is not a member of another tenant", async () => {
    await enter("member");
    membership = undefined;
    await expect(enter("member", { sub: "bob" })).rejects.toMatchObject({ code: "role_missing" });
    await expect(enter("member", { tenantId: "t2" })).rejects.toMatchObject({ code: "role_missing" });
  });

  test("a person who becomes a member is admitted at once", async () => {
    const later = membership;
    membership = undefined;
    await expect(enter("member")).rejects.toMatchObject({ code: "role_missing" });
    membership = later;
    expect(await enter("member")).toMatchObject({ role: "developer" });
  });

  test("a member needs a workspace in the token", async () => {
    for (const access of ["member", "owner"] as const) {
      await expect(enter(access, { tenantId: undefined })).rejects.toMatchObject({ code: "no_active_tenant" });
    }
    expect(reads).toBe(0);
  });

  test("a member's role is never that of a service account, whatever the row says", async () => {
    membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active", tenant_role: "service_account" });
    await expect(enter("member")).rejects.toMatchObject({ code: "role_missing" });
  });
});

describe("an owner", () => {
  beforeEach(() => {
    membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active", tenant_role: "owner" });
  });

  test("an owner comes with the role owner, also as a member", async () => {
    expect(await enter("owner")).toMatchObject({ tenantId: "t1", role: "owner" });
    expect(await enter("member")).toMatchObject({ tenantId: "t1", role: "owner" });
  });

  test("an owner still has access to a suspended workspace, but not to a deleted one", async () => {
    tenant = { status: "suspended" };
    expect(await enter("owner")).toMatchObject({ role: "owner" });
    now = 60_000;
    tenant = { status: "deleted" };
    await expect(enter("owner")).rejects.toMatchObject({ code: "tenant_suspended" });
  });
});

describe("a tenant's owner", () => {
  test("a tenant's owner gets the tenant that the path names, whatever the token and the memberships say", async () => {
    membership = undefined;
    const caller = await enter("tenant_owner", { tenantId: "t2" });
    expect(caller).toMatchObject({ sub: "ann", tenantId: "t1", tenant });
  });

  test("a tenant's owner is read again for each request, and has access to a deleted workspace", async () => {
    await enter("tenant_owner");
    tenant = { ...tenant, status: "deleted" };
    expect(await enter("tenant_owner")).toMatchObject({ tenant: { status: "deleted" } });
  });

  test("a developer is refused by a route for the tenant's owner, with that reason", async () => {
    tenant = { ...tenant, owner_sub: "bob" };
    const refusal = { code: "role_missing", message: "This needs the role owner; yours is developer" };
    await expect(enter("tenant_owner")).rejects.toMatchObject(refusal);
  });

  test("another person's workspace is not found by a tenant's owner route, not even by a platform admin", async () => {
    tenant = { ...tenant, owner_sub: "bob" };
    membership = undefined;
    const refusal = { code: "not_found", message: "id: there is no workspace t1 here" };
    await expect(enter("tenant_owner")).rejects.toMatchObject(refusal);
    await expect(enter("tenant_owner", { platformRole: "platform_admin" })).rejects.toMatchObject(refusal);
    tenant = undefined;
    await expect(enter("tenant_owner")).rejects.toMatchObject(refusal);
  });
});

test("a platform admin is admitted by the token's platform role, without reading the store", async () => {
  const platformRole = "platform_admin" as const;
  expect(await enter("platform_admin", { platformRole })).toMatchObject({ sub: "ann", platformRole });
  await expect(enter("platform_admin")).rejects.toMatchObject({ code: "role_missing" });
  expect(reads).toBe(0);
});

test("only a membership, or being a tenant's owner, determines the tenant of a call", async () => {
  expect(provenTenant(await enter("signed_in"))).toBeUndefined();
  expect(provenTenant(await enter("platform_admin", { platformRole: "platform_admin" }))).toBeUndefined();
  expect(provenTenant(await enter("member"))).toBe("t1");
  expect(provenTenant(await enter("tenant_owner", { tenantId: "t2" }))).toBe("t1");
});
