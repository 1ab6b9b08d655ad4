// Signed HTTP to AWS for the calls of the hot path: a signer of our own over undici's connections. The SDK's clients cost the
// proxy more than all of its rules (docs/decisions/0006).
import type { IncomingHttpHeaders } from "node:http";
import type { AwsCredentialIdentity } from "@smithy/types";
import type { Dispatcher } from "undici";
// The package's root would bring fetch, caches and sockets of its own into the bundle.
import Pool from "undici/lib/dispatcher/pool.js";
import { RequestSigner } from "./request-signer.ts";

/** The region, keys and endpoint of AWS for this function, as the Lambda runtime sets them. */
export type AwsRuntime = {
  region: string;
  /** Keys of the function's role; they are renewed with the instance. */
  credentials: AwsCredentialIdentity;
  /** One address for all services instead of AWS's own, as AWS_ENDPOINT_URL says to the SDKs. */
  endpoint: string | undefined;
};

type ServiceOptions = {
  /** The service's name in the scope of a signature, e.g. `dynamodb`. */
  service: string;
  /** The host's first label, e.g. `bedrock-runtime`. */
  hostPrefix: string;
  region: string;
  endpoint: string | undefined;
};

export type AwsCall = {
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
  credentials: AwsCredentialIdentity;
  signal?: AbortSignal;
  /** The time for the beginning of the answer, and between two pieces of it. */
  timeoutMs: number;
};

/** An answer, whose body is read once, as bytes or as text. Both fail if the connection breaks off or the call's signal aborts. */
export type AwsAnswer = AsyncIterable<Buffer> & {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  text(): Promise<string>;
};

export type SignedService = (call: AwsCall) => Promise<AwsAnswer>;

/** More than an instance ever has calls at once. */
const maxConnections = 256;

/**
 * An unused connection is given up after this. The other end may have closed it while the function was frozen, and a call
 * that breaks off on it would be one of which nobody knows whether it took effect.
 */
const idleMs = 30_000;

/** AWS is a few milliseconds away; a call that was never connected is known to have had no effect. */
const connectMs = 3_000;

/** Resolves with the answer's head; the body is the caller's to read. */
export function signedService({ service, hostPrefix, region, endpoint }: ServiceOptions): SignedService {
  const url = new URL(endpoint ?? `https://${hostPrefix}.${region}.amazonaws.com`);
  const pool = new Pool(url.origin, {
    connections: maxConnections,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connect: { timeout: connectMs },
  });
  const { host } = url;
  const signers = new WeakMap<AwsCredentialIdentity, RequestSigner>();
  const signerOf = (credentials: AwsCredentialIdentity) => {
    const known = signers.get(credentials);
    if (known) return known;
    const signer = new RequestSigner({ service, region, credentials });
    signers.set(credentials, signer);
    return signer;
  };

  return async ({ path, headers, body, credentials, signal, timeoutMs }) => {
    const signed = signerOf(credentials).sign({ path, headers: { ...headers, host }, body }, new Date());
    const call = {
      method: "POST",
      path,
      headers: signed,
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    } as const;
    return new Promise((resolve, reject) => {
      pool.dispatch(call, new Receiver(signal, resolve, reject));
    });
  };
}

/**
 * An answer as it arrives. Undici's own bodies are Node streams, which cost a plain call more than its signature. Bytes that
 * nobody reads yet are kept: an answer is a few megabytes at the most.
 */
class Receiver implements Dispatcher.DispatchHandler, AwsAnswer {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #resolve: (answer: AwsAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.#end(this.#signal?.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #ended = false;
  #failure: unknown;
  #wake = () => {};

  constructor(signal: AbortSignal | undefined, resolve: (answer: AwsAnswer) => void, reject: (error: unknown) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener("abort", this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(this.#failure as Error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#wake();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#end(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunks = this.#chunks;
      this.#chunks = [];
      yield* chunks;
      if (this.#chunks.length > 0) continue;
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return;
      await this.#more();
    }
  }

  async text(): Promise<string> {
    while (!this.#ended) await this.#more();
    if (this.#failure !== undefined) throw this.#failure;
    const [only, ...others] = this.#chunks;
    return (only && others.length === 0 ? only : Buffer.concat(this.#chunks)).toString("utf8");
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    if (failure !== undefined) {
      this.#failure = this.#controller ? named(failure) : new UnsentError(failure);
      this.#reject(this.#failure);
      this.#controller?.abort(failure as Error);
    }
    this.#wake();
  }
}

function named(failure: unknown): unknown {
  return timeouts.includes((failure as Error).name) ? new TimeoutError() : failure;
}

/** The call was never sent: no connection was made for it, or its signal aborted before. */
export class UnsentError extends Error {
  override name = "UnsentError";

  constructor(cause: unknown) {
    super("AWS could not be reached", { cause });
  }
}

/** Undici's names for an answer that does not begin or go on in time. */
const timeouts = ["HeadersTimeoutError", "BodyTimeoutError"];

/** The service was silent for too long. */
export class TimeoutError extends Error {
  override name = "TimeoutError";

  constructor() {
    super("AWS did not answer in time");
  }
}
