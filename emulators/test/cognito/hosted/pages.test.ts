import { expect, test } from "@jest/globals";
import { callback, password } from "../declarations.ts";
import { authorizeUrl, Browser, linkOf, type Stack, start } from "../harness.ts";

const email = "ann@example.com";

/** The field that has the focus, as it stands in the page. */
const focused = (html: string) => /<input [^>]* autofocus>/.exec(html)?.[0] ?? "";

async function open(stack: Stack, link?: string) {
  const browser = new Browser(stack);
  const login = await browser.open(authorizeUrl(stack));
  return { browser, page: link === undefined ? login : await browser.open(linkOf(login, link)) };
}

test("a sign-in page has the focus in its first field", async () => {
  await using stack = await start();
  for (const link of [undefined, "Sign up", "Forgot your password?"]) {
    const { page } = await open(stack, link);
    expect(focused(page.html)).toContain(' name="username"');
    expect(page.html.match(/ autofocus/g)).toHaveLength(1);
  }
});

test("an error is announced at the focused field, and the field is marked as invalid if it caused the error", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const { browser, page } = await open(stack);
  const wrong = await browser.submit(page, { username: email, password: "Wrong-password-1" });
  expect(wrong.html).toContain('<div id="problem"><p class="problem" role="alert">');
  expect(focused(wrong.html)).toContain(' name="password"');
  expect(focused(wrong.html)).toContain(' aria-describedby="problem"');
  expect(wrong.html).not.toContain('aria-invalid="true"');
  const signUp = await open(stack, "Sign up");
  const taken = await signUp.browser.submit(signUp.page, { username: email, password });
  expect(focused(taken.html)).toContain(' name="username"');
  expect(focused(taken.html)).toContain(' aria-invalid="true"');
  const weak = await signUp.browser.submit(signUp.page, { username: "new@example.com", password: "weak" });
  expect(focused(weak.html)).toContain(' aria-describedby="password-hint problem" aria-invalid="true"');
});

test("the title of a sign-in page says that something is wrong", async () => {
  await using stack = await start();
  const { browser, page } = await open(stack);
  expect(page.html).toContain("<title>Sign in</title>");
  expect((await browser.submit(page, { username: email, password })).html).toContain("<title>Error: Sign in</title>");
});

test("the password policy is shown at the field for a new password", async () => {
  await using stack = await start();
  const { page } = await open(stack, "Sign up");
  expect(page.html).toContain(
    '<p class="hint" id="password-hint">At least 12 characters, among them an upper-case letter, a lower-case letter, and a digit.</p>',
  );
});

test("the error page explains Cognito's errors in its own words", async () => {
  await using stack = await start();
  const unknown = await new Browser(stack).open(authorizeUrl(stack, { client_id: "nobody" }));
  expect(unknown.html).toContain("The application that sent you here is not known");
  const elsewhere = await new Browser(stack).open(authorizeUrl(stack, { redirect_uri: `${callback}/` }));
  expect(elsewhere.html).toContain("an address that is not registered for it, port included");
});
