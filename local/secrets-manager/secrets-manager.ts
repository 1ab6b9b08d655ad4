// Secrets Manager: the values of secrets that operators make by hand. The program knows the secrets by their ARNs.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { JsonService, jsonOperation } from "../aws/json-service.ts";
import { AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Collection, Store } from "../store.ts";

type Secret = { arn: string; value?: string; versionId?: string; changedAt?: number };

/** The beginning of Secrets Manager's message for a secret or a value that is not there (docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html). */
const unknownSecret = "Secrets Manager can't find the specified secret.";

const secretId = z.string().min(1).max(2_048);
type SecretCall = { operation: string; region: string; secrets: SecretsManager };

const errorCode = "InvalidParameterException";

const operations = {
  GetSecretValue: jsonOperation(errorCode, z.strictObject({ SecretId: secretId }), rightOn, (input, { secrets }) => {
    const { value, changedAt = 0, ...version } = secrets.find(input.SecretId);
    if (value === undefined) {
      const staged = `${unknownSecret.slice(0, -1)} value for staging label: AWSCURRENT`;
      throw new AwsError("ResourceNotFoundException", staged);
    }
    return { ...describe(version), SecretString: value, CreatedDate: changedAt / 1000 };
  }),

  PutSecretValue: jsonOperation(
    errorCode,
    z.strictObject({
      SecretId: secretId,
      ClientRequestToken: z.string().min(32).max(64).optional(),
      SecretString: z.string().min(1).max(65_536),
    }),
    rightOn,
    ({ SecretId, SecretString, ClientRequestToken }, { secrets }) => {
      secrets.put(secrets.find(SecretId).arn, SecretString, ClientRequestToken);
      return describe(secrets.find(SecretId));
    },
  ),
};

export class SecretsManager extends JsonService<SecretCall> {
  readonly #secrets: Collection<Secret>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    super({
      signingName: "secretsmanager",
      title: "Secrets Manager",
      operations,
      contextOf: (operation, { region }) => ({ operation, region, secrets: this }),
    });
    this.#secrets = store.collection("secret");
    this.#clock = clock;
  }

  /** Makes a secret, as an operator does by hand. A secret that is there keeps its value. */
  create(arn: string, value?: string): void {
    if (this.#secrets.get(arn)) return;
    this.#secrets.put(arn, { arn });
    if (value !== undefined) this.put(arn, value);
  }

  /** @param id ARN or name. */
  get(id: string): string | undefined {
    return this.#find(id)?.value;
  }

  /** @param id ARN or name. @throws Error if nobody made the secret. */
  put(id: string, value: string, versionId: string = randomUUID()): void {
    const arn = this.#find(id)?.arn;
    if (arn === undefined) throw new Error(`nobody made the secret ${id}`);
    this.#secrets.put(arn, { arn, value, versionId, changedAt: this.#clock.now() });
  }

  /** Removes a secret at once, without the days in which it could be restored. */
  remove(arn: string): void {
    this.#secrets.delete(arn);
  }

  /** @throws AwsError ResourceNotFoundException */
  find(id: string): Secret {
    const secret = this.#find(id);
    if (secret) return secret;
    throw new AwsError("ResourceNotFoundException", unknownSecret);
  }

  /** The ARN of a secret that is given by ARN or name. A name that nobody has stands for itself. */
  arnOf(id: string, region: string): string {
    const named = id.startsWith("arn:") ? id : `arn:aws:secretsmanager:${region}:${accountId}:secret:${id}`;
    return this.#find(id)?.arn ?? named;
  }

  #find(id: string): Secret | undefined {
    return this.#secrets.get(id) ?? this.#secrets.all().find(({ arn }) => nameOf(arn) === id);
  }
}

function rightOn({ SecretId }: { SecretId: string }, { operation, region, secrets }: SecretCall) {
  return [{ action: `secretsmanager:${operation}`, resource: secrets.arnOf(SecretId, region) }];
}

function describe({ arn, versionId }: Pick<Secret, "arn" | "versionId">) {
  return { ARN: arn, Name: nameOf(arn), VersionId: versionId, VersionStages: ["AWSCURRENT"] };
}

/** An ARN ends with a hyphen and six characters of its own. */
function nameOf(arn: string): string {
  return arn.slice(arn.indexOf(":secret:") + ":secret:".length).replace(/-[A-Za-z0-9]{6}$/, "");
}
