import { expect, test } from "@jest/globals";
import { serverSentEvents } from "../../../local/bedrock/sse.ts";

async function events(...chunks: (string | Uint8Array)[]) {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }
  const read = [];
  for await (const event of serverSentEvents(bytes())) read.push(event);
  return read;
}

test("name and data are read, comments and other fields passed over", async () => {
  const text = ': hello\nevent: a\nid: 7\ndata: {"x":1}\n\ndata:second\n\n';
  expect(await events(text)).toEqual([
    { event: "a", data: '{"x":1}' },
    { event: "", data: "second" },
  ]);
});

test("events and characters may be cut anywhere", async () => {
  const bytes = Buffer.from("event: a\r\ndata: äö😀\r\n\r\nevent: b\r\ndata: 2\r\n\r\n");
  const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  expect(await events(...single)).toEqual([
    { event: "a", data: "äö😀" },
    { event: "b", data: "2" },
  ]);
});

test("lines of data are joined, and an event that was cut off is dropped", async () => {
  expect(await events("data: 1\ndata: 2\n\nevent: b\ndata: 3\n")).toEqual([{ event: "", data: "1\n2" }]);
});
