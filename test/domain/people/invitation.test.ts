import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Mail } from "../../../domain/kernel/mail.ts";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { invitationBody, invitePerson, resendInvitation } from "../../../domain/people/invitation.ts";
import { syncUserOnSignIn } from "../../../domain/people/sign-in.ts";
import type { Membership } from "../../../domain/people/user.ts";
import { ann, memoryStores } from "../../support/people/memory-stores.ts";

const tenMinutes = 600_000;

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: Parameters<typeof invitePerson>[0];
/** State of the identity provider's accounts by address, and whom it mailed. */
let accounts: Map<string, "invited" | "active">;
let mailed: string[];
let ours: Mail[];
let sender: "sent" | "none" | Error;

beforeEach(async () => {
  stores = await memoryStores();
  [accounts, mailed, ours, sender] = [new Map(), [], [], "sent"];
  const pool = {
    async invite(email: string) {
      const state = accounts.get(email);
      if (state) return { sub: subOf(email), state };
      accounts.set(email, "invited");
      mailed.push(email);
      return { sub: subOf(email), state: "created" as const };
    },
    async resend(email: string) {
      if (accounts.get(email) !== "invited") return false;
      mailed.push(email);
      return true;
    },
  };
  const mailer = {
    async send(mail: Mail) {
      if (sender instanceof Error) throw sender;
      if (sender === "sent") ours.push(mail);
      return sender;
    },
  };
  const log = { info: () => {}, problem: () => {} };
  const settings = { maxInvitationMails: 20, platform: { brand: "Archway", consoleUrl: "https://console.test" } };
  deps = { ...stores, accounts: pool, mailer, log, settings };
  await signIn("ann@acme.test", "ann");
});

const subOf = (email: string) => email.split("@")[0] ?? "";

/** Signs in, with an account of their own or with the one of the invitation. */
async function signIn(email: string, sub = subOf(email)) {
  accounts.set(email, "active");
  await syncUserOnSignIn(
    stores.users,
    { sub, email, isVerified: true, provider: "password", linked: [], isApproved: false },
    stores.time.now,
    randomUUID,
  );
}

async function invite(email: string) {
  const { newId, create } = await invitePerson(deps, ann, email);
  return create(newId);
}
const resend = (sub: string) => resendInvitation(deps, ann, sub);
const membership = (sub: string) => stores.users.membership(sub, "t1");
const actions = async () => (await stores.trail()).map(({ action }) => action).toReversed();

describe("inviting", () => {
  test("inviting an unknown person creates an account with its mail, an invited membership and an audit entry", async () => {
    const { invitation, mail } = await invite("ben@people.test");
    expect([mail, mailed, ours]).toEqual(["sent", ["ben@people.test"], []]);
    expect(invitation).toMatchObject({ sub: "ben", tenant_role: "developer", email: "ben@people.test" });
    expect(await membership("ben")).toEqual(invitation);
    expect(invitation.status).toBeUndefined();
    expect(await stores.trail()).toMatchObject([
      { actor: "ann", action: "user.invite", target: "ben", after: { email: "ben@people.test" } },
    ]);
    await signIn("ben@people.test");
    expect(await membership("ben")).toMatchObject({ status: "active" });
  });

  test("inviting a person with an account sends the platform's own mail", async () => {
    await signIn("ben@people.test");
    expect((await invite("ben@people.test")).mail).toBe("sent");
    expect([mailed, ours]).toEqual([[], [expect.objectContaining({ to: "ben@people.test" })]]);
    expect(ours[0]?.text).toMatch(/^ann@acme.test invites you to the workspace t1/);
  });

  test.each([
    ["the stack has no sender", "none"],
    ["the mail service fails", new Error("throttled")],
  ] as const)(
    "inviting a person reports that no mail was sent if %s, and the invitation remains",
    async (_why, answer) => {
      sender = answer;
      await signIn("ben@people.test");
      expect((await invite("ben@people.test")).mail).toBe("none");
      expect(await membership("ben")).toMatchObject({ email: "ben@people.test" });
    },
  );

  test("inviting a person marks the membership only if this owner's invitation created the account", async () => {
    const isMade = async (sub: string) => (await membership(sub))?.made_account;
    await invite("ben@people.test");
    expect(await isMade("ben")).toBe(true);
    await signIn("cy@people.test");
    await invite("cy@people.test");
    expect(await isMade("cy")).toBeUndefined();
    // Invitations of the same owner's other workspace and of another owner's made these accounts.
    const there = { tenant_role: "developer", status: "active", created_at: "", made_account: true } as const;
    const records: Record<string, Membership[]> = {
      ann: [{ sub: "ann", tenant_id: "t2", tenant_role: "owner", created_at: "" }],
      fay: [{ sub: "fay", tenant_id: "t2", ...there }],
      gus: [{ sub: "gus", tenant_id: "t3", ...there }],
    };
    const record = async (sub: string) => ({ profile: undefined, memberships: records[sub] ?? [], activeTenants: {} });
    deps = { ...deps, users: { ...deps.users, record } };
    for (const name of ["fay", "gus"]) {
      accounts.set(`${name}@people.test`, "active");
      await invite(`${name}@people.test`);
    }
    expect([await isMade("fay"), await isMade("gus")]).toEqual([true, undefined]);
  });

  test("inviting the caller, a member or an invited person is refused, and writes nothing", async () => {
    await signIn("dan@acme.test");
    await invite("ben@people.test");
    // The account of another address that the owner has at the identity provider.
    accounts.set("ann@moved.test", "active");
    for (const [email, code, message] of [
      ["ann@acme.test", "already_member", "email: this is your own address: you belong to the workspace already"],
      ["ann@moved.test", "already_member", "email: this is your own address: you belong to the workspace already"],
      ["dan@acme.test", "already_member", "email: the person belongs to the workspace already"],
      [
        "ben@people.test",
        "already_invited",
        "email: the person is invited already; mail it again with POST /v1/users/ben/resend",
      ],
    ] as const) {
      await expect(invite(email)).rejects.toMatchObject({ code, message });
    }
    expect(await actions()).toEqual(["user.invite"]);
  });

  test("inviting a person again after an interruption finds the invitation of the first attempt", async () => {
    const { newId, create } = await invitePerson(deps, ann, "ben@people.test");
    const first = await create(newId);
    expect((await create(newId)).invitation).toEqual(first.invitation);
    expect(await actions()).toEqual(["user.invite"]);
  });

  test("many simultaneous invitations of a person create one membership", async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => invite("ben@people.test")));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await actions()).toEqual(["user.invite"]);
  });

  test("inviting a person is refused before an account is created if the day's mails are used up", async () => {
    deps.settings.maxInvitationMails = 2;
    for (const name of ["a", "b"]) await invite(`${name}@people.test`);
    await expect(invite("c@people.test")).rejects.toThrow(
      "The workspace has asked for 2 invitations today, which is the most; the next ones go out after midnight UTC",
    );
    expect(accounts.has("c@people.test")).toBe(false);
    stores.time.now += 86_400_000;
    await invite("c@people.test");
  });
});

