import { expect, test } from "@jest/globals";
import { askedAccounts } from "../../../adapters/functions/accounts.ts";
import { lambdaWith } from "../../support/program/asked-lambda.ts";

const accountsOf = (answer: Parameters<typeof lambdaWith>[0]) => {
  const { asked, invoke } = lambdaWith(answer);
  return { asked, accounts: askedAccounts("arn:accounts", invoke) };
};

const into = { workspace: { name: "Acme", slug: "acme" }, inviter: "owner@acme.test" };

test("the function of the accounts invites a person, and invites again if there is an invitation", async () => {
  const { asked, accounts } = accountsOf({ payload: { result: { sub: "ann", state: "created" } } });
  expect(await accounts.invite("ann@example.com", into)).toEqual({ sub: "ann", state: "created" });
  expect(asked).toEqual([["arn:accounts", { action: "invite", input: { email: "ann@example.com", ...into } }]]);
  expect(await accountsOf({ payload: { result: { sent: false } } }).accounts.resend("ann@example.com", into)).toBe(
    false,
  );
});

test("the members of a deleted tenant are removed in calls of 25, and counted together", async () => {
  const subs = Array.from({ length: 30 }, (_, index) => `p${index}`);
  const { asked, accounts } = accountsOf({ payload: { result: { gone: ["a"], removed: 1 } } });
  expect(await accounts.removeMembers("t1", subs)).toEqual({ gone: ["a", "a"], removed: 2 });
  expect(asked.map(([, payload]) => (payload as { input: { subs: string[] } }).input.subs.length)).toEqual([25, 5]);
});

test("accounts are listed a page at a time", async () => {
  const page = { accounts: [{ sub: "ann", changed_at: 5 }], next: "more" };
  expect(await accountsOf({ payload: { result: page } }).accounts.listInvited()).toEqual({
    accounts: [{ sub: "ann", changedAt: 5 }],
    next: "more",
  });
});

test("unconfirmed sign-ups are listed a page at a time", async () => {
  const page = { accounts: [{ sub: "ann", created_at: 5 }] };
  expect(await accountsOf({ payload: { result: page } }).accounts.listUnconfirmed()).toEqual({
    accounts: [{ sub: "ann", createdAt: 5 }],
    next: undefined,
  });
  const { asked, accounts } = accountsOf({ payload: { result: { removed: true } } });
  expect(await accounts.removeUnconfirmed("ann")).toBe(true);
  expect(asked).toEqual([["arn:accounts", { action: "remove_unconfirmed", input: { sub: "ann" } }]]);
});

test("all sign-ins of an account are ended by the function of the accounts", async () => {
  const { asked, accounts } = accountsOf({ payload: { result: {} } });
  await accounts.endSignIns("ann");
  expect(asked).toEqual([["arn:accounts", { action: "end_sign_ins", input: { sub: "ann" } }]]);
});

test("a function of the accounts that does not answer is reported as an unavailable identity provider", async () => {
  const timeOut = Object.assign(new Error("timed out"), { $metadata: {} });
  const expected = { code: "identity_unavailable", cause: timeOut };
  await expect(accountsOf(timeOut).accounts.invite("x", into)).rejects.toMatchObject(expected);
});
