// Codes of authenticator apps: RFC 6238 with HMAC-SHA-1, six digits and steps of thirty seconds. Cognito takes no others
// (docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa-totp.html).
import { createHmac, randomBytes } from "node:crypto";

const stepMs = 30_000;

/** The letters of base 32 (RFC 4648, 6), in which an app takes its secret. */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** 256 random bits in base 32. */
export function newTotpSecret(): string {
  const bits = [...randomBytes(32)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => letters[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The code that an app with this secret shows. @param now milliseconds since the epoch. */
export function totp(secret: string, now: number): string {
  return codeOfStep(secret, stepAt(now));
}

/** Finds the step of a code: the present one, or one before or after it, since Cognito allows for wrong clocks. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const present = stepAt(now);
  return [present, present - 1, present + 1].find((step) => codeOfStep(secret, step) === code);
}

function stepAt(now: number): number {
  return Math.floor(now / stepMs);
}

/** RFC 4226, 5.3. */
function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
