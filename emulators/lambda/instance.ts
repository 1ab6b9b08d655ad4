// An instance of a function: a worker thread with the deployed bundle, which has one invocation at a time.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Lineage } from "../sqs/message.ts";
import type { Archive } from "./archive.ts";
import type { Prelude, ToWorker, WorkerData } from "./worker.ts";

export type FunctionSettings = {
  name: string;
  arn: string;
  /** The code. `index.mjs` exports the handler. */
  archive: Archive;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  logGroup: string;
};

export type FunctionHost = {
  clock: SharedArrayBuffer;
  hosts: string[];
  edgePort: () => number;
  /** The environment of one instance: its credentials and the AWS endpoint. */
  instanceEnvironment: (functionName: string, instance: string) => Record<string, string>;
  bundleFolder: string;
  log: (functionName: string, line: string) => void;
  onFailure?: (functionName: string, error: FunctionError) => void;
};

/** The error that Lambda answers instead of a result. */
export class FunctionError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

export type Invocation = {
  requestId: string;
  /** The invocations that led to this one, itself included. */
  lineage: Lineage;
  onPrelude: (prelude: Prelude) => void;
  onChunks: (chunks: Uint8Array[]) => void;
  onEnd: () => void;
  onResult: (streamed: boolean, payload: unknown) => void;
  onFailure: (error: FunctionError) => void;
};

type InstanceOptions = { settings: FunctionSettings; host: FunctionHost; bundleUrl: string };

export class Instance {
  readonly id = randomUUID();
  readonly worker: Worker;
  readonly startedAt = performance.now();
  /** False while the instance starts. */
  loaded = false;
  invocation: Invocation | undefined;
  /** Ends the instance after too long a start, invocation or rest. */
  timer: NodeJS.Timeout | undefined;

  constructor({ settings, host, bundleUrl }: InstanceOptions) {
    const data: WorkerData = {
      bundle: bundleUrl,
      functionName: settings.name,
      functionArn: settings.arn,
      memoryMb: settings.memoryMb,
      logGroup: settings.logGroup,
      clock: host.clock,
      hosts: host.hosts,
      edgePort: host.edgePort(),
    };
    this.worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: data,
      env: {
        ...environmentOf(settings),
        ...host.instanceEnvironment(settings.name, this.id),
        // Node keeps there what it has compiled, for the instances after this one: the bundle, and `worker.ts` without its types.
        NODE_COMPILE_CACHE: join(host.bundleFolder, "compiled"),
      },
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb },
    });
    for (const stream of [this.worker.stdout, this.worker.stderr]) {
      forEachLine(stream, (line) => host.log(settings.name, line));
    }
  }

  send(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}

function environmentOf({ name, memoryMb, logGroup, environment }: FunctionSettings): Record<string, string> {
  return {
    ...environment,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    TZ: ":UTC",
  };
}

function forEachLine(stream: Readable, act: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) act(line);
  });
}
