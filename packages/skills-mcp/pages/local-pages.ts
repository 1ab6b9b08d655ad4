// Pages on this machine for what a person alone may do: one server on 127.0.0.1, and for each page a token that is good once.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../../command-line/failure.ts";
import { sameText } from "../../sign-in/loopback.ts";
import { html, script, style } from "./page-source.ts";

/** A person has this long: a review is read, a secret is looked up. */
const openMs = 15 * 60_000;
const maxBytes = 64 * 1024;

/** A page: what it shows, and what happens with its answer. */
export type Page<T> = {
  /** The data from which the page's script builds the page. */
  show: () => Promise<{ page: "review" | "secret"; [field: string]: unknown }>;
  /** @returns what the call goes on with, and a sentence for the person @throws Failure, after which the person may try again. */
  answer: (body: Record<string, unknown>) => Promise<{ result: T; says: string }>;
};

/** @property key of the browser tab that has opened the page; the token opens it once */
type Open = {
  page: Page<unknown>;
  token: string;
  key: string | undefined;
  isAnswering: boolean;
  settle: (result: unknown) => void;
  fail: (reason: Failure) => void;
  timer: NodeJS.Timeout;
};

export class LocalPages {
  readonly #open = new Set<Open>();
  #server: Server | undefined;
  #origin = "";

  /** @returns the page's address, whose fragment no server is sent, and what the person's answer came to */
  async open<T>(page: Page<T>): Promise<{ url: string; done: Promise<T> }> {
    await this.#listen();
    const token = randomBytes(32).toString("base64url");
    const done = new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#close(open, new Failure("failed", "nobody answered the page in time")),
        openMs,
      );
      timer.unref();
      const settle = (result: unknown) => resolve(result as T);
      const open: Open = { page, token, key: undefined, isAnswering: false, settle, fail: reject, timer };
      this.#open.add(open);
    });
    return { url: `${this.#origin}/#${token}`, done };
  }

  close(): void {
    for (const open of [...this.#open]) this.#close(open, new Failure("failed", "the page was closed"));
    this.#stop();
  }

  #close(open: Open, reason: Failure): void {
    clearTimeout(open.timer);
    this.#open.delete(open);
    open.fail(reason);
  }

  #stop(): void {
    this.#server?.close();
    this.#server?.closeIdleConnections();
    this.#server = undefined;
  }

  async #listen(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
      this.#serve(request, response).catch(() => send(response, 500, { error: "This page failed." }));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: 0, host: "127.0.0.1" }, resolve);
    });
    // The pages keep no program alive whose client is gone.
    server.unref();
    this.#server = server;
    this.#origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    // A page of another name that leads here (DNS rebinding) sends that name.
    if (`http://${headers.host}` !== this.#origin) return send(response, 400, { error: "Nothing is here." });
    const source = method === "GET" ? sources[url] : undefined;
    if (source) {
      response.writeHead(200, { ...pageHeaders, "content-type": source.type }).end(source.text);
      return;
    }
    if (method !== "POST" || !["/open", "/answer"].includes(url))
      return send(response, 404, { error: "Nothing is here." });
    const isOwn = headers.origin === this.#origin && (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";
    if (!isOwn) return send(response, 403, { error: "Another page may not do this." });
    const body = await bodyOf(request);
    if (!body) return send(response, 400, { error: "That is no answer of this page." });
    if (url === "/open") await this.#show(response, body);
    else await this.#answer(response, body);
  }

  async #show(response: ServerResponse, { token, key }: Record<string, unknown>): Promise<void> {
    const open =
      this.#find(key, (each) => each.key) ?? this.#find(token, (each) => (each.key ? undefined : each.token));
    if (!open)
      return send(response, 403, { error: "This page was opened before, or is over. Ask your assistant once more." });
    open.key ??= randomBytes(32).toString("base64url");
    try {
      send(response, 200, { key: open.key, shows: await open.page.show() });
    } catch (error) {
      send(response, 502, { error: sentenceOf(error) });
    }
  }

  async #answer(response: ServerResponse, { key, ...body }: Record<string, unknown>): Promise<void> {
    const open = this.#find(key, (each) => each.key);
    if (!open) return send(response, 403, { error: "This page is over. Ask your assistant once more." });
    if (open.isAnswering) return send(response, 409, { error: "This is being done already." });
    open.isAnswering = true;
    try {
      const { result, says } = await open.page.answer(body);
      clearTimeout(open.timer);
      this.#open.delete(open);
      send(response, 200, { says });
      open.settle(result);
    } catch (error) {
      open.isAnswering = false;
      send(response, 422, { error: sentenceOf(error) });
    }
  }

  #find(given: unknown, secretOf: (open: Open) => string | undefined): Open | undefined {
    if (typeof given !== "string") return undefined;
    return [...this.#open].find((open) => {
      const secret = secretOf(open);
      return secret !== undefined && sameText(secret, given);
    });
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Failure ? error.message : "This failed, and the reason is a fault of this program.";
}

const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const sources: Record<string, { type: string; text: string }> = {
  "/": { type: "text/html; charset=utf-8", text: html },
  "/page.js": { type: "text/javascript; charset=utf-8", text: script },
  "/page.css": { type: "text/css; charset=utf-8", text: style },
};

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...pageHeaders, "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Undefined for what is no JSON object, or too large. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  if (!/^application\/json(;|$)/.test(request.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    return body !== null && typeof body === "object" && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
