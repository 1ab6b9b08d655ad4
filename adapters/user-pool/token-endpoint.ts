// The user pool's endpoints for tokens, which take a form and answer with JSON.
import type { Agent } from "node:http";
import https from "node:https";
import type { ClientCredentials, PoolEndpoints } from "../../domain/connectors/pool-tokens.ts";
import { agents } from "../connections.ts";

const timeoutMs = 8_000;
/** Tokens are a few kilobytes. */
const maxBytes = 64 * 1024;

type Answer = { status: number; body: string };

/** @param host the address of the pool's pages; each call throws Error if there is no whole answer in time */
export function poolEndpoints(
  host: string,
  { request = https.request, agent = agents().httpsAgent }: { request?: typeof https.request; agent?: Agent } = {},
): PoolEndpoints {
  async function send(path: string, fields: Record<string, string>, { clientId, secret }: ClientCredentials) {
    const body = new URLSearchParams({ ...fields, client_id: clientId }).toString();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(Buffer.byteLength(body)),
      ...(secret !== undefined && { authorization: basic(clientId, secret) }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const url = `${host}${path}`;
    try {
      return await answered(request(url, { method: "POST", headers, agent, signal }), body);
    } catch (error) {
      // The pool had closed a kept connection before it read the form, so that nothing has happened.
      if (!(error instanceof ClosedConnection)) throw error;
      return await answered(request(url, { method: "POST", headers, agent: false, signal }), body);
    }
  }

  return {
    token: (form, client) => send("/oauth2/token", form, client),
    revoke: (token, client) => send("/oauth2/revoke", { token }, client),
  };
}

class ClosedConnection extends Error {}

function answered(request: ReturnType<typeof https.request>, form: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) return void request.destroy(new Error("the user pool's answer is too large"));
        chunks.push(chunk);
      });
      response.once("error", reject);
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 502, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(error.code ?? "");
      reject(wasClosed ? new ClosedConnection("the connection was closed", { cause: error }) : error);
    });
    request.end(form);
  });
}

/** RFC 6749, 2.3.1: id and secret are form-encoded. */
function basic(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((part) => new URLSearchParams({ part }).toString().slice("part=".length));
  return `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
}
