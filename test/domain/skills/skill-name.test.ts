import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isTakenName, managementTools, nameProblem } from "../../../domain/skills/skill-name.ts";

test.each(["a", "weekly-report", "7zip", "create-secrets", "a".repeat(48)])(
  "%s is accepted as the name of a skill",
  (name) => {
    expect(nameProblem(name)).toBeUndefined();
  },
);

test.each(["", "A", "a--b", "-a", "a-", "a_b", "a b", "ä", "a\n", "a".repeat(49)])(
  "%j is refused as the name of a skill",
  (name) => {
    expect(nameProblem(name)).toBe("must be 1 to 48 of a-z and 0-9 with single hyphens between them");
  },
);

test.each(managementTools)(
  "the spelling of %s with hyphens is refused as a skill's name, and the reason names the tool",
  (tool) => {
    const name = tool.replaceAll("_", "-");
    expect(isTakenName(name)).toBe(true);
    expect(nameProblem(name)).toBe(`is taken: some clients write it as ${tool}, which is a tool for managing skills`);
  },
);

test("two skills are different tools even for a client that replaces all but letters and digits by _, and none has the name of a management tool", () => {
  const written = (name: string) => name.replaceAll(/[^a-zA-Z0-9]/g, "_");
  const word = fc.oneof(
    fc.constantFrom("list", "skills", "create", "secret", "get", "run"),
    fc.stringMatching(/^[a-z0-9]{1,5}$/),
  );
  const name = fc
    .array(word, { minLength: 1, maxLength: 4 })
    .map((words) => words.join("-"))
    .filter((text) => nameProblem(text) === undefined);
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(managementTools).not.toContain(written(one));
      expect(written(one) === written(other)).toBe(one === other);
    }),
    { numRuns: 500 },
  );
});
