import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { chunkFrame } from "./frame.ts";
import { events } from "./message.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

test("AWS's own codec reads every event out of its frame", () => {
  const read = events.map((event) => {
    const { headers, body } = codec.decode(chunkFrame(event));
    assert.equal(headers[":event-type"]?.value, "chunk");
    return Buffer.from(JSON.parse(Buffer.from(body).toString()).bytes, "base64").toString();
  });
  assert.deepEqual(read, events);
});
