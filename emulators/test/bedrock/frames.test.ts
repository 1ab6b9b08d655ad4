import { describe, expect, test } from "@jest/globals";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { chunkFrame } from "../../bedrock/frames.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);
const decoded = (frame: Buffer) => {
  const { headers, body } = codec.decode(frame);
  const values = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
  return { headers: values, body: JSON.parse(Buffer.from(body).toString()) };
};

describe("a chunk's frame", () => {
  test.each(['{"type":"ping"}', `{"text":"${"ä😀".repeat(500)}"}`, "no JSON"])(
    "the frame of a chunk contains its text in base64: %s",
    (json) => {
      const { headers, body } = decoded(chunkFrame(json));
      expect(headers).toEqual({
        ":event-type": "chunk",
        ":content-type": "application/json",
        ":message-type": "event",
      });
      expect(Buffer.from(body.bytes, "base64").toString()).toBe(json);
      expect(body.p).toMatch(/^abc|^a/);
    },
  );

  test("the frame of a chunk is built only once for an event that is sent several times", () => {
    expect(chunkFrame('{"type":"ping"}')).toBe(chunkFrame('{"type":"ping"}'));
  });

  test("the frame of a chunk is still correct after very many other chunks", () => {
    for (let index = 0; index < 5000; index += 1) chunkFrame(`{"index":${index}}`);
    expect(Buffer.from(decoded(chunkFrame('{"index":7}')).body.bytes, "base64").toString()).toBe('{"index":7}');
  });
});
