// Functions as Lambda runs them: an elastic pool of instances for each, one invocation per instance at a time. A call takes the
// first instance that is free; a new one starts beside it, and ends when it is idle.
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Lineage } from "../sqs/message.ts";
import { unpack } from "./archive.ts";
import { FunctionError, type FunctionHost, type FunctionSettings, Instance } from "./instance.ts";
import { type Listener, type StreamedAnswer, streaming } from "./streamed-answer.ts";
import type { FromWorker } from "./worker.ts";

/** The most calls at once. Lambda's default quota is 1,000 in an account; a laptop has less. */
const maxConcurrency = 256;
/** The most starts at once. More would only take each other's time. */
const maxStarting = availableParallelism();
/** The time that a start has for itself (docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html, "Init phase"). */
const initSeconds = 10;
/** How much longer a start may take here: how slow the machine is, is known only after it. */
const patience = 6;
/** A start that takes longer shows a machine slower than Lambda. */
const usualStartMs = 1_000;
/** An idle instance ends after this time, unless it is the last one. */
const idleMs = 20_000;

/** A call that no instance has yet. Once a call is late, a new instance is started for it. */
type Waiting = { event: unknown; listener: Listener; lineage: Lineage; isLate: boolean };

export class LocalFunction {
  readonly settings: FunctionSettings;
  readonly #host: FunctionHost;
  readonly #instances = new Map<string, Instance>();
  /** The instance that was used last is used next, so that the others of a burst end soon. */
  readonly #idle: Instance[] = [];
  /** The calls that wait for an instance, oldest first. */
  readonly #waiting: Waiting[] = [];
  readonly #bundleUrl: string;
  /** The time of the last start. */
  #startMs = 0;
  #stopped = false;

  constructor(settings: FunctionSettings, host: FunctionHost) {
    this.settings = settings;
    this.#host = host;
    this.#bundleUrl = pathToFileURL(join(unpack(settings.archive, host.bundleFolder), "index.mjs")).href;
  }

