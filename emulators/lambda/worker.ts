// The Lambda runtime of a bundle, in a worker thread. It offers `awslambda` and the shared clock, and reaches only hosts that the
// local stack serves, or that were given to it (public-names.ts).
import https from "node:https";
import { flushCompileCache, syncBuiltinESMExports } from "node:module";
import { Writable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";
import { localRequest } from "./local-https.ts";
import { PublicNames } from "./public-names.ts";

export type WorkerData = {
  /** URL of the bundle on disk. */
  bundle: string;
  functionName: string;
  functionArn: string;
  memoryMb: number;
  logGroup: string;
  /** The clock's offset to the machine's time, shared by clock.ts. */
  clock: SharedArrayBuffer;
  /** Hosts beyond AWS's endpoint that the program may reach; the edge serves them on this port by their name. */
  hosts: string[];
  edgePort: number;
};

export type Invoke = { type: "invoke"; requestId: string; event: unknown; deadline: number };
export type Acknowledge = { type: "acknowledge"; bytes: number };
/** Tells the function that the connection for its answer is broken; `breakStreams` in local-function.ts says when. */
export type BreakStream = { type: "breakStream" };
export type ToWorker = Invoke | Acknowledge | BreakStream;

/** The start of a response stream: the status and headers of the HTTP answer. */
export type Prelude = { statusCode?: number; headers?: Record<string, string>; cookies?: string[] };

export type FromWorker =
  | { type: "ready" }
  | { type: "prelude"; prelude: Prelude }
  | { type: "chunks"; chunks: Uint8Array[] }
  | { type: "end" }
  | { type: "result"; streamed: boolean; payload: unknown }
  | { type: "failure"; errorType: string; errorMessage: string; stack: string };

type Handler = (event: unknown, ...rest: unknown[]) => unknown;

const data = workerData as WorkerData;
const port = parentPort;
if (!port) throw new Error("worker.ts runs as a worker only");
const post = (message: FromWorker) => port.postMessage(message);

/** The main thread holds at most this much of a response. Then the function has to wait. */
const maxUnacknowledgedBytes = 1024 * 1024;
let unacknowledged = 0;
let onAcknowledged: (() => void) | undefined;

// ---- the clock

const offset = new Float64Array(data.clock);
const MachineDate = Date;
const now = () => MachineDate.now() + (offset[0] ?? 0);
globalThis.Date = new Proxy(MachineDate, {
  apply: () => new MachineDate(now()).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget === globalThis.Date ? target : newTarget),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});

// ---- the hosts

const publicNames = new PublicNames(data.edgePort);
publicNames.install();

const requestLocally = localRequest({
  publicNames,
  edgePort: data.edgePort,
  hosts: data.hosts,
  headers: { "x-local-function": data.functionName },
});

https.request = requestLocally as typeof https.request;
https.get = ((...args: Parameters<typeof requestLocally>) => requestLocally(...args).end()) as typeof https.get;
syncBuiltinESMExports();

// ---- awslambda

const streaming = Symbol("streaming handler");

/** The response stream of the running invocation. */
let answer: ResponseStream | undefined;

/** Chunks written while one waits for the next turn of the event loop travel together. */
class ResponseStream extends Writable {
  #begun = false;
  broken = false;

  begin(prelude: Prelude): void {
    if (this.#begun) throw new Error("The response has begun: its status and headers can no longer be set.");
    this.#begun = true;
    post({ type: "prelude", prelude });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  /** Node calls this once all chunks were passed on: the reader has its whole answer, and the function may go on. */
  override _final(done: () => void): void {
    if (!this.#begun) this.begin({});
    post({ type: "end" });
    done();
  }

  breakOff(): void {
    if (this.writableFinished) return;
    this.broken = true;
    this.destroy(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  }

  #send(chunks: Buffer[], done: () => void): void {
    if (!this.#begun) this.begin({});
    // The chunks are copied, since a Buffer may be a view of a pool that the bundle goes on using.
    post({ type: "chunks", chunks: chunks.map((chunk) => Uint8Array.from(chunk)) });
    unacknowledged += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (unacknowledged < maxUnacknowledgedBytes) setImmediate(done);
    else onAcknowledged = done;
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => Object.assign(handler, { [streaming]: true }),
    HttpResponseStream: {
      from: (stream: ResponseStream, prelude: Prelude) => {
        stream.begin(prelude);
        return stream;
      },
    },
  },
});

// ---- invocations

function contextOf({ requestId, deadline }: Invoke) {
  return {
    awsRequestId: requestId,
    functionName: data.functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memoryMb),
    logGroupName: data.logGroup,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - MachineDate.now()),
  };
}

async function invoke(handler: Handler, message: Invoke): Promise<void> {
  const context = contextOf(message);
  if (!(streaming in handler)) {
    const payload = await handler(message.event, context);
    // Lambda carries results as JSON, which loses the same values.
    return post({ type: "result", streamed: false, payload: JSON.parse(JSON.stringify(payload ?? null)) });
  }
  const stream = new ResponseStream({ highWaterMark: 64 * 1024 });
  answer = stream;
  // The runtime waits for the handler, but not after an error of its stream.
  const failed = new Promise<never>((_, reject) =>
    stream.once("error", (error) => {
      if (!stream.broken) reject(error);
    }),
  );
  await Promise.race([Promise.resolve(handler(message.event, stream, context)), failed]);
  if (stream.broken) return post({ type: "result", streamed: true, payload: null });
  if (!stream.writableEnded) throw new Error("Response stream is not finished.");
  if (!stream.writableFinished) await Promise.race([new Promise((done) => stream.once("finish", done)), failed]);
  post({ type: "result", streamed: true, payload: null });
}

function failure(error: unknown): FromWorker {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { type: "failure", errorType: name, errorMessage: message, stack: stack ?? "" };
}

// Only Node's start needs this variable (instance.ts), and no function on AWS has it.
delete process.env.NODE_COMPILE_CACHE;
const { handler } = (await import(data.bundle)) as { handler: Handler };

port.on("message", (message: ToWorker) => {
  if (message.type === "invoke") {
    unacknowledged = 0;
    invoke(handler, message)
      .catch((error) => post(failure(error)))
      // The cache is written after a call, since functions are compiled when they are called. Only the first instance of a bundle
      // has something to write.
      .finally(flushCompileCache);
    return;
  }
  if (message.type === "breakStream") {
    answer?.breakOff();
    return;
  }
  unacknowledged -= message.bytes;
  if (onAcknowledged && unacknowledged < maxUnacknowledgedBytes) {
    const done = onAcknowledged;
    onAcknowledged = undefined;
    done();
  }
});
post({ type: "ready" });
