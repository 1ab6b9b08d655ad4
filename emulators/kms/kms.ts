// The Key Management Service: symmetric keys over the store, with real encryption under them.
import { accountId } from "../aws/account.ts";
import { JsonService } from "../aws/json-service.ts";
import type { Authorization } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Store } from "../store.ts";
import type { EncryptionContext } from "./cipher.ts";
import { contextOf, cryptography, opened, sealed, usable } from "./cryptography.ts";
import { type KmsKey, KmsKeys } from "./keys.ts";
import { management } from "./management.ts";
import { type KmsCall, rightOn } from "./operation.ts";

/** A key in the hands of another service. */
export type KeyUse = { keyId: string; region: string; context: EncryptionContext };

export class Kms extends JsonService<KmsCall> {
  readonly #keys: KmsKeys;

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    const keys = new KmsKeys(store, clock);
    super({
      signingName: "kms",
      title: "KMS",
      operations: { ...management, ...cryptography },
      contextOf: (operation, { region }) => ({ operation, region, now: clock.now(), keys }),
    });
    this.#keys = keys;
  }

  /** The policy of the key that an ARN names. Without it `Iam` takes the default policy for every key. */
  policyOf(arn: string): string | undefined {
    return arn.startsWith("arn:aws:kms:") ? this.#keys.byArn(arn)?.policy : undefined;
  }

  /**
   * The rights that a service needs of its caller to use a key: the key's policy may name the service
   * (docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html, kms:ViaService).
   * @throws AwsError NotFoundException
   */
  rightsVia(service: string, use: KeyUse, operations: string[]): Authorization[] {
    const { keyId, region, context } = use;
    const key = this.#keys.find(keyId, region);
    const conditions = {
      "kms:ViaService": `${service}.${region}.amazonaws.com`,
      "kms:CallerAccount": accountId,
      ...contextOf({ EncryptionContext: context }),
    };
    return operations.map((operation) => rightOn(key, { operation }, conditions));
  }

  /** Encrypts a text for a service whose caller has the right. @throws AwsError for a key that cannot be used. */
  seal({ keyId, region, context }: KeyUse, text: string): string {
    return sealed(usable(this.#keys.find(keyId, region)), Buffer.from(text), context);
  }

  /** @throws AwsError for a key that cannot be used, and for another context than the text was encrypted with. */
  open({ keyId, region, context }: KeyUse, blob: string): string {
    const key = usable(this.#keys.find(keyId, region));
    return Buffer.from(opened(key, Buffer.from(blob, "base64"), context), "base64").toString("utf8");
  }

  /** The ARN of the key that an id, an ARN or an alias names. @throws AwsError NotFoundException */
  arnOf(keyId: string, region: string): string {
    return this.#keys.find(keyId, region).arn;
  }

  /** Every key with its tags, including keys that are pending deletion. */
  keys(): Pick<KmsKey, "arn" | "state" | "tags" | "policy">[] {
    return this.#keys.all();
  }

  /** The aliases by name, each with its key's ARN. */
  aliases(): Record<string, string> {
    return Object.fromEntries(this.#keys.aliases().map(({ name, keyArn }) => [name, keyArn]));
  }
}
