import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { HttpRequest } from "../../../emulators/lambda/event.ts";
import type { FunctionUrl, OriginAnswer } from "../../../emulators/lambda/function-url.ts";
import { Resources } from "../../../emulators/pulumi/resources.ts";
import { declared } from "../../../emulators/test/support/declared-iam.ts";
import { Distribution } from "../../../local/edge/distribution.ts";
import { Edge } from "../../../local/edge/edge.ts";

const originHost = "abc.lambda-url.eu-central-1.on.aws";
const functionArn = "arn:aws:cloudfront::000000000000:function/viewer";

/** The requests that reached the origin. */
let requests: HttpRequest[];
/** The origin's answer. */
let play: (request: HttpRequest) => Promise<OriginAnswer>;
let edge: Edge | undefined;
beforeEach(() => {
  requests = [];
  play = async () => ({ status: 200, headers: {}, body: "" });
});
afterEach(async () => {
  await edge?.close();
  edge = undefined;
});

const association = { eventType: "viewer-request", functionArn };
const anOrigin = {
  originId: "proxy",
  domainName: originHost,
  customHeaders: [{ name: "X-Origin-Secret", value: "secret" }],
  customOriginConfig: { originReadTimeout: 60 },
};
const impatient = { origins: [{ ...anOrigin, customOriginConfig: { originReadTimeout: 0.05 } }] };
type Changes = { origins?: object[]; functionAssociations?: object[]; aliases?: string[] };

/** @param code of the edge function, if there is one. */
function aDistribution(code?: string, changes: Changes = {}): Distribution {
  const { origins = [anOrigin], aliases = ["*.proxy.localhost", "status.localhost"], functionAssociations } = changes;
  const associations = functionAssociations ?? (code === undefined ? [] : [association]);
  const defaultCacheBehavior = { targetOriginId: "proxy", functionAssociations: associations };
  const edgeFunction = declared("aws:cloudfront/function:Function", "viewer", { code }, { arn: functionArn });
  const origin = {
    serve: async (request: HttpRequest) => {
      requests.push(request);
      return play(request);
    },
  } as unknown as FunctionUrl;
  return new Distribution(
    declared("aws:cloudfront/distribution:Distribution", "proxy", { aliases, origins, defaultCacheBehavior }),
    new Resources(code === undefined ? [] : [edgeFunction]),
    {
      originByHost: (host) => {
        expect(host).toBe(originHost);
        return origin;
      },
      local: {
        domain: "localhost",
        region: "eu-central-1",
        edge: "http://127.0.0.1:8787",
        aws: "http://127.0.0.1:4566",
      },
      now: Date.now,
    },
  );
}

/** Asks it as a viewer. */
async function ask(distribution: Distribution, path = "/", init: RequestInit = {}): Promise<Response> {
  edge ??= new Edge("localhost", [distribution]);
  const port = edge.port || (await edge.listen(0));
  return fetch(`http://127.0.0.1:${port}/@acme.proxy${path}`, init);
}

describe("an alias", () => {
  test.each([
    ["acme.proxy.localhost", true],
    ["status.localhost", true],
    ["a.b.proxy.localhost", false],
    ["proxy.localhost", false],
    ["evil-proxy.localhost", false],
    ["x.status.localhost", false],
  ])("a distribution's alias with an asterisk matches one label: %s %s", (host, matches) => {
    expect(aDistribution().matches(host)).toBe(matches);
  });
});

describe("the origin", () => {
  test("a distribution's origin gets the viewer's request without its host and the headers of the connection", async () => {
    await ask(aDistribution(), "/v1/messages?beta=true", {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: "{}",
    });
    const [{ headers, body, ...request } = {} as HttpRequest] = requests;
    expect(request).toMatchObject({ method: "POST", url: "/v1/messages?beta=true" });
    expect(request.sourceIp).toContain("127.0.0.1");
    expect(body.toString()).toBe("{}");
    expect(headers).toMatchObject({ authorization: "Bearer x", "content-type": "application/json" });
    expect(Object.keys(headers)).not.toContain("host");
    expect(Object.keys(headers)).not.toContain("connection");
  });

  test("a distribution's origin gets the configured origin headers, whatever the viewer sends under their names", async () => {
    await ask(aDistribution(), "/", { headers: { "x-origin-secret": "mine" } });
    expect(requests[0]?.headers["x-origin-secret"]).toBe("secret");
  });
});

