// Stands between a client and the proxy and keeps every exchange: what the client sent, what it got, and when.
import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Features, featuresOf } from "./features.ts";

export type Exchange = {
  method: string;
  /** Without the workspace's prefix. */
  url: string;
  /** `performance.now()` at the request. */
  startedAt: number;
  /** As the client sent it. */
  body: string;
  features: Features;
  /** -1 if the client left before an answer, -2 if the proxy gave none. */
  status: number;
  /** `billing_error: ...` of a refusal, or of an `error` event inside a stream. */
  error?: string;
  /** True if the error came in a stream that had begun with 200, or if the stream was cut. */
  inStream: boolean;
  /** True if the client itself ended the exchange before its answer was complete. */
  clientLeft: boolean;
  retryAfter?: string | undefined;
  shouldRetry?: string | undefined;
  /** `x-archway-dropped` */
  dropped?: string | undefined;
  /** True if the same request had failed before in this run, or says of itself that it is a retry. */
  retry: boolean;
  /** How many pings the answer had. */
  pings: number;
  /** Milliseconds from the request to the first byte. */
  firstByte?: number;
  /** Milliseconds of the longest time without a byte, the first byte's included. */
  longestGap: number;
};

export type Recorder = {
  /** `http://127.0.0.1:<port>` */
  address: string;
  exchanges: Exchange[];
  /** When the last byte went over the wire, by the process's clock; 0 before the first request. */
  lastByte(): number;
  /** Exchanges that go on. */
  open(): number;
  /** Cuts what is open; resolves once every exchange says how it ended. */
  close(): Promise<void>;
};

type Told = { error?: { type?: string; message?: string; details?: { error_code?: string } } };

/** @param target `http://127.0.0.1:<port>` of the stack */
export async function record(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const failed = new Set<string>();
  const { hostname, port } = new URL(target);
  const ends: Promise<unknown>[] = [];
  let last = 0;
  let open = 0;

  const server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const sent: Buffer[] = [];
    const received: Buffer[] = [];
    const startedAt = performance.now();
    let before = startedAt;
    let written = false;
    open += 1;
    const ended = new Promise<void>((resolve) => response.once("close", resolve));
    ends.push(
      ended.then(() => {
        open -= 1;
      }),
    );
    const exchange: Exchange = {
      method: request.method ?? "GET",
      url: (request.url ?? "/").replace(/^\/@[^/]+/, ""),
      startedAt,
      body: "",
      pings: 0,
      features: featuresOf(request.headers, ""),
      status: -2,
      inStream: false,
      clientLeft: false,
      retry: Number(request.headers["x-stainless-retry-count"] ?? 0) > 0,
      longestGap: 0,
    };
    exchanges.push(exchange);
    const tick = () => {
      last = performance.now();
      exchange.longestGap = Math.max(exchange.longestGap, last - before);
      before = last;
    };
    const end = () => {
      if (written) return;
      written = true;
      tick();
      const body = Buffer.concat(sent).toString();
      exchange.body = body;
      exchange.features = featuresOf(request.headers, body);
      const answer = Buffer.concat(received).toString();
      exchange.pings = answer.match(/^event: ping$/gm)?.length ?? 0;
      const error = errorIn(answer);
      if (error) exchange.error = error;
      if (exchange.status < 400 && error) exchange.inStream = true;
      const hash = createHash("sha256")
        .update(`${exchange.method} ${exchange.url} ${stable(body)}`)
        .digest("hex");
      exchange.retry ||= failed.has(hash);
      if (exchange.status < 0 || exchange.status >= 400 || exchange.inStream) failed.add(hash);
    };
    request.on("data", (chunk: Buffer) => {
      last = performance.now();
      before = last;
      sent.push(chunk);
    });
    const upstream = http.request(
      { host: hostname, port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        exchange.status = answer.statusCode ?? -2;
        exchange.retryAfter = answer.headers["retry-after"];
        exchange.shouldRetry = answer.headers["x-should-retry"] as string | undefined;
        exchange.dropped = answer.headers["x-archway-dropped"] as string | undefined;
        response.writeHead(exchange.status, answer.headers);
        answer.on("data", (chunk: Buffer) => {
          tick();
          exchange.firstByte ??= Math.round(last - startedAt);
          received.push(chunk);
          response.write(chunk);
        });
        answer.on("end", () => {
          end();
          response.end();
        });
        answer.on("error", () => {
          if (!exchange.clientLeft) {
            exchange.inStream = true;
            exchange.error = "the proxy cut the answer";
          }
          end();
          response.destroy();
        });
      },
    );
    upstream.on("error", (error) => {
      if (!exchange.clientLeft) exchange.error ??= String(error);
      end();
      response.destroy();
    });
    response.on("close", () => {
      if (written) return;
      exchange.clientLeft = true;
      if (exchange.status === -2) exchange.status = -1;
      upstream.destroy();
      end();
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    lastByte: () => last,
    open: () => open,
    close: async () => {
      server.closeAllConnections();
      await Promise.all([...ends, new Promise((resolve) => server.close(resolve))]);
    },
  };
}

/** A client that falls back from streaming sends the same question again. */
function stable(body: string): string {
  return body.replace(/,?"stream":(true|false)/, "");
}

/** The error of a refusal, or of a stream's `error` event. */
function errorIn(text: string): string | undefined {
  const json = text.startsWith("{") ? text : /^event: error\ndata: (.*)$/m.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    const { error } = JSON.parse(json) as Told;
    if (!error) return undefined;
    const code = error.details?.error_code;
    return `${error.type}${code ? ` (${code})` : ""}: ${error.message}`;
  } catch {
    return undefined;
  }
}
