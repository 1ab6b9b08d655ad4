// An AWS service of the JSON protocols, as a table of operations: each has the schema of its input, the rights it needs and its effect.
import type * as z from "zod";
import { parsedInput } from "./input.ts";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonBody,
  jsonFailure,
  targetOperation,
} from "./service.ts";

/** `Context` is what a service's operations work on, e.g. its keys and the region of the call. */
export type JsonOperation<Context> = {
  /** The rights that a call needs; the endpoint asks IAM for each. */
  rights(body: unknown, context: Context): Authorization[];
  /** Carries the call out, and gives the members of its answer. Without any the body is empty. */
  run(body: unknown, context: Context): unknown;
};

/** @param errorCode the code of the service's own error for an input that its schema refuses. */
export function jsonOperation<Context, Input extends z.ZodType>(
  errorCode: string,
  input: Input,
  rights: (input: z.output<Input>, context: Context) => Authorization[],
  run: (input: z.output<Input>, context: Context) => unknown,
): JsonOperation<Context> {
  return {
    rights: (body, context) => rights(parsedInput(input, body, errorCode), context),
    run: (body, context) => run(parsedInput(input, body, errorCode), context),
  };
}

type JsonServiceOptions<Context> = {
  signingName: string;
  /** The service's name in messages, e.g. `KMS`. */
  title: string;
  operations: Readonly<Record<string, JsonOperation<Context>>>;
  contextOf: (operation: string, request: AwsRequest) => Context;
};

export class JsonService<Context> implements AwsService {
  readonly signingName: string;
  readonly #options: JsonServiceOptions<Context>;

  constructor(options: JsonServiceOptions<Context>) {
    this.signingName = options.signingName;
    this.#options = options;
  }

  operation(request: AwsRequest): string {
    const name = targetOperation(request);
    if (Object.hasOwn(this.#options.operations, name)) return name;
    throw new AwsError("UnknownOperationException", `The local ${this.#options.title} does not emulate ${name}`);
  }

  authorizations(name: string, request: AwsRequest): Authorization[] {
    return this.#operation(name).rights(jsonBody(request), this.#options.contextOf(name, request));
  }

  async handle(name: string, request: AwsRequest): Promise<AwsResponse> {
    const members = await this.#operation(name).run(jsonBody(request), this.#options.contextOf(name, request));
    const answer = jsonAnswer(members ?? {}, "1.1");
    return members === undefined ? { ...answer, body: "" } : answer;
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }

  #operation(name: string): JsonOperation<Context> {
    const operation = this.#options.operations[name];
    if (!operation) throw new Error(`${name} was not asked of operation() first`);
    return operation;
  }
}
