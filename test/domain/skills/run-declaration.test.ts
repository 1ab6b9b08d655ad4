import { expect, test } from "@jest/globals";
import { readRunDeclaration } from "../../../domain/skills/run-declaration.ts";
import { folder } from "../../support/skills/skill-files.ts";

const files = folder({
  "a.py": "print(1)",
  "a.rb": "puts 1",
  "bytes.py": Uint8Array.from([0xa7, 0x0d, 0x0d, 0x0a, 0, 0]),
  "in.json": '{"type":"object"}',
});
const read = (metadata: Record<string, string>) => readRunDeclaration({ name: "a", description: "b", metadata }, files);
const reasons = (metadata: Record<string, string>) => read(metadata).problems.map(({ message }) => message);

test("a run declaration contains script, network, time limit and input", () => {
  expect(read({ "archway-run": "a.py" })).toEqual({
    run: { path: "a.py", network: "none", timeout_seconds: 60 },
    problems: [],
  });
  const all = { "archway-network": "internet", "archway-timeout": "300", "archway-input": "in.json" };
  expect(read({ "archway-run": "a.py", author: "me", ...all })).toEqual({
    run: { path: "a.py", network: "internet", timeout_seconds: 300 },
    input_schema: { type: "object" },
    problems: [],
  });
});

test("a skill without the platform's keys has no run declaration", () => {
  expect(read({ author: "me" })).toEqual({ problems: [] });
  expect(readRunDeclaration({ name: "a", description: "b" }, files)).toEqual({ problems: [] });
});

test.each([
  [{ "archway-run": "b.py" }, "metadata.archway-run: there is no file b.py"],
  [{ "archway-run": "a.rb" }, "metadata.archway-run: must end with one of .py .js .mjs .sh"],
  [{ "archway-run": "bytes.py" }, "metadata.archway-run: must be a text in UTF-8"],
  [{ "archway-run": "a.py", "archway-network": "all" }, "metadata.archway-network: must be one of none, internet"],
  [{ "archway-run": "a.py", "archway-timeout": "301" }, 'metadata.archway-timeout: must be "1" to "300", in seconds'],
  [{ "archway-run": "a.py", "archway-timeout": "1.5" }, 'metadata.archway-timeout: must be "1" to "300", in seconds'],
  [{ "archway-run": "a.py", "archway-input": "none.json" }, "metadata.archway-input: there is no file none.json"],
  [{ "archway-run": "a.py", "archway-netwerk": "none" }, "metadata.archway-netwerk: is unknown"],
  [{ "archway-timeout": "5" }, "metadata.archway-timeout: has no meaning without archway-run"],
])("a skill's run declaration %j is refused", (metadata, reason) => {
  expect(reasons(metadata as Record<string, string>).join("; ")).toContain(reason);
});
