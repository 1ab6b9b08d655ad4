// One port for all hosts. Names that end in `.localhost` need no resolver: `/@acme.proxy/path` means host `acme.proxy.localhost`.
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { flatHeaders, type HttpRequest } from "../../emulators/lambda/event.ts";
import { readBody } from "../../emulators/request-body.ts";

/** A host that gets each request whole. */
export type VirtualHost = {
  matches(host: string): boolean;
  maxBodyBytes: number;
  /** @param edge the address of the port, `http://127.0.0.1:<port>`. */
  serve(request: HttpRequest, response: ServerResponse, edge: string): Promise<void>;
};
/** A host that reads the request itself. */
export type RawVirtualHost = {
  matches(host: string): boolean;
  /** @param baseUrl the address of this host's root for the client, e.g. `http://127.0.0.1:8787/@auth`. */
  handle(request: IncomingMessage, response: ServerResponse, baseUrl: string): Promise<void>;
};

/** Coding assistants send a token twice beside long beta lists; Node's default is 16 KiB. */
const maxHeaderBytes = 64 * 1024;

/** Where a request goes. `prefix` is what stands for the host in the path. */
type Address = { host: string; path: string; prefix: string };

export class Edge {
  readonly #server: http.Server;
  #domain: string;
  #hosts: (VirtualHost | RawVirtualHost)[] | undefined;
  #now: () => number = Date.now;

  /** @param hosts may come later, by `open` */
  constructor(domain = "", hosts?: (VirtualHost | RawVirtualHost)[]) {
    this.#domain = domain;
    this.#hosts = hosts;
    this.#server = http.createServer({ maxHeaderSize: maxHeaderBytes }, (request, response) => {
      this.#serve(request, response).catch((error) => fail(response, 500, (error as Error).message));
    });
    // A client that breaks the protocol gets the reason and not a silent cut.
    this.#server.on("clientError", (_error, socket) => {
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
  }

  /** @throws Error with code EADDRINUSE if the port is taken. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => resolve());
    });
    return this.port;
  }

  /**
   * Serves these hosts from now on. Until then every request is 503: the port is known before what the addresses lead to.
   * @param now the time that answers say: the console reads the platform's time there
   */
  open(domain: string, hosts: (VirtualHost | RawVirtualHost)[], now: () => number): void {
    this.#domain = domain;
    this.#hosts = hosts;
    this.#now = now;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("date", new Date(this.#now()).toUTCString());
    const hosts = this.#hosts;
    if (!hosts) return fail(response, 503, "The local stack is starting.");
    const { host, path, prefix } = this.#address(request);
    const page = this.#pageOf(request, { host, path, prefix });
    if (page) return void response.writeHead(302, { location: page }).end();
    const virtualHost = hosts.find((candidate) => candidate.matches(host));
    if (!virtualHost) return fail(response, 404, `The local stack serves no host "${host}".`);
    request.url = path;
    request.headers.host = host;
    if ("handle" in virtualHost) {
      const origin = prefix ? `http://127.0.0.1:${this.port}${prefix}` : `http://${host}:${this.port}`;
      return virtualHost.handle(request, response, origin);
    }
    const body = await readBody(request, virtualHost.maxBodyBytes);
    if (body === undefined) return fail(response, 413, `The body is larger than ${virtualHost.maxBodyBytes} bytes.`);
    const whole: HttpRequest = {
      method: request.method ?? "GET",
      url: path,
      headers: flatHeaders(request.headers),
      body,
      sourceIp: request.socket.remoteAddress ?? "",
    };
    return virtualHost.serve(whole, response, `http://127.0.0.1:${this.port}`);
  }

  /**
   * Where a browser is led that opens the console below `/@console`, whose pages find their files on its own host alone, or the stack's bare
   * address.
   */
  #pageOf({ method, headers }: IncomingMessage, { host, path, prefix }: Address): string | undefined {
    const console = `console.${this.#domain}`;
    const isPage = method === "GET" && headers.accept?.includes("text/html");
    if (!isPage || !this.#hosts?.some((candidate) => candidate.matches(console))) return undefined;
    const isBare = prefix === "" && path === "/" && /^(127\.0\.0\.1|localhost)$/.test(host);
    return isBare || (prefix && host === console) ? `http://${console}:${this.port}${path}` : undefined;
  }

  /** A name stands for a host of the platform's domain, or for itself: `/@acme.proxy`, `/@id.gateway....amazonaws.com`. */
  #named(name: string): string {
    const own = `${name}.${this.#domain}`;
    const hosts = this.#hosts ?? [];
    const isWhole = !hosts.some((host) => host.matches(own)) && hosts.some((host) => host.matches(name));
    return isWhole ? name : own;
  }

  #address(request: IncomingMessage): Address {
    const url = request.url ?? "/";
    const alias = /^\/@([^/?]*)(.*)$/.exec(url);
    if (alias) {
      const path = alias[2] ?? "";
      return {
        host: this.#named(alias[1]?.toLowerCase() ?? ""),
        path: path.startsWith("/") ? path : `/${path}`,
        prefix: `/@${alias[1]}`,
      };
    }
    const host = (request.headers.host ?? "").toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
    return { host, path: url, prefix: "" };
  }
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ message }));
}
