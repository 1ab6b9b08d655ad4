// Serves one emulated AWS service over HTTP, as the AWS endpoint does but without IAM, so that the real SDK can call it.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { AwsError, type AwsRequest, type AwsResponse, type AwsService } from "../../aws/service.ts";

/** Listens on a free port of 127.0.0.1. A fault of the service becomes an `InternalServerError` with its message. */
export async function serveAws(service: AwsService): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      send(outgoing, await answer(service, await awsRequest(incoming)));
    } catch (error) {
      const fault = error instanceof AwsError ? error : new AwsError("InternalServerError", String(error), 500);
      send(outgoing, service.failure(fault));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer(service: AwsService, request: AwsRequest): Promise<AwsResponse> {
  return service.handle(service.operation(request), request);
}

async function awsRequest(incoming: IncomingMessage): Promise<AwsRequest> {
  const url = new URL(incoming.url ?? "/", "http://localhost");
  return {
    method: incoming.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: await buffer(incoming),
    region: signedRegion(incoming.headers.authorization, url.searchParams),
    principal: undefined,
  };
}

/** The region of the signature's scope, `<key id>/<date>/<region>/<service>/aws4_request`, in the header or the query. */
function signedRegion(authorization: string | undefined, query: URLSearchParams): string {
  const scope = /Credential=([^,\s]+)/.exec(authorization ?? "")?.[1] ?? query.get("X-Amz-Credential");
  return scope?.split("/").at(-3) ?? "us-east-1";
}

function send(outgoing: ServerResponse, { status, headers, body }: AwsResponse): void {
  outgoing.writeHead(status, headers);
  if (body instanceof Readable) body.pipe(outgoing);
  else outgoing.end(body);
}
