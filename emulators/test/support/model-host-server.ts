// Serves a model host over HTTP as the AWS endpoint does, but without IAM, and calls it with the real SDK. A caller who
// leaves destroys the answer, and an answer that breaks off cuts the connection.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import {
  BedrockRuntimeClient,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { AwsError, type AwsRequest, type AwsResponse, type Principal } from "../../aws/service.ts";
import { Bedrock, type BedrockOptions } from "../../bedrock/bedrock.ts";
import { Clock } from "../../clock.ts";

export const principal: Principal = {
  roleArn: "arn:aws:iam::000000000000:role/model-access",
  sessionName: "test",
  sessionTags: { tenant_id: "tenant-1" },
};

/** A model that can be invoked through `eu.` and counts tokens. */
export const sonnet = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

/** A body that passes every check. */
export function question(text: string, more: object = {}) {
  return {
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1000,
    messages: [{ role: "user", content: text }],
    ...more,
  };
}

export class ModelHostServer implements AsyncDisposable {
  readonly clock = new Clock();
  readonly host: Bedrock;
  readonly client: BedrockRuntimeClient;
  readonly url: string;
  readonly http: ReturnType<typeof createServer>;

  static async start(options: Omit<BedrockOptions, "clock"> & { region?: string } = {}): Promise<ModelHostServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ModelHostServer(server, options);
  }

  private constructor(
    server: ReturnType<typeof createServer>,
    { region = "eu-central-1", ...options }: Omit<BedrockOptions, "clock"> & { region?: string },
  ) {
    this.http = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.host = new Bedrock({ clock: this.clock, ...options });
    this.client = new BedrockRuntimeClient({
      region,
      endpoint: this.url,
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "session" },
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    });
    server.on("request", async (incoming, outgoing) => {
      const request = await awsRequest(incoming, region);
      const answer = await answered(this.host, request);
      outgoing.writeHead(answer.status, answer.headers);
      if (answer.body instanceof Readable) await pipeline(answer.body, outgoing).catch(() => {});
      else outgoing.end(answer.body);
    });
  }

  /** The parsed message of InvokeModel, and the headers that came with it. */
  async invoke(body: unknown, modelId = sonnet) {
    const command = new InvokeModelCommand({ modelId, body: jsonOf(body) });
    let headers: Record<string, string> = {};
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        headers = (result.response as { headers: Record<string, string> }).headers;
        return result;
      },
      { step: "deserialize", priority: "low" },
    );
    const { body: bytes } = await this.client.send(command);
    return { message: JSON.parse(Buffer.from(bytes).toString()), headers };
  }

  /** The texts of the chunks of InvokeModelWithResponseStream, as they come. */
  async *chunks(body: unknown, modelId = sonnet, signal?: AbortSignal): AsyncGenerator<string, void> {
    const command = new InvokeModelWithResponseStreamCommand({ modelId, body: JSON.stringify(body) });
    const answer = await this.client.send(command, signal ? { abortSignal: signal } : {});
    for await (const event of answer.body ?? []) {
      if (event.chunk?.bytes) yield Buffer.from(event.chunk.bytes).toString();
    }
  }

  /** The parsed events of a whole stream. */
  async events(body: unknown, modelId = sonnet) {
    const events = [];
    for await (const text of this.chunks(body, modelId)) events.push(JSON.parse(text));
    return events;
  }

  async countTokens(body: unknown, modelId = sonnet): Promise<number | undefined> {
    const input = { invokeModel: { body: Buffer.from(jsonOf(body)) } };
    const { inputTokens } = await this.client.send(new CountTokensCommand({ modelId, input }));
    return inputTokens;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.host.close();
    this.client.destroy();
    this.http.closeAllConnections();
    this.http.close();
    await once(this.http, "close");
  }
}

/** A text is JSON already. */
const jsonOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

async function answered(host: Bedrock, request: AwsRequest): Promise<AwsResponse> {
  try {
    return await host.handle(host.operation(request), request);
  } catch (error) {
    if (error instanceof AwsError) return host.failure(error);
    throw error;
  }
}

async function awsRequest(incoming: IncomingMessage, region: string): Promise<AwsRequest> {
  const url = new URL(incoming.url ?? "/", "http://localhost");
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: await buffer(incoming),
    region,
    principal,
  };
}
