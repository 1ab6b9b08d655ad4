// The bodies that libraries send unless told otherwise, on every model: none is refused. They are recorded from the libraries, but for the models under
// `copied`, which get the body of the model that they name.
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

type Sent = { client: string; anthropic_version: string; models: string[]; body: { max_tokens: number } };
const defaults: { bodies: Sent[] } = JSON.parse(readFileSync(new URL("default-bodies.json", import.meta.url), "utf8"));
const ids = parseCatalog(catalogData).models.map(({ id }) => id);
const clients = [...new Set(defaults.bodies.map(({ client }) => client))];

describe("defaults", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => settled(stack));

  test.each(clients)("each model answers the default request of %s at the first try", async (client) => {
    const { key } = await aServiceAccount(stack, { allow_global_profiles: true, monthly_budget_usd: 500 });
    const sent = defaults.bodies.filter((each) => each.client === client);
    expect(sent.flatMap(({ models }) => models).sort()).toEqual([...ids].sort());
    for (const { models, anthropic_version: version, body } of sent) {
      for (const model of models) {
        const known = stack.bedrock.requests().length;
        const headers = { "anthropic-version": version };
        const response = await ask(stack, { stream: undefined, ...body, model }, { key, headers });
        const text = await response.text();
        expect([model, response.status, response.ok ? "" : text]).toEqual([model, 200, ""]);
        expect(stack.bedrock.requests().length - known).toBe(1);
        const lowered = model === "claude-sonnet-4-6" && body.max_tokens > 64_000;
        expect([model, response.headers.get("x-archway-max-tokens")]).toEqual([model, lowered ? "64000" : null]);
      }
    }
  });
});
