// A port of its own for `mcp.<domain>`: MCP clients look for metadata at the root of an origin, so a path on the edge's port would not do.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { endToEnd } from "../../emulators/lambda/event.ts";
import { reachable } from "./reachable.ts";

/** The headers in which the edge names addresses. */
const naming = ["location", "www-authenticate"];
const aboveEdge = 10_000;
const lastPort = 65_535;
/** An endpoint's answers are small; a gateway's may be streams, and are passed on as they come. */
const endpoint = /^\/(\.well-known\/|token$)/;

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
    const passed = http.request(
      { hostname: "127.0.0.1", port: this.#edgePort(), method, path: url, headers: { ...endToEnd(headers), host } },
      (answer) => void this.#answer(url, answer, response),
    );
    passed.once("error", () => response.destroy());
    response.once("close", () => passed.destroy());
    request.pipe(passed);
  }

  async #answer(url: string, answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const here = (text: string) => reachable(text, this.#domain, `http://127.0.0.1:${this.#edgePort()}`, this.url);
    const headers = Object.fromEntries(
      Object.entries(endToEnd(answer.headers)).map(([name, value]) => [
        name,
        naming.includes(name) && value !== undefined ? here(String(value)) : value,
      ]),
    );
    if (!endpoint.test(url.split("?")[0] ?? "")) {
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
