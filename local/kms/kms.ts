// The Key Management Service: symmetric keys over the store, with real encryption under them.
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
import type { Store } from "../store.ts";
import { aliases } from "./aliases.ts";
import { cryptography } from "./cryptography.ts";
import { type KmsKey, KmsKeys } from "./keys.ts";
import { management } from "./management.ts";
import type { KmsOperation, Place } from "./operation.ts";

const operations: Record<string, KmsOperation> = { ...management, ...aliases, ...cryptography };

export class Kms implements AwsService {
  readonly signingName = "kms";
  readonly #keys: KmsKeys;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#keys = new KmsKeys(store, clock);
    this.#clock = clock;
  }

  /** The policy of the key that an ARN names, for `Iam`, which would else go by the default policy for every key. */
  policyOf(arn: string): string | undefined {
    return arn.startsWith("arn:aws:kms:") ? this.#keys.byArn(arn)?.policy : undefined;
  }

  /** Every key with its tags, those that are pending deletion included. */
  keys(): Pick<KmsKey, "arn" | "state" | "tags" | "policy">[] {
    return this.#keys.all();
  }

  /** The aliases by name, each with its key's ARN. */
  aliases(): Record<string, string> {
    return Object.fromEntries(this.#keys.aliases().map(({ name, keyArn }) => [name, keyArn]));
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (Object.hasOwn(operations, name)) return name;
    throw new AwsError("UnknownOperationException", `The local stack's KMS does not know the operation ${name}`);
  }

  authorizations(name: string, request: AwsRequest): Authorization[] {
    return operationOf(name).rights(bodyOf(request), this.#place(name, request));
  }

  async handle(name: string, request: AwsRequest): Promise<AwsResponse> {
    const members = operationOf(name).run(bodyOf(request), this.#place(name, request));
    return jsonAnswer(members ?? {}, "1.1");
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }

  #place(operation: string, { region }: AwsRequest): Place {
    return { operation, region, now: this.#clock.now(), keys: this.#keys };
  }
}

function operationOf(name: string): KmsOperation {
  const operation = operations[name];
  if (!operation) throw new Error(`${name} was not asked of operation() first`);
  return operation;
}

function bodyOf({ body }: AwsRequest): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new AwsError("SerializationException", "The body is not JSON");
  }
}
