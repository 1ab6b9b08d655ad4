import { scryptSync } from "node:crypto";
import { expect, test } from "@jest/globals";
import { checkPassword, hashPassword, passwordMatches, temporaryPassword } from "../../../cognito/people/passwords.ts";

const policy = {
  minimumLength: 10,
  requireLowercase: true,
  requireUppercase: true,
  requireNumbers: true,
  requireSymbols: true,
  temporaryPasswordValidityDays: 7,
};

test("a password's hash matches only its password, and differs each time", async () => {
  const [one, two] = [await hashPassword("Correct-1"), await hashPassword("Correct-1")];
  expect(one).not.toBe(two);
  expect(one).not.toContain("Correct");
  expect(await passwordMatches("Correct-1", one)).toBe(true);
  expect(await passwordMatches("correct-1", one)).toBe(false);
  expect(await passwordMatches("", undefined)).toBe(false);
});

test("a hash that an earlier stack stored without its cost still matches", async () => {
  const salt = Buffer.alloc(16, 1);
  const hash = `${salt.toString("base64url")}$${scryptSync("Correct-1", salt, 32).toString("base64url")}`;
  expect(await passwordMatches("Correct-1", hash)).toBe(true);
  expect(await passwordMatches("correct-1", hash)).toBe(false);
});

test.each([
  ["Short-1", "Password not long enough"],
  ["lowercase-1", "Password must have uppercase characters"],
  ["UPPERCASE-1", "Password must have lowercase characters"],
  ["No-numbers-here", "Password must have numeric characters"],
  ["NoSymbols123", "Password must have symbol characters"],
  [`Aa1-${"x".repeat(253)}`, "Password too long"],
])("the password %s violates a rule", (password, rule) => {
  expect(() => checkPassword(policy, password)).toThrow(`Password did not conform with policy: ${rule}`);
});

test("a rule that the password policy does not contain is not checked", () => {
  const lax = { ...policy, requireUppercase: false, requireNumbers: false, requireSymbols: false };
  expect(() => checkPassword(lax, "lowercaseonly")).not.toThrow();
});

test("temporary passwords meet the password policy, and differ", () => {
  const passwords = Array.from({ length: 50 }, () => temporaryPassword({ ...policy, minimumLength: 20 }));
  for (const password of passwords)
    expect(() => checkPassword({ ...policy, minimumLength: 20 }, password)).not.toThrow();
  expect(new Set(passwords).size).toBe(50);
});
