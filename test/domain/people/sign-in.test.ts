import { describe, expect, test } from "@jest/globals";
import { syncUserOnSignIn } from "../../../domain/people/sign-in.ts";
import type { Membership, UserRecord, UserStore } from "../../../domain/people/user.ts";
import { aMembership, aMoment } from "../../support/people/members.ts";

const now = Date.parse("2026-11-22T00:00:00.000Z");
const ann = {
  sub: "ann",
  email: "ann@acme.test",
  isVerified: true,
  provider: "password",
  linked: [],
  isApproved: false,
};
const newId = () => "e1";
const invited = aMembership({ sub: ann.sub, tenant_id: "t1", invited_at: aMoment, email: ann.email });

describe("welcome", () => {
  function aStore(record: Partial<UserRecord>) {
    const writes: unknown[] = [];
    const store: Pick<UserStore, "record" | "putProfile" | "activate"> = {
      record: async () => ({ profile: undefined, memberships: [], activeTenants: {}, ...record }),
      putProfile: async (profile) => void writes.push(profile),
      activate: async (membership) => {
        writes.push(membership);
        return membership;
      },
    };
    return { store: store as UserStore, writes };
  }
  const proved = { provider: "password", email_verified: true };
  const known = { sub: ann.sub, email: ann.email, approval_status: "pending" as const, created_at: aMoment, ...proved };

  test("a person who signs up without an invitation gets a pending profile", async () => {
    const { store, writes } = aStore({});
    const record = await syncUserOnSignIn(store, ann, now, newId);
    expect(writes).toEqual([{ ...known, created_at: "2026-11-22T00:00:00.000Z" }]);
    expect(record).toMatchObject({ profile: writes[0], beginsToWait: true });
  });

  test("an invited person gets an approved profile and an active membership", async () => {
    const { store, writes } = aStore({ memberships: [invited] });
    const record = await syncUserOnSignIn(store, ann, now, newId);
    expect(writes).toMatchObject([{ tenant_id: "t1", status: "active" }, { approval_status: "approved" }]);
    expect(record.beginsToWait).toBe(false);
    expect(record.memberships).toMatchObject([{ status: "active" }]);
  });

  test("an invitation to an unverified address approves no one and makes no one a member", async () => {
    const { store, writes } = aStore({ memberships: [invited] });
    const record = await syncUserOnSignIn(store, { ...ann, isVerified: false }, now, newId);
    expect(writes).toMatchObject([{ approval_status: "pending" }]);
    expect(record.memberships).toEqual([invited]);
  });

  test("an invitation that was withdrawn before it was accepted approves no one", async () => {
    const { store } = aStore({ memberships: [{ ...invited, status: "removed" }] });
    expect((await syncUserOnSignIn(store, ann, now, newId)).profile.approval_status).toBe("pending");
    const atTheSameMoment = aStore({ memberships: [invited] }).store;
    atTheSameMoment.activate = async (membership) => ({ ...membership, status: "removed" });
    expect((await syncUserOnSignIn(atTheSameMoment, ann, now, newId)).profile.approval_status).toBe("pending");
  });

  test.each([{}, { profile: known }])("without manual approval a new person is approved: %j", async (record) => {
    const { store, writes } = aStore(record);
    const { profile } = await syncUserOnSignIn(store, { ...ann, isApproved: true }, now, newId);
    expect(profile.approval_status).toBe("approved");
    expect(writes).toEqual([profile]);
  });

  test("an approved person stays approved when approval becomes manual", async () => {
    const { store, writes } = aStore({ profile: { ...known, approval_status: "approved" } });
    await syncUserOnSignIn(store, ann, now, newId);
    expect(writes).toEqual([]);
  });

  test("a repeated sign-in writes nothing", async () => {
    const { store, writes } = aStore({ profile: known, memberships: [{ ...invited, status: "active" }] });
    expect((await syncUserOnSignIn(store, ann, now, newId)).beginsToWait).toBe(false);
    expect(writes).toEqual([]);
  });

  test("a new e-mail address is written to the profile, and nothing else in it changes", async () => {
    const { store, writes } = aStore({ profile: known });
    await syncUserOnSignIn(store, { ...ann, email: "ann@new.test" }, now, newId);
    expect(writes).toEqual([{ ...known, email: "ann@new.test" }]);
  });

  test("a membership that is removed during a sign-in counts as removed", async () => {
    const { store } = aStore({ memberships: [invited] });
    store.activate = async (membership) => ({ ...membership, status: "removed" });
    expect((await syncUserOnSignIn(store, ann, now, newId)).memberships).toMatchObject([{ status: "removed" }]);
  });
});

