// Is loaded before a provider's server: the server reaches the provider's hosts at their port of HTTPS, where they lead to the public internet,
// and nothing else. So no setting and no answer of an API leads it elsewhere; code of the server itself that meant to get out could
// (decision 90).
import dgram from "node:dgram";
import dns from "node:dns";
import { type LookupFunction, Socket, type TcpSocketConnectOpts } from "node:net";
import { isPublicAddress } from "../domain/upstream/public-address.ts";
import { ownProvider } from "./own-provider.ts";

const httpsPort = 443;
/** Node asks no look-up for an address or a path: with this name the refusal below decides in every case. */
const nowhere = "refused.invalid";

const { hosts } = ownProvider();
const { lookup } = dns;
const { connect } = Socket.prototype;

/** All of Node's connections come by here: those of http, https, http2, tls and fetch. */
Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const { options, callback } = connectionOf(given);
  const { host = "localhost", port, path: _, ...rest } = options;
  const isOwn = Number(port) === httpsPort && hosts.includes(host);
  const confined = { ...rest, port: httpsPort, ...(isOwn ? { host, lookup: lookupOfPublic } : refused(host)) };
  return connect.call(this, confined as never, callback);
} as typeof connect;

dgram.Socket.prototype.send = () => {
  throw refusal("by a datagram");
};

/** The forms of `connect`: (options, callback), (port, host, callback), (path, callback), and Node's own list of the first two. */
function connectionOf(given: unknown[]) {
  const [first, ...rest] = Array.isArray(given[0]) ? given[0] : given;
  const callback = rest.find((one) => typeof one === "function") as (() => void) | undefined;
  if (typeof first === "object" && first !== null) return { options: first as ConnectOptions, callback };
  const isPort = Number.isInteger(Number(first));
  const host = typeof rest[0] === "string" ? rest[0] : undefined;
  const options: ConnectOptions = isPort
    ? { port: Number(first), ...(host !== undefined && { host }) }
    : { path: String(first) };
  return { options, callback };
}

type ConnectOptions = Partial<Omit<TcpSocketConnectOpts, "port">> & { port?: number | string; path?: string | null };

/** The system's look-up. An address that is not public refuses the name. */
const lookupOfPublic: LookupFunction = (host, options, found) => {
  lookup(host, { ...options, all: true }, (error, addresses = []) => {
    const [first] = addresses;
    if (error || first === undefined) return found(error ?? refusal(host), "");
    if (!addresses.every(({ address }) => isPublicAddress(address))) return found(refusal(host), "");
    if (options.all) found(null, addresses);
    else found(null, first.address, first.family);
  });
};

function refused(host: string): Pick<TcpSocketConnectOpts, "host" | "lookup"> {
  return { host: nowhere, lookup: (_host, _options, found) => found(refusal(host), "") };
}

function refusal(host: string): Error {
  return Object.assign(new Error(`connect EACCES ${host}: this server reaches ${hosts.join(", ")} alone`), {
    code: "EACCES",
  });
}
