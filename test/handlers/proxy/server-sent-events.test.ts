import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { eventType, sse, sseError } from "../../../handlers/proxy/server-sent-events.ts";

const typeOf = (text: string) => eventType(JSON.parse(text));

/** Reads server-sent events as browsers do (HTML, "server-sent events"). */
function read(bytes: Buffer): { event: string; data: string }[] {
  const events: { event: string; data: string }[] = [];
  let event = "";
  let data: string[] = [];
  for (const line of bytes.toString("utf8").split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n") });
      event = "";
      data = [];
    }
    const [, field, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
  return events;
}

describe("an event's type", () => {
  test.each([
    ['{"type":"message_start","message":{}}', "message_start"],
    ['{"index":0,"type":"content_block_stop"}', "content_block_stop"],
    ['{ "type": "ping" }', "ping"],
    ['{"delta":{"type":"text_delta","text":"\\"type\\":\\"x\\""},"type":"content_block_delta"}', "content_block_delta"],
    ['{"type":"Ünusual 2"}', "Ünusual 2"],
  ])("an event's type of %s is %s", (json, type) => {
    expect(typeOf(json)).toBe(type);
  });

  test.each(["not JSON", "{}", "null", "7", '{"type":7}', '{"type":"a\\nb"}', '{"type":"a\\rb"}', ""])(
    "an event's type of %j is an error",
    (json) => {
      expect(() => typeOf(json)).toThrow();
    },
  );
});

describe("an event on the wire", () => {
  test("an event on the wire contains the host's JSON, byte for byte", () => {
    const json = Buffer.from('{"type":"x",  "text":"é\\u00e9 \\ud83d\\ude00 😀"}');
    expect(sse("x", json)).toEqual(Buffer.concat([Buffer.from("event: x\ndata: "), json, Buffer.from("\n\n")]));
  });

  test.each(["\n", "\r\n", "\r"])(
    "an event on the wire whose JSON has line ends %j stays one event with the same JSON",
    (end) => {
      const json = ["{", '  "type": "ping",', '  "text": "a\\nb"', "}"].join(end);
      const events = read(sse("ping", Buffer.from(json)));
      expect(events).toHaveLength(1);
      expect(events[0]?.event).toBe("ping");
      expect(JSON.parse(events[0]?.data ?? "")).toEqual(JSON.parse(json));
    },
  );

  test("an event on the wire reads back as it was written", () => {
    const indent = fc.constantFrom(undefined, 2, "\t", "\r\n");
    fc.assert(
      fc.property(fc.jsonValue(), indent, (value, indent) => {
        const json = JSON.stringify({ type: "x", value }, null, indent);
        const events = read(sse("x", Buffer.from(json)));
        expect(events.map(({ data }) => JSON.parse(data))).toEqual([JSON.parse(json)]);
      }),
    );
  });
});

test("a failure is sent as the last event, in the error shape", () => {
  const [event] = read(sseError(new Refusal("upstream_overloaded", "The model host\nis overloaded."), "r1"));
  expect(event?.event).toBe("error");
  expect(JSON.parse(event?.data ?? "")).toEqual({
    type: "error",
    error: {
      type: "overloaded_error",
      message: "The model host\nis overloaded.",
      details: { error_code: "upstream_overloaded" },
    },
    request_id: "r1",
  });
});
