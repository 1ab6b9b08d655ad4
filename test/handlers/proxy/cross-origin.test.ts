import { beforeEach, describe, expect, test } from "@jest/globals";
import { aTenant } from "../../support/accounting/admissions.ts";
import { openProxy, plainMessage, question, type TestProxy } from "../../support/proxy.ts";

const page = "https://app.example.com";
const fromPage = { origin: page };

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
  proxy.tenants.set("acme", aTenant({ browser_origins: ["http://localhost:3000", page] }));
});

const asking = (headers: Record<string, string | undefined> = fromPage) => ({
  method: "OPTIONS",
  headers: { authorization: undefined, "access-control-request-method": "POST", ...headers },
});

describe("a browser's question before a call", () => {
  test("the question of an allowed page is answered without a credential, with the headers that it asks for", async () => {
    const asked = "authorization,anthropic-version,content-type,x-api-key,x-stainless-lang";
    const { status, headers, text } = await proxy.ask(asking({ ...fromPage, "access-control-request-headers": asked }));
    expect([status, text]).toEqual([204, ""]);
    expect(headers).toMatchObject({
      "access-control-allow-origin": page,
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": asked,
      "access-control-max-age": "60",
      vary: "origin",
    });
    expect(proxy.host.calls).toEqual([]);
  });

  test.each(["https://evil.example", "null", "https://app.example.com.evil.example", "HTTPS://app.example.com", ""])(
    "the question of the page %j, which the workspace does not allow, is refused without the headers",
    async (origin) => {
      const { status, headers } = await proxy.ask(asking({ origin }));
      expect(status).toBe(405);
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    },
  );

  test("the question is refused at a workspace that allows no pages, at none, and past the edge", async () => {
    proxy.tenants.set("acme", aTenant());
    expect((await proxy.ask(asking())).status).toBe(405);
    expect((await proxy.ask({ ...asking(), host: "nobody.proxy.localhost" })).status).toBe(405);
    const { headers } = await proxy.ask(asking({ ...fromPage, "x-origin-secret": "wrong" }));
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("the question cannot put its own line into the answer", async () => {
    const { headers } = await proxy.ask(
      asking({ ...fromPage, "access-control-request-headers": "a\r\nset-cookie: b" }),
    );
    expect(headers).not.toHaveProperty("access-control-allow-headers");
  });
});

describe("a call from a page", () => {
  const readable = { "access-control-allow-origin": page, "access-control-expose-headers": "*", vary: "origin" };

  test.each([false, true])("the answer of a call can be read by an allowed page (stream: %j)", async (stream) => {
    const answer = await proxy.ask({ headers: fromPage, body: { ...question, stream } });
    expect([answer.status, stream || answer.text === plainMessage]).toEqual([200, true]);
    expect(answer.headers).toMatchObject(readable);
    expect(answer.headers).toHaveProperty("anthropic-ratelimit-requests-limit");
  });

  test("a refusal can be read by an allowed page", async () => {
    const { status, headers } = await proxy.ask({ headers: { ...fromPage, authorization: undefined } });
    expect(status).toBe(401);
    expect(headers).toMatchObject(readable);
  });

  test("a call from another page is answered as any call, without the headers", async () => {
    const { status, headers } = await proxy.ask({ headers: { origin: "https://evil.example" } });
    expect([status, Object.keys(headers).some((name) => name.startsWith("access-control"))]).toEqual([200, false]);
  });

  test("a change of the workspace's pages takes effect within 60 seconds", async () => {
    await proxy.ask({ headers: fromPage });
    proxy.tenants.set("acme", aTenant());
    expect((await proxy.ask({ headers: fromPage })).headers).toMatchObject(readable);
    await proxy.time.advance(60_000);
    expect((await proxy.ask({ headers: fromPage })).headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a call from a page is refused as any call where the store cannot say whose the address is", async () => {
    proxy = openProxy({
      tenants: {
        getBySlug: async () => {
          throw new Error("down");
        },
      },
    });
    const { status, headers } = await proxy.ask({ headers: fromPage });
    expect(status).toBe(500);
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });
});
