// A small team with a good card works on its first day: many callers use little, and ask for long answers as clients do.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { allowanceRecord } from "../../../adapters/dynamodb/budget/allowance.record.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, settled } from "../../support/accounting/accounting.ts";
import { anotherKey, type BilledWorkspace, openBilled, told } from "../../support/billing/billed-workspace.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { isLong } from "../../support/sizes.ts";

const card = { number: "4242424242424242", expiry: "12/34", name: "Ada", country: "DE" };
const usd = 1_000_000_000;
/** USD that an owner may have unpaid, and teams whose bounds add up to more than that. */
const [trialCap, accounts, colleagues] = isLong ? [50, 70, 20] : [10, 16, 5];

let stack: Stack;
beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:trialCap": String(trialCap) } });
});
afterEach(() => settled(stack));
afterAll(() => stack.stop());

/** A new owner with a card, and a workspace whose free credit is used. */
async function openTeam(email: string): Promise<BilledWorkspace> {
  const owner = await signUp(stack, email);
  const workspace = await openBilled(stack, owner, `The ${email.split("@")[0]}`);
  const token = await consoleToken(stack, owner);
  const { url } = (await callControlPlane(stack, token, "POST", "/v1/billing/setup")) as { url: string };
  await fetch(url, { method: "POST", body: new URLSearchParams(card), redirect: "manual" });
  await told(stack);
  return workspace;
}

type Unpaid = { limit_usd: number; used_usd: number; reserved_usd: number };

async function unpaidOf(owner: Person): Promise<Unpaid> {
  const answer = await callControlPlane(stack, await consoleToken(stack, owner), "GET", "/v1/billing");
  return (answer as { unpaid: Unpaid }).unpaid;
}

/** A short call to Opus. @returns its status and, if its `max_tokens` was lowered, to how much */
async function call({ slug }: BilledWorkspace, key: string, max_tokens: number): Promise<string> {
  const response = await ask(stack, { model: "claude-opus-5", max_tokens }, { slug, key });
  await response.text();
  return [response.status, response.headers.get("x-archway-max-tokens")].filter(Boolean).join(" lowered to ");
}

const served = (calls: number) => Array.from({ length: calls }, () => "200");

test("many accounts are served in turn, even if the bounds of all their calls are more than may be unpaid", async () => {
  const team = await openTeam("accounts@team.example");
  const answers: string[] = [];
  for (let n = 0; n < accounts; n++) {
    answers.push(await call(team, await anotherKey(stack, team.owner, `CI ${n}`), 32_000));
    await settled(stack);
  }
  expect(answers).toEqual(served(accounts));
  const { limit_usd, used_usd, reserved_usd } = await unpaidOf(team.owner);
  expect(limit_usd).toBe(trialCap);
  expect(used_usd).toBeLessThan(trialCap / 10);
  expect(reserved_usd).toBeGreaterThan(trialCap / 10);
  expect(Number((await itemAt(stack, allowanceRecord.key({ owner_sub: team.owner.sub })))?.drawn)).toBeLessThanOrEqual(
    trialCap * usd,
  );
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

test("colleagues who request 128,000 tokens call twice, one after the other, and get complete answers", async () => {
  const team = await openTeam("colleagues@team.example");
  const callers: string[] = [];
  for (let n = 0; n < colleagues; n++) callers.push(await anotherKey(stack, team.owner, `Colleague ${n}`));
  const answers: string[] = [];
  for (const key of [...callers, ...callers]) {
    answers.push(await call(team, key, 128_000));
    await settled(stack);
  }
  expect(answers).toEqual(served(2 * colleagues));
  expect((await unpaidOf(team.owner)).used_usd).toBeLessThan(trialCap / 10);
});

test("calls beyond the owner's allowance get the rest of it or wait: none is refused or cut to a few words", async () => {
  const team = await openTeam("crowded@team.example");
  const callers: string[] = [];
  for (let n = 0; n < colleagues; n++) callers.push(await anotherKey(stack, team.owner, `Colleague ${n}`));
  const answers = await Promise.all([...callers, ...callers].map((key) => call(team, key, 128_000)));
  expect(answers.filter((answer) => !/^200( lowered to (64000|32000|16384|8192))?$/.test(answer))).toEqual([]);
  await settled(stack);
  expect(Number((await itemAt(stack, allowanceRecord.key({ owner_sub: team.owner.sub })))?.drawn)).toBeLessThanOrEqual(
    trialCap * usd,
  );
});
