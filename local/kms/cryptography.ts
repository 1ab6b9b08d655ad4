// The operations of the emulated KMS that encrypt and decrypt.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { AwsError } from "../aws/service.ts";
import type { Context } from "../iam/requesting-principal.ts";
import { type EncryptionContext, open, seal, sealingKeyId } from "./cipher.ts";
import { type KmsKey, keyArn } from "./keys.ts";
import { invalid, type KmsOperation, keyId, notPending, onKey, operation, type Place, rightOn } from "./operation.ts";

const blob = z.base64().transform((text) => Buffer.from(text, "base64"));
const encryptionContext = z.record(z.string(), z.string()).default({});
const algorithm = z.literal("SYMMETRIC_DEFAULT").default("SYMMETRIC_DEFAULT");

export const cryptography: Record<string, KmsOperation> = {
  Encrypt: onKey(
    { Plaintext: blob, EncryptionContext: encryptionContext, EncryptionAlgorithm: algorithm },
    (key, { Plaintext, EncryptionContext, EncryptionAlgorithm }) => {
      if (Plaintext.length < 1 || Plaintext.length > 4096) throw invalid("Plaintext: must be 1 to 4096 bytes");
      return { KeyId: key.arn, CiphertextBlob: sealed(key, Plaintext, EncryptionContext), EncryptionAlgorithm };
    },
    contextOf,
  ),

  GenerateDataKey: onKey(
    {
      KeySpec: z.enum(["AES_256", "AES_128"]).optional(),
      NumberOfBytes: z.int().min(1).max(1024).optional(),
      EncryptionContext: encryptionContext,
    },
    (key, { EncryptionContext, ...size }) => {
      const plaintext = randomBytes(bytesOf(size));
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
    (input, place) => [rightOn(sealingKey(input, place), place, contextOf(input))],
    (input, place) => {
      const key = usable(sealingKey(input, place));
      const plaintext = opened(key, input.CiphertextBlob, input.EncryptionContext);
      return { KeyId: key.arn, Plaintext: plaintext, EncryptionAlgorithm: input.EncryptionAlgorithm };
    },
  ),
};

function sealed(key: KmsKey, plaintext: Buffer, context: EncryptionContext): string {
  return seal(key.id, materialOf(usable(key)), plaintext, context).toString("base64");
}

function opened(key: KmsKey, blob: Buffer, context: EncryptionContext): string {
  try {
    return open(blob, materialOf(key), context).toString("base64");
  } catch {
    throw invalidCiphertext();
  }
}

/** The key that sealed a blob, which must be the one that the caller names, if it names any. */
function sealingKey({ CiphertextBlob, KeyId }: { CiphertextBlob: Buffer; KeyId?: string | undefined }, place: Place) {
  const id = sealingKeyId(CiphertextBlob);
  const key = id === undefined ? undefined : place.keys.byArn(keyArn(place.region, id));
  if (!key) throw invalidCiphertext();
  if (KeyId !== undefined && place.keys.find(KeyId, place.region).arn !== key.arn) {
    throw new AwsError(
      "IncorrectKeyException",
      "The key ID in the request does not identify a CMK that can perform this operation.",
    );
  }
  return key;
}

function usable(key: KmsKey): KmsKey {
  if (notPending(key).state === "Disabled") throw new AwsError("DisabledException", `${key.arn} is disabled.`);
  return key;
}

function materialOf(key: KmsKey): Buffer {
  return Buffer.from(key.material, "base64");
}

function bytesOf({
  KeySpec,
  NumberOfBytes,
}: {
  KeySpec?: string | undefined;
  NumberOfBytes?: number | undefined;
}): number {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined)) {
    throw invalid("Please specify either number of bytes or key spec.");
  }
  return NumberOfBytes ?? (KeySpec === "AES_256" ? 32 : 16);
}

function contextOf({ EncryptionContext }: { EncryptionContext: EncryptionContext }): Context {
  const pairs = Object.entries(EncryptionContext);
  if (pairs.length === 0) return {};
  const values = pairs.map(([key, value]) => [`kms:EncryptionContext:${key}`, value]);
  return { ...Object.fromEntries(values), "kms:EncryptionContextKeys": pairs.map(([key]) => key) };
}

function invalidCiphertext(): AwsError {
  return new AwsError("InvalidCiphertextException", "The ciphertext is not one of ours, or its context differs.");
}
