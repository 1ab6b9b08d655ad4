// Functions as Lambda runs them: an elastic pool of instances for each, one invocation per instance at a time, started when
// needed and ended when idle.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FunctionError, type FunctionHost, type FunctionSettings, Instance, type Invocation } from "./instance.ts";
import { type Listener, type StreamedAnswer, streaming } from "./streamed-answer.ts";
import type { FromWorker } from "./worker.ts";

/** Lambda's default quota is 1,000 in an account; a laptop has less. */
const maxInstances = 256;
/** An idle worker is ended after this long, but for the last one. */
const idleMilliseconds = 20_000;

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
   * Invokes for a streamed answer, which can end long before its invocation does. A reader that goes away does not stop the
   * function, as on Lambda. @throws FunctionError if it fails before the body begins.
   */
  async stream(event: unknown): Promise<StreamedAnswer> {
    return new Promise((resolve, reject) => void this.#start(event, streaming(resolve, reject)));
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

  async #start(event: unknown, { onStart, ...callbacks }: Listener): Promise<void> {
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
    onStart?.(instance);
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
    const instance = new Instance({ settings, host: this.#host, bundleUrl: this.#bundleUrl });
    const { worker } = instance;
    this.#instances.set(instance.id, instance);
    worker.on("message", (message: FromWorker) => this.#receive(instance, message));
    worker.on("error", (error) => {
      const errorType = instance.loaded ? "Runtime.UnhandledError" : "Runtime.ImportModuleError";
      void this.#end(instance, errorType, error.message);
    });
    worker.on("exit", () => void this.#end(instance, "Runtime.ExitError"));
    return instance;
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
