import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { LocalFunction } from "../../lambda/local-function.ts";
import { type HostServer, serveHosts } from "../support/host-server.ts";

const keySetHost = "cognito-idp.eu-central-1.amazonaws.com";
const timeoutSeconds = 30;

let edge: HostServer;
let bundleFolder: string;
beforeAll(async () => {
  bundleFolder = mkdtempSync(join(tmpdir(), "archway-worker-"));
  const names: Record<string, { addresses: string[][] }> = { "api.example.com": { addresses: [["93.184.216.34"]] } };
  edge = await serveHosts({
    "127.0.0.1": ({ url = "" }, response) => {
      const name = url.replace(/^\/_local\/hosts\/?/, "");
      response.end(JSON.stringify(name === "" ? names : { addresses: names[name]?.addresses.flat() ?? [] }));
    },
    "api.example.com": ({ url, headers }, response) => response.end(`${headers.host} ${url}`),
    [keySetHost]: async (request, response) => {
      const { method, url, headers } = request;
      response.end([method, headers.host, url, headers["x-a"], await text(request)].join(" "));
    },
  });
});
afterAll(async () => {
  await edge.close();
  rmSync(bundleFolder, { recursive: true, force: true });
});

let clock: Clock;
let fn: LocalFunction | undefined;
beforeEach(() => {
  clock = new Clock();
});
afterEach(() => fn?.stop());

/** Runs a bundle whose handler returns what `body` does. */
function run(body: string, { imports = "", event = {} as unknown } = {}): Promise<unknown> {
  return start(`${imports}\nexport const handler = async (event, context) => {${body}};`).invoke(event);
}

function start(bundle: string): LocalFunction {
  fn = new LocalFunction(
    {
      name: "probe",
      arn: "arn:aws:lambda:eu-central-1:000000000000:function:probe",
      archive: { "index.mjs": bundle },
      environment: {},
      timeoutSeconds,
      memoryMb: 256,
      logGroup: "probe-logs",
    },
    {
      clock: clock.shared,
      hosts: [keySetHost],
      edgePort: () => edge.port,
      instanceEnvironment: () => ({}),
      bundleFolder,
      log: () => {},
    },
  );
  return fn;
}

describe("the clock", () => {
  const day = 86_400_000;

  test("a worker's clock is the stack's clock, by whatever function it is read, also after it is advanced", async () => {
    const asked = start("export const handler = async () => [Date.now(), new Date().getTime(), Date.parse(Date())];");
    for (const advanced of [day, 10 * day]) {
      clock.advance(advanced);
      for (const time of (await asked.invoke({})) as number[]) {
        expect(Math.abs(time - clock.now())).toBeLessThan(30_000);
      }
    }
  });

  test("a worker's clock does not change dates that are constructed from a given time", async () => {
    clock.advance(day);
    const dates =
      "[new Date(0), new Date('2026-11-21'), new Date(2026, 10, 21), Date.UTC(2026, 0), Date.parse('1970')]";
    expect(await run(`return ${dates}`)).toEqual([
      "1970-01-01T00:00:00.000Z",
      "2026-11-21T00:00:00.000Z",
      "2026-11-21T00:00:00.000Z",
      Date.UTC(2026, 0),
      0,
    ]);
  });

  test("a worker's clock creates genuine dates, also for a subclass in the bundle", async () => {
    const kinds =
      "class Day extends Date {} return [new Date() instanceof Date, new Day() instanceof Day, new Day(5).getTime()]";
    expect(await run(kinds)).toEqual([true, true, 5]);
  });
});

describe("the context", () => {
  test("the context of an invocation names the function, and how much time is left", async () => {
    const body = "return { ...context, left: context.getRemainingTimeInMillis() }";
    let pace = 0;
    const probe = start(`export const handler = async (event, context) => {${body}};`);
    const context = await probe.invoke({}, {}, (found) => {
      pace = found;
    });
    expect(context).toEqual({
      awsRequestId: expect.stringMatching(/^[\w-]{36}$/),
      functionName: "probe",
      functionVersion: "$LATEST",
      invokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:probe",
      memoryLimitInMB: "256",
      logGroupName: "probe-logs",
      logStreamName: "local",
      callbackWaitsForEmptyEventLoop: true,
      left: expect.any(Number),
    });
    const { left } = context as { left: number };
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(timeoutSeconds * 1000 * pace);
  });

  test("the time left of an invocation is measured by the machine's clock, because the stack's clock can jump", async () => {
    clock.advance(86_400_000);
    expect(await run("return context.getRemainingTimeInMillis() > 0")).toBe(true);
  });
});

