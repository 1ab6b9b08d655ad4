// Reads a proxied request: the host that the caller asked, where the call comes from, its body, the headers to pass on.
import { hash, timingSafeEqual } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { CallOrigin } from "../../domain/ledger/ledger.ts";

type Headers = Record<string, string | undefined>;

/** Names of headers, in lower case, from the stack's configuration. The first one that a request has counts. */
export type HeaderNames = { session: string[]; region: string[] };

/**
 * The host that the caller asked, as CloudFront passes it on. The function's own address is public, so a request without
 * CloudFront's secret could name any host and is refused. @throws Refusal tenant_unknown
 */
export function viewerHost(headers: Headers, originSecretHashes: readonly string[]): string {
  const presented = Buffer.from(hash("sha256", headers["x-origin-secret"] ?? ""));
  const matches = originSecretHashes.map((known) => timingSafeEqual(presented, Buffer.from(known)));
  if (!matches.includes(true)) throw new Refusal("tenant_unknown", "No workspace answers at this address.");
  return headers["x-viewer-host"] ?? "";
}

/**
 * Whether Claude Code calls, or the Agent SDK, which is the same program: whatever a 403 says, it asks its key helper for another
 * credential and tries for minutes (docs/decisions/0033-refusals-that-end.md).
 */
export function isClaudeCode(headers: Headers): boolean {
  return /^claude-(cli|code)\//.test(headers["user-agent"] ?? "");
}

/** Longer ids are cut: they serve operators to search by. */
const maxIdLength = 256;

/** Claude Code's headers for its session and for the subagent that calls. */
const sessionHeader = "x-claude-code-session-id";
const agentHeader = "x-claude-code-agent-id";

/** The session and the subagent that a call comes from, as its tool names them. */
export function originOf(headers: Headers, { session }: HeaderNames): CallOrigin {
  return {
    session_id: identifier(firstHeader(headers, [...session, sessionHeader])),
    agent_id: identifier(headers[agentHeader]),
  };
}

/** How credentials begin: API keys, the vendor's too, and tokens. Letters match in any case, since some intermediaries change the case. */
const credential = /ar_(live|test)_|sk-ant-|eyj/i;

/** The id, unless it looks like a credential: ids are written to the log. */
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

/** The value of the first of these headers that the request has. */
export function firstHeader(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => headers[name]).find((value) => value !== undefined);
}

/** The model host takes no more than 16 KB of headers in all, signature and session token included. */
const maxHeaderLength = 8_192;

/**
 * The headers that go to the model host unchanged (docs/specification.md, Headers). Credentials never do.
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

/** The flags of the header `anthropic-beta`, a list with commas. */
export function betaFlags(headers: Headers): string[] {
  return (headers["anthropic-beta"] ?? "").split(",").map((flag) => flag.trim());
}
