import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { consolePage } from "../../../local/demo/console-page.ts";

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer(consolePage("http://127.0.0.1:1/@api", "http://127.0.0.1:1/@auth/login?a=1&b=2"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function at(path: string): Promise<{ status: number; page: string }> {
  const response = await fetch(origin + path);
  return { status: response.status, page: await response.text() };
}

test("each address to which a mail leads has a page, with the way to sign in", async () => {
  const mails = readFileSync(new URL("../../../docs/mails.md", import.meta.url), "utf8");
  const paths = new Set(
    [...mails.matchAll(/https:\/\/console\.example\.com(\/\S*)?$/gm)].map(([, path]) => path ?? "/"),
  );
  expect(paths.size).toBeGreaterThan(3);
  for (const path of paths) {
    const { status, page } = await at(path);
    expect([path, status, page]).toEqual([path, 200, expect.stringContaining("/@auth/login?a=1&amp;b=2")]);
  }
});

test("who comes back from the sign-in reads that it worked, or why not, without markup of others", async () => {
  expect((await at("/callback?code=secret&state=s")).page).toMatch(/<h1>Signed in<\/h1>(?!.*secret)/s);
  const refused = await at(`/callback?error=invalid_request&error_description=${encodeURIComponent("<b>No</b>.")}`);
  expect(refused.page).toContain('<h1>Not signed in</h1>\n<p role="alert">&lt;b&gt;No&lt;/b&gt;.</p>');
});

test("an address that no console has is 404", async () => {
  expect((await at("/elsewhere")).status).toBe(404);
});
