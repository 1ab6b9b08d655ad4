// Secrets Manager: the declared secrets and the value that was last put into each.
import { randomUUID } from "node:crypto";
import * as z from "zod";
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
import { arnOf } from "../program/names.ts";
import type { Resources } from "../program/resources.ts";
import { secret as secretType } from "../program/secrets-manager.ts";
import type { Collection, Store } from "../store.ts";

type Value = { text: string; version: string; at: number };

const input = z.object({ SecretId: z.string().min(1).max(2_048) });
/** API reference, PutSecretValue. */
const putInput = input.extend({ SecretString: z.string().min(1).max(65_536) });

const operations = ["GetSecretValue", "PutSecretValue", "DescribeSecret"];

export class SecretsManager implements AwsService {
  readonly signingName = "secretsmanager";
  readonly #resources: Resources;
  readonly #values: Collection<Value>;
  readonly #clock: Clock;

  constructor({ resources, store, clock }: { resources: Resources; store: Store; clock: Clock }) {
    this.#resources = resources;
    this.#values = store.collection("secrets-manager-value");
    this.#clock = clock;
  }

  /** What an operator puts by hand. @throws AwsError for a secret that is not declared */
  put(secretId: string, text: string): Value {
    const value = { text, version: randomUUID(), at: this.#clock.now() };
    this.#values.put(this.#find(secretId).arn, value);
    return value;
  }

  /** The value that was last put, for who looks from outside. @throws AwsError for a secret that is not declared */
  get(secretId: string): string | undefined {
    return this.#values.get(this.#find(secretId).arn)?.text;
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (operations.includes(name)) return name;
    throw new AwsError("UnknownOperationException", `The local stack's Secrets Manager does not know ${name}`);
  }

  authorizations(name: string, request: AwsRequest): Authorization[] {
    const { SecretId } = parsed(input, request);
    // IAM decides before it is known whether the secret is there.
    const named = SecretId.startsWith("arn:")
      ? SecretId
      : arnOf("secretsmanager", request.region, `secret:${SecretId}`);
    return [{ action: `secretsmanager:${name}`, resource: this.#known(SecretId)?.arn ?? named }];
  }

  async handle(name: string, request: AwsRequest): Promise<AwsResponse> {
    const { SecretId } = parsed(input, request);
    const { arn, name: Name } = this.#find(SecretId);
    const secret = { ARN: arn, Name };
    if (name === "DescribeSecret") return jsonAnswer(secret, "1.1");
    if (name === "PutSecretValue") {
      const { version } = this.put(SecretId, parsed(putInput, request).SecretString);
      return jsonAnswer({ ...secret, VersionId: version, VersionStages: ["AWSCURRENT"] }, "1.1");
    }
    const value = this.#values.get(arn);
    if (!value) throw missing("Secrets Manager can't find the specified secret value for staging label: AWSCURRENT");
    const { text, version, at } = value;
    const answer = { SecretString: text, VersionId: version, VersionStages: ["AWSCURRENT"], CreatedDate: at / 1000 };
    return jsonAnswer({ ...secret, ...answer }, "1.1");
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }

  #find(secretId: string): { arn: string; name: string } {
    const found = this.#known(secretId);
    if (!found) throw missing("Secrets Manager can't find the specified secret.");
    return found;
  }

  /** By its name or its ARN. */
  #known(secretId: string): { arn: string; name: string } | undefined {
    const declared = this.#resources
      .ofType(secretType.type)
      .find(({ outputs }) => outputs.arn === secretId || outputs.name === secretId);
    return declared && { arn: declared.outputs.arn, name: declared.outputs.name };
  }
}

function missing(message: string): AwsError {
  return new AwsError("ResourceNotFoundException", message);
}

function parsed<Schema extends z.ZodType>(schema: Schema, { body }: AwsRequest): z.output<Schema> {
  const result = schema.safeParse(JSON.parse(body.toString("utf8") || "{}"));
  if (result.success) return result.data;
  throw new AwsError("ValidationException", `1 validation error detected: ${result.error.issues[0]?.path.join(".")}`);
}
