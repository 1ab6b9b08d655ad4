// A person whom a company and a stranger invite before the first sign-in: the reproduction of the takeover, and what is right.
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { tokenWorkspace } from "../../../domain/access/token-workspace.ts";
import type { Mail } from "../../../domain/kernel/mail.ts";
import { acceptable, acceptInvitation } from "../../../domain/people/acceptance.ts";
import { invitePerson, resendInvitation } from "../../../domain/people/invitation.ts";
import { syncUserOnSignIn } from "../../../domain/people/sign-in.ts";
import { aMembership, aMoment, memberCommand } from "../../support/people/members.ts";
import { memoryStores } from "../../support/people/memory-stores.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const clients = ["console", "helper", "skills"] as const;
const dayMs = 86_400_000;
const tenMinutes = 600_000;
const email = "pat@good.test";
const sub = "pat";

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: Parameters<typeof invitePerson>[0];
/** The temporary password of the one account: the number of the mail that gave it. */
let password: number | undefined;
let passwords: number;
let ours: Mail[];

beforeEach(async () => {
  stores = await memoryStores();
  [password, passwords, ours] = [undefined, 0, []];
  const give = () => {
    passwords += 1;
    password = passwords;
  };
  deps = {
    ...stores,
    accounts: {
      async invite() {
        if (password !== undefined) return { sub, state: "invited" };
        give();
        return { sub, state: "created" };
      },
      async resend() {
        give();
        return true;
      },
    },
    mailer: {
      async send(mail) {
        ours.push(mail);
        return "sent";
      },
    },
    log: { info: () => {}, problem: () => {} },
    settings: { maxInvitationMails: 20, platform: { brand: "Archway", consoleUrl: "https://console.test" } },
  };
});

async function openWorkspace(tenantId: string, owner: string) {
  const { setup_state: _done, ...tenant } = aTenantOf(owner, tenantId);
  stores.table.put({ ...tenantRecord.key({ tenant_id: tenantId }), ...tenant });
  await stores.client.send(memberCommand({ sub: owner, tenant_id: tenantId, tenant_role: "owner", status: "active" }));
  await stores.users.putProfile({
    ...{ sub: owner, email: `${owner}@people.test`, email_verified: true, provider: "password" },
    ...{ approval_status: "approved", created_at: aMoment },
  });
  return { tenantId, sub: owner };
}

async function invite(author: { tenantId: string; sub: string }) {
  const { newId, create } = await invitePerson(deps, author, email);
  return create(newId);
}

/** Signs in at a client, and gives the workspace that its token names. */
async function signIn(client: string) {
  const person = { sub, email, isVerified: true, provider: "password", linked: [], isApproved: false };
  const record = await syncUserOnSignIn(stores.users, person, stores.time.now, randomUUID);
  const facts = {
    read: async (_id: string, ids: string[]) => ({
      client: { use: "platform" } as never,
      tenants: await stores.tenants.many(ids),
    }),
  };
  return (await tokenWorkspace(facts, record, client)).workspace?.tenant.tenant_id;
}
const signInEverywhere = () => Promise.all(clients.map(signIn));
const accept = (tenantId: string) => acceptInvitation(stores, sub, tenantId);
const waiting = async () =>
  (await stores.users.record(sub)).memberships.filter(({ status }) => status === undefined).map((one) => one.tenant_id);

/** Ids of the company's workspace and the stranger's, of which either sorts first: nothing follows from it. */
const ids = [
  { company: "m-company", strangers: ["a1", "a2", "a3", "a4"] },
  { company: "m-company", strangers: ["z1", "z2", "z3", "z4"] },
];
const cases = ids.flatMap(({ company, strangers }) =>
  [1, 4].flatMap((count) =>
    (["company", "stranger"] as const).map((first) => ({ company, strangers: strangers.slice(0, count), first })),
  ),
);

describe("a company and a stranger invite before the first sign-in", () => {
  test.each(cases)(
    "$first first, strangers' ids $strangers: no person joins without accepting, and no temporary password stops working",
    async (one) => {
      const company = await openWorkspace(one.company, "olga");
      const strangers = await Promise.all(one.strangers.map((id) => openWorkspace(id, "mallory")));
      const all = one.first === "company" ? [company, ...strangers] : [...strangers, company];
      for (const author of all) await invite(author);
      expect([passwords, ours.length]).toEqual([1, all.length - 1]);

      expect(await signInEverywhere()).toEqual([undefined, undefined, undefined]);
      expect((await waiting()).toSorted()).toEqual(all.map(({ tenantId }) => tenantId).toSorted());
      await accept(one.company);
      expect(await signInEverywhere()).toEqual([one.company, one.company, one.company]);
      expect((await waiting()).toSorted()).toEqual(one.strangers.toSorted());
      stores.time.now += 1;
      await accept(one.strangers[0] ?? "");
      expect(await signInEverywhere()).toEqual([one.company, one.company, one.company]);
    },
  );

  test.each(ids)(
    "an invitation that arrives after the first sign-in makes no person a member without accepting: $strangers",
    async (one) => {
      await invite(await openWorkspace(one.company, "olga"));
      expect(await signIn("console")).toBe(one.company);
      await invite(await openWorkspace(one.strangers[0] ?? "", "mallory"));
      expect(await signInEverywhere()).toEqual([one.company, one.company, one.company]);
      expect(await waiting()).toEqual([one.strangers[0]]);
    },
  );
});

