import { describe, expect, test } from "@jest/globals";
import { sentBetas } from "../../../domain/catalog/capability.ts";
import { availableRegions, findModel, parseCatalog, profileFor } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { countingPlace } from "../../../domain/catalog/counting.ts";
import { priceAt } from "../../../domain/catalog/price.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { parseUsd } from "../../../domain/kernel/money.ts";

const catalog = parseCatalog(catalogData);
const now = "2026-11-21T00:00:00.000Z";

function aModel(id: string) {
  const model = findModel(catalog, id);
  if (!model) throw new Error(`no model ${id}`);
  return model;
}

/** Five prices of a model on a day. A price that begins later is asked for by its first day. */
function listed(id: string, prefix: string, tier = 0, day = now) {
  const model = aModel(id);
  const rates = priceAt(model, `${prefix}${model.base_id}`, day)?.tiers[tier];
  return rates && [rates.input, rates.output, rates.cache_write_5m, rates.cache_write_1h, rates.cache_read];
}

// input, output, 5m write, 1h write, read in USD per million tokens, as the price pages print them.
test.each([
  ["claude-fable-5-2", 0, [8, 40, 10, 16, 0.2]],
  ["claude-fable-5-1", 0, [10, 50, 12.5, 20, 0.25]],
  ["claude-fable-5", 0, [10, 50, 12.5, 20, 1]],
  ["claude-opus-5-5", 0, [4, 20, 5, 8, 0.2]],
  ["claude-opus-5", 0, [5, 25, 6.25, 10, 0.5]],
  ["claude-opus-4-8", 0, [5, 25, 6.25, 10, 0.5]],
  ["claude-opus-4-7", 0, [5, 25, 6.25, 10, 0.5]],
  ["claude-opus-4-6", 0, [5, 25, 6.25, 10, 0.5]],
  ["claude-opus-4-5", 0, [5, 25, 6.25, 10, 0.5]],
  ["claude-sonnet-5-5", 0, [2, 10, 2.5, 4, 0.1]],
  ["claude-sonnet-5", 0, [2, 10, 2.5, 4, 0.2]],
  ["claude-sonnet-4-6", 0, [3, 15, 3.75, 6, 0.3]],
  ["claude-sonnet-4-5", 0, [3, 15, 3.75, 6, 0.3]],
  ["claude-haiku-5-5", 0, [0.1, 0.5, 0.125, 0.2, 0.01]],
  ["claude-haiku-5-5", 1, [0.5, 2.5, 0.625, 1, 0.05]],
  ["claude-haiku-4-5", 0, [1, 5, 1.25, 2, 0.1]],
])("%s costs its list price with the global profile (tier %i)", (id, tier, prices) => {
  expect(listed(id, "global.", tier)).toEqual(prices.map(parseUsd));
});

test.each([
  ["claude-fable-5-2", 0, [8.8, 44, 11, 17.6, 0.22]],
  ["claude-fable-5", 0, [11, 55, 13.75, 22, 1.1]],
  ["claude-opus-5-5", 0, [4.4, 22, 5.5, 8.8, 0.22]],
  ["claude-opus-5", 0, [5.5, 27.5, 6.875, 11, 0.55]],
  ["claude-sonnet-5-5", 0, [2.2, 11, 2.75, 4.4, 0.11]],
  ["claude-sonnet-5", 0, [2.2, 11, 2.75, 4.4, 0.22]],
  ["claude-sonnet-4-6", 0, [3.3, 16.5, 4.125, 6.6, 0.33]],
  ["claude-haiku-5-5", 0, [0.11, 0.55, 0.1375, 0.22, 0.011]],
  ["claude-haiku-5-5", 1, [0.55, 2.75, 0.6875, 1.1, 0.055]],
  ["claude-haiku-4-5", 0, [1.1, 5.5, 1.375, 2.2, 0.11]],
])("%s costs 10 %% more with the EU's profile (tier %i)", (id, tier, prices) => {
  expect(listed(id, "eu.", tier)).toEqual(prices.map(parseUsd));
});

test("Fable 5.1 costs 10 % more with the United States' profile, and has no EU profile", () => {
  expect(listed("claude-fable-5-1", "us.")).toEqual([11, 55, 13.75, 22, 0.275].map(parseUsd));
  expect(listed("claude-fable-5-1", "eu.")).toBeUndefined();
});

test("Fable 5.2 costs 10 % more with the United States' profile", () => {
  expect(listed("claude-fable-5-2", "us.")).toEqual([8.8, 44, 11, 17.6, 0.22].map(parseUsd));
});

test("every route has a price now, by its profile and not by its region", () => {
  for (const model of catalog.models) {
    for (const region of availableRegions(model, { allowGlobal: true })) {
      const profile = profileFor(model, region, { allowGlobal: true }) ?? "";
      expect(priceAt(model, profile, now)).toBeDefined();
    }
  }
});

