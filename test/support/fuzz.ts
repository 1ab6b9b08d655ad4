// Hostile HTTP requests, made from a seed, sent as they are over a socket, and what may be answered to them.
import net from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";

export type RawRequest = {
  method: string;
  path: string;
  host: string;
  headers: [name: string, value: string][];
  body: Buffer;
  framing: "length" | "chunked" | "too long" | "too short" | "none";
};

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Real names for the requests: a request that has them gets far into the product. */
export type Vocabulary = { hosts: string[]; paths: string[]; credentials: [string, string][]; models: string[] };

const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "PURGE"];
const odd = [
  "\0",
  "\n",
  "\r",
  "é",
  "😀",
  "\u202e",
  "%00",
  "%2e%2e",
  "..",
  "//",
  "\\",
  "'",
  '"',
  "<script>",
  "$(id)",
  " ",
];
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(...odd),
  fc.string({ unit: "binary", maxLength: 10 }),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 1e308, 2 ** 53, 1.5));
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}, [[]], "", "x".repeat(70_000)),
  fc.jsonValue({ maxDepth: 3 }),
);

const message = fc.record({
  role: fc.oneof(fc.constantFrom("user", "assistant", "system"), value),
  content: fc.oneof(
    fc.string(),
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constantFrom("text", "image", "tool_result", "x"), text: value, source: value }),
        value,
      ),
      { maxLength: 3 },
    ),
    value,
  ),
});

