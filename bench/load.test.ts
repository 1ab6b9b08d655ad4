// The benchmark's own trap: an answer that is wrong or cut off must never count as a fast one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Program } from "./child-process.ts";
import { pacedBody, pacedEvents, serverSentEvent, streamedBody, volatileStamps } from "./message.ts";
import type { Expected, LoadResult } from "./processes/load.ts";

let load: Program;
before(async () => {
  load = await Program.start("load", fileURLToPath(new URL("processes/load.ts", import.meta.url)));
});
after(() => load.stop());

async function run(listener: RequestListener, expected: Expected = { body: streamedBody }): Promise<LoadResult> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`;
  try {
    await load.ask("open", { target: { url, headers: {}, apiKeys: ["key"], body: "{}", expected }, callers: 2 });
    return await load.ask<LoadResult>("run", 20);
  } finally {
    await load.ask("close");
    server.closeAllConnections();
    server.close();
  }
}

test("right answers are counted", async () => {
  const { latencies, firstBytes } = await run((_, response) => response.end(streamedBody));
  assert.ok(latencies.length >= 2);
  assert.equal(firstBytes.length, latencies.length);
});

test("an answer that ends early fails the run, though its status is 200", async () => {
  await assert.rejects(
    run((_, response) => response.end(streamedBody.slice(0, -1))),
    /differs from byte/,
  );
});

test("an answer with one other byte fails the run", async () => {
  const wrong = streamedBody.replace("piece 25", "piece 26");
  await assert.rejects(
    run((_, response) => response.end(wrong)),
    /differs from byte/,
  );
});

test("an answer with more bytes fails the run", async () => {
  await assert.rejects(
    run((_, response) => response.end(`${streamedBody}\n`)),
    /differs from byte/,
  );
});

test("a connection that is cut fails the run", async () => {
  await assert.rejects(
    run((_, response) => {
      response.write(streamedBody.slice(0, 100));
      setImmediate(() => response.destroy());
    }),
    /broke off/,
  );
});

test("a refusal fails the run with its words", async () => {
  await assert.rejects(
    run((_, response) => response.writeHead(429).end("slow down")),
    /status 429: slow down/,
  );
});

test("stamps may differ and become delays, the rest may not", async () => {
  const expected = { body: pacedBody, volatile: volatileStamps };
  const paced = () => pacedEvents.map((event) => serverSentEvent(event())).join("");
  const { delays } = await run((_, response) => response.end(paced()), expected);
  assert.ok(delays.length >= 100 && delays.every((delay) => delay >= 0 && delay < 10_000));
  await assert.rejects(
    run((_, response) => response.end(paced().replace("piece 25", "piece 26")), expected),
    /differs from byte/,
  );
});
