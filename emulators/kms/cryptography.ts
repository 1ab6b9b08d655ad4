// The operations of the emulated KMS that encrypt and decrypt.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { AwsError } from "../aws/service.ts";
import type { Context } from "../iam/requesting-principal.ts";
import { type EncryptionContext, open, seal, sealingKeyId } from "./cipher.ts";
import { type KmsKey, keyArn } from "./keys.ts";
import { type KmsCall, type KmsOperation, keyId, notPending, onKey, operation, rightOn } from "./operation.ts";

const blob = z.base64().transform((text) => Buffer.from(text, "base64"));
const plaintext = blob.refine(({ length }) => length >= 1 && length <= 4096, "must be 1 to 4096 bytes");
const encryptionContext = z.record(z.string(), z.string()).default({});
const algorithm = z.literal("SYMMETRIC_DEFAULT").default("SYMMETRIC_DEFAULT");

export const cryptography: Record<string, KmsOperation> = {
  Encrypt: onKey(
    { Plaintext: plaintext, EncryptionContext: encryptionContext, EncryptionAlgorithm: algorithm },
    (key, { Plaintext, EncryptionContext, EncryptionAlgorithm }) => ({
      KeyId: key.arn,
      CiphertextBlob: sealed(key, Plaintext, EncryptionContext),
      EncryptionAlgorithm,
    }),
    contextOf,
  ),

  GenerateDataKey: onKey(
    { KeySpec: z.literal("AES_256"), EncryptionContext: encryptionContext },
    (key, { EncryptionContext }) => {
      const plaintext = randomBytes(32);
      return {
        KeyId: key.arn,
        Plaintext: plaintext.toString("base64"),
        CiphertextBlob: sealed(key, plaintext, EncryptionContext),
      };
    },
    contextOf,
  ),

  Decrypt: operation(
    z.strictObject({
      CiphertextBlob: blob,
      KeyId: keyId.optional(),
      EncryptionContext: encryptionContext,
      EncryptionAlgorithm: algorithm,
    }),
    (input, call) => [rightOn(sealingKey(input, call), call, contextOf(input))],
    (input, call) => {
      const key = usable(sealingKey(input, call));
      const plaintext = opened(key, input.CiphertextBlob, input.EncryptionContext);
      return { KeyId: key.arn, Plaintext: plaintext, EncryptionAlgorithm: input.EncryptionAlgorithm };
    },
  ),
};

export function sealed(key: KmsKey, plaintext: Buffer, context: EncryptionContext): string {
  return seal(key.id, materialOf(usable(key)), plaintext, context).toString("base64");
}

export function opened(key: KmsKey, blob: Buffer, context: EncryptionContext): string {
  try {
    return open(blob, materialOf(key), context).toString("base64");
  } catch {
    throw invalidCiphertext();
  }
}

/** Finds the key that sealed a blob. If the call names a key, it must be that one. */
function sealingKey({ CiphertextBlob, KeyId }: { CiphertextBlob: Buffer; KeyId?: string | undefined }, call: KmsCall) {
  const id = sealingKeyId(CiphertextBlob);
  const key = id === undefined ? undefined : call.keys.byArn(keyArn(call.region, id));
  if (!key) throw invalidCiphertext();
  if (KeyId !== undefined && call.keys.find(KeyId, call.region).arn !== key.arn) {
    throw new AwsError(
      "IncorrectKeyException",
      "The key ID in the request does not identify a CMK that can perform this operation.",
    );
  }
  return key;
}

export function usable(key: KmsKey): KmsKey {
  if (notPending(key).state === "Disabled") throw new AwsError("DisabledException", `${key.arn} is disabled.`);
  return key;
}

function materialOf(key: KmsKey): Buffer {
  return Buffer.from(key.material, "base64");
}

/** The condition keys about an encryption context. */
export function contextOf({ EncryptionContext }: { EncryptionContext: EncryptionContext }): Context {
  const pairs = Object.entries(EncryptionContext);
  if (pairs.length === 0) return {};
  const values = pairs.map(([key, value]) => [`kms:EncryptionContext:${key}`, value]);
  return { ...Object.fromEntries(values), "kms:EncryptionContextKeys": pairs.map(([key]) => key) };
}

function invalidCiphertext(): AwsError {
  return new AwsError("InvalidCiphertextException", "The ciphertext is not one of ours, or its context differs.");
}
