import { expect, test } from "@jest/globals";
import { password, poolId, publicClient, secretClient } from "../declarations.ts";
import { authorizeUrl, Browser, formOf, linkOf, mailedCode, start } from "../harness.ts";

const email = "ann@example.com";

test("a wrong password shows the sign-in page again, with the address and an error", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const browser = new Browser(stack);
  const wrong = await browser.signIn(authorizeUrl(stack), email, "Wrong-password-1");
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('<p class="problem" role="alert">Incorrect username or password.</p>');
  expect(formOf(wrong.html).fields.username).toBe(email);
  expect(wrong.html).not.toContain("Wrong-password-1");
  expect((await browser.submit(wrong, { password })).leftFor?.searchParams.has("code")).toBe(true);
});

test("an unknown address gets the same error as a wrong password", async () => {
  await using stack = await start();
  const silent = await new Browser(stack).signIn(authorizeUrl(stack), "nobody@example.com");
  expect(silent.html).toContain("Incorrect username or password.");
});

test("the case of an address does not matter", async () => {
  await using stack = await start();
  await stack.addUser(email);
  expect((await new Browser(stack).signIn(authorizeUrl(stack), "Ann@Example.com")).leftFor).toBeDefined();
});

const hostile = `"><script>alert('x')</script><input value="`;

test("no text from outside is inserted as HTML", async () => {
  await using stack = await start();
  const browser = new Browser(stack);
  const url = authorizeUrl(stack, { state: hostile, nonce: hostile, login_hint: hostile });
  const first = await browser.open(url);
  expect(formOf(first.html).fields.username).toBe(hostile);
  const again = await browser.submit(first, { username: `${hostile}@x`, password: hostile });
  expect(again.status).toBe(400);
  const forgot = await browser.open(linkOf(first, "Forgot your password?"));
  const reset = await browser.submit(forgot, { username: hostile });
  const confirm = await browser.open(
    `${first.url.replace("/login", "/confirmUser")}&username=${encodeURIComponent(hostile)}`,
  );
  const provider = await browser.open(linkOf(first, "Continue with Google"));
  for (const { html } of [first, again, forgot, reset, confirm, provider]) {
    expect(html).toContain("</form>");
    expect(html).not.toContain("<script");
    expect(html).not.toMatch(/value="[^"]*<|href="[^"]*<|action="[^"]*</);
  }
  expect(reset.html).toContain("&quot;&gt;&lt;script&gt;");
});

test("a form that another site submits is refused", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const browser = new Browser(stack);
  const page = await browser.open(authorizeUrl(stack));
  const forged = await browser.submit(page, { username: email, password, _csrf: "A".repeat(43) });
  expect(forged).toMatchObject({ status: 403 });
  expect(forged.leftFor).toBeUndefined();
  const withoutCookie = await new Browser(stack).submit(page, { username: email, password });
  expect(withoutCookie).toMatchObject({ status: 403 });
  expect(withoutCookie.leftFor).toBeUndefined();
});

test("sign-in pages allow no script, frame or cache, and their cookies are HTTP-only", async () => {
  await using stack = await start({ prefix: "/@auth" });
  const page = await fetch(authorizeUrl(stack).replace("/oauth2/authorize", "/login"));
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^XSRF-TOKEN=[\w-]{43}; Max-Age=86400; Path=\/@auth; HttpOnly; SameSite=Lax$/),
  ]);
});

test("the sign-in pages work under a prefix, with relative links only", async () => {
  await using stack = await start({ prefix: "/@auth" });
  await stack.addUser(email);
  const browser = new Browser(stack);
  const page = await browser.open(authorizeUrl(stack));
  expect(page.url).toContain("/@auth/login?");
  expect(page.html).not.toMatch(/(href|action)="(\/|http)/);
  expect(linkOf(page, "Sign up")).toContain("/@auth/signup?");
  const again = await browser.submit(page, { username: email, password: "Wrong-password-1" });
  expect((await browser.submit(again, { password })).leftFor?.searchParams.has("code")).toBe(true);
});

test("the sign-in page works with assistive technology", async () => {
  await using stack = await start();
  const { html } = await new Browser(stack).open(authorizeUrl(stack, { login_hint: email }));
  expect(html).toContain('<html lang="en">');
  expect(html).toContain('<label for="username">Email</label>');
  expect(html).toContain(
    '<input id="username" name="username" type="email" autocomplete="username" required value="ann@example.com">',
  );
  expect(html).toContain(
    '<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>',
  );
  expect(html).toMatch(/<main>\s*<h1>Sign in<\/h1>/);
});

async function invite(stack: Awaited<ReturnType<typeof start>>) {
  const UserAttributes = [{ Name: "email_verified", Value: "true" }];
  await stack.call("AdminCreateUser", { UserPoolId: poolId, Username: email, UserAttributes });
  return / is (\S+)$/.exec(stack.mails.at(-1)?.text ?? "")?.[1] ?? "";
}

test("a temporary password leads to the page for a new password, and then to the client", async () => {
  await using stack = await start();
  const temporary = await invite(stack);
  const browser = new Browser(stack);
  const asked = await browser.signIn(authorizeUrl(stack), email, temporary);
  expect(asked.html).toContain("<h1>Change your password</h1>");
  const weak = await browser.submit(asked, { password: "short" });
  expect(weak.html).toContain("Password did not conform with policy: Password not long enough");
  const done = await browser.submit(weak, { password });
  expect(done.leftFor?.searchParams.has("code")).toBe(true);
  expect(stack.events.map(({ triggerSource }) => triggerSource)).toEqual([
    "PreSignUp_AdminCreateUser",
    "TokenGeneration_HostedAuth",
  ]);
  const again = await new Browser(stack).signIn(authorizeUrl(stack), email, temporary);
  expect(again.html).toContain("Incorrect username or password.");
});

test("the page for a new password accepts one answer, in time, and only for its client", async () => {
  await using stack = await start({ clients: [publicClient, secretClient] });
  const temporary = await invite(stack);
  const browser = new Browser(stack);
  const asked = await browser.signIn(authorizeUrl(stack), email, temporary);
  const elsewhere = { ...asked, html: asked.html.replaceAll("client_id=public", "client_id=confidential") };
  expect((await browser.submit(elsewhere, { password })).html).toContain("Invalid session");
  stack.clock.advance(3 * 60_000);
  expect((await browser.submit(asked, { password })).html).toContain("Invalid session");
  const second = await browser.signIn(authorizeUrl(stack), email, temporary);
  expect((await browser.submit(second, { password })).leftFor).toBeDefined();
  expect((await browser.submit(second, { password })).html).toContain("Invalid session");
});

test("a temporary password expires", async () => {
  await using stack = await start();
  const temporary = await invite(stack);
  stack.clock.advance(7 * 86_400_000);
  const late = await new Browser(stack).signIn(authorizeUrl(stack), email, temporary);
  expect(late.html).toContain("Temporary password has expired and must be reset by an administrator.");
});

test("signing in to an unconfirmed account sends a new code and shows the page for it", async () => {
  await using stack = await start();
  await stack.signUp(email);
  const browser = new Browser(stack);
  const wrong = await browser.signIn(authorizeUrl(stack), email, "Wrong-password-1");
  expect(wrong.html).toContain("Incorrect username or password.");
  expect(stack.mails).toHaveLength(1);
  const right = await browser.submit(wrong, { password });
  expect(right.html).toContain("<h1>Confirm your account</h1>");
  expect(stack.mails).toHaveLength(2);
  const confirmed = await browser.submit(right, { code: mailedCode(stack) });
  expect(confirmed.html).toContain("Your account is confirmed.");
});