describe("who is invited into several workspaces before the first sign-in", () => {
  const invitations = ["t0", "t1", "t2"].map((tenant_id) => ({ ...invited, tenant_id }));
  const signIn = async (record: Partial<UserRecord>) => {
    const store = {
      record: async () => ({ profile: undefined, memberships: [], activeTenants: {}, ...record }),
      putProfile: async () => undefined,
      activate: async (membership: Membership) => membership,
    } as unknown as UserStore;
    return syncUserOnSignIn(store, ann, now, newId);
  };

  test("a person with several invitations joins no workspace without being asked, and is approved", async () => {
    const { memberships, profile } = await signIn({ memberships: invitations });
    expect(memberships).toEqual(invitations);
    expect(profile.approval_status).toBe("approved");
  });

  test("a person with several invitations is also asked if one was withdrawn or ended, because the person may have followed the mail of that invitation", async () => {
    const [one, other] = [invitations[0] ?? invited, invitations[1] ?? invited];
    expect((await signIn({ memberships: [{ ...one, status: "removed" }, other] })).memberships[1]).toEqual(other);
  });
});

test("a person who has signed in before is asked about an invitation, even if it is the only one", async () => {
  const profile = { sub: ann.sub, email: ann.email, approval_status: "approved" as const, created_at: aMoment };
  const store = {
    record: async () => ({ profile, memberships: [invited], activeTenants: {} }),
    putProfile: async () => undefined,
  } as unknown as UserStore;
  expect((await syncUserOnSignIn(store, ann, now, newId)).memberships).toEqual([invited]);
});

describe("an invitation that is accepted in two tabs at once", () => {
  /** Two sign-ins over one membership, which `meanwhile` may change between the reading and the first writing. */
  async function inTwoTabs(meanwhile: (stored: UserRecord["memberships"][number]) => void) {
    const stored: UserRecord["memberships"][number] = { ...invited };
    let reads = 0;
    const bothRead = Promise.withResolvers<void>();
    const store = {
      async record() {
        const memberships = [{ ...stored }];
        reads += 1;
        if (reads === 2) {
          meanwhile(stored);
          bothRead.resolve();
        }
        await bothRead.promise;
        return { profile: undefined, memberships, activeTenants: {} };
      },
      putProfile: async () => undefined,
      // As the table does it: only what has no status yet becomes active.
      async activate(activated: UserRecord["memberships"][number]) {
        if (stored.status === undefined) Object.assign(stored, activated);
        return { ...stored };
      },
    } as unknown as UserStore;
    const later = now + 5;
    const tabs = await Promise.all([
      syncUserOnSignIn(store, ann, now, newId),
      syncUserOnSignIn(store, ann, later, newId),
    ]);
    return { stored, tabs };
  }

  test("an invitation that is accepted in two tabs at once is accepted once, and both tabs are signed in", async () => {
    const { stored, tabs } = await inTwoTabs(() => undefined);
    expect(stored).toMatchObject({ status: "active", activated_at: "2026-11-22T00:00:00.000Z" });
    expect(tabs.map(({ memberships }) => memberships)).toEqual([[stored], [stored]]);
    expect(tabs.map(({ profile }) => profile.approval_status)).toEqual(["approved", "approved"]);
  });

  test("an invitation that is withdrawn while two tabs accept it lets neither tab in, and approves no one", async () => {
    const { stored, tabs } = await inTwoTabs((membership) => {
      membership.status = "removed";
    });
    expect(stored.status).toBe("removed");
    expect(tabs.map(({ memberships }) => memberships[0]?.status)).toEqual(["removed", "removed"]);
    expect(tabs.map(({ profile }) => profile.approval_status)).toEqual(["pending", "pending"]);
  });
});
