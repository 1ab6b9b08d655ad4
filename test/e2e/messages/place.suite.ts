// A promise of place: which profile of the model host answers for each model and region, with and without global profiles in the grant.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { geographyOf, regions } from "../../../domain/catalog/region.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const { models } = parseCatalog(catalogData);

describe("place", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterEach(async () => settled(stack));

  const listed = async (key: string, region: string) => {
    const address = `${stack.at(`${stack.demo?.slug}.proxy`)}/vendor/v1/models?limit=1000`;
    const response = await fetch(address, { headers: { "x-api-key": key, "x-platform-region": region } });
    const { data = [] } = (await response.json()) as { data?: { id: string }[] };
    return data.map(({ id }) => id);
  };

  test.each(regions)(
    "a call in %s stays in its geography for every model, or is refused and not listed",
    async (region) => {
      const { key } = await aServiceAccount(stack, { allowed_regions: [...regions], allow_global_profiles: false });
      const offered = await listed(key, region);
      for (const { id, base_id } of models) {
        const known = stack.bedrock.requests().length;
        const response = await ask(stack, { model: id }, { key, headers: { "x-platform-region": region } });
        const text = await response.text();
        const called = stack.bedrock.requests().slice(known);
        expect([id, response.status]).toEqual([id, offered.includes(id) ? 200 : 403]);
        if (response.status === 403) expect(text).toContain("region_not_allowed");
        for (const call of called) {
          expect([`${geographyOf(region)}.${base_id}`, base_id]).toContain(call.modelId);
          expect(call.region).toBe(region);
        }
        expect([id, called.length]).toEqual([id, response.status === 200 ? 1 : 0]);
      }
    },
  );

  test("a call may leave its geography if the grant allows it, for models that are not in the geography", async () => {
    const { key } = await aServiceAccount(stack, { allow_global_profiles: true });
    const response = await ask(stack, { model: "claude-fable-5-1" }, { key });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("message_stop")]);
    expect(stack.bedrock.requests().at(-1)?.modelId).toBe("global.anthropic.claude-fable-5-1");
    const american = await ask(
      stack,
      { model: "claude-fable-5-1" },
      { key, headers: { "x-platform-region": "us-east-1" } },
    );
    expect([american.status, await american.text()]).toEqual([200, expect.stringContaining("message_stop")]);
    expect(stack.bedrock.requests().at(-1)?.modelId).toBe("us.anthropic.claude-fable-5-1");
  });
});
