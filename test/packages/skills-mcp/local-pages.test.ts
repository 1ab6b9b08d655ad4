// The pages on this machine: who gets to see them, how often, and what of them stands in their source.
import { request } from "node:http";
import { afterEach, expect, test } from "@jest/globals";
import { Failure } from "../../../packages/command-line/failure.ts";
import { LocalPages } from "../../../packages/skills-mcp/pages/local-pages.ts";
import { PageVisit } from "../../support/skills/skills-server.ts";

const pages = new LocalPages();
afterEach(() => pages.close());

const secretValue = "the-value-of-the-secret";
let stored: unknown[] = [];

async function open() {
  stored = [];
  const page = await pages.open({
    show: async () => ({ page: "secret" as const, name: "JIRA_TOKEN" }),
    answer: async ({ value }) => {
      if (value === "") throw new Failure("failed", "type the secret's value");
      stored.push(value);
      return { result: "stored", says: "It is stored." };
    },
  });
  page.done.catch(() => undefined);
  return page;
}

/** A request with any header, as no browser lets a page send it. */
function raw(url: string, headers: Record<string, string>, body = "{}"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asking.once("error", reject);
    asking.end(body);
  });
}

test("a person whose page has the token answers the local page once, and the call continues with the answer", async () => {
  const { url, done } = await open();
  const visit = new PageVisit(url);
  expect(await visit.open()).toEqual({ page: "secret", name: "JIRA_TOKEN" });
  expect(await visit.answer({ value: secretValue })).toEqual({ status: 200, body: { says: "It is stored." } });
  expect([await done, stored]).toEqual(["stored", [secretValue]]);
  expect((await visit.answer({ value: "another" })).status).toBe(403);
  expect(stored).toEqual([secretValue]);
});

test("the address of a local page opens once: a later visitor gets nothing, and the tab that opened it can be reloaded", async () => {
  const { url } = await open();
  const visit = new PageVisit(url);
  await visit.open();
  await expect(new PageVisit(url).open()).rejects.toThrow("403");
  const { body } = await visit.post("/open", { key: "wrong" });
  expect(body.error).toContain("opened before");
});

test("a refused value can be typed again on the local page", async () => {
  const { url } = await open();
  const visit = new PageVisit(url);
  await visit.open();
  expect(await visit.answer({ value: "" })).toEqual({ status: 422, body: { error: "type the secret's value" } });
  expect((await visit.answer({ value: secretValue })).status).toBe(200);
});

test("a local page is refused without its token, from another page, under another name, or with another content type", async () => {
  const { url } = await open();
  const { origin, hash, host } = new URL(url);
  const body = JSON.stringify({ token: hash.slice(1) });
  const json = { "content-type": "application/json", host };
  expect(await raw(`${origin}/open`, { ...json, origin })).toBe(403);
  expect(await raw(`${origin}/open`, { ...json, origin: "https://evil.example" }, body)).toBe(403);
  expect(await raw(`${origin}/open`, json, body)).toBe(403);
  expect(await raw(`${origin}/open`, { ...json, origin, "sec-fetch-site": "cross-site" }, body)).toBe(403);
  expect(await raw(`${origin}/open`, { ...json, origin, host: "evil.example" }, body)).toBe(400);
  expect(await raw(`${origin}/open`, { ...json, origin, "content-type": "text/plain" }, body)).toBe(400);
  expect(await raw(`${origin}/elsewhere`, { ...json, origin }, body)).toBe(404);
  expect(await raw(`${origin}/open`, { ...json, origin }, "x".repeat(70_000))).toBe(400);
  // The page is there yet for whom it is meant.
  expect(await raw(`${origin}/open`, { ...json, origin }, body)).toBe(200);
});

test("the source of a local page contains no content, and no other page can frame or script it", async () => {
  const { url } = await open();
  const { origin, hash } = new URL(url);
  for (const path of ["/", "/page.js", "/page.css"]) {
    const response = await fetch(origin + path);
    const text = await response.text();
    expect([text.includes("JIRA_TOKEN"), text.includes(hash.slice(1))]).toEqual([false, false]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});
