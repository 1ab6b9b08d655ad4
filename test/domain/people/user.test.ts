import { expect, test } from "@jest/globals";
import { otherAccounts, type Profile } from "../../../domain/people/user.ts";

const ann: Profile = {
  ...{ sub: "ann", email: "ann@acme.test", approval_status: "approved", created_at: "2026-11-21T05:00:00.000Z" },
  ...{ provider: "password", email_verified: true },
};
const others = (...found: Partial<Profile>[]) =>
  otherAccounts({ withAddress: async () => [ann, ...found.map((one) => ({ ...ann, sub: "other", ...one }))] }, ann);

test("each way of signing in to another account with the verified address is listed once, sorted by name", async () => {
  expect(await others({ provider: "Okta" }, { provider: "Google" }, { provider: "Google", sub: "third" })).toEqual([
    { provider: "Google" },
    { provider: "Okta" },
  ]);
});

test("an account whose address is different or unverified is not listed among the other accounts", async () => {
  expect(await others({ email_verified: false }, { email: "ann@acme.tesT\u0307" })).toEqual([]);
});
