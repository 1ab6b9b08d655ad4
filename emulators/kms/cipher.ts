// Encryption under an emulated KMS key: AES-256-GCM with the encryption context as additional data, as KMS does it.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export type EncryptionContext = Record<string, string>;

// A blob is one byte of version, the key's id (36 characters), IV, tag and ciphertext.
const version = 1;
const idBytes = 36;
const ivBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + idBytes + ivBytes + tagBytes;

/** @param keyId 36 characters, kept in the blob so that Decrypt finds the key */
export function seal(keyId: string, material: Buffer, plaintext: Buffer, context: EncryptionContext): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", material, iv).setAAD(additionalData(keyId, context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(version), Buffer.from(keyId, "latin1"), iv, cipher.getAuthTag(), ciphertext]);
}

/** The id of the key that sealed a blob, or undefined for anything else. */
export function sealingKeyId(blob: Buffer): string | undefined {
  if (blob.length < headerBytes || blob[0] !== version) return undefined;
  return blob.toString("latin1", 1, 1 + idBytes);
}

/** @throws Error if the key, the context or the blob differs from the sealed one. */
export function open(blob: Buffer, material: Buffer, context: EncryptionContext): Buffer {
  const ivStart = 1 + idBytes;
  const tagStart = ivStart + ivBytes;
  const decipher = createDecipheriv("aes-256-gcm", material, blob.subarray(ivStart, tagStart));
  decipher.setAAD(additionalData(sealingKeyId(blob) ?? "", context));
  decipher.setAuthTag(blob.subarray(tagStart, headerBytes));
  return Buffer.concat([decipher.update(blob.subarray(headerBytes)), decipher.final()]);
}

/** The order of the context's pairs does not matter. */
function additionalData(keyId: string, context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([left], [right]) => (left < right ? -1 : 1));
  return Buffer.from(JSON.stringify([keyId, pairs]));
}