describe("mailing an invitation again", () => {
  test("mailing an invitation again is possible after ten minutes, is recorded, and is done by the identity provider until the first sign-in", async () => {
    await invite("ben@people.test");
    await expect(resend("ben")).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 600 });
    stores.time.now += tenMinutes;
    const all = await Promise.allSettled([1, 2, 3].map(() => resend("ben")));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(mailed).toEqual(["ben@people.test", "ben@people.test"]);
    expect(await actions()).toEqual(["user.invite", "user.resend"]);
  });

  test("a person who was removed and invited again within ten minutes gets no new mail, and keeps the last password", async () => {
    const remove = () => stores.members.remove("t1", "ben", stores.time.now, () => stores.entry());
    await invite("ben@people.test");
    const first = await membership("ben");
    for (let again = 0; again < 3; again++) {
      stores.time.now += 60_000;
      await remove();
      const { newId, create } = await invitePerson(deps, ann, "ben@people.test");
      expect((await create(newId)).mail).toBe("none");
      expect((await create(newId)).mail).toBe("none");
    }
    expect([mailed, ours]).toEqual([["ben@people.test"], []]);
    expect(await membership("ben")).toMatchObject({ mailed_at: first?.mailed_at, password_mailed: true });
    await expect(resend("ben")).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 420 });
    await remove();
    stores.time.now += tenMinutes;
    expect((await invite("ben@people.test")).mail).toBe("sent");
    await signIn("ben@people.test");
    expect(await membership("ben")).toMatchObject({ status: "active" });
  });

  test("mailing an invitation again is refused for a member, a removed person and an unknown person", async () => {
    await stores.members.remove("t1", "dan", stores.time.now, () => stores.entry());
    await expect(resend("ann")).rejects.toThrow("user_id: the person has come already");
    await expect(resend("dan")).rejects.toThrow("user_id: the person was removed; invite them again");
    await expect(resend("nobody")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("an address", () => {
  test("an invitation's address is compared in lower case", () => {
    expect(parseRequest(invitationBody, { email: "Ann.O'Neil+x@ACME.Test" }, "body")).toEqual({
      email: "ann.o'neil+x@acme.test",
    });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["a list", ["a@people.example"]],
    ["no address", "people.example"],
    ["two addresses", "a@people.example,b@people.example"],
    ["a name beside it", "Ann <ann@people.example>"],
    ["a second line", "ann@people.example\r\nBcc: all@people.example"],
    ["a control character", "an\u0000n@people.example"],
    ["markup", "<b>@people.example"],
    ["quotes of a filter", 'a"or"b@people.example'],
    ["letters that look like others", "\u0430nn@people.example"],
    ["spaces", " ann@people.example"],
    ["129 characters", `${"a".repeat(129 - "@people.example".length)}@people.example`],
    ["a long one", `${"a".repeat(200_000)}@people.example`],
  ])("an invitation's address cannot be %s", (_what, email) => {
    expect(() => parseRequest(invitationBody, { email }, "body")).toThrow(
      expect.objectContaining({ code: "invalid_request", fields: [expect.objectContaining({ path: "email" })] }),
    );
  });
});
