// The settings of an integration after a change.
import { expect, test } from "@jest/globals";
import { settingNames } from "../../../domain/integrations/server-request.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";

test("an integration's settings are those of the request, or else the stored ones that the provider accepts", () => {
  const web = aServer({
    target_mode: "runtime",
    provider_id: "tavily",
    extra_env_names: ["BASE_URL", "DEFAULT_PARAMETERS"],
  });
  expect(settingNames(web, undefined)).toEqual(["DEFAULT_PARAMETERS"]);
  expect(settingNames(web, [])).toEqual([]);
  expect(settingNames(web, [{ name: "DEFAULT_PARAMETERS", value: "{}" }])).toEqual(["DEFAULT_PARAMETERS"]);
});
