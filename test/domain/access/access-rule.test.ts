import { describe, expect, test } from "@jest/globals";
import {
  activeRole,
  requireMember,
  requireOwner,
  requirePlatformAdmin,
  requireTenantOwner,
} from "../../../domain/access/access-rule.ts";
import type { TenantRole } from "../../../domain/people/user.ts";
import { aTenant } from "../../support/accounting/admissions.ts";
import { aMembership } from "../../support/people/members.ts";

const tenant_id = "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d";
const ofAnn = aTenant({ tenant_id, owner_sub: "ann" });
const roleMissing = (message: string) => expect.objectContaining({ code: "role_missing", message });
const refusalOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe("the role of a membership", () => {
  const membership = aMembership({ sub: "ann", tenant_id, tenant_role: "owner", status: "active" });

  test("the role of a membership counts while the membership is active", () => {
    expect(activeRole(membership, ofAnn)).toBe("owner");
  });

  test("the role of a membership does not count for people who are invited or removed, or have no membership", () => {
    const { status, ...invited } = membership;
    expect(activeRole(invited, ofAnn)).toBeUndefined();
    expect(activeRole({ ...membership, status: "removed" }, ofAnn)).toBeUndefined();
    expect(activeRole(undefined, ofAnn)).toBeUndefined();
  });

  test("the role of a membership counts in a suspended workspace; a deleted workspace is closed to its members and unknown to others", () => {
    expect(activeRole(membership, aTenant({ tenant_id, status: "suspended" }))).toBe("owner");
    const deleted = aTenant({ tenant_id, status: "deleted" });
    expect(refusalOf(() => activeRole(membership, deleted))).toMatchObject({ code: "tenant_suspended" });
    expect(activeRole(undefined, deleted)).toBeUndefined();
  });
});

describe("a member", () => {
  test.each(["owner", "developer"] as const)("a member is the %s", (role) => {
    expect(requireMember(role)).toBe(role);
  });

  test.each([
    ["service_account", "This needs the role owner or developer; yours is service_account"],
    [undefined, "This needs the role owner or developer; you are not a member of the token's workspace"],
  ] as [TenantRole | undefined, string][])("a member is not %p", (role, message) => {
    expect(refusalOf(() => requireMember(role))).toEqual(roleMissing(message));
  });
});

describe("an owner", () => {
  test("an owner has the role owner", () => {
    expect(requireOwner("owner")).toBe("owner");
  });

  test.each([
    ["developer", "This needs the role owner; yours is developer"],
    ["service_account", "This needs the role owner; yours is service_account"],
    [undefined, "This needs the role owner; you are not a member of the token's workspace"],
  ] as [TenantRole | undefined, string][])("an owner is not %p", (role, message) => {
    expect(refusalOf(() => requireOwner(role))).toEqual(roleMissing(message));
  });
});

describe("a tenant's owner", () => {
  test.each(["active", "suspended", "deleted"] as const)(
    "a tenant's owner is its owner_sub, while the tenant is %s",
    (status) => {
      const tenant = aTenant({ tenant_id, owner_sub: "ann", status });
      expect(requireTenantOwner("ann", tenant_id, tenant)).toBe(tenant);
    },
  );

  test("a route for the owner tells a member of the workspace that only the owner may call it", () => {
    const membership = aMembership({ sub: "bob", tenant_id, status: "active", tenant_role: "developer" });
    const refusal = roleMissing("This needs the role owner; yours is developer");
    expect(refusalOf(() => requireTenantOwner("bob", tenant_id, ofAnn, membership))).toEqual(refusal);
    const left = { ...membership, status: "removed" as const };
    expect(refusalOf(() => requireTenantOwner("bob", tenant_id, ofAnn, left))).toMatchObject({ code: "not_found" });
  });

  test("a route for the owner hides the workspace from people who are not members", () => {
    const others = refusalOf(() => requireTenantOwner("bob", tenant_id, ofAnn));
    expect(others).toMatchObject({ code: "not_found", message: `id: there is no workspace ${tenant_id} here` });
    expect(refusalOf(() => requireTenantOwner("bob", tenant_id, undefined))).toEqual(others);
  });
});

test("only the platform role makes a platform admin", () => {
  expect(requirePlatformAdmin("platform_admin")).toBe("platform_admin");
  const refusal = roleMissing("This needs the platform role platform_admin");
  expect(refusalOf(() => requirePlatformAdmin(undefined))).toEqual(refusal);
});
