// A local Secrets Manager with one secret, `webhook`, into which nothing was put yet.
import { accountId } from "../../aws/account.ts";
import { Clock } from "../../clock.ts";
import { SecretsManager } from "../../secrets-manager/secrets-manager.ts";
import { Store } from "../../store.ts";

export function secretsManager(): SecretsManager {
  const secrets = new SecretsManager({ store: new Store(":memory:"), clock: new Clock() });
  secrets.create(`arn:aws:secretsmanager:eu-central-1:${accountId}:secret:webhook-AbCdEf`);
  return secrets;
}
