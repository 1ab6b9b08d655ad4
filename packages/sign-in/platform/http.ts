// Requests to the platform: bounded in time and size, never redirected, and every failure a line that says what to do.
import { Failure } from "../../command-line/failure.ts";

const timeoutMs = 15_000;
/** More is no answer of the platform, unless a file was asked for. */
const usualBytes = 512 * 1024;
/** Hosts of this machine itself. */
export const loopback = /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * The whole answer, whatever its status.
 * @throws Failure unreachable: no answer in time, a redirect, or one that is too large.
 */
export async function request(
  url: string,
  init: RequestInit = {},
  waitMs = timeoutMs,
  maxBytes = usualBytes,
): Promise<Response> {
  const { host } = new URL(url);
  try {
    const signal = AbortSignal.timeout(waitMs);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    const { status, headers } = response;
    if (status >= 300 && status < 400 && status !== 304)
      throw new Failure("unreachable", `${host} redirects: is it the platform's URL?`);
    const body = await bytesOf(response, host, maxBytes);
    return new Response(body.length > 0 ? body : null, { status, headers });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("unreachable", `cannot reach ${host}: ${reasonOf(error as Error)}`);
  }
}

async function bytesOf(response: Response, host: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Failure("unreachable", `${host} answers with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: Error): string {
  if (error.name === "TimeoutError") return "no answer in time";
  const { code, message } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code === "ENOTFOUND") return "there is no such host";
  if (code === "ECONNREFUSED") return "nobody answers there";
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "it does not speak HTTPS";
  const reason = code || message || error.message;
  return certificates.test(reason)
    ? `${reason}; NODE_EXTRA_CA_CERTS names the file of your network's own certificate`
    : reason;
}

/** Node's codes for a server whose certificate comes from nobody it knows (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const certificates =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?))$/;

/** @throws Failure unreachable for what is no JSON. */
export async function jsonOf(response: Response, url: string): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Failure("unreachable", `${new URL(url).host} answers ${response.status} with something else than JSON`);
  }
}

/** How many seconds this machine's clock is behind the server's; undefined if the answer has no date. */
export function secondsBehind({ headers }: Response, now: number): number | undefined {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? undefined : Math.round((date - now) / 1000);
}

/**
 * An address as it is used: HTTPS, or HTTP on this machine, and no slash at its end. Without a scheme it is HTTPS, but on this machine.
 * @throws Failure usage.
 */
export function safeUrl(text: string): string {
  const withScheme = /^[a-z]+:\/\//i.test(text) ? text : `${isHere(text) ? "http" : "https"}://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url) throw new Failure("usage", `${text} is no URL`);
  const safe = url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname));
  if (!safe) throw new Failure("usage", `${text} is not https, and a token would be read on its way`);
  if (url.username || url.password || url.search || url.hash)
    throw new Failure("usage", `${text} is more than an address`);
  return url.href.replace(/\/+$/, "");
}

function isHere(address: string): boolean {
  return URL.canParse(`http://${address}`) && loopback.test(new URL(`http://${address}`).hostname);
}
