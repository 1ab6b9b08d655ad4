import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Loopback, loopbackUris, pageOf } from "../../../packages/sign-in/loopback.ts";
import { freePorts } from "../../support/free-ports.ts";

let [port, nextPort] = [0, 0];
let loopback: Loopback;
let answered: Promise<URLSearchParams>;
beforeEach(async () => {
  [port = 0, nextPort = 0] = await freePorts(2);
  loopback = await Loopback.open([new URL(`http://localhost:${port}/callback`)], "archway");
  answered = loopback.answer("right", new AbortController().signal).then(({ query, show }) => {
    show("Done.");
    return query;
  });
});
afterEach(() => loopback.close());

type Asked = { path: string; method?: string; host?: string };

function ask({ path, method = "GET", host = `localhost:${port}` }: Asked): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, method, headers: { host } }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.once("error", reject);
    asking.end();
  });
}

test("the first request with the right state is the answer of the sign-in, and a second request is told so", async () => {
  const { status, text } = await ask({ path: "/callback?code=1&state=right" });
  expect([status, text]).toEqual([200, pageOf("Done.")]);
  expect((await answered).get("code")).toBe("1");
  expect((await ask({ path: "/callback?code=2&state=right" })).status).toBe(409);
});

describe("is answered and ignored:", () => {
  test.each<[string, Asked, number]>([
    ["another state", { path: "/callback?code=evil&state=wrong" }, 400],
    ["no state", { path: "/callback?code=evil" }, 400],
    ["a state of the same beginning", { path: "/callback?code=evil&state=righ" }, 400],
    ["two codes", { path: "/callback?code=1&code=2&state=right" }, 400],
    ["a page of another name", { path: "/callback?code=1&state=right", host: "evil.example" }, 400],
    ["the icon that browsers ask for", { path: "/favicon.ico" }, 404],
    ["another host in the address", { path: "//evil.example/callback?state=right" }, 404],
    ["an absolute address", { path: "http://evil.example/callback?state=right" }, 404],
    ["a form", { path: "/callback?code=1&state=right", method: "POST" }, 405],
  ])("%s", async (_what, asked, expected) => {
    const { status, text } = await ask(asked);
    expect(status).toBe(expected);
    expect(text).not.toContain("evil");
    await ask({ path: "/callback?code=1&state=right" });
    expect((await answered).get("code")).toBe("1");
  });

  test("pages of the loopback server show no markup from the query", async () => {
    const { text } = await ask({ path: "/callback?error=%3Cscript%3Ealert(1)%3C/script%3E&state=wrong" });
    expect(text).not.toContain("<script");
  });
});

test("the next registered port is used if the first is taken, and a message says so if none is free", async () => {
  const first = new URL(`http://localhost:${port}/callback`);
  const next = new URL(`http://localhost:${nextPort}/callback`);
  const other = await Loopback.open([first, next], "archway");
  expect(other.uri.port).toBe(String(nextPort));
  await expect(Loopback.open([first, next], "archway")).rejects.toThrow("--no-browser");
  other.close();
});

test("the loopback server uses only registered addresses on this machine, and the requested port", () => {
  const registered = [
    "https://console.example.com/callback",
    "http://localhost:8400/callback",
    "http://127.0.0.1:8401/x",
  ];
  const hrefs = (port?: number) => loopbackUris(registered, port).map(({ href }) => href);
  expect(hrefs()).toEqual(registered.slice(1));
  expect(hrefs(8401)).toEqual(registered.slice(2));
  expect(() => hrefs(9)).toThrow("8400, 8401");
  expect(() => loopbackUris(["https://console.example.com/callback"])).toThrow("no redirect URI");
});
