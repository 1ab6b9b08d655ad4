// A secret of the emulated Secrets Manager, as it is kept and as the service describes it.
import { accountId } from "../aws/account.ts";
import type { Authorization } from "../aws/service.ts";

export type SecretVersion = {
  id: string;
  /** The value, or its ciphertext if the secret has a key. */
  value: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
};

export type Secret = {
  arn: string;
  description?: string | undefined;
  /** A key of KMS; the account's own key for this service, which needs no right, if there is none. */
  keyArn?: string | undefined;
  tags: Record<string, string>;
  createdAt: number;
  /** When the secret is deleted for good, in milliseconds; undefined while nobody has asked for that. */
  deletionAt?: number | undefined;
  /** The current version, then the one before. */
  versions: SecretVersion[];
};

export const stages = ["AWSCURRENT", "AWSPREVIOUS"];

/** An ARN ends with a hyphen and six characters of its own. */
export function nameOf(arn: string): string {
  return arn.slice(arn.indexOf(":secret:") + ":secret:".length).replace(/-[A-Za-z0-9]{6}$/, "");
}

export function regionOf(arn: string): string {
  return arn.split(":")[3] ?? "";
}

export function secretArn(region: string, name: string): string {
  return `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}`;
}

/**
 * The context that a value is bound to when it is encrypted ("Encryption context" of
 * docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html).
 */
export function encryptionContext(arn: string, versionId: string): Record<string, string> {
  return { SecretARN: arn, SecretVersionId: versionId };
}

export function describeVersion({ arn }: Secret, version: SecretVersion | undefined, stage = 0) {
  return { ARN: arn, Name: nameOf(arn), VersionId: version?.id, VersionStages: [stages[stage]] };
}

export function describeSecret(secret: Secret) {
  const { arn, description, keyArn, tags, createdAt, deletionAt, versions } = secret;
  return {
    ARN: arn,
    Name: nameOf(arn),
    Description: description,
    KmsKeyId: keyArn,
    CreatedDate: createdAt / 1000,
    LastChangedDate: (versions[0]?.createdAt ?? createdAt) / 1000,
    ...(deletionAt !== undefined && { DeletedDate: deletionAt / 1000 }),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  };
}

/** The condition keys about the tags that a secret has. */
export function tagContext(secret: Pick<Secret, "tags"> | undefined): NonNullable<Authorization["context"]> {
  const tags = Object.entries(secret?.tags ?? {});
  return Object.fromEntries(
    tags.flatMap(([name, value]) => [
      [`aws:ResourceTag/${name}`, value],
      [`secretsmanager:ResourceTag/${name}`, value],
    ]),
  );
}
