// Reads a proxied request: the host that the caller asked, where the call comes from, its body, the headers to pass on.
import { hash, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip, zstdDecompress } from "node:zlib";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { named } from "../../domain/kernel/quotation.ts";
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

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** A window of 8 MB is the most that a sender may ask for (RFC 9659). */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };
const decodeGzip: Decoder = promisify(gunzip);
const decodeZstd: Decoder = (bytes, options) => promisify(zstdDecompress)(bytes, { ...options, params: zstdWindow });

/** Decoders by their name in `content-encoding`. `x-gzip` is gzip's older name (RFC 9110, 8.4.1.3). */
const decoders = new Map<string, Decoder>([
  ["gzip", decodeGzip],
  ["x-gzip", decodeGzip],
  ["zstd", decodeZstd],
]);

/** The value of `accept-encoding` in a refusal. */
export const acceptedEncodings = "gzip, zstd";

/**
 * The request's body as text, decompressed if it came so.
 * @throws Refusal encoding_unsupported, request_too_large for more than `maxBytes` decompressed, invalid_request for other bytes than the header says
 */
export async function bodyOf(
  { body = "", isBase64Encoded, headers }: Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded" | "headers">,
  maxBytes: number,
): Promise<string> {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const isPlain = encoding === "" || encoding === "identity";
  if (isPlain && !isBase64Encoded) return body;
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (isPlain) return bytes.toString("utf8");
  const decode = decoders.get(encoding);
  if (!decode) {
    const what = named("content-encoding", encoding);
    throw new Refusal(
      "encoding_unsupported",
      `The ${what} is not read. Send ${acceptedEncodings}, or the body as it is.`,
    );
  }
  const decoded = await decode(bytes, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_BUFFER_TOO_LARGE") {
      throw new Refusal("request_too_large", `body: has more than ${maxBytes} bytes once it is decompressed`);
    }
    throw new Refusal("invalid_request", `body: is not what content-encoding says, ${encoding}`);
  });
  return decoded.toString("utf8");
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
