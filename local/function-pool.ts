// Functions as Lambda runs them: an elastic pool of workers for each, one invocation per worker at a time, started when
// needed and ended when idle.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { FromWorker, Prelude, ToWorker, WorkerData } from "./worker.ts";

/** Lambda's default quota is 1,000 in an account; a laptop has less. */
const maxInstances = 256;
/** An idle worker is ended after this long, but for the last one. */
const idleMilliseconds = 20_000;

export type FunctionSettings = {
  name: string;
  arn: string;
  bundle: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  logGroup: string;
};

export type FunctionHost = {
  clock: SharedArrayBuffer;
  hosts: string[];
  edgePort: () => number;
  /** Environment that identifies one instance: its credentials and the AWS endpoint. */
  instanceEnvironment: (functionName: string, instance: string) => Record<string, string>;
  bundleFolder: string;
  log: (functionName: string, line: string) => void;
};

/** What Lambda answers instead of a result. */
export class FunctionError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

export type StreamedAnswer = { prelude: Prelude; body: Readable };

type Invocation = {
  requestId: string;
  onPrelude: (prelude: Prelude) => void;
  onChunks: (chunks: Uint8Array[]) => void;
  onEnd: () => void;
  onResult: (streamed: boolean, payload: unknown) => void;
  onFailure: (error: FunctionError) => void;
  timer: NodeJS.Timeout;
};

class Instance {
  readonly id = randomUUID();
  readonly worker: Worker;
  readonly ready: Promise<void>;
  loaded = false;
  invocation: Invocation | undefined;
  idleTimer: NodeJS.Timeout | undefined;

  constructor(worker: Worker) {
    this.worker = worker;
    this.ready = new Promise((resolve, reject) => {
      worker.once("message", () => {
        this.loaded = true;
        resolve();
      });
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("The worker ended before it was ready.")));
    });
    this.ready.catch(() => {});
  }

  send(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}

export class LocalFunction {
  readonly settings: FunctionSettings;
  readonly #host: FunctionHost;
  readonly #instances = new Map<string, Instance>();
  readonly #idle: Instance[] = [];
  readonly #bundleUrl: string;
  #stopped = false;

  constructor(settings: FunctionSettings, host: FunctionHost) {
    this.settings = settings;
    this.#host = host;
    this.#bundleUrl = writeBundle(host.bundleFolder, settings.bundle);
  }

