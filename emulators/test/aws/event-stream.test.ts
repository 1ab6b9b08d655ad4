import { expect, test } from "@jest/globals";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { eventFrame, exceptionFrame } from "../../aws/event-stream.ts";

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);
const decoded = (frame: Buffer) => {
  const { headers, body } = codec.decode(frame);
  const values = Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
  return { headers: values, body: JSON.parse(Buffer.from(body).toString()) };
};

test("the frame of an event contains its name and its body", () => {
  expect(decoded(eventFrame("result", { isError: false }))).toEqual({
    headers: { ":event-type": "result", ":content-type": "application/json", ":message-type": "event" },
    body: { isError: false },
  });
});

test("the frame of an exception contains its name and message", () => {
  expect(decoded(exceptionFrame("throttlingException", "slow down"))).toEqual({
    headers: {
      ":exception-type": "throttlingException",
      ":content-type": "application/json",
      ":message-type": "exception",
    },
    body: { message: "slow down" },
  });
});
