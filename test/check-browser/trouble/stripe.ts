// The payment provider answers nothing: billing says so, a set-up is refused in words, and every other page works.
import { endpoints } from "../../../emulators/stripe/api.ts";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";
import { pagesOf } from "../workspace/every-page.ts";

export async function stripeDown(stage: Stage): Promise<string[]> {
  const owner = await stage.owner();
  const { page } = owner;
  await page.goto(`${stage.console}/billing`);
  await page.getByText("No payment method").waitFor();
  const { faults } = stage.stack;
  faults.put(
    endpoints.map(({ operation }) => ({
      ...{ service: "stripe", operation, kind: "error", status: 503, when: "before", times: 100_000 },
    })),
  );
  try {
    await page.reload();
    await page.getByText("The payment provider does not answer").waitFor();
    const problems = await inspect(page, "billing-provider-down");
    await page.getByRole("button", { name: "Add a payment method" }).click();
    await page.getByRole("alert").waitFor();
    console.log(`  a set-up is refused: ${(await page.getByRole("alert").innerText()).replaceAll("\n", " ")}`);
    problems.push(...(await pagesOf(stage, owner, "stripe-down")));
    return problems;
  } finally {
    faults.clear();
  }
}