describe("the origin's answer", () => {
  test.each([200, 403, 429, 503])(
    "an origin's answer is passed on with its headers and its status: %i",
    async (status) => {
      play = async () => ({ status, headers: { "request-id": "1", "set-cookie": ["a=1", "b=2"] }, body: "text" });
      const response = await ask(aDistribution());
      expect([response.status, await response.text()]).toEqual([status, "text"]);
      expect(response.headers.get("request-id")).toBe("1");
      expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
      expect(response.headers.get("x-cache")).toBe("Miss from cloudfront");
    },
  );

  test("an origin's answer is sent on as it arrives", async () => {
    const body = new PassThrough();
    play = async () => ({ status: 200, headers: {}, body });
    const response = await ask(aDistribution());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (const text of ["one", "two"]) {
      body.write(text);
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(text);
    }
    body.end();
    expect((await reader.read()).done).toBe(true);
  });

  test("an origin's answer of megabytes arrives complete", async () => {
    const chunk = Buffer.alloc(256 * 1024, "x");
    play = async () => ({ status: 200, headers: {}, body: Readable.from(Array.from({ length: 32 }, () => chunk)) });
    expect((await (await ask(aDistribution())).arrayBuffer()).byteLength).toBe(32 * chunk.length);
  });

  test("an origin's answer that does not begin in time becomes 504", async () => {
    play = () => new Promise(() => {});
    const response = await ask(aDistribution(undefined, impatient));
    expect(response.status).toBe(504);
    expect(await response.text()).toContain("504 Gateway Timeout");
  });

  test("an origin's answer that stalls is broken off", async () => {
    const body = new PassThrough();
    play = async () => ({ status: 200, headers: {}, body });
    const response = await ask(aDistribution(undefined, impatient));
    body.write("one");
    await expect(response.text()).rejects.toThrow();
  });

  test("an origin's answer that breaks is broken off, so that it does not look complete", async () => {
    const body = new PassThrough();
    play = async () => ({ status: 200, headers: {}, body });
    const response = await ask(aDistribution());
    body.destroy(new Error("the function failed"));
    await expect(response.text()).rejects.toThrow();
  });

  test("an origin's answer is read to its end when the viewer has left", async () => {
    const body = new PassThrough();
    play = async () => ({ status: 200, headers: {}, body });
    const viewer = new AbortController();
    await ask(aDistribution(), "/", { signal: viewer.signal });
    viewer.abort();
    // More than all the buffers on the way hold.
    const chunk = Buffer.alloc(1024 * 1024);
    for (let megabyte = 0; megabyte < 8; megabyte++) {
      if (!body.write(chunk)) await once(body, "drain");
    }
    body.end();
    await once(body, "end");
  });
});

describe("the edge function", () => {
  test("a distribution's edge function gets the viewer's request and can change it", async () => {
    const code = `function handler(event) {
      var request = event.request;
      request.headers['x-seen'] = { value: JSON.stringify([request.method, request.uri, request.headers.host.value,
        event.context.eventType, event.context.requestId.length > 0, event.viewer.ip.length > 0]) };
      return request;
    }`;
    await ask(aDistribution(code), "/v1/models?limit=1");
    expect(JSON.parse(requests[0]?.headers["x-seen"] ?? "")).toEqual([
      "GET",
      "/v1/models",
      "acme.proxy.localhost",
      "viewer-request",
      true,
      true,
    ]);
    expect(requests[0]?.url).toBe("/v1/models?limit=1");
  });

  test.each([
    ["a text", '"too large"'],
    ["an object", '{ encoding: "text", data: "too large" }'],
  ])(
    "a distribution's edge function can answer itself, with %s as the body; the origin is not called",
    async (_, body) => {
      const code = `function handler() {
      return { statusCode: 413, headers: { 'x-by': { value: 'edge' } }, body: ${body} };
    }`;
      const response = await ask(aDistribution(code));
      expect([response.status, response.headers.get("x-by"), await response.text()]).toEqual([
        413,
        "edge",
        "too large",
      ]);
      expect(requests).toEqual([]);
    },
  );

  test("a distribution's edge function has only JavaScript: neither Node's globals nor those of an earlier request", async () => {
    const code = `var seen = 0;
    function handler() { return { statusCode: 200, body: [typeof process, typeof require, typeof fetch, ++seen].join() } }`;
    const distribution = aDistribution(code);
    await ask(distribution);
    expect(await (await ask(distribution)).text()).toBe("undefined,undefined,undefined,1");
  });

  test("a distribution's edge function that throws is answered with 500, and the origin is not called", async () => {
    const response = await ask(aDistribution("function handler(event) { return event.nothing.here }"));
    expect(response.status).toBe(500);
    expect(requests).toEqual([]);
  });
});

describe("a declaration that the local stack does not play stops the start", () => {
  test.each<[string, Changes, RegExp]>([
    ["several origins", { origins: [anOrigin, anOrigin] }, /"proxy".*one origin/],
    ["an origin that is not the default behaviour's", { origins: [{ ...anOrigin, originId: "other" }] }, /one origin/],
    ["several edge functions", { functionAssociations: [association, association] }, /one edge function/],
    [
      "an edge function on the answer",
      { functionAssociations: [{ ...association, eventType: "viewer-response" }] },
      /viewer-request/,
    ],
    [
      "an edge function that is not declared",
      { functionAssociations: [{ ...association, functionArn: "arn:other" }] },
      /arn:other is not declared/,
    ],
  ])("%s", (_, changes, message) => {
    expect(() => aDistribution("function handler() {}", changes)).toThrow(message);
  });

  test("an edge function that is not JavaScript is refused", () => {
    expect(() => aDistribution("function (")).toThrow("require a function name");
  });
});
