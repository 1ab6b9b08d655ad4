// A port of its own for `mcp.<domain>`: MCP clients look for metadata at the root of an origin, so a path on the edge's port would not do.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { endToEnd } from "../../emulators/lambda/event.ts";
import { reachable } from "./reachable.ts";

/** The headers in which the edge names addresses. */
const naming = ["location", "www-authenticate"];
const aboveEdge = 10_000;
const lastPort = 65_535;
/** Requests and answers of an endpoint are small; a gateway's may be streams, and are passed on as they come. */
const endpoint = /^\/(\.well-known\/|(register|authorize|callback|token|revoke)$)/;

export class ConnectorPort {
  readonly #server: http.Server;
  readonly #domain: string;
  readonly #edgePort: () => number;

  constructor(domain: string, edgePort: () => number) {
    this.#domain = domain;
    this.#edgePort = edgePort;
    this.#server = http.createServer((request, response) => this.#pass(request, response));
  }

  /**
   * MCP clients keep the address, so it is the same after each start: its port is 10,000 above the edge's. Any free port serves where that
   * one is taken.
   * @param edgePort as it was asked for; 0 or none takes any port here, too
   */
  async listen(edgePort = 0): Promise<void> {
    const usual = edgePort + aboveEdge;
    await this.#listenAt(edgePort === 0 || usual > lastPort ? 0 : usual).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") throw error;
      return this.#listenAt(0);
    });
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #listenAt(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen(port, "127.0.0.1", () => {
      this.#server.off("error", reject);
      resolve();
    });
    return promise;
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = "/", headers } = request;
    const host = `mcp.${this.#domain}`;
    const isEndpoint = endpoint.test(url.split("?")[0] ?? "");
    // A client names this address, and the program knows its own.
    const there = (text: string) => renamed(text, this.url, `https://${host}`);
    const { "content-length": _length, ...others } = endToEnd(headers);
    const passedHeaders = { ...(isEndpoint ? others : endToEnd(headers)), host };
    const passed = http.request(
      {
        hostname: "127.0.0.1",
        port: this.#edgePort(),
        method,
        path: isEndpoint ? there(url) : url,
        headers: passedHeaders,
      },
      (answer) => void this.#answer(isEndpoint, answer, response),
    );
    passed.once("error", () => response.destroy());
    response.once("close", () => passed.destroy());
    if (!isEndpoint) return void request.pipe(passed);
    void request.toArray().then((chunks) => {
      const body = there(Buffer.concat(chunks).toString("utf8"));
      if (body !== "") passed.setHeader("content-length", Buffer.byteLength(body));
      passed.end(body);
    });
  }

  async #answer(isEndpoint: boolean, answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const here = (text: string) => reachable(text, this.#domain, `http://127.0.0.1:${this.#edgePort()}`, this.url);
    const headers = Object.fromEntries(
      Object.entries(endToEnd(answer.headers)).map(([name, value]) => [
        name,
        naming.includes(name) && value !== undefined ? withIssuer(here(String(value)), this.#domain, this.url) : value,
      ]),
    );
    if (!isEndpoint) {
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.once("error", () => response.destroy());
      answer.pipe(response);
      return;
    }
    const text = here(Buffer.concat(await answer.toArray()).toString("utf8"));
    const { "content-length": _length, "transfer-encoding": _encoding, ...others } = headers;
    response.writeHead(answer.statusCode ?? 502, { ...others, "content-length": Buffer.byteLength(text) }).end(text);
  }
}

/** An origin in place of another one, wherever it ends as an origin does; in a query or a form it is encoded. */
function renamed(text: string, from: string, to: string): string {
  const written = (origin: string) => origin.replaceAll(".", "\\.");
  const plain = new RegExp(`${written(from)}(?![\\w.:-])`, "g");
  const encoded = new RegExp(`${written(encodeURIComponent(from))}(?![\\w.-]|%3A)`, "gi");
  return text.replace(plain, to).replace(encoded, encodeURIComponent(to));
}

/** The issuer in the answer to a client. Other parameters stay: the user pool knows its own addresses. */
function withIssuer(location: string, domain: string, here: string): string {
  const issuer = encodeURIComponent(`https://mcp.${domain}`);
  return location.replace(
    new RegExp(`([?&]iss=)${issuer.replaceAll(".", "\\.")}(?=&|$)`),
    `$1${encodeURIComponent(here)}`,
  );
}
