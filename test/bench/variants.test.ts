// The benchmark is not part of `npm test`, and what it stands on changes: here its proxy answers once.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Builds } from "../../bench/build.ts";
import { stopAll } from "../../bench/child-process.ts";
import { prepare, startVariant, type Variant } from "../../bench/variants.ts";
import { limits } from "../../bench/workspace.ts";
import { grantBody } from "../../domain/access/grant.ts";

describe("the proxy that the benchmark measures", () => {
  const builds = new Builds();
  let archway: Variant;

  beforeAll(async () => {
    archway = await startVariant("archway", await prepare(builds, 100));
  });

  afterAll(async () => {
    await stopAll();
    builds.remove();
  });

  test.each(["plain", "stream"] as const)(
    "the benchmark's variant answers a %s message as the load expects",
    async (mode) => {
      const { url, headers, apiKeys, body, expected } = archway.target(mode);
      const [apiKey = ""] = apiKeys;
      const response = await fetch(url, { method: "POST", headers: { ...headers, "x-api-key": apiKey }, body });
      expect(await response.text()).toBe(expected.body);
    },
  );

  test("the benchmark's variant creates keys like those of the API", () => {
    expect(() => grantBody.parse(limits)).not.toThrow();
  });
});
