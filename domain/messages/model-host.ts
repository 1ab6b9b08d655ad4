// The model host as the proxy sees it: three calls and the ways in which they fail.
import type { CountingEndpoint } from "../catalog/counting.ts";
import type { HostCounts } from "../catalog/token-usage.ts";
import { Refusal, type RefusalCode } from "../kernel/refusal.ts";

/** The caller and its tenant, from which the assumed role's session gets its name and its tag. */
export type SessionIdentity = { tenantId: string; callerId: string };

/** A request of the Messages API. What each host takes in a place of its own, and in a form of its own, is not in the body. */
export type ModelRequest = {
  /** The fields as the JSON of an object, without the model, `stream`, the version, the beta flags and `metadata`. */
  body: string;
  /** The client's `metadata`, of which hosts take different forms. */
  metadata?: unknown;
  /** The beta flags that the host is to know. */
  betas: readonly string[];
};

export type ModelCall = ModelRequest & {
  identity: SessionIdentity;
  region: string;
  /** The host's name of what is called (catalog: a profile), or for counting the id that the counting endpoint knows. */
  modelId: string;
  /** Headers that go upstream unchanged, by lower-case name. */
  headers: Record<string, string>;
  /** The caller's version of the Messages API, where the model takes it in place of the host's own. */
  version?: string | undefined;
  /** The request's name in the model host's log of invocations, if there is one. */
  loggedAs?: string | undefined;
};

/** A call whose answer comes in one piece. */
export type WholeCall = ModelCall & {
  /** The `max_tokens` of the body. */
  maxTokens: number;
};

/**
 * An answer that may be longer than this is read as it is written, so that its beginning is known if nobody hears its end. With less the
 * host answers in some minutes, and one piece costs less to read.
 */
export const longAnswerTokens = 8_192;

/** A call to count tokens. Its body is complete: it has `max_tokens`. */
export type CountingCall = ModelCall & { endpoint: CountingEndpoint };

/** An event of a streamed answer, as the Messages API has them. */
export type HostEvent = {
  /** The event's JSON, byte for byte as the model host gave it. */
  json: Uint8Array;
  /** The host's own counts of the call, if they came with this event. */
  counts?: HostCounts | undefined;
};

/** Reads an answer as it comes: each event of a stream, or a whole message, with the host's own counts if they came with it. */
export type Observe = (event: unknown, counts?: HostCounts) => void;

export interface ModelHost {
  /** Gives the events. Those that arrive together are given in one list, and no list is empty. @throws ModelHostError */
  stream(call: ModelCall, signal: AbortSignal): Promise<AsyncIterable<readonly HostEvent[]>>;
  /**
   * The message as JSON. A long one (`longAnswerTokens`) is put together from a stream.
   * @throws ModelHostError
   */
  invoke(call: WholeCall, signal: AbortSignal, observe: Observe): Promise<string>;
  /** @throws ModelHostError */
  countTokens(call: CountingCall, signal: AbortSignal): Promise<number>;
}

/**
 * `rejected`: the request is wrong. `retired`: the host offers the model no longer. `throttled`, `unavailable`, `timeout`: try again
 * later. `denied`: the platform's own rights or configuration. `broken`: anything else, a stream that ends badly included.
 */
export type ModelHostFailure = "rejected" | "retired" | "denied" | "throttled" | "unavailable" | "timeout" | "broken";

/**
 * Beta flags, of which the host does not say which it means; thinking that is bound to another conversation; or the paths of fields as the host
 * wrote them: `tools.0.custom.x`.
 */
export type RefusedPart = "flags" | "thinking" | { fields: readonly string[] };

export class ModelHostError extends Error {
  readonly failure: ModelHostFailure;
  /** The part of the request for which the host refused it, because it does not know it; undefined if it named none. */
  readonly refusedPart: RefusedPart | undefined;
  /** True if the host took the call and nobody heard its end: it may go on, and bill the whole answer. */
  readonly outcomeUnknown: boolean;
  /** True if the host itself refused the call because it has no room for it at present in the region that was called. */
  readonly lacksRoom: boolean;

  constructor(
    failure: ModelHostFailure,
    message: string,
    {
      cause,
      refusedPart,
      outcomeUnknown = false,
      lacksRoom = false,
    }: {
      cause?: unknown;
      refusedPart?: RefusedPart | undefined;
      outcomeUnknown?: boolean;
      lacksRoom?: boolean;
    } = {},
  ) {
    super(message, { cause });
    this.failure = failure;
    this.refusedPart = refusedPart;
    this.outcomeUnknown = outcomeUnknown;
    this.lacksRoom = lacksRoom;
  }
}

/** Whether the model host may bill a call that failed with this error. A call that the proxy refused was never sent. */
export function isBillable(error: unknown): boolean {
  if (error instanceof Refusal) return false;
  return !(error instanceof ModelHostError) || error.outcomeUnknown;
}

/** Whether the model host ended the model: its operator is to take it out of the catalog. */
export function saysRetired(error: unknown): boolean {
  return error instanceof ModelHostError && error.failure === "retired";
}

const refusalsByFailure: Record<Exclude<ModelHostFailure, "rejected">, { code: RefusalCode; message: string }> = {
  retired: {
    code: "model_unknown",
    message: "The model host no longer offers this model.",
  },
  denied: { code: "upstream_failed", message: "The model host refused the platform's call." },
  broken: { code: "upstream_failed", message: "The model host failed." },
  throttled: { code: "upstream_overloaded", message: "The model host is overloaded." },
  unavailable: { code: "upstream_overloaded", message: "The model host is not available." },
  timeout: { code: "upstream_overloaded", message: "The model host took too long to answer." },
};

/**
 * The refusal that the caller gets for a failure. Only a rejection keeps its wording, since clients recover by it. A client is told not to
 * repeat a call that may be billed.
 * @param options.instead what to call where the host has ended the model
 * @param options.isBilled false for a call that the host bills nobody for
 * @param options.hasBegun true if the host had begun to answer: it bills what it wrote
 */
export function modelHostRefusal(
  error: unknown,
  { isBilled = true, hasBegun = false, instead = "Choose another one." } = {},
): Refusal {
  if (error instanceof Refusal) return error;
  const failure = error instanceof ModelHostError ? error.failure : "broken";
  if (failure === "rejected") {
    return new Refusal("invalid_request", (error as Error).message, { cause: error });
  }
  const { code, message } = refusalsByFailure[failure];
  if (isBilled && (hasBegun || isBillable(error))) {
    const unknown = `${message} What it had done by then may be billed, and so is another attempt.`;
    return new Refusal(code, unknown, { cause: error, isFinal: true });
  }
  return new Refusal(code, failure === "retired" ? `${message} ${instead}` : message, { cause: error });
}
