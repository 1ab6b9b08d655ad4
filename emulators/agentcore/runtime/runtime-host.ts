// Agent runtimes at work: InvokeAgentRuntime leads to `POST /mcp` of the latest version's process, which starts with the first call. At AWS each
// session has a machine of its own; here all sessions of a version share a process.
import { randomUUID } from "node:crypto";
import http, { type IncomingMessage } from "node:http";
import type { Keys } from "../../aws/credentials.ts";
import { AwsError, type AwsRequest, type AwsResponse } from "../../aws/service.ts";
import { notFound } from "../refusals.ts";
import { type RuntimeCode, RuntimeProcess } from "./runtime-process.ts";
import { defaultEndpoint, type Runtime, type Runtimes } from "./runtimes.ts";

export type RuntimeHostOptions = {
  runtimes: Runtimes;
  /** The files behind a bucket and key. @throws Error if there are none */
  codeAt: (bucket: string, key: string) => RuntimeCode;
  /** Credentials of the runtime's role. */
  keysFor: (roleArn: string, sessionName: string) => Keys;
  awsUrl: () => string;
  edgePort: () => number;
  log: (runtimeName: string, line: string) => void;
};

const sessionHeader = "mcp-session-id";
/** Headers of a request that reach the runtime. */
const passedOn = /^(accept|content-type|mcp-.*)$/;

export class RuntimeHost {
  readonly #options: RuntimeHostOptions;
  readonly #processes = new Map<string, { version: number; process: RuntimeProcess }>();

  constructor(options: RuntimeHostOptions) {
    this.#options = options;
  }

  /** @throws AwsError for a runtime or endpoint that is not there or not ready, and for code that does not start. */
  async invoke(arn: string, qualifier: string, request: AwsRequest): Promise<AwsResponse> {
    const runtime = this.#options.runtimes.find(arn.slice(arn.lastIndexOf("/") + 1));
    if (!runtime || runtime.arn !== arn || qualifier !== defaultEndpoint) {
      throw notFound(`No endpoint or agent found with qualifier '${qualifier}'`);
    }
    const answer = await this.#ask(runtime, request).catch((error: Error) => {
      // The code of an agent's own failure (@aws-sdk/client-bedrock-agentcore, RuntimeClientError).
      throw new AwsError("RuntimeClientError", `The runtime failed: ${error.message}`, 424);
    });
    const headers = Object.entries(answer.headers).filter(([name]) => passedOn.test(name));
    return {
      status: answer.statusCode ?? 502,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
      body: answer,
    };
  }

  /** Ends every process. */
  async close(): Promise<void> {
    await Promise.all([...this.#processes.values()].map(({ process }) => process.close()));
    this.#processes.clear();
  }

  async #ask(runtime: Runtime, { headers, body }: AwsRequest): Promise<IncomingMessage> {
    const port = await (await this.#process(runtime)).port;
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => passedOn.test(name)));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    http
      .request(
        {
          hostname: "127.0.0.1",
          port,
          method: "POST",
          path: "/mcp",
          // The platform gives a session to who has none, and a stateless server takes it.
          headers: { [sessionHeader]: randomUUID(), ...passed, "content-length": body.length },
        },
        resolve,
      )
      .once("error", reject)
      .end(body);
    return promise;
  }

  /** The process of an earlier version ends with the first call of the latest one. */
  async #process(runtime: Runtime): Promise<RuntimeProcess> {
    const version = runtime.versions.length;
    const running = this.#processes.get(runtime.id);
    if (running?.version === version && !running.process.hasEnded) return running.process;
    this.#processes.delete(runtime.id);
    await running?.process.close();
    const process = this.#started(runtime);
    this.#processes.set(runtime.id, { version, process });
    return process;
  }

  #started({ id, name, region, versions }: Runtime): RuntimeProcess {
    const definition = versions.at(-1);
    if (!definition) throw new Error(`${id} has no version`);
    const { code, entryPoint } = definition.agentRuntimeArtifact.codeConfiguration;
    const { codeAt, keysFor, awsUrl, edgePort, log } = this.#options;
    const keys = keysFor(definition.roleArn, id);
    return new RuntimeProcess({
      code: codeAt(code.s3.bucket, code.s3.prefix),
      entryPoint,
      environment: {
        ...definition.environmentVariables,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_SESSION_TOKEN: keys.sessionToken,
        AWS_ENDPOINT_URL: awsUrl(),
      },
      edgePort: edgePort(),
      log: (line) => log(name, line),
    });
  }
}
