// The function URL in one process: runs a deployed bundle as Lambda's runtime does, many invocations at once, behind the
// thinnest HTTP front. What the edge would add comes with the request.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pathToFileURL } from "node:url";
import { flatHeaders, lambdaEvent } from "../../emulators/lambda/event.ts";
import { readBody, serve } from "./child.ts";

type Prelude = { statusCode: number; headers?: Record<string, string> };
type Handler = (event: unknown, stream: ServerResponse, context: object) => Promise<void>;

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: {
      from: (stream: ServerResponse, { statusCode, headers }: Prelude) => stream.writeHead(statusCode, headers),
    },
  },
});

const { handler } = (await import(pathToFileURL(process.env.BUNDLE ?? "").href)) as { handler: Handler };
const source = { apiId: "bench", domainName: "bench.lambda-url", routeKey: "$default", stage: "$default" };
const timeoutMs = 900_000;

async function invoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "/" } = request;
  const received = { method, url, headers: flatHeaders(request.headers), body: await readBody(request) };
  const now = Date.now();
  const event = lambdaEvent({ ...received, sourceIp: "127.0.0.1" }, source, now);
  await handler(event, response, {
    awsRequestId: randomUUID(),
    functionName: "proxy",
    getRemainingTimeInMillis: () => timeoutMs - (Date.now() - now),
  });
}

serve((request, response) => {
  invoke(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
});
