// Is loaded before a runtime's code, and before the programs that it starts: each connection leads to the hosts of `PUT /_local/hosts`, and
// nowhere else. The address of this module names the edge's port, `?edge=8787`, so that no variable of the runtime has to.
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { Socket, type TcpSocketConnectOpts } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { PublicNames } from "../../lambda/public-names.ts";

const edgePort = Number(new URL(import.meta.url).searchParams.get("edge"));
const publicNames = new PublicNames(edgePort);
publicNames.install();
const { connect } = Socket.prototype;

/** A connection ends at the edge, which routes by the header `host`. Its own look-up says which addresses it may be made to. */
Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  // Node hands its own connections on as a list.
  const [options, callback] = (Array.isArray(given[0]) ? given[0] : given) as [TcpSocketConnectOpts, () => void];
  const { host = "localhost", lookup } = options;
  const there = {
    ...options,
    host: "public.invalid",
    port: edgePort,
    lookup: publicNames.connection(host, host, lookup),
  };
  return connect.call(this, there as never, callback);
} as typeof connect;

/** HTTPS without its encryption, for which the hosts on this machine have no certificates. */
function request(first: string | URL | https.RequestOptions, ...rest: unknown[]): http.ClientRequest {
  const url = typeof first === "object" && !(first instanceof URL) ? undefined : new URL(first);
  const given = (url ? (typeof rest[0] === "object" ? rest[0] : {}) : first) as https.RequestOptions;
  const callback = rest.find((one) => typeof one === "function") as http.RequestListener | undefined;
  const host = url?.hostname ?? given.hostname ?? given.host ?? "";
  const options = {
    ...given,
    protocol: "http:",
    host: undefined,
    hostname: host,
    port: url?.port || given.port || 443,
    agent: false as const,
    path: url ? `${url.pathname}${url.search}` : (given.path ?? "/"),
    headers: { ...given.headers, host },
  };
  return http.request(options, callback as never);
}

https.request = request as typeof https.request;
https.get = ((...given: Parameters<typeof request>) => request(...given).end()) as typeof https.get;
syncBuiltinESMExports();

/** Statuses whose answer has no body, for which `Response` takes none. */
const bodiless = [204, 205, 304];

globalThis.fetch = async (input, init) => {
  const asked = new Request(input, init);
  const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
  const headers = { ...Object.fromEntries(asked.headers), ...(body && { "content-length": String(body.length) }) };
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const send = new URL(asked.url).protocol === "http:" ? http.request : request;
  send(asked.url, { method: asked.method, headers, signal: asked.signal }, resolve).once("error", reject).end(body);
  const answer = await promise;
  const status = answer.statusCode ?? 502;
  const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const content = bodiless.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(content as never, { status, headers: given });
};
