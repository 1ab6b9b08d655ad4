// Model day: the host lists a model that the catalog lacks; the survey tells it with lines to add, and once they are in the catalog a call
// is answered at the listed price (docs/operations.md, "The catalog and the model host").
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, expect, test } from "@jest/globals";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { differenceMessage, newsMessage } from "../../../domain/catalog/survey.ts";
import { knownModels } from "../../../emulators/bedrock/models.ts";
import type { Prices } from "../../../emulators/model-lists/price-list.ts";
import { everything, settled } from "../../support/accounting/accounting.ts";
import { type SeededStack, startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";

const file = `coverage/model-day-${process.pid}.json`;
const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
const id = "claude-opus-6";
const baseId = `anthropic.${id}`;
const prices: Prices = [6, 30, 7.5, 12, 0.3];

let stack: SeededStack;
afterEach(() => stack.stop());
afterAll(() => rmSync(path, { force: true }));

/** The day on which the host and its price list have the model. */
function launch(): void {
  const [like] = knownModels.filter((model) => model.id === "anthropic.claude-opus-5-5");
  if (!like) throw new Error("no such model");
  stack.bedrock.models.offer({ ...like, id: baseId });
  stack.priceList.put({ "Claude Opus 6": { rows: [prices], from: "2026-11-28" } });
}

async function told(message: string): Promise<{ finding: string; lines?: string }[]> {
  const before = stack.logs.lines("survey-local").length;
  await stack.schedules.run("survey");
  return stack.logs
    .lines("survey-local")
    .slice(before)
    .map(({ line }) => line)
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line));
}

type Facts = { released: string; base: string; profiles: () => object; tiers: object[] };

/** The model that the lines make, as a catalog's document has it: outside of global profiles everything costs a tenth more. */
function modelOf(lines: string): object {
  const rates = (...usd: Prices) => tierOf(usd);
  const [like] = catalogData.models.filter((model) => model.id === "claude-opus-5-5");
  const model = (name: string, display_name: string, facts: Facts) => ({
    ...like,
    ...{ id: name, display_name, aliases: [], created_at: `${facts.released}T00:00:00Z`, base_id: facts.base },
    profiles: facts.profiles(),
    prices: [
      { profiles: [`global.${facts.base}`], from: facts.released, tiers: facts.tiers },
      { profiles: [`eu.${facts.base}`, `us.${facts.base}`], from: facts.released, tiers: [tierOf(regional)] },
    ],
  });
  return new Function("model", "rates", "large", "since47", `return [${lines}][0]`)(model, rates, {}, {});
}

const regional = prices.map((usd) => Number((usd * 1.1).toFixed(9))) as Prices;

function tierOf([input, output, cache_write_5m, cache_write_1h, cache_read]: Prices) {
  return { prompt_tokens_above: 0, input, output, cache_read, cache_write_5m, cache_write_1h };
}

test("a model that the host lists comes into the catalog by the lines that the survey tells, and is called at its listed price", async () => {
  stack = await startSeeded();
  // Host and catalog agree until the model comes.
  expect([await told(differenceMessage), await told(newsMessage)]).toEqual([[], []]);
  launch();
  expect((await ask(stack, { model: id })).status).toBe(404);
  const [news, ...more] = await told(newsMessage);
  expect(more).toEqual([]);
  expect(news?.finding).toContain(
    `The model host has Claude Opus 6 (${baseId}) in eu-central-1, eu-central-2, us-east-1`,
  );
  expect(stack.alarms.ringing()).toContain("survey-news");
  // News are told once.
  expect(await told(newsMessage)).toEqual([]);

  await stack.stop();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ models: [modelOf(news?.lines ?? ""), ...catalogData.models] }));
  stack = await startSeeded({ config: { "archway:catalog": file } });
  launch();
  expect([await told(differenceMessage), await told(newsMessage)]).toEqual([[], []]);
  await callIt();
});

test("a stack that takes up the family calls the model at its listed price within a minute of the survey", async () => {
  stack = await startSeeded({ config: { "archway:newModels": '["claude-opus"]' } });
  launch();
  expect((await ask(stack, { model: id })).status).toBe(404);
  expect([(await told(newsMessage)).length, (await told(differenceMessage)).length]).toEqual([1, 0]);
  stack.clock.advance(61_000);
  await callIt();
});

/** Calls the model, and compares what is booked with the listed price. */
async function callIt(): Promise<void> {
  const answer = await ask(stack, { model: id });
  expect([answer.status, answer.headers.get("x-archway-model")]).toEqual([200, null]);
  await answer.text();
  await settled(stack);
  const { modelId, usage } = stack.bedrock.requests().at(-1) ?? {};
  expect(modelId).toBe(`eu.${baseId}`);
  const [row] = (await everything(stack)).filter((item) => item.model === id && item.usage !== undefined);
  expect(row?.usage).toMatchObject({ input: usage?.input_tokens, output: usage?.output_tokens });
  const [input, output] = regional;
  expect(row?.cost).toBe(
    Math.ceil(((usage?.input_tokens ?? 0) * input + (usage?.output_tokens ?? 0) * output) * 1_000),
  );
}
