// Faults on demand: every refusal of Bedrock, every exception inside a stream, and the ways a connection goes wrong.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";
import type { ModelReference } from "./models.ts";
import type { BedrockOperation } from "./operations.ts";

/** Refusals before the answer begins: status and default message. */
const refusals = {
  ValidationException: [400, "The provided request is not valid."],
  ServiceQuotaExceededException: [400, "Your request exceeds the service quota for your account."],
  AccessDeniedException: [
    403,
    `User: arn:aws:sts::${accountId}:assumed-role/caller/session is not authorized to perform: bedrock:InvokeModel`,
  ],
  ResourceNotFoundException: [404, "Could not resolve the foundation model from the provided model identifier."],
  ModelTimeoutException: [408, "Model has timed out in processing the request. Try your request again."],
  ModelErrorException: [424, "The model returned an error while it processed the request."],
  ThrottlingException: [429, "Too many requests, please wait before trying again."],
  ModelNotReadyException: [429, "The model is not ready for inference. Wait and try your request again."],
  InternalServerException: [500, "The system encountered an unexpected error during processing. Try again."],
  ServiceUnavailableException: [503, "Bedrock is unable to process your request."],
} as const;

/** Exceptions that a stream can carry after its start. */
const exceptions = {
  validationException: "The stream cannot be continued with this request.",
  modelTimeoutException: "The model took too long to go on.",
  modelStreamErrorException: "The model returned an error while it streamed its answer.",
  throttlingException: "Too many tokens, please wait before trying again.",
  internalServerException: "The system encountered an unexpected error during processing.",
  serviceUnavailableException: "Bedrock is unable to go on with your request.",
} as const;

/**
 * `stall`: nothing more is ever sent. `break`: the connection is cut. `truncate`: a clean end without `message_stop`
 * (of a whole answer: half of it). `garbage`: something that is not JSON, in a chunk of its own (or as the answer).
 */
const connectionFaults = ["stall", "break", "truncate", "garbage"] as const;

export type StreamException = keyof typeof exceptions;
export type ConnectionFault = (typeof connectionFaults)[number];

const names = <T extends object>(table: T) => Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

const schema = z.strictObject({
  /** A model id as sent, or a foundation model's id for all its profiles. Without it: any model. */
  model: z.string().optional(),
  /** The region that is called. Without it: any region. */
  region: z.string().optional(),
  error: z.enum([...names(refusals), ...names(exceptions), ...connectionFaults]),
  /** Events of the stream that are sent before the fault. The default is 0, and for `truncate` all events except `message_stop`. */
  after: z.int().nonnegative().optional(),
  /** Of a stall: how long it lasts, after which the answer goes on. For ever unless given. */
  milliseconds: z.int().positive().optional(),
  /** The number of calls that the fault affects. The default is 1; `Infinity` affects all. */
  times: z.union([z.int().positive(), z.literal(Number.POSITIVE_INFINITY)]).default(1),
  /** Instead of the default message. */
  message: z.string().optional(),
});

export type Fault = z.input<typeof schema>;

/** A fault while an answer is sent. */
export type Interruption = {
  error: StreamException | ConnectionFault;
  after: number;
  message: string;
  /** Of a stall that ends. */
  milliseconds?: number;
};

type Pending = z.output<typeof schema>;

export class Faults {
  #pending: Pending[] = [];

  /**
   * Adds a fault. Faults take effect in the order in which they were added.
   * @throws Error for a name or field that is unknown, and for a refusal that is to come after events.
   */
  add(fault: Fault): void {
    const parsed = schema.safeParse(fault);
    if (!parsed.success) throw new Error(`Model host fault: ${z.prettifyError(parsed.error)}`);
    const { error, after } = parsed.data;
    if (error in refusals && after !== undefined) {
      throw new Error(`Model host fault: ${error} comes before the answer: it takes no \`after\``);
    }
    if (parsed.data.milliseconds !== undefined && error !== "stall") {
      throw new Error(`Model host fault: only a stall takes \`milliseconds\``);
    }
    this.#pending.push(parsed.data);
  }

  /** The fault for this call, if any. The fault counts as used. */
  take(operation: BedrockOperation, model: ModelReference, region: string): AwsError | Interruption | undefined {
    const fault = this.#pending.find((each) => matches(each, operation, model, region));
    if (!fault) return undefined;
    fault.times -= 1;
    this.#pending = this.#pending.filter(({ times }) => times > 0);
    if (isRefusal(fault.error)) {
      const [status, message] = refusals[fault.error];
      return new AwsError(fault.error, fault.message ?? message, status);
    }
    const after = fault.after ?? (fault.error === "truncate" ? Number.POSITIVE_INFINITY : 0);
    const { error, milliseconds, message = defaultMessage(error) } = fault;
    return { error, after, message, ...(milliseconds !== undefined && { milliseconds }) };
  }

  clear(): void {
    this.#pending = [];
  }
}

function matches(
  { error, model, region }: Pending,
  called: BedrockOperation,
  reference: ModelReference,
  calledIn: string,
): boolean {
  if (isException(error) && called !== "InvokeModelWithResponseStream") return false;
  if (region !== undefined && region !== calledIn) return false;
  return model === undefined || model === reference.sent || model === reference.base || model === reference.profile?.id;
}

const isRefusal = (error: string): error is keyof typeof refusals => error in refusals;

export function isException(error: string): error is StreamException {
  return error in exceptions;
}

function defaultMessage(error: StreamException | ConnectionFault): string {
  return isException(error) ? exceptions[error] : error;
}
