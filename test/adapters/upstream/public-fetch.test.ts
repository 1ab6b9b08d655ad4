// A fetch that reaches public addresses alone, within its time and its bytes.
import { createServer, type RequestListener, request as requestByHttp, type Server } from "node:http";
import type { request as requestByHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import { publicFetch } from "../../../adapters/upstream/public-fetch.ts";

const publicAddress = { address: "93.184.215.14", family: 4 };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Serves every host from this machine by plain HTTP, and tells which addresses a connection would be made to. */
async function fetching(answer: RequestListener, { mostBytes = 1_000, signal = new AbortController().signal } = {}) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  const pinned: unknown[] = [];
  const request = (url: URL, options: Parameters<typeof requestByHttps>[1], answered: never) => {
    options.lookup?.(url.hostname, { all: true }, (_, found) => pinned.push(found));
    const { lookup: _, agent: __, ...rest } = options;
    return requestByHttp(
      `http://127.0.0.1:${port}${url.pathname}`,
      { ...rest, headers: { ...options.headers, host: url.host } },
      answered,
    );
  };
  const resolve = jest.fn(async (_host: string) => [publicAddress]);
  const { fetch, failure } = publicFetch({
    signal,
    mostBytes,
    resolve,
    request: request as unknown as typeof requestByHttps,
  });
  return { fetch, failure, resolve, pinned };
}

test("a public address is fetched, and its name is looked up once", async () => {
  const { fetch, resolve, pinned } = await fetching((request, response) =>
    response.end(`${request.headers.host} ${request.method}`),
  );
  const answer = await fetch("https://mcp.example.com/mcp", { method: "POST", body: "{}" });
  expect(await answer.text()).toBe("mcp.example.com POST");
  expect(resolve.mock.calls).toEqual([["mcp.example.com"]]);
  expect(pinned).toEqual([[publicAddress]]);
});

test.each([
  ["of this machine", "127.0.0.1"],
  ["of an instance's metadata", "169.254.169.254"],
  ["that is private", "10.0.0.8"],
  ["that maps one of IPv4", "::ffff:169.254.169.254"],
  ["of NAT64", "64:ff9b::a9fe:a9fe"],
])("a name with an address %s is not connected to, even if it also has a public address", async (_, address) => {
  const { fetch, resolve, pinned } = await fetching((_, response) => response.end());
  resolve.mockResolvedValueOnce([publicAddress, { address, family: 4 }]);
  await expect(fetch("https://rebind.example.com/")).rejects.toMatchObject({ reason: "address_not_public" });
  expect(pinned).toEqual([]);
});

test("a name that changes its address between two requests is checked again for the second", async () => {
  const { fetch, resolve } = await fetching((_, response) => response.end("first"));
  expect(await (await fetch("https://rebind.example.com/")).text()).toBe("first");
  resolve.mockResolvedValueOnce([{ address: "127.0.0.1", family: 4 }]);
  await expect(fetch("https://rebind.example.com/")).rejects.toMatchObject({ reason: "address_not_public" });
});

test.each(["http://mcp.example.com/", "https://127.0.0.1/", "https://[::1]/", "https://localhost/"])(
  "the address %s is refused without a look-up",
  async (url) => {
    const { fetch, resolve } = await fetching((_, response) => response.end());
    await expect(fetch(url)).rejects.toMatchObject({ reason: "address_not_public" });
    expect(resolve).not.toHaveBeenCalled();
  },
);

describe("it fails with a reason", () => {
  test("a public fetch of a redirect fails with a reason, and does not follow it", async () => {
    const { fetch, failure } = await fetching((_, response) =>
      response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data" }).end(),
    );
    await expect(fetch("https://mcp.example.com/")).rejects.toMatchObject({ reason: "redirected" });
    expect(failure()?.reason).toBe("redirected");
  });

  test("a public fetch of an answer with too many bytes, all requests counted together, fails with a reason", async () => {
    const { fetch } = await fetching((_, response) => response.end("a".repeat(600)));
    expect(await (await fetch("https://mcp.example.com/")).text()).toHaveLength(600);
    const second = await fetch("https://mcp.example.com/");
    await expect(second.text()).rejects.toMatchObject({ reason: "too_large" });
  });

  test("a public fetch of an endless answer fails with a reason", async () => {
    const { fetch } = await fetching((_, response) => {
      const more = () => response.write("a".repeat(500), () => setImmediate(more));
      more();
    });
    await expect((await fetch("https://mcp.example.com/")).text()).rejects.toMatchObject({ reason: "too_large" });
  });

  test("a public fetch from a server that does not answer in time fails with a reason", async () => {
    const over = new AbortController();
    const { fetch } = await fetching(() => over.abort(), { signal: over.signal });
    await expect(fetch("https://mcp.example.com/")).rejects.toMatchObject({ reason: "too_slow" });
  });

  test("a public fetch whose name is not resolved in time fails with a reason", async () => {
    const over = new AbortController();
    const { fetch, resolve } = await fetching((_, response) => response.end(), { signal: over.signal });
    resolve.mockImplementationOnce(() => {
      over.abort();
      return new Promise(() => {});
    });
    await expect(fetch("https://mcp.example.com/")).rejects.toMatchObject({ reason: "too_slow" });
  });

  test.each([
    ["ENOTFOUND", "unreachable"],
    ["ECONNREFUSED", "unreachable"],
    ["CERT_HAS_EXPIRED", "certificate_refused"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "certificate_refused"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate_refused"],
  ])("a public fetch fails with a reason for %s", async (code, reason) => {
    const { fetch, resolve } = await fetching((_, response) => response.end());
    resolve.mockRejectedValueOnce(Object.assign(new Error("no"), { code }));
    await expect(fetch("https://mcp.example.com/")).rejects.toMatchObject({ reason });
  });
});
