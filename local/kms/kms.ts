// The Key Management Service: symmetric keys over the store, with real encryption under them.
import { JsonService } from "../aws/json-service.ts";
import type { Clock } from "../clock.ts";
import type { Store } from "../store.ts";
import { cryptography } from "./cryptography.ts";
import { type KmsKey, KmsKeys } from "./keys.ts";
import { management } from "./management.ts";
import type { KmsCall } from "./operation.ts";

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

  /** Every key with its tags, including keys that are pending deletion. */
  keys(): Pick<KmsKey, "arn" | "state" | "tags" | "policy">[] {
    return this.#keys.all();
  }

  /** The aliases by name, each with its key's ARN. */
  aliases(): Record<string, string> {
    return Object.fromEntries(this.#keys.aliases().map(({ name, keyArn }) => [name, keyArn]));
  }
}
