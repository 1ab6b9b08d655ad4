// The address on this machine at which a browser ends its sign-in: one answer, to the request that asked, and nothing else.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Failure } from "../command-line/failure.ts";

/** Registered redirect URIs that are on this machine. @throws Failure if there is none, or none of that port. */
export function loopbackUris(registered: string[], port?: number): URL[] {
  const uris = registered.filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri));
  const local = uris.filter((uri) => uri.protocol === "http:" && uri.hostname in addresses && uri.port !== "");
  if (local.length === 0)
    throw new Failure("failed", "the platform has no redirect URI on this machine for this program");
  const chosen = port === undefined ? local : local.filter((uri) => uri.port === String(port));
  if (chosen.length > 0) return chosen;
  throw new Failure("usage", `--port: the platform knows ${local.map((uri) => uri.port).join(", ")}, not ${port}`);
}

/** A name is any of the addresses that a browser may take it for. */
const addresses: Record<string, string[]> = {
  localhost: ["127.0.0.1", "::1"],
  "127.0.0.1": ["127.0.0.1"],
  "[::1]": ["::1"],
};

export class Loopback {
  readonly uri: URL;
  readonly #servers: Server[] = [];
  #state: string | undefined;
  #taken: ((answer: Answer) => void) | undefined;

  private constructor(uri: URL) {
    this.uri = uri;
  }

  /** Listens at the first URI whose port is free. @param program whose sign-in it is @throws Failure if none is. */
  static async open(uris: URL[], program: string): Promise<Loopback> {
    for (const uri of uris) {
      const loopback = new Loopback(uri);
      if (await loopback.#listen()) return loopback;
    }
    const ports = uris.map(({ port }) => port).join(", ");
    throw new Failure(
      "failed",
      `another program uses port ${ports}: end it, or sign in with ${program} login --no-browser`,
    );
  }

  /** The query of the first request that carries the state. Others are answered and ignored. */
  async answer(state: string, signal: AbortSignal): Promise<Answer> {
    this.#state = state;
    return new Promise((resolve, reject) => {
      this.#taken = resolve;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }

  close(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeIdleConnections();
    }
  }

  async #listen(): Promise<boolean> {
    for (const address of addresses[this.uri.hostname] ?? []) {
      const server = createServer({ requestTimeout: 10_000 }, (request, response) => this.#serve(request, response));
      const problem = await listening(server, Number(this.uri.port), address);
      if (problem === undefined) this.#servers.push(server);
      // A machine without this kind of address is no obstacle, a port in use is one.
      else if (problem !== "EADDRNOTAVAIL" && problem !== "EAFNOSUPPORT") {
        this.close();
        return false;
      }
    }
    return this.#servers.length > 0;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const problem = this.#problemOf(request);
    if (problem) {
      show(response, ...problem);
      return;
    }
    const taken = this.#taken;
    this.#taken = undefined;
    const query = new URL(request.url ?? "", this.uri).searchParams;
    const lead = (url: string) => response.writeHead(302, { location: url, ...pageHeaders }).end();
    taken?.({ query, show: (text, status = 200) => show(response, status, text), lead });
  }

  #problemOf({ url = "", method, headers }: IncomingMessage): [status: number, text: string] | undefined {
    // A page of another name that leads here (DNS rebinding) sends that name.
    if (headers.host !== this.uri.host) return [400, "This is not the address of a sign-in."];
    if (!url.startsWith("/") || url.startsWith("//") || !URL.canParse(url, this.uri.href))
      return [404, "Nothing is here."];
    const { pathname, searchParams: query } = new URL(url, this.uri);
    if (pathname !== this.uri.pathname) return [404, "Nothing is here."];
    if (method !== "GET") return [405, "There is nothing to send here."];
    if (!this.#state || !sameText(query.get("state") ?? "", this.#state) || hasRepeats(query)) {
      return [400, "This page belongs to another sign-in. Go back to the window that asked you, or start again."];
    }
    return this.#taken ? undefined : [409, "This sign-in has come back already. You can close this window."];
  }
}

/** A browser's request with the answer to a sign-in. The browser waits for a page that tells the outcome, or for a redirect. */
export type Answer = {
  query: URLSearchParams;
  show: (text: string, status?: number) => void;
  lead: (url: string) => void;
};

/** The code of the error, or undefined. */
function listening(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen({ port, host, exclusive: true }, () => resolve(undefined));
  });
}

function hasRepeats(query: URLSearchParams): boolean {
  return new Set(query.keys()).size < [...query.keys()].length;
}

export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/** @param text may say what others wrote: a page has no markup of theirs. */
function show(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, pageHeaders);
  response.end(pageOf(text));
}

/** The whole page around a sentence. */
export function pageOf(text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Archway</title>
<style>
:root { color-scheme: light dark; }
body { font: 1.125rem/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 32rem; padding: 0 1rem; }
</style>
</head>
<body>
<main><h1>Archway</h1><p role="status">${escaped(text)}</p></main>
</body>
</html>
`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
