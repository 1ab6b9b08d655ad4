// Lambda's Runtime API for one function, and the function's process under AWS's own runtime client
// (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The answer that the function's process posts for an event, or instead of its start. */
export type Answer = {
  path: "response" | "error" | "init/error";
  headers: IncomingMessage["headers"];
  /** The bytes that have arrived until now. */
  chunks: Buffer[];
  /** Resolves when something more has arrived, or all. */
  more: () => Promise<void>;
  /** Resolves with all of it. */
  whole: Promise<Buffer>;
};

export type FunctionProcess = {
  /** Resolves at the head of the answer. */
  invoke(event: unknown): Promise<Answer>;
  /** Resolves when the process asks for the event after the last one: on AWS it may be frozen from here. */
  idle(): Promise<void>;
  /** Lines that it has written. */
  output: string[];
  stop(): Promise<void>;
};

type ProcessOptions = {
  arn: string;
  timeoutSeconds: number;
  /** The unpacked archive. */
  folder: string;
  handler: string;
  environment: Record<string, string>;
};

const clientPath = createRequire(import.meta.url).resolve("aws-lambda-ric");
const nativeClient = fileURLToPath(new URL("./native-client.ts", import.meta.url));
const prefix = "/2018-06-01/runtime/";

export async function startFunctionProcess(options: ProcessOptions): Promise<FunctionProcess> {
  const api = new RuntimeApi(options);
  const address = await api.listen();
  const child = spawn(process.execPath, ["--import", nativeClient, clientPath], {
    env: {
      ...options.environment,
      AWS_LAMBDA_RUNTIME_API: address,
      LAMBDA_TASK_ROOT: options.folder,
      _HANDLER: options.handler,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => output.push(line));
  }
  child.once("close", (code) => api.fail(new Error(`The function's process ended with ${code}: ${output.join("\n")}`)));
  return {
    invoke: (event) => api.invoke(event),
    idle: () => api.idle(),
    output,
    stop: async () => {
      await end(child);
      await api.close();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Not "exit": its last lines come after that.
  const ended = once(child, "close");
  child.kill();
  await ended;
}

class RuntimeApi {
  readonly #options: ProcessOptions;
  readonly #server: Server = createServer((request, response) => this.#serve(request, response));
  #asking = Promise.withResolvers<ServerResponse>();
  #answer = Promise.withResolvers<Answer>();

  constructor(options: ProcessOptions) {
    this.#options = options;
    // Whoever waits is told; that nobody does is no error.
    this.#asking.promise.catch(() => {});
    this.#answer.promise.catch(() => {});
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async invoke(event: unknown): Promise<Answer> {
    const answer = this.#answer.promise;
    const asking = await Promise.race([this.#asking.promise, answer]);
    if (!("writeHead" in asking)) return asking;
    this.#asking = Promise.withResolvers();
    this.#asking.promise.catch(() => {});
    asking.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": randomUUID(),
      "lambda-runtime-deadline-ms": Date.now() + this.#options.timeoutSeconds * 1000,
      "lambda-runtime-invoked-function-arn": this.#options.arn,
      "lambda-runtime-trace-id": "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0",
    });
    asking.end(JSON.stringify(event));
    return answer;
  }

  async idle(): Promise<void> {
    await this.#asking.promise;
  }

  fail(error: Error): void {
    this.#asking.reject(error);
    this.#answer.reject(error);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.slice(prefix.length) ?? "";
    if (path === "invocation/next") {
      this.#asking.resolve(response);
      return;
    }
    const kind = path === "init/error" ? path : (path.split("/").at(-1) as "response" | "error");
    const { resolve } = this.#answer;
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => {});
    resolve(received(kind, request));
    request.once("end", () => response.writeHead(202, { "content-type": "application/json" }).end("{}"));
  }
}

function received(path: Answer["path"], request: IncomingMessage): Answer {
  const chunks: Buffer[] = [];
  const ended = once(request, "end");
  request.on("data", (chunk) => chunks.push(chunk));
  return {
    path,
    headers: request.headers,
    chunks,
    more: async () => {
      await Promise.race([once(request, "data"), ended]);
    },
    whole: ended.then(() => Buffer.concat(chunks)),
  };
}
