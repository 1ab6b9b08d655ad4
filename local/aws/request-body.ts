// Reads a request's body into memory, up to the largest that any service here takes.
import type { IncomingMessage } from "node:http";
import { ConnectionCut } from "./faults.ts";
import { AwsError } from "./service.ts";

/** InvokeModel takes 20 MB, the most of all; a JSON envelope comes on top. */
const maxBytes = 21 * 1024 * 1024;

/** @throws AwsError (413, or 501 for aws-chunked), or ConnectionCut if the caller leaves before the end */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  refuseChunked(incoming);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    // The rest is read and dropped, so that the caller gets to see the answer.
    if (bytes > maxBytes) reject(new AwsError("RequestEntityTooLarge", `The body exceeds ${maxBytes} bytes`, 413));
    else chunks.push(chunk);
  });
  incoming.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  incoming.once("close", () => {
    if (!incoming.complete) reject(new ConnectionCut());
  });
  return promise;
}

function refuseChunked({ headers }: IncomingMessage): void {
  const chunked =
    headers["content-encoding"]?.includes("aws-chunked") ||
    String(headers["x-amz-content-sha256"]).startsWith("STREAMING-");
  if (chunked)
    throw new AwsError("NotImplemented", "The local stack does not read aws-chunked bodies; send a buffer", 501);
}
