// A person of one suspended and one active workspace: is never shut out of the one, and is told what is the case with the other.
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";

export async function suspendedAndActive(stage: Stage): Promise<string[]> {
  const { demo } = stage.stack;
  if (!demo) throw new Error("the stack has no administrator");
  const active = await stage.owner({ isRefused: true });
  const { page, person } = active;
  const other = await stage.workspace("Owes money");
  await stage.api(other.person, "POST", "/v1/users/invite", { email: person.email });
  await page.goto(`${stage.console}/workspaces`);
  await page
    .getByRole("row", { name: /Owes money/ })
    .getByRole("button", { name: /Join|Switch/ })
    .click();
  await page.getByRole("banner").getByText("Owes money").waitFor();
  const reason = { reason: "The last invoice is open" };
  await stage.api(demo.platform_admin, "POST", `/v1/tenants/${other.tenantId}/suspend`, reason);
  stage.stack.clock.advance(61_000);
  await page.goto(stage.console);
  await page.getByRole("heading", { name: "Owes money is suspended" }).waitFor();
  // Why is told to its owner alone.
  if (await page.getByText(reason.reason).isVisible()) throw new Error("a developer is told why");
  const problems = await inspect(page, "suspended");
  await page.goto(`${stage.console}/workspaces`);
  const mine = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Switch" }) });
  await mine.first().getByRole("button", { name: "Switch" }).click();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).waitFor();

  // The owner of the suspended one alone is at the door, reads why, and gets to billing.
  const owner = await stage.signedIn(other.person, { isRefused: true });
  await owner.page.getByRole("heading", { name: "Owes money is suspended" }).waitFor();
  problems.push(...(await inspect(owner.page, "suspended-owner", { isPictured: true })));
  await owner.page.getByText(reason.reason).waitFor();
  await owner.page.getByRole("link", { name: "Billing" }).click();
  await owner.page.getByRole("heading", { name: "Billing" }).waitFor();
  await owner.page.getByText("The last invoice is open").waitFor();
  return problems;
}
