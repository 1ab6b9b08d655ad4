// In QuickJS: an engine that is neither Node nor V8 and has none of their globals, as CloudFront's is.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { getQuickJS, type QuickJSWASMModule } from "quickjs-emscripten";
import { viewerRequest } from "../../../components/proxy/viewer-request.ts";
import { maxBodyBytes } from "../../../handlers/proxy/contract.ts";

type Headers = Record<string, { value: string; multiValue?: { value: string }[] }>;

const limitBytes = 1_000;
const requestId = "EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==";

let quickJs: QuickJSWASMModule;
beforeAll(async () => {
  quickJs = await getQuickJS();
});

/**
 * Runs the function as CloudFront does, on an event that came as JSON: a header has its last value, and all of them if there
 * are several (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html).
 */
function run(headers: Headers, limit = limitBytes) {
  const request = {
    method: "POST",
    uri: "/vendor/v1/messages",
    querystring: { beta: { value: "true" } },
    headers,
    cookies: {},
  };
  const event = JSON.stringify({ version: "1.0", context: { requestId }, viewer: { ip: "198.51.100.7" }, request });
  const answer = evaluate(`${viewerRequest(limit)}\nJSON.stringify(handler(${event}))`);
  return { request, answer: JSON.parse(answer) };
}

/** @throws Error with the engine's own words. */
function evaluate(source: string): string {
  const context = quickJs.newContext();
  try {
    return context.unwrapResult(context.evalCode(source)).consume((value) => context.getString(value));
  } finally {
    context.dispose();
  }
}

const host = { host: { value: "acme.proxy.archway.example" } };

test("the edge engine of the tests has none of Node's globals", () => {
  expect(evaluate("[typeof process, typeof Buffer, typeof URL, typeof setTimeout].join()")).toBe(
    "undefined,undefined,undefined,undefined",
  );
  expect(() => evaluate("new URL('https://archway.example')")).toThrow("'URL' is not defined");
});

test("the edge code runs in strict mode, as a module does", () => {
  expect(evaluate(`"use strict";\n${viewerRequest(limitBytes)}\ntypeof handler`)).toBe("function");
});

test("the origin gets the viewer's host, and all other headers unchanged", () => {
  const { request, answer } = run({ ...host, authorization: { value: "Bearer x" }, "content-length": { value: "17" } });
  expect(answer).toEqual({
    ...request,
    headers: { ...request.headers, "x-viewer-host": { value: "acme.proxy.archway.example" } },
  });
});

test("a request without a length is passed on: only Lambda sees the length of a chunked body", () => {
  const { answer } = run({ ...host, "transfer-encoding": { value: "chunked" } });
  expect(answer.headers["x-viewer-host"]).toEqual({ value: "acme.proxy.archway.example" });
});

test("a host that the viewer claims in the header is overwritten", () => {
  const { answer } = run({ ...host, "x-viewer-host": { value: "other.proxy.archway.example" } });
  expect(answer.headers["x-viewer-host"]).toEqual({ value: "acme.proxy.archway.example" });
});

test("hosts that the viewer claims in headers are all removed", () => {
  const claimed = [{ value: "other.proxy.archway.example" }, { value: "third.proxy.archway.example" }];
  const { answer } = run({ ...host, "x-viewer-host": { value: "other.proxy.archway.example", multiValue: claimed } });
  expect(answer.headers["x-viewer-host"]).toEqual({ value: "acme.proxy.archway.example" });
});

describe("a declared length", () => {
  test.each(["", "0", "999", "1000"])("a request with a declared length of %j bytes passes", (value) => {
    expect(run({ ...host, "content-length": { value } }).answer.headers).toHaveProperty("x-viewer-host");
  });

  test.each(["1001", "99999999999999999999"])(
    "a request with a declared length of %s bytes is refused in the platform's error shape",
    (value) => {
      const { answer } = run({ ...host, "content-length": { value } });
      expect(answer).toMatchObject({
        statusCode: 413,
        headers: {
          "content-type": { value: "application/json" },
          "cache-control": { value: "no-store" },
          "x-content-type-options": { value: "nosniff" },
          "request-id": { value: requestId },
        },
      });
      expect(JSON.parse(answer.body.data)).toEqual({
        type: "error",
        error: {
          type: "request_too_large",
          message: "The request body is larger than the 1000 bytes that the proxy accepts.",
          details: { error_code: "request_too_large" },
        },
        request_id: requestId,
      });
    },
  );

  test("the limit of the declared length is the one in the proxy's contract", () => {
    const statusOf = (length: number) =>
      run({ ...host, "content-length": { value: String(length) } }, maxBodyBytes).answer.statusCode;
    expect([statusOf(maxBodyBytes), statusOf(maxBodyBytes + 1)]).toEqual([undefined, 413]);
  });
});

test("the edge code is within CloudFront's 10 KB for a function", () => {
  expect(Buffer.byteLength(viewerRequest(limitBytes))).toBeLessThan(10 * 1024);
});
