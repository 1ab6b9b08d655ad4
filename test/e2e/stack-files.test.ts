// Stack files as an operator writes them: each starts, its demo workspace is there, and its people work.
import { expect, test } from "@jest/globals";
import { consoleToken, helperToken } from "../../local/demo/app-client.ts";
import type { Demo } from "../../local/running-stack.ts";
import { type Stack, startLocal } from "../../local/stack.ts";
import { runMeter, settled } from "../support/accounting/accounting.ts";
import { isLong, longTest } from "../support/sizes.ts";

const provider = { name: "Okta", issuer: "https://example.okta.com", clientId: "0oa1", clientSecret: "secret" };

type Change = [name: string, config: Record<string, string | undefined>];

const changes: Change[] = [
  ["without Stripe", { "archway:stripe": undefined }],
  ["without mail", { "archway:mail": undefined }],
  ["with manual approval", { "archway:approval": "manual" }],
  ["with another default region", { "archway:defaultRegion": "us-east-1" }],
  [
    "with another prefix of scopes",
    { "archway:names": JSON.stringify({ vendor: ["vendor"], scopePrefix: "enterprise" }) },
  ],
  ["with a second identity provider", { "archway:oidcProviders": JSON.stringify([provider]) }],
];

/** Each change in a stack of its own, or in few stacks: a stack and its demo workspace take seconds. */
const stackFiles = isLong ? changes : [0, 1].map((half) => together(changes.filter((_, place) => place % 2 === half)));

function together(some: Change[]): Change {
  return [some.map(([name]) => name).join(", "), Object.assign({}, ...some.map(([, config]) => config))];
}

test.each(stackFiles)(
  "a stack %s starts, and its owner and its service account can call a model",
  async (_, config) => {
    const stack = await startLocal({ port: 0, ephemeral: true, config });
    try {
      const { owner, api_key } = stack.demo as Demo;
      expect(await ask(stack, { "x-api-key": api_key })).toBe(200);
      expect(await ask(stack, { authorization: `Bearer ${await helperToken(stack, owner)}` })).toBe(200);
    } finally {
      await stack.stop();
    }
  },
  300_000,
);

longTest(
  "on a stack that does not bill a workspace can use more than 10,000 tokens, and no free credit is mentioned",
  async () => {
    const stack = await startLocal({ port: 0, ephemeral: true, config: { "archway:stripe": undefined } });
    try {
      const { api_key, owner } = stack.demo as Demo;
      for (let tokens = 0; tokens <= 30_000; tokens += 5_000) {
        expect(await ask(stack, { "x-api-key": api_key }, "A word ".repeat(5_000))).toBe(200);
      }
      const read = async (path: string) => {
        const headers = { authorization: `Bearer ${await consoleToken(stack, owner)}` };
        return (await fetch(`${stack.at("api")}${path}`, { headers })).json();
      };
      for (const path of ["/v1/me", "/v1/billing"]) expect(await read(path)).not.toHaveProperty("free_credit");
      await settled(stack);
      stack.clock.advance(2 * 60 * 60 * 1_000);
      await runMeter(stack);
      const { data } = (await read("/v1/usage?group_by=model")) as { data: { cost_usd: number; credit_usd: number }[] };
      expect(data.map(({ cost_usd, credit_usd }) => [cost_usd > 0, credit_usd])).toEqual([[true, 0]]);
    } finally {
      await stack.stop();
    }
  },
  300_000,
);

function ask({ at, demo }: Stack, credential: Record<string, string>, content = "What is an arch?"): Promise<number> {
  const body = { model: "claude-haiku-4-5", max_tokens: 100, messages: [{ role: "user", content }] };
  return fetch(`${at(`${demo?.slug}.proxy`)}/vendor/v1/messages`, {
    method: "POST",
    headers: { ...credential, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });
}
