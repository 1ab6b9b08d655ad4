// A proxied request out of the function URL's event: who is asked, by what way, and which headers count.
import { hash, timingSafeEqual } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { CallOrigin } from "../../domain/ledger/ledger.ts";

type Headers = Record<string, string | undefined>;

/** Headers that the stack's configuration names, in lower case; of several the first that is there counts. */
export type HeaderNames = { session: string[]; region: string[] };

/**
 * The viewer's host, told by the edge. The function's own address is public: without the origin's secret nothing that
 * comes with the request can be believed. @throws Refusal not_found
 */
export function viewerHost(headers: Headers, originSecretHashes: readonly string[]): string {
  const presented = Buffer.from(hash("sha256", headers["x-origin-secret"] ?? ""));
  const matches = originSecretHashes.map((known) => timingSafeEqual(presented, Buffer.from(known)));
  if (!matches.includes(true)) throw new Refusal("not_found", "No workspace answers at this address.");
  return headers["x-viewer-host"] ?? "";
}

/** A session id is for operators to search by; a longer one is cut. */
const maxIdLength = 256;

/** Claude Code's own headers, on every stack: its session, and the subagent of it that calls. */
const sessionHeader = "x-claude-code-session-id";
const agentHeader = "x-claude-code-agent-id";

/** Where a call comes from, as its tool says. */
export function originOf(headers: Headers, { session }: HeaderNames): CallOrigin {
  return {
    session_id: identifier(firstHeader(headers, [...session, sessionHeader])),
    agent_id: identifier(headers[agentHeader]),
  };
}

/** API keys, the vendor's too, and tokens; something on the way may have changed the case of their letters. */
const credential = /ar_(live|test)_|sk-ant-|eyj/i;

/** None if somebody sends a credential in its place: it goes to the log. */
function identifier(value: string | undefined): string | undefined {
  const id = value?.slice(0, maxIdLength);
  return id && !credential.test(id) ? id : undefined;
}

/** The request's body as text. */
export function bodyOf({
  body = "",
  isBase64Encoded,
}: Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded">): string {
  return isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
}

/** The first of several headers that is there. */
export function firstHeader(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => headers[name]).find((value) => value !== undefined);
}

/** The model host takes no more than 16 KB of headers in all, signature and session token included. */
const maxHeaderLength = 8_192;

/**
 * Headers that go to the model host unchanged (specification, "Headers"). Credentials never do.
 * @throws Refusal invalid_request for a value that no header can carry.
 */
export function forwardedHeaders(headers: Headers): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of ["anthropic-version", "anthropic-beta", "content-type"]) {
    const value = headers[name];
    if (value === undefined) continue;
    if (value.length > maxHeaderLength) {
      throw new Refusal("invalid_request", `${name}: must have at most ${maxHeaderLength} characters`);
    }
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new Refusal("invalid_request", `${name}: must be plain ASCII`);
    forwarded[name] = value;
  }
  return forwarded;
}
