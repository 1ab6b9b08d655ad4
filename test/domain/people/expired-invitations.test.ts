import { expect, test } from "@jest/globals";
import { expireInvitations } from "../../../domain/people/expired-invitations.ts";
import type { Membership, Profile } from "../../../domain/people/user.ts";
import { aMembership } from "../../support/people/members.ts";

const dayMs = 86_400_000;
const now = Date.parse("2026-11-22T00:00:00.000Z");
const daysAgo = (days: number) => now - days * dayMs;
const at = (time: number) => new Date(time).toISOString();

/** Runs over accounts that were changed so many days ago, and tells what happened in which order. */
async function expireOver(pages: Record<string, number>[], memberships: Partial<Membership>[] = [], profile?: Profile) {
  const done: string[] = [];
  await expireInvitations({
    accounts: {
      listInvited: async (after = "0") => ({
        accounts: Object.entries(pages[Number(after)] ?? {}).map(([sub, days]) => ({ sub, changedAt: daysAgo(days) })),
        next: Number(after) + 1 < pages.length ? String(Number(after) + 1) : undefined,
      }),
      removeInvited: async (sub) => done.push(`account ${sub}`) > 0,
    },
    users: {
      record: async (sub) => ({
        profile,
        memberships: memberships.map((one) =>
          aMembership({ sub, tenant_id: "t1", invited_at: at(daysAgo(9)), ...one }),
        ),
        activeTenants: {},
      }),
    },
    invitations: {
      expire: async ({ tenant_id }, { actor, action, target }) =>
        void done.push(`${action} ${target} of ${tenant_id} by ${actor}`),
    },
    log: { info: () => {}, problem: () => {} },
    clock: () => now,
    newId: () => "id",
  });
  return done;
}

test("a week after the last mail an invitation ends and the invited person's account is removed", async () => {
  expect(await expireOver([{ ann: 7 }], [{ tenant_id: "t1" }, { tenant_id: "t2", status: "removed" }])).toEqual([
    "user.expire ann of t1 by reconcile",
    "account ann",
  ]);
});

test("an account without any invitation is removed as well, on every page", async () => {
  expect(await expireOver([{ ann: 8 }, { ben: 30 }])).toEqual(["account ann", "account ben"]);
});

test("an invitation mailed less than a week ago is kept", async () => {
  expect(await expireOver([{ ann: 6.9 }], [{ tenant_id: "t1" }])).toEqual([]);
});

test("an invitation ends a week after its own last mail, and the account stays if another workspace has mailed since", async () => {
  const since = { tenant_id: "t2", mailed_at: at(daysAgo(1)) };
  expect(await expireOver([{ ann: 8 }], [{ tenant_id: "t1" }, since])).toEqual(["user.expire ann of t1 by reconcile"]);
  expect(await expireOver([{ ann: 8 }], [since])).toEqual([]);
});

test("a person who signed in through an external provider and never used the mailed password keeps account and memberships", async () => {
  const profile = {
    sub: "ann",
    email: "ann@acme.test",
    approval_status: "approved",
    provider: "Google",
    email_verified: true,
    created_at: at(daysAgo(20)),
  } as const;
  expect(await expireOver([{ ann: 30 }], [{ status: "active" }, { tenant_id: "t2" }], profile)).toEqual([]);
});
