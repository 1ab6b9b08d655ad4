// The keys and aliases of the emulated KMS. They are kept in the store, and a key is deleted when its waiting period is over.
import { randomBytes, randomUUID } from "node:crypto";
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Collection, Store } from "../store.ts";

export type KmsKey = {
  id: string;
  arn: string;
  description: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  state: "Enabled" | "Disabled" | "PendingDeletion";
  /** Milliseconds since the epoch. */
  deletionAt?: number;
  tags: Record<string, string>;
  /** The key policy, as JSON. */
  policy: string;
  /** 32 bytes, base64. */
  material: string;
};

export type KmsAlias = { name: string; arn: string; keyArn: string; createdAt: number };

export class KmsKeys {
  readonly #keys: Collection<KmsKey>;
  readonly #aliases: Collection<KmsAlias>;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#keys = store.collection("kms-key");
    this.#aliases = store.collection("kms-alias");
    this.#clock = clock;
  }

  create(region: string, given: Pick<KmsKey, "description" | "tags" | "policy">): KmsKey {
    const id = randomUUID();
    const material = randomBytes(32).toString("base64");
    const key: KmsKey = {
      ...given,
      id,
      arn: keyArn(region, id),
      createdAt: this.#clock.now(),
      state: "Enabled",
      material,
    };
    this.#keys.put(key.arn, key);
    return key;
  }

  save(key: KmsKey): void {
    this.#keys.put(key.arn, key);
  }

  /**
   * Finds a key by its id or ARN, or by the name or ARN of an alias.
   * @throws AwsError NotFoundException
   */
  find(keyId: string, region: string): KmsKey {
    if (keyId.startsWith("arn:") && !keyId.startsWith(arnOf(region, ""))) {
      throw new AwsError("NotFoundException", `Invalid arn ${keyId}: the call was made in ${region}`);
    }
    const arn = keyId.startsWith("arn:") ? keyId : arnOf(region, keyId.startsWith("alias/") ? keyId : `key/${keyId}`);
    const isAlias = arn.includes(":alias/");
    const key = this.byArn(isAlias ? (this.alias(arn)?.keyArn ?? "") : arn);
    if (key) return key;
    throw new AwsError("NotFoundException", isAlias ? `Alias ${arn} is not found.` : `Key '${arn}' does not exist`);
  }

  byArn(arn: string): KmsKey | undefined {
    const key = this.#keys.get(arn);
    if (key?.deletionAt === undefined || this.#clock.now() < key.deletionAt) return key;
    this.#keys.delete(arn);
    for (const alias of this.aliases()) if (alias.keyArn === arn) this.#aliases.delete(alias.arn);
    return undefined;
  }

  all(): KmsKey[] {
    return this.#keys.all().flatMap(({ arn }) => this.byArn(arn) ?? []);
  }

  alias(arn: string): KmsAlias | undefined {
    return this.#aliases.get(arn);
  }

  aliases(): KmsAlias[] {
    return this.#aliases.all();
  }

  addAlias(name: string, region: string, key: KmsKey): void {
    const arn = arnOf(region, name);
    if (this.alias(arn)) throw new AwsError("AlreadyExistsException", `An alias with the name ${arn} already exists`);
    this.#aliases.put(arn, { name, arn, keyArn: key.arn, createdAt: this.#clock.now() });
  }

  removeAlias(arn: string): void {
    this.#aliases.delete(arn);
  }
}

export function keyArn(region: string, id: string): string {
  return arnOf(region, `key/${id}`);
}

/** @param resource `key/<id>` or `alias/<name>` */
export function arnOf(region: string, resource: string): string {
  return `arn:aws:kms:${region}:${accountId}:${resource}`;
}