describe("a host", () => {
  const imports = `import https, { get } from "node:https"; import { text } from "node:stream/consumers";`;
  const asked = (request: string) => `
    const { promise, resolve, reject } = Promise.withResolvers();
    ${request}.once("error", reject);
    return text(await promise);`;
  const headers = `{ "x-a": "b" }`;

  test.each([
    [`https.get("https://${keySetHost}/pool/jwks.json?a=1", { headers: ${headers} }, resolve)`, "GET", "b "],
    [`get(new URL("https://${keySetHost}/pool/jwks.json?a=1"), resolve)`, "GET", " "],
    [
      `https.request({ hostname: "${keySetHost}", path: "/pool/jwks.json?a=1", method: "POST", headers: ${headers} }, resolve).end("body")`,
      "POST",
      "b body",
    ],
  ])("a host that the stack serves leads a worker to the edge: %s", async (request, method, rest) => {
    expect(await run(asked(request), { imports })).toBe(`${method} ${keySetHost} /pool/jwks.json?a=1 ${rest}`);
  });

  test("a host that the stack does not serve cannot be resolved by a worker", async () => {
    const unknown = run(asked(`https.get("https://example.com/", resolve)`), { imports });
    await expect(unknown).rejects.toThrow("getaddrinfo ENOTFOUND example.com");
  });
});

describe("a public name", () => {
  const imports = `import dns from "node:dns";
    import { lookup } from "node:dns/promises";
    import https from "node:https";
    import { text } from "node:stream/consumers";`;
  const ask = (options: string) => `
    const { promise, resolve, reject } = Promise.withResolvers();
    https.get({ path: "/v1", ...${options} }, resolve).once("error", reject);
    return text(await promise);`;
  const pinnedTo = (address: string) =>
    `lookup: (_host, { all }, found) => all ? found(null, [{ address: "${address}", family: 4 }]) : found(null, "${address}", 4)`;

  test("a worker resolves a public name to its configured addresses, by each of Node's look-ups", async () => {
    const body = `
      const all = await lookup("api.example.com", { all: true });
      const first = await new Promise((done) => dns.lookup("api.example.com", (_, address, family) => done([address, family])));
      return [all, first];`;
    const address = "93.184.216.34";
    expect(await run(body, { imports })).toEqual([[{ address, family: 4 }], [address, 4]]);
    await expect(run(`return lookup("other.example.com")`, { imports })).rejects.toThrow("ENOTFOUND");
  });

  test.each([
    [`{ hostname: "api.example.com" }`],
    [`{ hostname: "api.example.com", agent: false, ${pinnedTo("93.184.216.34")} }`],
    [`{ hostname: "93.184.216.34", headers: { host: "api.example.com" } }`],
  ])("a worker reaches a public name's server under that name: %s", async (options) => {
    expect(await run(ask(options), { imports })).toBe("api.example.com /v1");
  });

  test.each([
    [`{ hostname: "api.example.com", ${pinnedTo("10.0.0.1")} }`],
    [`{ hostname: "127.0.0.1" }`],
    [`{ hostname: "93.184.216.34", headers: { host: "other.example.com" } }`],
  ])("a worker reaches a public name at no other address: %s", async (options) => {
    await expect(run(ask(options), { imports })).rejects.toThrow("connect ECONNREFUSED");
  });
});

describe("a streaming handler", () => {
  test("a streaming handler sets status and headers once, before the body", async () => {
    const twice = start(`export const handler = awslambda.streamifyResponse(async (event, stream) => {
      if (event.body) stream.write("one");
      else awslambda.HttpResponseStream.from(stream, {});
      awslambda.HttpResponseStream.from(stream, { statusCode: 500 });
    });`);
    await expect(twice.invoke({})).rejects.toThrow("The response has begun");
    await expect(twice.invoke({ body: true })).rejects.toThrow("The response has begun");
  });

  test("a streaming handler can reuse a buffer after it was written", async () => {
    const reusing = start(`export const handler = awslambda.streamifyResponse(async (event, stream) => {
      const buffer = Buffer.from("one");
      await new Promise((done) => stream.write(buffer, done));
      buffer.fill("x");
      stream.end();
    });`);
    expect(await reusing.invoke({})).toBe("one");
  });
});
