import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { drawn, localHostFile } from "../../docs/local-host.ts";
import type { Rule } from "../../emulators/bedrock/rules/rule.ts";
import { hostRules } from "../../emulators/bedrock/rules/rules.ts";

const page = readFileSync(localHostFile, "utf8");

test("docs/local-host.md has the rules of the local model host: npm run docs:local-host", () => {
  expect(drawn(page)).toBe(page);
});

test("a rule's row has its flags, its models and whether its words are ours", () => {
  const rule = { ...(hostRules[2] as Rule), words: "no", wordsAreOurs: true } as const;
  expect(drawn("", [rule])).toContain(
    "| `context_management` without a flag (`context-management-2025-06-27` or `compact-2026-01-12`) | all | ``no `` (our words) |",
  );
});