describe("regions", () => {
  test("all models but Fable 5.1 are served to European regions within Europe, without a global profile", () => {
    const outside = catalog.models.filter(
      (model) => !availableRegions(model, { allowGlobal: false }).includes("eu-central-1"),
    );
    expect(outside.map((model) => model.id)).toEqual(["claude-fable-5-1"]);
    expect(profileFor(aModel("claude-sonnet-5"), "eu-central-2", { allowGlobal: true })).toBe(
      "eu.anthropic.claude-sonnet-5",
    );
  });

  const routes = catalog.models.flatMap((model) => regions.map((region) => [model.id, region] as const));

  test.each(routes)(
    "a call of %s in %s stays in its geography, if the grant allows no global profile",
    (id, region) => {
      const model = aModel(id);
      const profile = profileFor(model, region, { allowGlobal: false });
      const { geography: within, region: own } = model.profiles[region] ?? {};
      expect(profile).toBe(within ?? own);
      if (profile === undefined) return;
      const geography = region.slice(0, 3);
      expect(profile === model.base_id || profile.startsWith(geography.replace("-", "."))).toBe(true);
      expect(countingPlace(model.capabilities.count_tokens, region)?.region ?? region).toMatch(
        new RegExp(`^${geography}`),
      );
    },
  );

  test("every model can be used in us-east-1, and models from 4.7 on in all regions", () => {
    for (const model of catalog.models) expect(availableRegions(model, { allowGlobal: true })).toContain("us-east-1");
    expect(availableRegions(aModel("claude-opus-4-7"), { allowGlobal: true })).toEqual([...regions]);
    expect(availableRegions(aModel("claude-fable-5-2"), { allowGlobal: true })).toEqual(["eu-central-1", "us-east-1"]);
    expect(availableRegions(aModel("claude-sonnet-4-6"), { allowGlobal: true })).toEqual(["eu-central-1", "us-east-1"]);
  });
});

test("Anthropic's dated ids and the model host's ids name the same model", () => {
  for (const name of ["claude-haiku-4-5-20251001", "us.anthropic.claude-haiku-4-5-20251001-v1:0"]) {
    expect(findModel(catalog, name)?.id).toBe("claude-haiku-4-5");
  }
});

describe("capabilities", () => {
  const sent = (id: string, ...flags: string[]) => sentBetas(aModel(id).capabilities, flags);

  test("flags that Claude Code sets for itself, or that the host's features lack, are removed, and unknown flags are sent", () => {
    const flags = [
      "claude-code-20250219",
      "oauth-2025-04-20",
      "prompt-caching-scope-2026-01-05",
      "brand-new-2027-01-01",
    ];
    for (const model of catalog.models) expect(sent(model.id, ...flags)).toEqual(["brand-new-2027-01-01"]);
  });

  test("every flag that a client has sent in a recording has an entry with its source and date", () => {
    const seen =
      "claude-code-20250219 interleaved-thinking-2025-05-14 context-management-2025-06-27 per-turn-control-2026-07-01 " +
      "mid-conversation-tool-changes-2026-07-01 thinking-token-count-2026-05-13 advanced-tool-use-2025-11-20 " +
      "effort-2025-11-24 thinking-display-updates-2026-08-18 token-counting-2024-11-01 extended-cache-ttl-2025-04-11 " +
      "context-1m-2025-08-07 prompt-caching-scope-2026-01-05 mid-conversation-system-2026-04-07 " +
      "fine-grained-tool-streaming-2025-05-14 structured-outputs-2025-11-13 thinking-binding-controls-2026-08-01 " +
      "fast-mode-2026-02-01 message-threads-2026-08-12 structured-outputs-2025-12-15 mcp-client-2025-11-20 " +
      "skills-2025-10-02 prompt-caching-2024-07-31";
    for (const { capabilities } of catalog.models) {
      for (const flag of seen.split(" ")) {
        expect([flag, capabilities.betas[flag]?.source, capabilities.betas[flag]?.date]).toEqual([
          flag,
          expect.any(String),
          expect.stringMatching(/^2026-11-/),
        ]);
      }
    }
  });

  test("every model since Opus 4.8 accepts system turns", () => {
    const others = catalog.models.filter(({ capabilities }) => capabilities.system_turns !== "pass");
    const versions = new Set(others.map(({ id }) => id.replace(/^claude-[a-z]+-/, "")));
    expect([...versions]).toEqual(["4-7", "4-6", "4-5"]);
  });

  test("both flags of compaction pass", () => {
    const flags = ["compact-2026-01-12", "compact-2026-09-04"];
    for (const model of catalog.models) expect(sent(model.id, ...flags)).toEqual(flags);
  });

  test("the flag for advanced tool use is sent under the name of tool search", () => {
    expect(sent("claude-opus-5", "advanced-tool-use-2025-11-20")).toEqual(["tool-search-tool-2025-10-19"]);
  });

  test("the flag for 1M tokens is sent only if the catalog's context window needs it", () => {
    expect(sent("claude-sonnet-4-6", "context-1m-2025-08-07")).toHaveLength(1);
    expect(sent("claude-opus-4-7", "context-1m-2025-08-07")).toHaveLength(0);
    expect(sent("claude-sonnet-4-5", "context-1m-2025-08-07")).toHaveLength(0);
  });

  test("tokens can be counted for every model in every region that serves it, without leaving the geography", () => {
    for (const model of catalog.models) {
      for (const region of availableRegions(model, { allowGlobal: true })) {
        const place = countingPlace(model.capabilities.count_tokens, region);
        expect([model.id, region, place?.region.slice(0, 2)]).toEqual([model.id, region, region.slice(0, 2)]);
      }
    }
  });

  test("CountTokens counts for models up to 4.6 in the caller's region, the Messages endpoint for newer ones", () => {
    const placeOf = (id: string) => findModel(catalog, id)?.capabilities.count_tokens;
    for (const id of ["claude-sonnet-4-6", "claude-haiku-4-5", "claude-opus-4-5"]) {
      expect(placeOf(id)).toMatchObject({ "eu-central-1": { endpoint: "runtime", region: "eu-central-1" } });
    }
    for (const id of ["claude-opus-4-7", "claude-fable-5-1", "claude-haiku-5-5"]) {
      expect(placeOf(id)).toEqual({
        "eu-central-1": { endpoint: "messages", region: "eu-west-1" },
        "eu-central-2": { endpoint: "messages", region: "eu-west-1" },
        "us-east-1": { endpoint: "messages", region: "us-east-1" },
      });
    }
  });
});