  /** Invokes and waits for the whole result. @throws FunctionError for what Lambda reports as a function error. */
  async invoke(event: unknown): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      void this.#start(event, {
        onPrelude: () => {},
        onChunks: (more) => chunks.push(...more),
        onEnd: () => {},
        onResult: (streamed, payload) => resolve(streamed ? Buffer.concat(chunks).toString() : payload),
        onFailure: reject,
      });
    });
  }

  /**
   * Invokes for a streamed answer: resolves with the status and headers, then the body flows until the function ends it,
   * which can be long before its invocation ends. A reader that goes away does not stop the function, as on Lambda. @throws FunctionError if it fails before the body begins.
   */
  async stream(event: unknown): Promise<StreamedAnswer> {
    return new Promise((resolve, reject) => {
      let instance: Instance | undefined;
      let begun = false;
      const acknowledge = (bytes: number) => instance?.send({ type: "acknowledge", bytes });
      let waiting = 0;
      const release = () => {
        if (waiting > 0) acknowledge(waiting);
        waiting = 0;
      };
      const body = new Readable({
        highWaterMark: 64 * 1024,
        read: release,
        // What nobody reads any more must not hold the function back.
        destroy: (error, done) => {
          release();
          done(error);
        },
      });
      const begin = (prelude: Prelude) => {
        begun = true;
        resolve({ prelude, body });
      };
      let ended = false;
      const end = () => {
        if (!begun) begin({});
        if (!ended) body.push(null);
        ended = true;
      };
      void this.#start(event, {
        onStart: (started) => {
          instance = started;
        },
        onPrelude: begin,
        onChunks: (chunks) => {
          const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
          let wanted = true;
          if (!body.destroyed) for (const chunk of chunks) wanted = body.push(chunk);
          if (wanted || body.destroyed) acknowledge(bytes);
          else waiting += bytes;
        },
        onEnd: end,
        onResult: (streamed, payload) => {
          if (streamed) end();
          else resolve(bufferedAnswer(payload));
        },
        onFailure: (error) => {
          if (!begun) reject(error);
          else body.destroy(error);
        },
      });
    });
  }

  has(instanceId: string): boolean {
    return this.#instances.has(instanceId);
  }

  get instances(): { id: string; busy: boolean }[] {
    return [...this.#instances.values()].map(({ id, invocation }) => ({ id, busy: invocation !== undefined }));
  }

  /** True while the instance works on an invocation: AWS calls outside of one are mistakes. */
  isActive(instanceId: string): boolean {
    return this.#instances.get(instanceId)?.invocation !== undefined;
  }

  /** Ends every instance at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => this.#end(instance, "Runtime.ExitError")));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.kill();
  }

  async #start(
    event: unknown,
    callbacks: Omit<Invocation, "requestId" | "timer"> & { onStart?: (instance: Instance) => void },
  ): Promise<void> {
    const { timeoutSeconds } = this.settings;
    const requestId = randomUUID();
    let instance: Instance;
    try {
      instance = this.#idle.pop() ?? this.#spawn();
    } catch (error) {
      callbacks.onFailure(error as FunctionError);
      return;
    }
    clearTimeout(instance.idleTimer);
    const invocation: Invocation = {
      ...callbacks,
      requestId,
      timer: setTimeout(
        () => void this.#end(instance, "Sandbox.Timedout", `Task timed out after ${timeoutSeconds}.00 seconds`),
        timeoutSeconds * 1000,
      ),
    };
    instance.invocation = invocation;
    callbacks.onStart?.(instance);
    try {
      await instance.ready;
    } catch (error) {
      await this.#end(instance, "Runtime.ImportModuleError", (error as Error).message);
      return;
    }
    if (instance.invocation !== invocation) return;
    instance.send({ type: "invoke", requestId, event, deadline: Date.now() + timeoutSeconds * 1000 });
  }

  #spawn(): Instance {
    const { settings } = this;
    if (this.#stopped) throw new FunctionError("ServiceException", "The local stack is stopping.");
    if (this.#instances.size >= maxInstances) throw new FunctionError("TooManyRequestsException", "Rate Exceeded.");
    const data: WorkerData = {
      bundle: this.#bundleUrl,
      functionName: settings.name,
      functionArn: settings.arn,
      memoryMb: settings.memoryMb,
      logGroup: settings.logGroup,
      clock: this.#host.clock,
      hosts: this.#host.hosts,
      edgePort: this.#host.edgePort(),
    };
    const id = randomUUID();
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: data,
      env: this.#environment(id),
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb },
    });
    const instance = Object.assign(new Instance(worker), { id });
    this.#instances.set(id, instance);
    worker.on("message", (message: FromWorker) => this.#receive(instance, message));
    worker.on("error", (error) => {
      const errorType = instance.loaded ? "Runtime.UnhandledError" : "Runtime.ImportModuleError";
      void this.#end(instance, errorType, error.message);
    });
    worker.on("exit", () => void this.#end(instance, "Runtime.ExitError"));
    for (const stream of [worker.stdout, worker.stderr]) this.#collectLines(stream);
    return instance;
  }

  #environment(instance: string): Record<string, string> {
    const { name, memoryMb, logGroup, environment } = this.settings;
    return {
      ...environment,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      TZ: ":UTC",
      ...this.#host.instanceEnvironment(name, instance),
    };
  }

  #collectLines(stream: Readable): void {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#host.log(this.settings.name, line);
    });
  }

  #receive(instance: Instance, message: FromWorker): void {
    const { invocation } = instance;
    if (!invocation) return;
    if (message.type === "prelude") invocation.onPrelude(message.prelude);
    else if (message.type === "chunks") invocation.onChunks(message.chunks);
    else if (message.type === "end") invocation.onEnd();
    else if (message.type === "result") {
      this.#release(instance);
      invocation.onResult(message.streamed, message.payload);
    } else if (message.type === "failure") {
      this.#host.log(this.settings.name, message.stack);
      this.#release(instance);
      invocation.onFailure(new FunctionError(message.errorType, message.errorMessage));
    }
  }

  #release(instance: Instance): void {
    clearTimeout(instance.invocation?.timer);
    instance.invocation = undefined;
    this.#idle.push(instance);
    instance.idleTimer = setTimeout(() => {
      if (this.#instances.size > 1) void this.#end(instance, "Runtime.ExitError");
    }, idleMilliseconds).unref();
  }

  async #end(instance: Instance, errorType: string, message = "Runtime exited"): Promise<void> {
    if (!this.#instances.delete(instance.id)) return;
    const at = this.#idle.indexOf(instance);
    if (at >= 0) this.#idle.splice(at, 1);
    clearTimeout(instance.idleTimer);
    const { invocation } = instance;
    instance.invocation = undefined;
    if (invocation) {
      clearTimeout(invocation.timer);
      this.#host.log(this.settings.name, `${invocation.requestId} ${errorType}: ${message}`);
      invocation.onFailure(new FunctionError(errorType, `RequestId: ${invocation.requestId} Error: ${message}`));
    }
    await instance.worker.terminate();
  }
}

/** A handler that is not wrapped for streaming answers whole, even behind a streaming URL. */
function bufferedAnswer(payload: unknown): StreamedAnswer {
  return {
    prelude: { headers: { "content-type": "application/json" } },
    body: Readable.from([JSON.stringify(payload)]),
  };
}

/** Bundles lie under the hash of their text, so that equal ones are shared and never half written. */
function writeBundle(folder: string, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const file = join(folder, `${hash}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const draft = join(folder, `${hash}.${randomUUID()}`);
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
  return pathToFileURL(file).href;
}
