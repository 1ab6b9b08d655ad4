import { expect, jest, test } from "@jest/globals";
import { password } from "../declarations.ts";
import { authorizeUrl, Browser, start } from "../harness.ts";

test.each(["/", "/nothing", "/oauth2", "/login/", "/constructor", "//evil.example.com/login", "/%", "/@auth/login"])(
  "the sign-in page %s does not exist",
  async (path) => {
    await using stack = await start();
    const response = await fetch(`${stack.baseUrl}${path}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/plain; charset=UTF-8"]);
    expect(await response.text()).toBe("There is no such page.\n");
  },
);

test.each([
  ["DELETE", "/login", "GET, POST"],
  ["GET", "/oauth2/token", "POST"],
  ["POST", "/oauth2/authorize", "GET"],
  ["GET", "/oauth2/revoke", "POST"],
  ["PUT", "/oauth2/userInfo", "GET, POST"],
  ["GET", "/newPassword", "POST"],
  ["OPTIONS", "/login", "GET, POST"],
])("a wrong method is answered with the allowed ones: %s %s", async (method, path, allow) => {
  await using stack = await start();
  const response = await fetch(`${stack.baseUrl}${path}`, { method });
  expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
});

test("pages of other origins may call the token endpoints, and can read their errors", async () => {
  await using stack = await start();
  const preflight = await fetch(`${stack.baseUrl}/oauth2/userInfo`, { method: "OPTIONS" });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
  const refused = await fetch(`${stack.baseUrl}/oauth2/token`, { method: "POST" });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([400, "*"]);
  const page = await fetch(authorizeUrl(stack));
  expect(page.headers.has("access-control-allow-origin")).toBe(false);
});

test.each(["with its length", "in chunks"])(
  "a body of more than 64 KiB is refused, and one of 64 KiB is read: %s",
  async (way) => {
    await using stack = await start();
    const post = (length: number) => {
      const form = `x=${"x".repeat(length - 2)}`;
      const body = way === "in chunks" ? new Blob([form]).stream() : form;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return fetch(`${stack.baseUrl}/oauth2/token`, { method: "POST", body, headers, duplex: "half" } as RequestInit);
    };
    const read = await post(65_536);
    expect([read.status, await read.json()]).toMatchObject([400, { error: "invalid_request" }]);
    const refused = await post(65_537);
    expect([refused.status, await refused.text()]).toEqual([413, "The body is larger than 65536 bytes.\n"]);
  },
);

test("a body that is not a form is refused", async () => {
  await using stack = await start();
  const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  expect((await fetch(`${stack.baseUrl}/oauth2/token`, init)).status).toBe(415);
});

test("the sign-in pages are reached by their host, and by the prefix", async () => {
  await using stack = await start({ prefix: "/@auth" });
  const host = new URL(stack.baseUrl).origin;
  for (const base of [`${host}/@auth`, host]) {
    const response = await fetch(authorizeUrl({ ...stack, baseUrl: base }), { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, expect.stringMatching(/^\.\.\/login\?/)]);
  }
});

test("an internal failure of the sign-in host is logged, and its answer does not tell the cause", async () => {
  const sendMail = () => {
    throw new Error("the mail server is down");
  };
  await using stack = await start({ sendMail });
  const logged = jest.spyOn(console, "error").mockImplementation(() => {});
  const browser = new Browser(stack);
  const page = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/signup"));
  const visit = await browser.submit(page, { username: "ann@example.com", password });
  expect(visit).toMatchObject({ status: 500, html: "The local Cognito failed. Its log says why.\n" });
  expect(logged).toHaveBeenCalledTimes(1);
  logged.mockRestore();
});