function bodyOf({ models }: Vocabulary): fc.Arbitrary<Buffer> {
  const plain = {
    model: models[0],
    max_tokens: 5,
    stream: false as unknown,
    messages: [{ role: "user", content: "Hello" }] as unknown,
  };
  const fields = fc.constantFrom(
    ..."model max_tokens stream messages system tools tool_choice temperature metadata stop_sequences".split(" "),
    ..."thinking anthropic_beta anthropic_version top_p cache_control mcp_servers __proto__ constructor".split(" "),
  );
  const mutated = fc
    .record({
      model: fc.oneof(fc.constantFrom(...models), value),
      messages: fc.oneof(fc.array(message, { maxLength: 3 }), value),
      stream: fc.oneof(fc.boolean(), value),
      changes: fc.array(fc.tuple(fields, value), { maxLength: 2 }),
      without: fc.array(fields, { maxLength: 1 }),
    })
    .map(({ changes, without, ...rest }) => {
      const body = Object.fromEntries([...Object.entries({ ...plain, ...rest }), ...changes]);
      for (const name of without) delete body[name];
      return JSON.stringify(body);
    });
  const broken = fc.constantFrom(
    "",
    "null",
    "[]",
    "{",
    '"x"',
    "NaN",
    "\ufeff{}",
    `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
    JSON.stringify({ ...plain, messages: `${"x".repeat(7 * 1024 * 1024)}` }),
    JSON.stringify(plain).replace('"Hello"', '"\\ud800"'),
    `${JSON.stringify(plain).slice(0, -1)},"model":"other","max_tokens":1}`,
    `${JSON.stringify(plain).slice(0, -1)},"__proto__":{"stream":true}}`,
    JSON.stringify(plain).replace("5", "1e400"),
  );
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(Buffer.from(JSON.stringify(plain))) },
    { weight: 6, arbitrary: mutated.map((json) => Buffer.from(json)) },
    { weight: 2, arbitrary: broken.map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: bytes },
    { weight: 1, arbitrary: fc.constant(gzipSync(JSON.stringify(plain))) },
  );
}

function headersOf({ credentials }: Vocabulary): fc.Arbitrary<[string, string][]> {
  const credential = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...credentials).map((pair) => [pair]) },
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constantFrom(...credentials).chain((pair) => fc.constant([pair, pair])) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom("x-api-key", "authorization"), text).map((pair) => [pair]),
    },
  );
  const name = fc.constantFrom(
    "anthropic-version",
    "anthropic-beta",
    "content-type",
    "content-encoding",
    "x-platform-region",
    "x-code-session-id",
    "x-viewer-host",
    "x-origin-secret",
    "x-amz-content-sha256",
    "x-forwarded-for",
    "accept-encoding",
    "expect",
    "cookie",
    "range",
    "upgrade",
    "te",
  );
  const known = fc.constantFrom(
    "eu-central-1",
    "us-east-1",
    "2023-06-01",
    "application/json",
    "gzip",
    "100-continue",
    "a,b,,c",
  );
  const extra = fc.tuple(name, fc.oneof(known, text, fc.constant("y".repeat(5_000))));
  const odder = fc.oneof(
    { weight: 8, arbitrary: fc.constant([] as [string, string][]) },
    { weight: 1, arbitrary: fc.tuple(text, text).map((pair) => [pair] as [string, string][]) },
    { weight: 1, arbitrary: fc.constant([["x-large", "z".repeat(100_000)]] as [string, string][]) },
    { weight: 1, arbitrary: fc.constant(Array.from({ length: 300 }, (_, n) => [`x-${n}`, "v"] as [string, string])) },
  );
  return fc
    .tuple(credential, fc.array(extra, { maxLength: 3 }), odder)
    .map((lists) => lists.flat() as [string, string][]);
}

export function requests(vocabulary: Vocabulary): fc.Arbitrary<RawRequest> {
  const { hosts, paths } = vocabulary;
  const suffix = fc.oneof(
    { weight: 6, arbitrary: fc.constant("") },
    fc.constantFrom(
      "?beta=true",
      "?limit=x",
      "?limit=1&after_id=%",
      "/",
      "/../..",
      "%2f",
      ";x",
      `/${"p".repeat(9_000)}`,
    ),
    text.map((odd) => `/${encodeURIComponent(odd.toWellFormed())}`),
    text.map(
      (odd) => `?limit=${encodeURIComponent(odd.toWellFormed())}&after_id=${encodeURIComponent(odd.toWellFormed())}`,
    ),
  );
  return fc.record({
    method: fc.oneof({ weight: 6, arbitrary: fc.constant("POST") }, fc.constantFrom(...methods)),
    path: fc.tuple(fc.constantFrom(...paths), suffix).map((pair) => pair.join("")),
    host: fc.constantFrom(...hosts),
    headers: headersOf(vocabulary),
    body: bodyOf(vocabulary),
    framing: fc.oneof(
      { weight: 12, arbitrary: fc.constant("length" as const) },
      fc.constantFrom("chunked" as const, "too long" as const, "too short" as const, "none" as const),
    ),
  });
}

/** The request as bytes, whatever HTTP thinks of it. */
function bytesOf({ method, path, host, headers, body, framing }: RawRequest): Buffer {
  const framed: [string, string][] =
    framing === "none"
      ? []
      : framing === "chunked"
        ? [["transfer-encoding", "chunked"]]
        : [["content-length", String(body.length + (framing === "too long" ? 7 : framing === "too short" ? -1 : 0))]];
  const lines = [["host", host], ...headers, ...framed, ["connection", "close"]].map((pair) => pair.join(": "));
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  if (framing !== "chunked") return Buffer.concat([head, framing === "none" ? Buffer.alloc(0) : body]);
  const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")];
  return Buffer.concat([head, ...(body.length > 0 ? chunk : []), Buffer.from("0\r\n\r\n")]);
}

/** Whether HTTP itself may refuse it, or drop the connection: in its head or its framing it is no HTTP. */
export function isMalformed({ path, headers, framing }: RawRequest): boolean {
  if (framing === "too long" || framing === "too short") return true;
  const head = [path, ...headers.flat()].join("");
  if (/[^\t\x20-\x7e]/.test(head) || / /.test(path)) return true;
  if (headers.some(([name]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name))) return true;
  if (headers.some(([name]) => /^(upgrade|expect|te|transfer-encoding|content-length|host)$/i.test(name))) return true;
  // Sent twice, or larger than a head may be.
  return head.length > 60_000;
}

/** Sends it and reads to the end; undefined if the connection ends without an answer. @throws Error for a hang */
export function exchangeRaw(port: number, request: RawRequest, timeoutMs = 20_000): Promise<RawAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error("no answer in time"));
    }, timeoutMs);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parsed(Buffer.concat(received)));
    };
    socket.on("data", (chunk) => void received.push(chunk));
    // A server that refuses early may reset the connection while the rest of a body is on its way.
    socket.once("error", done);
    socket.once("end", done);
    socket.once("close", done);
    socket.write(bytesOf(request));
    // The rest of it is waited for, and never comes.
    if (request.framing === "too long") socket.end();
  });
}

function parsed(bytes: Buffer): RawAnswer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  if (status === 100) return parsed(bytes.subarray(end + 4));
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(":")[0]?.toLowerCase(), line.replace(/^[^:]*: ?/, "")]),
  );
  const rest = bytes.subarray(end + 4);
  const body = headers["transfer-encoding"] === "chunked" ? unchunked(rest) : rest;
  return { status, headers, body: body.toString("utf8") };
}

function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const line = rest.indexOf("\r\n");
    const length = Number.parseInt(rest.toString("latin1", 0, line), 16);
    if (!(length > 0)) break;
    chunks.push(rest.subarray(line + 2, line + 2 + length));
    rest = rest.subarray(line + 2 + length + 2);
  }
  return Buffer.concat(chunks);
}
