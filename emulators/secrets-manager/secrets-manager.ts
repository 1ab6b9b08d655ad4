// Secrets Manager: its operations over the secrets that operators make by hand and functions make at run time.
import { JsonService } from "../aws/json-service.ts";
import { operations, type SecretCall } from "./operations.ts";
import { Secrets, type SecretsOptions } from "./secrets.ts";

export class SecretsManager extends JsonService<SecretCall> {
  readonly secrets: Secrets;

  constructor(options: SecretsOptions) {
    super({
      signingName: "secretsmanager",
      title: "Secrets Manager",
      operations,
      contextOf: (operation, { region }) => ({
        operation,
        region,
        now: options.clock.now(),
        secrets: this.secrets,
      }),
    });
    this.secrets = new Secrets(options);
  }

  /** Makes a secret, as an operator does by hand. A secret that is there keeps its value. */
  create(arn: string, value?: string): void {
    this.secrets.create(arn, value);
  }

  /** @param id ARN or name. */
  get(id: string): string | undefined {
    return this.secrets.get(id);
  }

  /** @param id ARN or name. @throws Error if nobody made the secret. */
  put(id: string, value: string): void {
    this.secrets.put(id, value);
  }
}
