import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { HttpRequest } from "../../lambda/event.ts";
import { FunctionUrl } from "../../lambda/function-url.ts";
import { FunctionError } from "../../lambda/instance.ts";
import type { LocalFunction } from "../../lambda/local-function.ts";
import type { StreamedAnswer } from "../../lambda/streamed-answer.ts";
import { declared } from "../support/declared-iam.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const host = "abc.lambda-url.eu-central-1.on.aws";

/** The events that the function got. */
let events: unknown[];
/** The function's answer. */
let play: () => Promise<StreamedAnswer>;
beforeEach(() => {
  events = [];
  play = async () => ({ prelude: {}, body: Readable.from([]) });
});

function aUrl(inputs: object = {}): FunctionUrl {
  const target = {
    stream: async (event: unknown) => {
      events.push(event);
      return play();
    },
  } as unknown as LocalFunction;
  return new FunctionUrl(
    declared(
      "aws:lambda/functionUrl:FunctionUrl",
      "proxy",
      { functionName: "proxy-local", authorizationType: "NONE", invokeMode: "RESPONSE_STREAM", ...inputs },
      { functionUrl: `https://${host}/`, urlId: "abc" },
    ),
    (name) => {
      expect(name).toBe("proxy-local");
      return target;
    },
    () => now,
  );
}

const aRequest = (changes: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  url: "/vendor/v1/messages?beta=true",
  headers: { "content-type": "application/json" },
  body: Buffer.from("{}"),
  sourceIp: "198.51.100.7",
  ...changes,
});

test("the function gets the request in payload format 2.0, under the URL's own host", async () => {
  const url = aUrl();
  await url.serve(aRequest({ headers: { host: "acme.proxy.localhost", "x-viewer-host": "acme.proxy.localhost" } }));
  expect(url.host).toBe(host);
  expect(events).toMatchObject([
    {
      version: "2.0",
      rawPath: "/vendor/v1/messages",
      rawQueryString: "beta=true",
      headers: { host, "x-viewer-host": "acme.proxy.localhost" },
      requestContext: { apiId: "abc", domainName: host, stage: "$default", timeEpoch: now },
    },
  ]);
});

describe("the function's answer", () => {
  test("a function's answer is passed on with status, headers and cookies, and its body as it is streamed", async () => {
    play = async () => ({
      prelude: { statusCode: 429, headers: { "retry-after": "5" }, cookies: ["a=1"] },
      body: Readable.from(["one", "two"]),
    });
    const { status, headers, body } = await aUrl().serve(aRequest());
    expect([status, headers]).toEqual([429, { "retry-after": "5", "set-cookie": ["a=1"] }]);
    expect(await text(body as Readable)).toBe("onetwo");
  });

  test("a function's answer without a status has the status 200", async () => {
    expect(await aUrl().serve(aRequest())).toMatchObject({ status: 200, headers: {} });
  });
});

describe("a function that", () => {
  test.each<[string, Error, number, string]>([
    ["fails", new FunctionError("TypeError", "somebody's words"), 502, "Internal Server Error"],
    ["has no instance left", new FunctionError("TooManyRequestsException", "Rate Exceeded."), 429, "Rate Exceeded."],
  ])("%s is answered by Lambda", async (_, error, status, Message) => {
    play = async () => {
      throw error;
    };
    const answer = await aUrl().serve(aRequest());
    expect(answer).toEqual({
      status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ Message }),
    });
  });
});

describe("six megabytes are the limit of the whole event", () => {
  const limit = 6 * 1024 * 1024;

  test.each([
    ["text", "application/json", limit - 4_000, 200],
    ["text", "application/json", limit, 413],
    // Four characters for three bytes.
    ["bytes", "application/octet-stream", limit * 0.74, 200],
    ["bytes", "application/octet-stream", limit * 0.76, 413],
  ])("a function's response %s of type %s, %d long, gets status %i", async (_, type, length, expected) => {
    const body = Buffer.alloc(Math.floor(length), "x");
    const { status } = await aUrl().serve(aRequest({ headers: { "content-type": type }, body }));
    expect(status).toBe(expected);
    expect(events).toHaveLength(expected === 200 ? 1 : 0);
  });
});

test("a function URL that requires AWS's signature stops the start, because the local stack does not emulate it", () => {
  expect(() => aUrl({ authorizationType: "AWS_IAM" })).toThrow('Function URL "proxy": the local stack knows NONE.');
});
