// The load generator: callers that each wait for their answer before they ask again, on kept connections. Every byte of
// every answer is compared with what is expected; the first that differs fails the run.
import { Client, type Dispatcher } from "undici";
import { monotonicMicros, stampPattern } from "../message.ts";
import { announce, answer } from "./child.ts";

export type Target = {
  /** Origin and path. */
  url: string;
  headers: Record<string, string>;
  /** Each caller has its own, in turn. */
  apiKeys: string[];
  body: string;
  expected: Expected;
};

/** `volatile`: what differs from answer to answer, as the source of a regular expression, and what it is compared as. */
export type Expected = { body: string; volatile?: { pattern: string; as: string } };

export type Load = { target: Target; callers: number };

/** Times in milliseconds. `delays`: how long each stamped event was on its way. */
export type LoadResult = { seconds: number; latencies: number[]; firstBytes: number[]; delays: number[] };

const timeoutMs = 30_000;

let load: Load | undefined;
let clients: Client[] = [];

answer<Load, void>("open", ({ target, callers }) => {
  const { origin } = new URL(target.url);
  load = { target, callers };
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  clients = Array.from({ length: callers }, () => new Client(origin, { pipelining: 1, ...timeouts }));
});

answer<number, LoadResult>("run", async (milliseconds) => {
  if (!load) throw new Error("no load is open");
  const { target } = load;
  const result: LoadResult = { seconds: 0, latencies: [], firstBytes: [], delays: [] };
  const begin = performance.now();
  const end = begin + milliseconds;
  await Promise.all(
    clients.map(async (client, caller) => {
      const options = optionsOf(target, caller);
      do await ask(client, options, target.expected, result);
      while (performance.now() < end);
    }),
  );
  result.seconds = (performance.now() - begin) / 1000;
  return result;
});

answer<undefined, void>("close", async () => {
  await Promise.all(clients.map((client) => client.destroy()));
  clients = [];
});

function optionsOf({ url, headers, apiKeys, body }: Target, caller: number): Dispatcher.DispatchOptions {
  const { pathname } = new URL(url);
  const all = { "content-type": "application/json", "x-api-key": apiKeys[caller % apiKeys.length], ...headers };
  return { method: "POST", path: pathname, headers: all, body };
}

function ask(
  client: Client,
  options: Dispatcher.DispatchOptions,
  expected: Expected,
  result: LoadResult,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const chunks: Buffer[] = [];
    let status = 0;
    let firstByte = 0;
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData(_controller, chunk) {
        if (chunks.length === 0) firstByte = performance.now() - begin;
        chunks.push(chunk);
        if (expected.volatile) noteDelays(chunk, result.delays);
      },
      onResponseEnd() {
        const latency = performance.now() - begin;
        const problem = difference(status, Buffer.concat(chunks), expected);
        if (problem) return reject(new Error(problem));
        result.latencies.push(latency);
        result.firstBytes.push(firstByte);
        resolve();
      },
      onResponseError(_controller, error) {
        const received = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        reject(new Error(`the answer broke off after ${received} bytes: ${error.message}`));
      },
    });
  });
}

function noteDelays(chunk: Buffer, delays: number[]): void {
  const now = monotonicMicros();
  for (const [text] of chunk.toString("latin1").matchAll(stampPattern)) {
    delays.push((now - Number(text.slice(1))) / 1000);
  }
}

/** What is wrong with an answer, or undefined. */
function difference(status: number, body: Buffer, { body: expected, volatile }: Expected): string | undefined {
  const text = volatile
    ? body.toString().replace(new RegExp(volatile.pattern, "g"), volatile.as)
    : body.toString("latin1");
  if (status === 200 && text === expected) return undefined;
  if (status !== 200) return `status ${status}: ${text.slice(0, 500)}`;
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const around = (whole: string) => JSON.stringify(whole.slice(at, at + 80));
  return (
    `the body differs from byte ${at} on (${text.length} instead of ${expected.length} bytes): ` +
    `expected ${around(expected)}, got ${around(text)}`
  );
}

announce("");
