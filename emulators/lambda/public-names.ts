// Names and addresses beyond the stack, as a function finds them: `PUT /_local/hosts` gives them, and nothing else exists. A connection goes
// to the edge, whatever the address, if the address is one of the name's.
import dns, { type LookupAddress } from "node:dns";
import dnsPromises from "node:dns/promises";
import http from "node:http";
import { isIP, type LookupFunction, Socket } from "node:net";
import { json } from "node:stream/consumers";

/** Node's own, which a program of a runtime replaces after this. */
const { connect } = Socket.prototype;

type Names = Record<string, { addresses: string[][] }>;

export class PublicNames {
  readonly #edgePort: number;
  readonly #request = http.request;

  constructor(edgePort: number) {
    this.#edgePort = edgePort;
  }

  /** Makes the look-ups of Node's `dns` ask the stack. `syncBuiltinESMExports` makes them known to importers by name. */
  install(): void {
    const lookUp = (name: string) => this.lookUp(name);
    const promised = async (name: string, options?: unknown) => {
      const found = await lookUp(name);
      return isAll(options) ? found : found[0];
    };
    dnsPromises.lookup = promised as typeof dnsPromises.lookup;
    dns.promises.lookup = promised as typeof dns.promises.lookup;
    dns.lookup = ((name: string, ...rest: unknown[]) => {
      const callback = rest.at(-1) as (error: Error | null, ...found: unknown[]) => void;
      lookUp(name).then(
        (found) => (isAll(rest[0]) ? callback(null, found) : callback(null, found[0]?.address, found[0]?.family)),
        (error) => callback(error),
      );
    }) as typeof dns.lookup;
  }

  /** @throws Error ENOTFOUND for a name that nobody gave addresses. */
  async lookUp(name: string): Promise<LookupAddress[]> {
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) }];
    const { addresses } = (await this.#ask(`/_local/hosts/${encodeURIComponent(name)}`)) as { addresses?: string[] };
    if (!addresses?.length) throw failure("getaddrinfo", "ENOTFOUND", name);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  /**
   * A look-up for a connection to `host` that ends at the edge. The caller's own look-up says which addresses the connection may be made to.
   * @param name the name in the request's header `host`
   */
  connection(host: string, name: string, own: LookupFunction | undefined): LookupFunction {
    return (_, options, callback) => {
      const addresses = own ? asked(own, host) : this.lookUp(host);
      addresses
        .then(async (found) => this.#checkServed(name, found))
        .then(
          () => (options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)),
          (error: NodeJS.ErrnoException) => callback(error, ""),
        );
    };
  }

  /** @throws Error ECONNREFUSED unless the name is served at one of the addresses. */
  async #checkServed(name: string, found: LookupAddress[]): Promise<void> {
    const known = ((await this.#ask("/_local/hosts")) as Names)[name.toLowerCase()]?.addresses.flat() ?? [];
    const [first] = found;
    if (!found.some(({ address }) => known.includes(address)))
      throw failure("connect", "ECONNREFUSED", first?.address ?? name);
  }

  async #ask(path: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const edge = { host: "127.0.0.1", port: this.#edgePort };
    const createConnection = () => connect.call(new Socket(), edge as never);
    this.#request({ ...edge, path, createConnection }, resolve)
      .once("error", reject)
      .end();
    return json(await promise);
  }
}

function isAll(options: unknown): boolean {
  return (options as { all?: boolean } | null | undefined)?.all === true;
}

function asked(lookup: LookupFunction, host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found, family) => {
      if (error) reject(error);
      else resolve(Array.isArray(found) ? found : [{ address: found, family: family ?? isIP(found) }]);
    });
  });
}

/** An error as Node's own calls give it. */
function failure(syscall: string, code: string, of: string): Error {
  return Object.assign(new Error(`${syscall} ${code} ${of}`), { code, syscall });
}
