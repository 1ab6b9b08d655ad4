// Names of tools, as the gateway and its clients write them.
import { describe, expect, test } from "@jest/globals";
import { partsOf, toolWarnings } from "../../../domain/tools/tool-name.ts";

describe("a tool's name", () => {
  test("a tool's name begins with its target's name", () => {
    expect(partsOf("pets___list_pets")).toEqual({ target: "pets", tool: "list_pets" });
    expect(partsOf("pets___a___b")).toEqual({ target: "pets", tool: "a___b" });
    expect(partsOf("___list_pets")).toEqual({ target: "", tool: "list_pets" });
    expect(partsOf("x_amz_bedrock_agentcore_search")).toEqual({
      target: undefined,
      tool: "x_amz_bedrock_agentcore_search",
    });
  });

  test("a tool's name of 64 characters, including the client's prefix, is accepted, and a longer one causes a warning", () => {
    const prefix = "mcp__acme__pets___".length;
    expect(toolWarnings("acme", "pets", ["a".repeat(64 - prefix)])).toEqual([]);
    const [warning] = toolWarnings("acme", "pets", ["a".repeat(65 - prefix)]);
    expect(warning?.message).toContain("has 65 characters");
    expect(warning?.message).toContain("by 1");
  });

  test("a tool's name with a character that clients refuse causes a warning", () => {
    expect(toolWarnings("acme", "pets", ["repos/get", "list-pets"]).map(({ tool }) => tool)).toEqual(["repos/get"]);
  });
});