describe("the temporary password", () => {
  test("the temporary password is sent again only by the workspace whose mail has it, as long as that mail is valid", async () => {
    const [company, stranger] = [await openWorkspace("t-good", "olga"), await openWorkspace("t-evil", "mallory")];
    await invite(company);
    await invite(stranger);
    stores.time.now += tenMinutes;
    expect((await resendInvitation(deps, stranger, sub)).mail).toBe("sent");
    expect(passwords).toBe(1);
    expect(ours.at(-1)?.text).toContain("the temporary password of your account is in its mail");
    await resendInvitation(deps, company, sub);
    expect(passwords).toBe(2);
  });

  test("another workspace sends a temporary password once the first has expired or its invitation is withdrawn, and sending it accepts no invitation", async () => {
    const [company, stranger] = [await openWorkspace("t-good", "olga"), await openWorkspace("t-evil", "mallory")];
    await invite(company);
    stores.time.now += 6 * dayMs;
    await invite(stranger);
    stores.time.now += dayMs;
    await resendInvitation(deps, stranger, sub);
    expect(passwords).toBe(2);
    stores.time.now += tenMinutes;
    await resendInvitation(deps, company, sub);
    expect([passwords, await signIn("console")]).toEqual([2, undefined]);
  });

  test("a mail without a password does not count as a mail with the password when a removed person is invited again", async () => {
    const [company, stranger] = [await openWorkspace("t-good", "olga"), await openWorkspace("t-evil", "mallory")];
    await invite(company);
    await invite(stranger);
    for (const tenant of ["t-good", "t-evil"]) {
      await stores.members.remove(tenant, sub, stores.time.now, () => stores.entry());
    }
    stores.time.now += 1;
    expect((await invite(stranger)).invitation).not.toHaveProperty("password_mailed");
    expect((await invite(company)).invitation).toMatchObject({ password_mailed: true });
    expect(passwords).toBe(1);
  });

  test("the temporary password of a withdrawn invitation is replaced by the next workspace that invites", async () => {
    const [company, stranger] = [await openWorkspace("t-good", "olga"), await openWorkspace("t-evil", "mallory")];
    await invite(stranger);
    await stores.members.remove("t-evil", sub, stores.time.now, () => stores.entry());
    await invite(company);
    expect([passwords, await signIn("console")]).toEqual([2, undefined]);
  });
});

describe("an invitation", () => {
  const invited = aMembership({ sub, tenant_id: "t1", invited_at: aMoment, email });
  const person = { email, isVerified: true };

  test("an invitation can be accepted only by a person who has proved the address, in any letter case", () => {
    expect(acceptable(invited, { ...person, email: "Pat@GOOD.test" })).toBe(true);
    expect(acceptable(invited, { ...person, isVerified: false })).toBe(false);
    expect(acceptable(invited, { ...person, email: "pat@elsewhere.test" })).toBe(false);
    expect(acceptable({ ...invited, email: undefined }, person)).toBe(false);
  });

  test("an accepted or removed membership, and the creator's own, is not an invitation", () => {
    expect(acceptable({ ...invited, status: "active" }, person)).toBe(false);
    expect(acceptable({ ...invited, status: "removed" }, person)).toBe(false);
    expect(acceptable(aMembership({ sub, tenant_id: "t1", email }), person)).toBe(false);
  });

  test("an invitation is accepted once, with an audit entry of the workspace, and a repeat changes nothing", async () => {
    const [company, stranger] = [await openWorkspace("t-good", "olga"), await openWorkspace("t-evil", "mallory")];
    await invite(company);
    await invite(stranger);
    await signIn("console");
    const both = await Promise.all([accept("t-good"), accept("t-good")]);
    expect(both).toMatchObject([{ status: "active" }, { status: "active" }]);
    expect(await accept("t-good")).toEqual(both[0]);
    const joins = (await stores.trail("t-good")).filter(({ action }) => action === "user.join");
    expect(joins).toMatchObject([{ actor: sub, target: sub, after: { status: "active", email } }]);
  });

  test("an invitation that was withdrawn, or never existed, cannot be accepted", async () => {
    await invite(await openWorkspace("t-good", "olga"));
    await invite(await openWorkspace("t-evil", "mallory"));
    await signIn("console");
    await stores.members.remove("t-good", sub, stores.time.now, () => stores.entry());
    await expect(accept("t-good")).rejects.toMatchObject({ code: "not_found" });
    await expect(accept("nowhere")).rejects.toMatchObject({ code: "not_found" });
  });

  test("an invitation to an address that the person no longer has is refused with the reason", async () => {
    await invite(await openWorkspace("t-good", "olga"));
    await invite(await openWorkspace("t-evil", "mallory"));
    const moved = {
      sub,
      email: "pat@moved.test",
      isVerified: true,
      provider: "password",
      linked: [],
      isApproved: true,
    };
    await syncUserOnSignIn(stores.users, moved, stores.time.now, randomUUID);
    await expect(accept("t-good")).rejects.toMatchObject({ code: "address_unproven" });
  });
});
