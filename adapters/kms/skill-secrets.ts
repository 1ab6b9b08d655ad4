// Values of skills' secrets under the tenants' keys. KMS encrypts 4,096 bytes at the most (kms/latest/APIReference/API_Encrypt.html), so a value has a
// data key of its own: its text is the data key under the tenant's key, and the value under the data key.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { DecryptCommand, GenerateDataKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { type KeyedSealer, type SecretOpener, sealingContext } from "../../domain/secrets/secret.ts";
import { agents } from "../connections.ts";

const algorithm = "aes-256-gcm";
const version = "v1";
const [ivBytes, tagBytes] = [12, 16];

export function keyedSealer(kms = client()): KeyedSealer {
  return {
    async seal(keyArn, secret, value) {
      const EncryptionContext = sealingContext(secret);
      const command = new GenerateDataKeyCommand({ KeyId: keyArn, KeySpec: "AES_256", EncryptionContext });
      const { Plaintext, CiphertextBlob } = await kms.send(command);
      if (!Plaintext || !CiphertextBlob) throw new Error("GenerateDataKey answered without a key");
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, Plaintext, iv).setAAD(CiphertextBlob);
      const encrypted = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
      Plaintext.fill(0);
      return [version, base64(CiphertextBlob), base64(Buffer.concat([iv, cipher.getAuthTag(), encrypted]))].join(".");
    },
  };
}

/** For the role that the policy of the keys lets decrypt: the function `runner`'s. */
export function secretOpener(kms = client()): SecretOpener {
  return {
    async open(secret, sealed) {
      const [form, key = "", box = ""] = sealed.split(".");
      if (form !== version) throw new Error("a secret is sealed in an unknown form");
      const CiphertextBlob = Buffer.from(key, "base64url");
      const EncryptionContext = sealingContext(secret);
      const { Plaintext } = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
      if (!Plaintext) throw new Error("Decrypt answered without a key");
      const bytes = Buffer.from(box, "base64url");
      const decipher = createDecipheriv(algorithm, Plaintext, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(CiphertextBlob).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      const value = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
      Plaintext.fill(0);
      return value.toString("utf8");
    },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

function client(): KMSClient {
  const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };
  return new KMSClient({ requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true } });
}
