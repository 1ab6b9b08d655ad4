// One request to the sign-in host, as plain values in and out: reading with limits, cookies, relative links, answers.
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";

export type Exchange = {
  method: string;
  /** Without the prefix under which the host may be reached. */
  path: string;
  query: URLSearchParams;
  /** Empty unless a form was posted. */
  form: URLSearchParams;
  authorization: string | undefined;
  cookies: Record<string, string>;
  /** Where browsers reach the sign-in host, without a slash at its end. */
  baseUrl: string;
};

export type Answer = { status: number; headers?: Record<string, string | string[]>; body?: string };

/** Thrown to answer at once, wherever a request is being read or checked. */
export class EarlyAnswer extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`answered ${answer.status}`);
    this.answer = answer;
  }
}

const largestBody = 64 * 1024;
const bodyMilliseconds = 10_000;
const formType = "application/x-www-form-urlencoded";

/** @throws EarlyAnswer 400, 413 or 415. */
export async function readExchange(request: IncomingMessage, baseUrl: string): Promise<Exchange> {
  const { pathname, searchParams } = parseUrl(request.url ?? "/");
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, "");
  return {
    method: request.method ?? "GET",
    path: prefix && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname,
    query: searchParams,
    form: request.method === "POST" ? await readForm(request) : new URLSearchParams(),
    authorization: request.headers.authorization,
    cookies: parseCookies(request.headers.cookie),
    baseUrl: `${base.origin}${prefix}`,
  };
}

function parseUrl(url: string): URL {
  const absolute = url.startsWith("/") ? `http://host.invalid${url}` : url;
  if (!URL.canParse(absolute)) throw new EarlyAnswer(text(400, "The address is not valid."));
  return new URL(absolute);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request);
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (body.length > 0 && type !== formType) {
    throw new EarlyAnswer(text(415, `The content type must be ${formType}.`));
  }
  return new URLSearchParams(body.toString("utf8"));
}

/** Reads to the end even what it refuses, so that the sender gets the answer; a sender that stalls is cut off. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const stalled = setTimeout(() => request.destroy(new Error("The body did not arrive in time.")), bodyMilliseconds);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= largestBody) chunks.push(chunk);
    }
  } catch {
    throw new EarlyAnswer(text(408, "The body did not arrive."));
  } finally {
    clearTimeout(stalled);
  }
  if (length > largestBody) throw new EarlyAnswer(text(413, `The body is larger than ${largestBody} bytes.`));
  return Buffer.concat(chunks);
}

function parseCookies(header = ""): Record<string, string> {
  const pairs = header.split(";").map((pair) => pair.trim().split("="));
  return Object.fromEntries(pairs.map(([name = "", ...value]) => [name, value.join("=")]));
}

/** A cookie that only this host reads. `maxAgeSeconds` of zero deletes it. */
export function cookie({ baseUrl }: Exchange, name: string, value: string, maxAgeSeconds: number): string {
  const { pathname, protocol } = new URL(baseUrl);
  const secure = protocol === "https:" ? "; Secure" : "";
  return `${name}=${value}; Path=${pathname}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** A link from the page at hand to another path, relative, so that it holds under any prefix. */
export function linkTo({ path }: Exchange, target: string, parameters?: URLSearchParams): string {
  const up = "../".repeat(path.split("/").length - 2);
  const query = parameters?.size ? `?${parameters}` : "";
  return `${up || "./"}${target.slice(1)}${query}`;
}

export function redirect(location: string, cookies: string[] = []): Answer {
  return { status: 302, headers: { location, ...(cookies.length > 0 && { "set-cookie": cookies }) } };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const type = { "content-type": "application/json;charset=UTF-8" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "text/plain;charset=UTF-8", ...headers }, body: `${body}\n` };
}

export function send(response: ServerResponse, { status, headers = {}, body = "" }: Answer): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { "cache-control": "no-store", "content-length": length, ...headers }).end(body);
}
