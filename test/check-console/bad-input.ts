// What goes wrong on purpose: forged and repeated callbacks, dialogs closed by mistake, names that are markup, a platform that is away.
import type { Browser } from "playwright-core";
import type { Stack } from "../../local/running-stack.ts";
import { type Visitor, visit } from "./visitor.ts";

export async function badInput(stack: Stack, browser: Browser, { page }: Visitor): Promise<void> {
  await page.goto(`${stack.console}/callback?code=forged&state=forged`);
  await page.getByRole("navigation").waitFor();
  if (/code|state/.test(page.url())) throw new Error("a code stays in the address");
  const stranger = await visit(browser);
  await stranger.page.goto(`${stack.console}/callback?code=forged&state=forged`);
  await stranger.page.waitForURL(/\/@auth\/login/);
  await stranger.context.close();
  console.log("  a forged callback signs nobody in");

  await page.goto(`${stack.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill('<img src=x onerror="document.title=1">');
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "must not have < or >" }).waitFor();
  await page.getByLabel("Name").fill("🦄 &amp; مرحبا {{name}}");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  page.once("dialog", (dialog) => dialog.dismiss());
  await page.keyboard.press("Escape");
  if (!(await page.getByRole("button", { name: "I have stored it" }).isVisible())) throw new Error("Esc lost the key");
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("rowheader", { name: "🦄 &amp; مرحبا {{name}}" }).waitFor();
  console.log("  a name of markup is refused at its field, other names are text, and Esc loses no key");

  await page.route(/\/v1\/keys/, (route) =>
    route.fulfill({
      status: 503,
      headers: { "retry-after": "1", "access-control-allow-origin": stack.console },
      body: "<html>busy</html>",
    }),
  );
  await page.goto(`${stack.console}/keys`);
  await page.getByRole("alert").filter({ hasText: "The platform answered 503." }).waitFor();
  await page.unroute(/\/v1\/keys/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("rowheader", { name: "🦄 &amp; مرحبا {{name}}" }).waitFor();
  console.log("  a platform in trouble is said in place, and asked again by a click");
}
