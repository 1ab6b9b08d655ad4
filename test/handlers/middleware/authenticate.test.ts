import { beforeEach, expect, test } from "@jest/globals";
import type { Tenant } from "../../../domain/tenancy/tenant.ts";
import type { Membership } from "../../../domain/tenancy/user.ts";
import { authentication } from "../../../handlers/middleware/authenticate.ts";
import type { SignedIn } from "../../../handlers/middleware/caller.ts";
import type { ObservedEvent } from "../../../handlers/middleware/observe.ts";
import { plainTokens, tokenOf } from "../../support/control-plane.ts";
import { aMembership } from "../../support/members.ts";

let now: number;
let reads: number;
let membership: Membership | undefined;
let tenant: Partial<Tenant>;
let authenticate: ReturnType<typeof authentication>;

beforeEach(() => {
  now = 0;
  reads = 0;
  membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active" });
  tenant = { status: "active" };
  authenticate = authentication({
    tokens: plainTokens,
    users: {
      membership: async () => {
        reads += 1;
        return membership;
      },
    },
    tenants: { get: async () => tenant as Tenant },
    scopePrefix: "platform",
    clock: () => now,
  });
});

async function enter(who: "signed_in" | "member" | "owner", claims = {}): Promise<SignedIn | undefined> {
  const authorization = `Bearer ${tokenOf({ sub: "ann", tenant_id: "t1", ...claims })}`;
  const event = { headers: { authorization } } as unknown as ObservedEvent;
  await authenticate(who).before?.({ event } as never);
  return event.caller;
}

test("anyone signed in passes without a look into the store", async () => {
  membership = undefined;
  expect(await enter("signed_in")).toEqual({ sub: "ann", client_id: "console-client", tenant_id: "t1" });
  expect(reads).toBe(0);
});

test("a member comes with the role of the membership", async () => {
  expect(await enter("member")).toMatchObject({ sub: "ann", tenant_id: "t1", role: "developer" });
});

test("a membership is read once a minute, for every kind of route together", async () => {
  await enter("member");
  await expect(enter("owner")).rejects.toMatchObject({ code: "role_missing" });
  now = 59_999;
  await enter("member");
  expect(reads).toBe(1);
  now = 60_000;
  await enter("member");
  expect(reads).toBe(2);
});

test("what is remembered of one person or tenant says nothing of another", async () => {
  await enter("member");
  membership = undefined;
  await expect(enter("member", { sub: "bob" })).rejects.toMatchObject({ code: "role_missing" });
  await expect(enter("member", { tenant_id: "t2" })).rejects.toMatchObject({ code: "role_missing" });
});

test("who was no member passes as soon as they are one", async () => {
  const later = membership;
  membership = undefined;
  await expect(enter("member")).rejects.toMatchObject({ code: "role_missing" });
  membership = later;
  expect(await enter("member")).toMatchObject({ role: "developer" });
});

test("a suspended workspace is still open to its owner, a deleted one is not", async () => {
  membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active", tenant_role: "owner" });
  tenant = { status: "suspended" };
  expect(await enter("owner")).toMatchObject({ role: "owner" });
  now = 60_000;
  tenant = { status: "deleted" };
  await expect(enter("owner")).rejects.toMatchObject({ code: "tenant_suspended" });
});

test("a service account is no member, whatever its row says", async () => {
  membership = aMembership({ sub: "ann", tenant_id: "t1", status: "active", tenant_role: "service_account" });
  await expect(enter("member")).rejects.toMatchObject({ code: "role_missing" });
});
