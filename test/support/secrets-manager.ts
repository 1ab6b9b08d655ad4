// A local Secrets Manager with one declared secret, `webhook`, into which nothing was put yet.
import { Clock } from "../../local/clock.ts";
import { secret } from "../../local/program/secrets-manager.ts";
import { SecretsManager } from "../../local/secrets-manager/secrets-manager.ts";
import { Store } from "../../local/store.ts";
import { declared, resources } from "./declared-iam.ts";

export function secretsManager(): SecretsManager {
  const { outputs } = secret.compute("webhook", { name: "webhook" }, "eu-central-1", "000000000000");
  return new SecretsManager({
    resources: resources([declared(secret.type, "webhook", {}, outputs)]),
    store: new Store(":memory:"),
    clock: new Clock(),
  });
}
