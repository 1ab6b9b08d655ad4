import vm from "node:vm";
import { describe, expect, test } from "@jest/globals";
import { viewerRequest } from "../../components/viewer-request.ts";

type Headers = Record<string, { value: string }>;

const limitBytes = 1_000;
const requestId = "EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==";

/** Runs the function as CloudFront does: only JavaScript's own globals, and an event that came as JSON. */
function run(headers: Headers) {
  const request = {
    method: "POST",
    uri: "/vendor/v1/messages",
    querystring: { beta: { value: "true" } },
    headers,
    cookies: {},
  };
  const event = JSON.stringify({ version: "1.0", context: { requestId }, viewer: { ip: "198.51.100.7" }, request });
  const answer = vm.runInNewContext(`${viewerRequest(limitBytes)}\nJSON.stringify(handler(${event}))`);
  return { request, answer: JSON.parse(answer) };
}

const host = { host: { value: "acme.proxy.archway.example" } };

test("the origin is told the viewer's host, and everything else passes unchanged", () => {
  const { request, answer } = run({ ...host, authorization: { value: "Bearer x" }, "content-length": { value: "17" } });
  expect(answer).toEqual({
    ...request,
    headers: { ...request.headers, "x-viewer-host": { value: "acme.proxy.archway.example" } },
  });
});

test("a host that the viewer claims in the header is overwritten", () => {
  const { answer } = run({ ...host, "x-viewer-host": { value: "other.proxy.archway.example" } });
  expect(answer.headers["x-viewer-host"]).toEqual({ value: "acme.proxy.archway.example" });
});

describe("a declared length", () => {
  test.each(["0", "999", "1000"])("of %s bytes passes", (value) => {
    expect(run({ ...host, "content-length": { value } }).answer.headers).toHaveProperty("x-viewer-host");
  });

  test.each(["1001", "99999999999999999999"])("of %s bytes is refused in our error shape", (value) => {
    const { answer } = run({ ...host, "content-length": { value } });
    expect(answer).toMatchObject({
      statusCode: 413,
      headers: {
        "content-type": { value: "application/json" },
        "cache-control": { value: "no-store" },
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
  });
});

test("the code is within CloudFront's 10 KB for a function", () => {
  expect(Buffer.byteLength(viewerRequest(limitBytes))).toBeLessThan(10 * 1024);
});
