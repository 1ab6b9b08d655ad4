// Passwords: the pool's policy, hashing with scrypt, and temporary passwords.
import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { AwsError } from "../../aws/service.ts";
import type { PasswordPolicy } from "../settings.ts";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const keyBytes = 32;

/**
 * scrypt's work factor. It is small: who reads a hash in the data folder reads the signing keys beside it, and each sign-in of the
 * tests pays for it.
 */
const cost = 1024;
/** The work factor of hashes that do not name one: Node's own. */
const earlierCost = 16_384;

/** `<cost>$<salt>$<key>`, the last two base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, keyBytes, { cost });
  return `${cost}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** Gives false for a person without a password too, after the same time. */
export async function passwordMatches(password: string, hash = `${cost}$$`): Promise<boolean> {
  const [key = "", salt = "", named = earlierCost] = hash.split("$").reverse();
  const expected = Buffer.from(key, "base64url");
  const actual = await derive(password, Buffer.from(salt, "base64url"), keyBytes, { cost: Number(named) });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

const lowercase = "abcdefghijkmnopqrstuvwxyz";
const uppercase = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const numbers = "23456789";
const symbols = "!#$%*+-=?@_";

const symbol = /[\^$*.[\]{}()?"!@#%&/\\,><':;|_~`=+\- ]/;

/** @throws AwsError InvalidPasswordException that names the first rule broken, with Cognito's message. */
export function checkPassword(policy: PasswordPolicy, password: string): void {
  const rules: [broken: boolean, message: string][] = [
    [password.length < policy.minimumLength, "Password not long enough"],
    [password.length > 256, "Password too long"],
    [policy.requireUppercase && !/[A-Z]/.test(password), "Password must have uppercase characters"],
    [policy.requireLowercase && !/[a-z]/.test(password), "Password must have lowercase characters"],
    [policy.requireNumbers && !/[0-9]/.test(password), "Password must have numeric characters"],
    [policy.requireSymbols && !symbol.test(password), "Password must have symbol characters"],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new AwsError("InvalidPasswordException", `Password did not conform with policy: ${broken[1]}`);
}

/** The policy in words, for the person who chooses a password. */
export function passwordHint(policy: PasswordPolicy): string {
  const kinds = [
    policy.requireUppercase && "an upper-case letter",
    policy.requireLowercase && "a lower-case letter",
    policy.requireNumbers && "a digit",
    policy.requireSymbols && "a symbol",
  ].filter((kind) => kind !== false);
  const among = kinds.length > 0 ? `, among them ${new Intl.ListFormat("en").format(kinds)}` : "";
  return `At least ${policy.minimumLength} characters${among}.`;
}

/** Makes a temporary password. The password has letters of all four kinds and at least the policy's minimum length, so it meets the policy. */
export function temporaryPassword(policy: PasswordPolicy): string {
  const kinds = [lowercase, uppercase, numbers, symbols];
  const every = kinds.join("");
  const rest = Array.from({ length: Math.max(12, policy.minimumLength) - kinds.length }, () => every);
  return [...kinds, ...rest].map((letters) => letters[randomInt(letters.length)]).join("");
}
