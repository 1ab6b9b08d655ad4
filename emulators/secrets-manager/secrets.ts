// The secrets of the emulated Secrets Manager with their versions, each under a key of KMS if it names one.
import { randomInt, randomUUID } from "node:crypto";
import { type Authorization, AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Kms } from "../kms/kms.ts";
import type { Collection, Store } from "../store.ts";
import {
  encryptionContext,
  nameOf,
  regionOf,
  type Secret,
  type SecretVersion,
  secretArn,
  stages,
  tagContext,
} from "./secret.ts";

/** The beginning of Secrets Manager's message for a secret or a value that is not there (docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html). */
const unknownSecret = "Secrets Manager can't find the specified secret.";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A version by its id or stage; the current one unless said otherwise. */
export type WhichVersion = { VersionId?: string | undefined; VersionStage?: string | undefined };

export type SecretsOptions = { store: Store; clock: Clock; kms?: Kms };

export class Secrets {
  readonly #secrets: Collection<Secret>;
  readonly #clock: Clock;
  readonly #kms: Kms | undefined;

  /** @param options without `kms` no secret can have a key of its own. */
  constructor({ store, clock, kms }: SecretsOptions) {
    this.#secrets = store.collection("secret");
    this.#clock = clock;
    this.#kms = kms;
  }

  /** Makes a secret, as an operator does by hand. A secret that is there keeps its value. */
  create(arn: string, value?: string): void {
    if (this.#kept(arn)) return;
    this.save({ arn, tags: {}, createdAt: this.#clock.now(), versions: [] });
    if (value !== undefined) this.put(arn, value);
  }

  /** @param id ARN or name. */
  get(id: string): string | undefined {
    const secret = this.#find(id);
    return secret && this.#opened(secret, secret.versions[0]);
  }

  /** @param id ARN or name. @throws Error if nobody made the secret. */
  put(id: string, value: string): void {
    const secret = this.#find(id);
    if (!secret) throw new Error(`nobody made the secret ${id}`);
    this.add(secret, value, randomUUID());
  }

  /** Removes a secret at once, without the days in which it could be restored. */
  remove(arn: string): void {
    this.#secrets.delete(arn);
  }

  /** Every secret, without its values. */
  all(): Omit<Secret, "versions">[] {
    return this.#secrets.all().flatMap(({ arn }) => {
      const { versions: _, ...secret } = this.#kept(arn) ?? { versions: [], arn: "", tags: {}, createdAt: 0 };
      return secret.arn === "" ? [] : [secret];
    });
  }

  /** A new secret's ARN. */
  newArn(region: string, name: string): string {
    const suffix = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join("");
    return secretArn(region, `${name}-${suffix}`);
  }

  /** Makes a value the current one of a secret. The one before stays as AWSPREVIOUS. */
  add(secret: Secret, value: string, id: string): Secret {
    const { arn, keyArn, versions } = secret;
    const sealed = keyArn === undefined ? value : this.#sealed(keyArn, arn, id, value);
    const version = { id, value: sealed, createdAt: this.#clock.now() };
    return this.save({ ...secret, versions: [version, ...versions].slice(0, stages.length) });
  }

  save(secret: Secret): Secret {
    this.#secrets.put(secret.arn, secret);
    return secret;
  }

  /** @throws AwsError ResourceNotFoundException */
  find(id: string): Secret {
    const secret = this.#find(id);
    if (secret) return secret;
    throw new AwsError("ResourceNotFoundException", unknownSecret);
  }

  /** The secret of a name in a region, even one that waits for its deletion. */
  named(region: string, name: string): Secret | undefined {
    return this.#secrets.all().find(({ arn }) => nameOf(arn) === name && regionOf(arn) === region && this.#kept(arn));
  }

  /** A version's value. @throws AwsError for a version that is not there, or a key that cannot be used. */
  valueIn(secret: Secret, { VersionId, VersionStage = stages[0] }: WhichVersion = {}) {
    const index = VersionId
      ? secret.versions.findIndex(({ id }) => id === VersionId)
      : stages.indexOf(VersionStage ?? "");
    const version = secret.versions[index];
    const value = this.#opened(secret, version);
    if (version && value !== undefined) return { version, value, stage: index };
    const staged = `${unknownSecret.slice(0, -1)} value for staging label: ${VersionId ?? VersionStage}`;
    throw new AwsError("ResourceNotFoundException", staged);
  }

  /** The ARN of a secret that is given by ARN or name. A name that nobody has stands for itself. */
  arnOf(id: string, region: string): string {
    return this.#find(id)?.arn ?? (id.startsWith("arn:") ? id : secretArn(region, id));
  }

  /** The ARN of the key that an id or alias names. @throws AwsError */
  keyArnOf(keyId: string, region: string): string {
    if (!this.#kms) throw new AwsError("InvalidParameterException", "KmsKeyId: this Secrets Manager has no keys");
    return this.#kms.arnOf(keyId, region);
  }

  /**
   * The rights on a secret's key that a call needs of its caller: GenerateDataKey and Decrypt to write, Decrypt to read
   * ("Permissions for the KMS key" of docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html).
   */
  keyRights(arn: string, keyArn: string | undefined, versionId: string, use: "read" | "write"): Authorization[] {
    if (keyArn === undefined || !this.#kms) return [];
    const context = encryptionContext(arn, versionId);
    const names = use === "read" ? ["Decrypt"] : ["GenerateDataKey", "Decrypt"];
    return this.#kms.rightsVia("secretsmanager", { keyId: keyArn, region: regionOf(arn), context }, names);
  }

  /** The rights that reading a secret needs, for a service that reads it as one of our roles. */
  rightsToRead(id: string, region: string): Authorization[] {
    const arn = this.arnOf(id, region);
    const secret = this.#find(id);
    const keys = secret ? this.keyRights(arn, secret.keyArn, secret.versions[0]?.id ?? "", "read") : [];
    return [{ action: "secretsmanager:GetSecretValue", resource: arn, context: tagContext(secret) }, ...keys];
  }

  #find(id: string): Secret | undefined {
    const named = () => this.#secrets.all().find(({ arn }) => nameOf(arn) === id);
    return this.#kept(this.#secrets.get(id)?.arn ?? named()?.arn ?? "");
  }

  /** A secret whose days are over is gone. */
  #kept(arn: string): Secret | undefined {
    const secret = this.#secrets.get(arn);
    if (secret?.deletionAt === undefined || this.#clock.now() < secret.deletionAt) return secret;
    this.#secrets.delete(arn);
    return undefined;
  }

  #sealed(keyArn: string, arn: string, versionId: string, value: string): string {
    try {
      const use = { keyId: keyArn, region: regionOf(arn), context: encryptionContext(arn, versionId) };
      return (this.#kms as Kms).seal(use, value);
    } catch (error) {
      throw new AwsError("EncryptionFailure", `The key cannot be used: ${(error as Error).message}`);
    }
  }

  #opened({ arn, keyArn }: Secret, version: SecretVersion | undefined): string | undefined {
    if (!version || keyArn === undefined) return version?.value;
    try {
      const use = { keyId: keyArn, region: regionOf(arn), context: encryptionContext(arn, version.id) };
      return (this.#kms as Kms).open(use, version.value);
    } catch (error) {
      throw new AwsError("DecryptionFailure", `The key cannot be used: ${(error as Error).message}`);
    }
  }
}
