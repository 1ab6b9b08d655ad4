// A stack that gets its payment provider later: what was called while it billed nobody is on no invoice.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "@jest/globals";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { nextMonth } from "../../../domain/kernel/period.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, signUp } from "../../../local/demo/workspace.ts";
import { type Stack, startLocal } from "../../../local/stack.ts";
import { itemAt, runMeter } from "../../support/accounting/accounting.ts";
import {
  type BilledWorkspace,
  closeMonth,
  invoiced,
  openBilled,
  passHours,
  toBill,
  told,
  use,
} from "../../support/billing/billed-workspace.ts";
import { longTest } from "../../support/sizes.ts";

const dataFolder = mkdtempSync(join(tmpdir(), "archway-later-billing-"));
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

const dayMs = 86_400_000;
const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };

async function withStack(config: Record<string, undefined>, work: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startLocal({ port: 0, dataFolder, config });
  try {
    stack.bedrock.configure({ outputTokens: 20_001, tokensPerEvent: 20_000 });
    await work(stack);
  } finally {
    await stack.stop();
  }
}

/** The hourly run completes earlier workspaces, and the owner brings a card. */
async function beginBilling(stack: Stack, { owner }: BilledWorkspace): Promise<void> {
  await stack.schedules.run("reconcile");
  await stack.queuePoller.idle();
  const token = await consoleToken(stack, owner);
  const { url } = (await callControlPlane(stack, token, "POST", "/v1/billing/setup")) as { url: string };
  const paid = await fetch(url, { method: "POST", body: new URLSearchParams(card), redirect: "manual" });
  expect(paid.status).toBe(303);
  await told(stack);
}

type Billing = { month: Record<string, number>; unpaid: { used_usd: number } };

async function billing(stack: Stack, { owner }: BilledWorkspace): Promise<Billing> {
  const answer = await callControlPlane(stack, await consoleToken(stack, owner), "GET", "/v1/billing");
  return answer as Billing;
}

longTest(
  "usage from before the platform billed is never billed, and free credit begins in full with the billing",
  async () => {
    let workspace: BilledWorkspace | undefined;
    await withStack({ "archway:stripe": undefined }, async (stack) => {
      stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + dayMs + 600_000);
      workspace = await openBilled(stack, await signUp(stack, "ada@later.test"), "Later");
      expect(await use(stack, workspace, 64_000)).toBe(200);
      stack.clock.advance(2 * 3_600_000);
      await runMeter(stack);
      expect(await use(stack, workspace, 64_000)).toBe(200);
      const { list_price_usd, unbilled_usd, billed_usd } = (await billing(stack, workspace)).month;
      expect(list_price_usd).toBeGreaterThan(0.1);
      expect([unbilled_usd, billed_usd]).toEqual([list_price_usd, 0]);
    });
    const before = workspace as BilledWorkspace;
    await withStack({}, async (stack) => {
      const ofBefore = before.rows.length;
      await beginBilling(stack, before);
      expect(await use(stack, before, 64_000)).toBe(200);
      await passHours(stack, 2);
      const after = { ...before, rows: before.rows.slice(ofBefore) };
      const due = toBill(after);
      expect(due).toBeGreaterThan(0);
      expect(await itemAt(stack, creditRecord.key({ tenant_id: before.tenant_id }))).toMatchObject({
        granted_tokens: 10_000,
        spent: 10_000,
      });
      const { month, unpaid } = await billing(stack, before);
      const { list_price_usd = 0, unbilled_usd = 0, credit_usd = 0, billed_usd = 0 } = month;
      expect(unpaid.used_usd).toBeCloseTo(billed_usd, 5);
      expect(Math.floor(billed_usd * 1e6)).toBe(due);
      expect(list_price_usd - unbilled_usd - credit_usd).toBeCloseTo(billed_usd, 6);
      await closeMonth(stack);
      expect(await invoiced(stack, before)).toBe(due);
    });
  },
  300_000,
);
