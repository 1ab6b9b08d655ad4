// The settings of an integration after a change.
import { expect, test } from "@jest/globals";
import { settingNames } from "../../../domain/integrations/server-request.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";

test("are those that were given, else the kept ones that the provider takes", () => {
  const web = aServer({
    target_mode: "runtime",
    provider_id: "tavily",
    extra_env_names: ["BASE_URL", "DEFAULT_PARAMETERS"],
  });
  expect(settingNames(web, undefined)).toEqual(["DEFAULT_PARAMETERS"]);
  expect(settingNames(web, [])).toEqual([]);
  expect(settingNames(web, [{ name: "DEFAULT_PARAMETERS", value: "{}" }])).toEqual(["DEFAULT_PARAMETERS"]);
});
