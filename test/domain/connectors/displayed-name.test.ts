import { expect, test } from "@jest/globals";
import { displayedName } from "../../../domain/connectors/displayed-name.ts";

test.each([
  ["Claude Code", "Claude Code"],
  ["  Žofie's   (beta) ", "Žofies (beta)"],
  ["<script>alert(1)</script>", "scriptalert(1)script"],
  ["A\u202eB\u200bC\n", "ABC"],
  ["x".repeat(200), "x".repeat(64)],
  ["\u0007", undefined],
  [undefined, undefined],
])("the name %j is shown as %j", (name, shown) => {
  expect(displayedName(name)).toBe(shown);
});
