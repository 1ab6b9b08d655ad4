// The Simple Queue Service: the declared standard queues, in the AWS JSON protocol 1.0.
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
import { management } from "./management.ts";
import type { Place, SqsOperation } from "./operation.ts";
import type { Queues } from "./queues.ts";
import { receiving } from "./receiving.ts";
import { queryCodeOf } from "./refusal.ts";
import { sending } from "./sending.ts";

const operations: Record<string, SqsOperation> = { ...sending, ...receiving, ...management };

export class Sqs implements AwsService {
  readonly signingName = "sqs";
  readonly #queues: Queues;

  constructor(queues: Queues) {
    this.#queues = queues;
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (Object.hasOwn(operations, name)) return name;
    throw new AwsError("UnknownOperationException", `The local stack's SQS does not know the operation ${name}`);
  }

  authorizations(name: string, request: AwsRequest): Authorization[] {
    return operationOf(name).rights(bodyOf(request), this.#place(request));
  }

  async handle(name: string, request: AwsRequest): Promise<AwsResponse> {
    const members = await operationOf(name).run(bodyOf(request), this.#place(request));
    return jsonAnswer(members ?? {}, "1.0");
  }

  failure(error: AwsError): AwsResponse {
    const failure = jsonFailure(error, "1.0");
    const fault = error.status < 500 ? "Sender" : "Receiver";
    return { ...failure, headers: { ...failure.headers, "x-amzn-query-error": `${queryCodeOf(error)};${fault}` } };
  }

  #place({ region, principal }: AwsRequest): Place {
    return { region, queues: this.#queues, senderId: principal?.sessionName ?? "" };
  }
}

function operationOf(name: string): SqsOperation {
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
