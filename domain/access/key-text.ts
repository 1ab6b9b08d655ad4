// The text of an API key: `ar_live_<key id>_<secret><checksum>`. Shape and checksum tell a key from other text without a look-up.
import { crc32 } from "node:zlib";
import { type ApiKeyMode, keyIdLength } from "./api-key.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 32 characters of 62 have 190 bits. */
const secretLength = 32;
/** A checksum of 32 bits fits into six digits: 62^6 > 2^32. */
const checksumLength = 6;

/** Returns `size` random bytes. */
export type Random = (size: number) => Uint8Array;

export type MintedApiKey = { key_id: string; key: string; last4: string };

export function mintApiKeyId(random: Random): string {
  return base62(keyIdLength, random);
}

/** A new key. Its text is shown once and stored nowhere. */
export function mintApiKey(mode: ApiKeyMode, keyId: string, random: Random): MintedApiKey {
  const body = `ar_${mode}_${keyId}_${base62(secretLength, random)}`;
  const key = body + checksum(body);
  return { key_id: keyId, key, last4: key.slice(-4) };
}

const shape = new RegExp(
  `^ar_(live|test)_([0-9A-Za-z]{${keyIdLength}})_[0-9A-Za-z]{${secretLength + checksumLength}}$`,
);

/** Mode and id of a well-formed key; undefined for any other text. A well-formed key need not exist. */
export function parseApiKey(text: string): { mode: ApiKeyMode; key_id: string } | undefined {
  const [, mode, keyId] = shape.exec(text) ?? [];
  if (!mode || !keyId) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { mode: mode as ApiKeyMode, key_id: keyId };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

function base62(length: number, random: Random): string {
  // Bytes from 248 on are discarded: 248 is four times 62, so every digit stays equally likely.
  const fair = 256 - (256 % alphabet.length);
  let digits = "";
  while (digits.length < length) {
    for (const byte of random(length)) {
      if (byte < fair && digits.length < length) digits += alphabet.charAt(byte % alphabet.length);
    }
  }
  return digits;
}
