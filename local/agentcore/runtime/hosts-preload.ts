// Is loaded before a runtime's code, and before the programs that it starts: HTTPS and fetch lead to the hosts of `PUT /_local/hosts`, and
// nowhere else. The address of this module names the edge's port, `?edge=8787`, so that no variable of the runtime has to.
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { localRequest } from "../../lambda/local-https.ts";
import { PublicNames } from "../../lambda/public-names.ts";

const edgePort = Number(new URL(import.meta.url).searchParams.get("edge"));
const request = localRequest({ publicNames: new PublicNames(edgePort), edgePort, hosts: [], headers: {} });

https.request = request as typeof https.request;
https.get = ((...given: Parameters<typeof request>) => request(...given).end()) as typeof https.get;
syncBuiltinESMExports();

/** Statuses whose answer has no body, for which `Response` takes none. */
const bodiless = [204, 205, 304];

globalThis.fetch = async (input, init) => {
  const asked = new Request(input, init);
  const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
  const headers = { ...Object.fromEntries(asked.headers), ...(body && { "content-length": String(body.length) }) };
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  request(asked.url, { method: asked.method, headers, signal: asked.signal }, resolve).once("error", reject).end(body);
  const answer = await promise;
  const status = answer.statusCode ?? 502;
  const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const content = bodiless.includes(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(content as never, { status, headers: given });
};