  /**
   * Invokes and waits for the whole result.
   * @param onStart told when an instance has the event, and the pace: before, one may have to start
   * @throws FunctionError for what Lambda reports as a function error.
   */
  async invoke(event: unknown, lineage: Lineage = {}, onStart: (pace: number) => void = () => {}): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      const listener = {
        onStart: () => onStart(this.#pace),
        onPrelude: () => {},
        onChunks: (more: Uint8Array[]) => void chunks.push(...more),
        onEnd: () => {},
        onResult: (streamed: boolean, payload: unknown) =>
          resolve(streamed ? Buffer.concat(chunks).toString() : payload),
        onFailure: reject,
      } satisfies Listener;
      this.#take(event, listener, lineage);
    });
  }

  /**
   * Invokes for a streamed answer, which can end long before its invocation does. A reader that goes away does not stop the
   * function, as on Lambda. @throws FunctionError if it fails before the body begins.
   */
  async stream(event: unknown): Promise<StreamedAnswer> {
    return new Promise((resolve, reject) => this.#take(event, streaming(resolve, reject)));
  }

  has(instanceId: string): boolean {
    return this.#instances.has(instanceId);
  }

  lineageOf(instanceId: string): Lineage | undefined {
    return this.#instances.get(instanceId)?.invocation?.lineage;
  }

  get instances(): { id: string; busy: boolean }[] {
    return [...this.#instances.values()].map(({ id, invocation }) => ({ id, busy: invocation !== undefined }));
  }

  /** The number of calls that wait for an instance or have one. */
  get inFlight(): number {
    return this.#waiting.length + this.instances.filter(({ busy }) => busy).length;
  }

  /** True while the instance starts or works on an invocation: AWS calls outside of both are mistakes. */
  isActive(instanceId: string): boolean {
    const instance = this.#instances.get(instanceId);
    return instance !== undefined && (!instance.loaded || instance.invocation !== undefined);
  }

  /** Ends every instance at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    for (const call of waiting) this.#fail(call.listener, randomUUID(), "Runtime.ExitError", exited);
    await Promise.all([...this.#instances.values()].map((instance) => this.#end(instance, "Runtime.ExitError")));
  }

  /**
   * Breaks the connection of each running invocation's answer, so that the function learns that nobody reads. Lambda does not
   * promise to tell the function that a reader left (docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html), so a reader that leaves does
   * not call this. A runtime client that meets a broken connection reports it in this way.
   */
  breakStreams(): void {
    for (const instance of this.#instances.values()) {
      if (instance.invocation) instance.send({ type: "breakStream" });
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.kill();
  }

  #take(event: unknown, { onFailure, ...rest }: Listener, lineage: Lineage = {}): void {
    const listener: Listener = {
      ...rest,
      onFailure: (error) => {
        this.#host.onFailure?.(this.settings.name, error);
        onFailure(error);
      },
    };
    if (this.#stopped) {
      listener.onFailure(new FunctionError("ServiceException", "The local stack is stopping."));
    } else if (this.inFlight >= maxConcurrency) {
      listener.onFailure(new FunctionError("TooManyRequestsException", "Rate Exceeded."));
    } else {
      const { name } = this.settings;
      const call: Waiting = {
        event,
        listener,
        lineage: { ...lineage, [name]: (lineage[name] ?? 0) + 1 },
        isLate: false,
      };
      const instance = this.#idle.pop();
      if (instance) this.#run(instance, call);
      else this.#wait(call);
    }
  }

  /**
   * Waits for an instance to become free, as long as a new one would take to start. Many short calls then share few instances, and
   * each long one gets its own.
   */
  #wait(call: Waiting): void {
    this.#waiting.push(call);
    const toLate = () => {
      call.isLate = true;
      this.#startForWaiting();
    };
    if (this.#startMs === 0) toLate();
    else setTimeout(toLate, this.#startMs).unref();
    this.#startForWaiting();
  }

  #startForWaiting(): void {
    const instances = [...this.#instances.values()];
    const starting = instances.filter(({ loaded }) => !loaded).length;
    const wanted = instances.length === 0 ? this.#waiting : this.#waiting.filter(({ isLate }) => isLate);
    for (let count = starting; count < Math.min(maxStarting, wanted.length); count++) this.#spawn();
  }

  #spawn(): void {
    const instance = new Instance({ settings: this.settings, host: this.#host, bundleUrl: this.#bundleUrl });
    const { worker } = instance;
    this.#instances.set(instance.id, instance);
    // Lambda gives a start that has used up its own time that of the invocation, too: it begins anew then, and here it goes on.
    this.#limitTime(instance, patience * initSeconds + this.settings.timeoutSeconds);
    worker.on("message", (message: FromWorker) => this.#receive(instance, message));
    worker.on("error", (error) => {
      const errorType = instance.loaded ? "Runtime.UnhandledError" : "Runtime.ImportModuleError";
      void this.#end(instance, errorType, error.message);
    });
    worker.on("exit", () => void this.#end(instance, "Runtime.ExitError"));
  }

  #run(instance: Instance, { event, lineage, listener: { onStart, ...callbacks } }: Waiting): void {
    const requestId = randomUUID();
    clearTimeout(instance.timer);
    instance.invocation = { ...callbacks, requestId, lineage };
    onStart?.(instance);
    const seconds = this.settings.timeoutSeconds * this.#pace;
    this.#limitTime(instance, seconds);
    instance.send({ type: "invoke", requestId, event, deadline: Date.now() + seconds * 1000 });
  }

  /** How much more time things have here than on Lambda: 1 but on a machine that was slow at the last start. */
  get #pace(): number {
    return Math.max(1, this.#startMs / usualStartMs);
  }

  /** Limits the time of a start or an invocation, and tells the function's own limit as Lambda does. */
  #limitTime(instance: Instance, seconds: number): void {
    const { timeoutSeconds } = this.settings;
    const end = () =>
      this.#end(instance, "Sandbox.Timedout", `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`);
    instance.timer = setTimeout(() => void end(), seconds * 1000);
  }

  #receive(instance: Instance, message: FromWorker): void {
    const { invocation } = instance;
    if (message.type === "ready") {
      instance.loaded = true;
      this.#startMs = performance.now() - instance.startedAt;
      this.#free(instance);
      this.#startForWaiting();
    } else if (!invocation) return;
    else if (message.type === "prelude") invocation.onPrelude(message.prelude);
    else if (message.type === "chunks") invocation.onChunks(message.chunks);
    else if (message.type === "end") invocation.onEnd();
    else if (message.type === "result") {
      this.#free(instance);
      invocation.onResult(message.streamed, message.payload);
    } else {
      this.#host.log(this.settings.name, message.stack);
      this.#free(instance);
      invocation.onFailure(new FunctionError(message.errorType, message.errorMessage));
    }
  }

  /** Gives a free instance the oldest call that waits, or lets it rest. */
  #free(instance: Instance): void {
    clearTimeout(instance.timer);
    instance.invocation = undefined;
    const next = this.#waiting.shift();
    if (next) this.#run(instance, next);
    else this.#rest(instance);
  }

  #rest(instance: Instance): void {
    this.#idle.push(instance);
    instance.timer = setTimeout(() => {
      if (this.#instances.size > 1) void this.#end(instance, "Runtime.ExitError");
    }, idleMs).unref();
  }

  /** Ends an instance and fails its invocation. An instance that never got ready fails the oldest call that waits. */
  async #end(instance: Instance, errorType: string, message = exited): Promise<void> {
    if (!this.#instances.delete(instance.id)) return;
    const at = this.#idle.indexOf(instance);
    if (at >= 0) this.#idle.splice(at, 1);
    clearTimeout(instance.timer);
    const { invocation, loaded } = instance;
    instance.invocation = undefined;
    const waiting = loaded ? undefined : this.#waiting.shift();
    if (invocation) this.#fail(invocation, invocation.requestId, errorType, message);
    else if (waiting) this.#fail(waiting.listener, randomUUID(), errorType, message);
    this.#startForWaiting();
    await instance.worker.terminate();
  }

  #fail({ onFailure }: Pick<Listener, "onFailure">, requestId: string, errorType: string, message: string): void {
    this.#host.log(this.settings.name, `${requestId} ${errorType}: ${message}`);
    onFailure(new FunctionError(errorType, `RequestId: ${requestId} Error: ${message}`));
  }
}

const exited = "Runtime exited";
