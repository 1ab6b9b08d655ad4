import { describe, expect, test } from "@jest/globals";
import {
  type ExternalIdentity,
  joinAccount,
  type NativeAccount,
  SignInRefused,
} from "../../../domain/people/first-sign-in.ts";

const identity = { provider: "Google", subject: "123" };
const ann = { username: "ann", holdsAddress: true, hasSecondFactor: false };

async function signIn(
  account: NativeAccount | undefined,
  isVouchedFor: boolean,
  email: string | undefined = "ann@acme.test",
) {
  const links: [string, ExternalIdentity][] = [];
  const asked: string[] = [];
  const accounts = {
    byEmail: async (address: string) => {
      asked.push(address);
      return account;
    },
    link: async ({ username }: NativeAccount, linked: ExternalIdentity) => void links.push([username, linked]),
  };
  const outcome = await joinAccount(accounts, { identity, email, isVouchedFor }).catch((error: unknown) => error);
  return { outcome, links, asked };
}

describe("the first sign-in with an external provider", () => {
  test("the first sign-in with an external provider joins the account that holds the address, if the provider vouches for it", async () => {
    expect(await signIn(ann, true)).toMatchObject({ outcome: ann, links: [["ann", identity]] });
  });

  test("the first sign-in with an external provider is refused with advice if the address belongs to another account and the provider does not vouch for it", async () => {
    const { outcome, links } = await signIn(ann, false);
    expect(outcome).toBeInstanceOf(SignInRefused);
    expect(String(outcome)).toMatch(/Google has not confirmed .* sign in with the password or the mailed invitation/);
    expect(links).toEqual([]);
  });

  test.each([
    ["nobody has an account with", undefined],
    ["an account has claimed and not proved", { ...ann, holdsAddress: false }],
  ])(
    "the first sign-in with an external provider creates a new person for an address that %s, and links nothing",
    async (_which, account) => {
      for (const isVouchedFor of [true, false]) {
        expect(await signIn(account, isVouchedFor)).toMatchObject({ outcome: undefined, links: [] });
      }
    },
  );

  test("the first sign-in with an external provider is refused for an account with a second factor, which the provider would bypass", async () => {
    const { outcome, links } = await signIn({ ...ann, hasSecondFactor: true }, true);
    expect(outcome).toBeInstanceOf(SignInRefused);
    expect(String(outcome)).toMatch("a second factor, which Google does not ask for");
    expect(links).toEqual([]);
  });

  test("the first sign-in with an external provider is refused without an address, before any look-up", async () => {
    for (const isVouchedFor of [true, false]) {
      const { outcome, asked } = await signIn(ann, isVouchedFor, "");
      expect(String(outcome)).toMatch("Google did not tell your e-mail address");
      expect(asked).toEqual([]);
    }
  });
});
