import { afterAll, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { callback, declaredPool, password } from "./declarations.ts";
import { authorizeUrl, Browser, formOf, linkOf, type Stack, start } from "./harness.ts";

const email = "ann@example.com";
const logged = jest.spyOn(console, "error").mockImplementation(() => {});
let stack: Stack;

beforeAll(async () => {
  const mfa = { mfaConfiguration: "OPTIONAL", softwareTokenMfaConfiguration: { enabled: true } };
  stack = await start({ pool: { ...declaredPool, ...mfa } });
  await stack.addUser(email);
});
beforeEach(() => void logged.mockClear());
afterAll(() => stack[Symbol.asyncDispose]());

const pages = [
  "/login",
  "/newPassword",
  "/mfa",
  "/signup",
  "/confirmUser",
  "/forgotPassword",
  "/confirmForgotPassword",
  "/oauth2/idpresponse",
];

/** Sends bytes as a form of the browser's own page. */
async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const browser = new Browser(stack);
  const page = await browser.open(authorizeUrl(stack, { identity_provider: "Google" }));
  const { _csrf = "" } = formOf(page.html).fields;
  const url = page.url.replace("/simulated-provider", path);
  return browser.open(url, {
    method: "POST",
    body: Buffer.concat([Buffer.from(`_csrf=${_csrf}&`), Buffer.from(body)]),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** Refused on a page, without a failure of the host and without leaving it. */
async function expectPage(visiting: ReturnType<typeof post>, status = 400): Promise<string> {
  const visit = await visiting;
  expect([visit.status, visit.leftFor]).toEqual([status, undefined]);
  expect(visit.html).toContain("</html>");
  expect(visit.html).toContain('role="alert"');
  expect(visit.html).not.toContain("<script");
  expect(logged).not.toHaveBeenCalled();
  return visit.html;
}

const hostile: [string, string | Buffer][] = [
  ["nothing", ""],
  [
    "bytes that are no text",
    Buffer.from("username=\xff\xfe\xc3\x28&password=\x80&code=\xf5&email=\xff&session=\xff", "latin1"),
  ],
  ["zero bytes", "username=a%00b%40c.example&password=%00&code=%00&email=%00%40x&session=%00"],
  ["half characters", "username=%ED%A0%80&password=%ED%B0%80&code=%C3&email=%E2%82&session=%F0%9F"],
  ["percent signs alone", "username=%&password=%zz&code=%%%&email=%&session=%"],
  ["25 KB of a name", `username=${"a".repeat(25_000)}%40example.com&email=${"a".repeat(25_000)}&session=x`],
  ["names of every object", "__proto__=1&constructor=2&toString=3&hasOwnProperty=4"],
  ["markup", "username=%3Cscript%3E%40x&email=%3Cscript%3E&password=%3Cscript%3E&code=%3Cscript%3E"],
  ["lines", "username=a%0d%0aset-cookie:x%3d1%40x&email=a%0d%0ab&code=1%0d%0a2&password=%0d%0a&session=%0d%0a"],
];

test.each(pages.flatMap((path) => hostile.map(([name, body]) => [path, name, body] as const)))(
  "%s answers %s with a page",
  async (path, name, body) => {
    const visit = await post(path, body);
    // The answer to a forgotten password is the same whether there is an account or not.
    const silent = path === "/forgotPassword" && name !== "25 KB of a name";
    expect([visit.status, visit.leftFor]).toEqual([silent ? 200 : 400, undefined]);
    expect(visit.html).toContain("</html>");
    expect(visit.html).not.toContain("<script");
    expect(visit.headers.getSetCookie().filter((cookie) => !/^(XSRF-TOKEN|cognito)=/.test(cookie))).toEqual([]);
    expect(logged).not.toHaveBeenCalled();
  },
);

test.each(pages)("%s takes no field twice, and no form from elsewhere", async (path) => {
  const twice = `username=${email}&username=b%40c.example&password=${password}&code=1&email=${email}&session=x`;
  expect(await expectPage(post(path, twice))).toContain("username is given more than once.");
  const page = await new Browser(stack).open(authorizeUrl(stack, { identity_provider: "Google" }));
  const url = page.url.replace("/simulated-provider", path);
  await expectPage(
    new Browser(stack).open(url, { method: "POST", body: new URLSearchParams({ username: email }) }),
    403,
  );
});

test.each(pages)("%s reads no more than 64 KiB, and nothing but a form", async (path) => {
  expect(await post(path, "x".repeat(70_000))).toMatchObject({ status: 413 });
  expect(await post(path, "{}", { "content-type": "application/json" })).toMatchObject({ status: 415 });
  expect(logged).not.toHaveBeenCalled();
});

test.each([
  ["quotes and markup", `"'><img src=x onerror=alert(1)>`],
  ["lines that would be headers", "a\r\nset-cookie: cognito=stolen\r\n\r\n<html>"],
  ["10 KB", "s".repeat(10_000)],
  ["other scripts", "状態 🙂 İ\u202e"],
])("a state of %s comes back as it was, and changes nothing else", async (_name, state) => {
  const { leftFor, headers } = await new Browser(stack).signIn(authorizeUrl(stack, { state }), email);
  expect(`${leftFor?.origin}${leftFor?.pathname}`).toBe(callback);
  expect([...(leftFor?.searchParams.keys() ?? [])]).toEqual(["code", "state"]);
  expect(leftFor?.searchParams.get("state")).toBe(state);
  expect(headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual(["cognito"]);
});

test("a state that is JSON is refused, as Cognito takes none", async () => {
  for (const state of ['{"to":"/"}', "[1]"]) {
    await expectPage(new Browser(stack).open(authorizeUrl(stack, { state })));
  }
});

test("a password has 256 characters at most, and a longer one is only wrong at sign-in", async () => {
  const browser = new Browser(stack);
  const signUp = await browser.open(linkOf(await browser.open(authorizeUrl(stack)), "Sign up"));
  const longest = `Aa1${"x".repeat(253)}`;
  const refused = await browser.submit(signUp, { username: "long@example.com", password: `${longest}x` });
  expect(refused.html).toContain("Password did not conform with policy: Password too long");
  const taken = await browser.submit(refused, { username: "long@example.com", password: longest });
  expect(taken.html).toContain("<h1>Confirm your account</h1>");
  const signIn = await new Browser(stack).signIn(authorizeUrl(stack), email, "x".repeat(20_000));
  expect(signIn.html).toContain("Incorrect username or password.");
});

test("an address that is not of ASCII is refused at sign-up, on the page", async () => {
  for (const address of ["jürgen@example.com", "ann@例え.jp", "ann@example.com\u0000", "a\u202enn@example.com"]) {
    const browser = new Browser(stack);
    const signUp = await browser.open(linkOf(await browser.open(authorizeUrl(stack)), "Sign up"));
    expect(await expectPage(browser.submit(signUp, { username: address, password }))).toContain(
      "Invalid email address format.",
    );
  }
});

test("a code of another kind, a code that was used and a session that was are refused on the page", async () => {
  await stack.signUp("kim@example.com");
  const browser = new Browser(stack);
  const login = await browser.open(authorizeUrl(stack));
  const confirm = login.url.replace("/login", "/confirmForgotPassword");
  const page = await browser.open(`${confirm}&username=kim%40example.com`);
  const code = /\d{6}/.exec(stack.mails.at(-1)?.text ?? "")?.[0] ?? "";
  expect(await expectPage(browser.submit(page, { code, password }))).toContain("please request a code again");
});
