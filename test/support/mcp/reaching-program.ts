// A program in the place of a provider's server, which tries to reach what it is told to and says what came of it.

/** `await reach(how, address)`: "reached", or why not. Addresses are `host:port`, or a path for `pipe`. */
export const reach = `
import dgram from "node:dgram";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net, { Socket } from "node:net";
import tls from "node:tls";

const ways = {
  fetch: (address, done, failed) => fetch("http://" + address).then(done, (error) => failed(error.cause ?? error)),
  "fetch by TLS": (address, done, failed) => fetch("https://" + address).then(done, (error) => failed(error.cause ?? error)),
  "fetch by a dispatcher": (address, done, failed) => fetch("http://" + address, { dispatcher: dispatcher() }).then(done, (error) => failed(error.cause ?? error)),
  http: (address, done, failed) => http.get("http://" + address, done).on("error", failed),
  "http with an agent": (address, done, failed) => http.get("http://" + address, { agent: new http.Agent({ keepAlive: true }) }, done).on("error", failed),
  "http with a look-up": (address, done, failed) => http.get("http://" + address, { lookup: toHere }, done).on("error", failed),
  "http with a connection": (address, done, failed) => http.get("http://" + address, { createConnection: () => net.connect(parts(address)) }, done).on("error", failed),
  https: (address, done, failed) => https.get("https://" + address, { rejectUnauthorized: false }, done).on("error", failed),
  "https with an agent": (address, done, failed) => https.get("https://" + address, { agent: new https.Agent({ keepAlive: true, lookup: toHere }) }, done).on("error", failed),
  http2: (address, done, failed) => http2.connect("https://" + address).on("connect", done).on("error", failed),
  tls: (address, done, failed) => tls.connect({ ...parts(address), rejectUnauthorized: false }, done).on("error", failed),
  net: (address, done, failed) => net.connect(parts(address), done).on("error", failed),
  "net by arguments": (address, done, failed) => net.connect(parts(address).port, parts(address).host, done).on("error", failed),
  socket: (address, done, failed) => new Socket().connect(parts(address).port, parts(address).host, done).on("error", failed),
  pipe: (path, done, failed) => net.connect(path, done).on("error", failed),
  "net as it is written": (address, done, failed) => { const [host, port] = address.split(":"); net.connect({ host, port }, done).on("error", failed); },
  datagram: (address, done) => dgram.createSocket("udp4").send("x", parts(address).port, parts(address).host, done),
};
const toHere = (_, { all }, found) => all ? found(null, [{ address: "127.0.0.1", family: 4 }]) : found(null, "127.0.0.1", 4);
/** Node's own undici has no name: its agent is the class of the dispatcher that fetch uses. */
const dispatcher = () => new globalThis[Symbol.for("undici.globalDispatcher.1")].constructor({ connect: { lookup: toHere } });
const parts = (address) => { const { hostname, port } = new URL("http://" + address); return { host: hostname.replace(/[\\[\\]]/g, ""), port: Number(port || 80) }; };

export const reach = (how, address) => new Promise((told) => {
  const failed = (error) => told((error.code ?? "") + " " + error.message);
  try { ways[how](address, () => told("reached"), failed); } catch (error) { failed(error); }
});
`;
