// Secrets Manager: the values of secrets that people have made, which the program knows by their ARNs.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Collection, Store } from "../store.ts";

type Secret = { arn: string; value?: string; versionId?: string; changedAt?: number };

/** How Secrets Manager's own words for it begin and end (docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html). */
const unknownSecret = "Secrets Manager can't find the specified secret.";

const secretId = z.string().min(1).max(2_048);
const inputs = {
  GetSecretValue: z.strictObject({ SecretId: secretId }),
  PutSecretValue: z.strictObject({
    SecretId: secretId,
    ClientRequestToken: z.string().min(32).max(64).optional(),
    SecretString: z.string().min(1).max(65_536),
  }),
};
type Operation = keyof typeof inputs;

export class SecretsManager implements AwsService {
  readonly signingName = "secretsmanager";
  readonly #secrets: Collection<Secret>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#secrets = store.collection("secret");
    this.#clock = clock;
  }

  /** As somebody makes a secret by hand: one that is there keeps its value. */
  create(arn: string, value?: string): void {
    if (this.#secrets.get(arn)) return;
    this.#secrets.put(arn, { arn });
    if (value !== undefined) this.put(arn, value);
  }

  /** @param id ARN or name */
  get(id: string): string | undefined {
    return this.#find(id)?.value;
  }

  /** @param id ARN or name, of a secret that is there */
  put(id: string, value: string, versionId: string = randomUUID()): void {
    const arn = this.#find(id)?.arn;
    if (arn === undefined) throw new Error(`nobody made the secret ${id}`);
    this.#secrets.put(arn, { arn, value, versionId, changedAt: this.#clock.now() });
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (Object.hasOwn(inputs, name)) return name;
    throw new AwsError("UnknownOperationException", `The local stack's Secrets Manager does not know ${name}`);
  }

  authorizations(operation: string, request: AwsRequest): Authorization[] {
    const { SecretId } = parsed(operation as Operation, request);
    const unknown = SecretId.startsWith("arn:")
      ? SecretId
      : `arn:aws:secretsmanager:${request.region}:${accountId}:secret:${SecretId}`;
    return [{ action: `secretsmanager:${operation}`, resource: this.#find(SecretId)?.arn ?? unknown }];
  }

  async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    const input = parsed(operation as Operation, request);
    const secret = this.#find(input.SecretId);
    if (!secret) throw new AwsError("ResourceNotFoundException", unknownSecret);
    if ("SecretString" in input) this.put(secret.arn, input.SecretString, input.ClientRequestToken);
    const { value, versionId, changedAt = 0 } = this.#secrets.get(secret.arn) ?? secret;
    if (value === undefined) {
      const staged = `${unknownSecret.slice(0, -1)} value for staging label: AWSCURRENT`;
      throw new AwsError("ResourceNotFoundException", staged);
    }
    const version = { ARN: secret.arn, Name: nameOf(secret.arn), VersionId: versionId, VersionStages: ["AWSCURRENT"] };
    if (operation === "PutSecretValue") return jsonAnswer(version, "1.1");
    return jsonAnswer({ ...version, SecretString: value, CreatedDate: changedAt / 1000 }, "1.1");
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }

  /** By ARN, or by name. */
  #find(id: string): Secret | undefined {
    return this.#secrets.get(id) ?? this.#secrets.all().find(({ arn }) => nameOf(arn) === id);
  }
}

/** An ARN ends with a hyphen and six characters of its own. */
function nameOf(arn: string): string {
  return arn.slice(arn.indexOf(":secret:") + ":secret:".length).replace(/-[A-Za-z0-9]{6}$/, "");
}

function parsed<O extends Operation>(operation: O, { body }: AwsRequest): z.output<(typeof inputs)[O]> {
  const result = inputs[operation].safeParse(JSON.parse(body.toString("utf8")));
  if (result.success) return result.data as z.output<(typeof inputs)[O]>;
  throw new AwsError("InvalidParameterException", z.prettifyError(result.error));
}
