import { expect, test } from "@jest/globals";
import { readFrontmatter } from "../../../domain/skills/frontmatter.ts";

const read = (head: string) => readFrontmatter(`---\nname: a-skill\ndescription: Does it\n${head}\n---\n# Body\n`);
const reasons = (head: string) => read(head).problems.map(({ message }) => message);

test("the frontmatter contains only values that JSON can express", () => {
  expect(read('license: MIT\nmetadata:\n  version: "1.10"\nallowed-tools: Bash(git:*)').frontmatter).toEqual({
    ...{ name: "a-skill", description: "Does it", license: "MIT", metadata: { version: "1.10" } },
    "allowed-tools": "Bash(git:*)",
  });
});

test("a date in frontmatter is read as text, and Windows line ends are accepted", () => {
  expect(read("since: 2026-11-23").frontmatter).toMatchObject({ since: "2026-11-23" });
  expect(readFrontmatter("---\r\nname: a\r\ndescription: b\r\n---\r\nBody\r\n").frontmatter).toEqual({
    ...{ name: "a", description: "b" },
  });
});

test.each([
  [
    "a number where its author sees a text",
    "metadata:\n  version: 1.10",
    "metadata.version: must be a text: write it in quotes",
  ],
  ["metadata that is no map", "metadata: [a]", "metadata: must be a map of names to texts"],
  ["an anchor", "a: &x 1", "the head must have no anchors and aliases (& and *)"],
  ["an alias", "a: &x 1\nb: *x", "the head must have no anchors and aliases (& and *)"],
  ["a tag", "a: !!str 1", "the head must have no tags (!)"],
  ["a merge", "b: &b {a: 1}\n<<: *b", "the head must have no anchors and aliases (& and *)"],
  ["a prototype", "__proto__: {a: 1}", "the head must not have a field __proto__"],
  ["a prototype within", "metadata: {constructor: a}", "the head must not have a field constructor"],
  ["a field twice", "license: a\nlicense: b", "the head is not valid YAML in line 5"],
  ["no finite number", "a: .inf", "the head must have finite numbers"],
  ["many levels", "a: [[[[[[[[[1]]]]]]]]]", "the head must have at most 8 levels"],
  ["deep nesting", `a: ${"[".repeat(8_000)}`, "the head is not valid YAML"],
])("frontmatter with %s is refused", (_, head, reason) => {
  expect(reasons(head).join("; ")).toContain(reason);
});

test.each([
  ["# No head", "must begin with a line of three dashes"],
  ["---\nname: a\n", "must end its head with a line of three dashes within 16384 characters"],
  [`---\nname: a\ndescription: ${"x".repeat(20_000)}\n---\n`, "must end its head"],
  ["---\n- a\n---\n", "the head must have fields"],
  ["---\n\n---\n", "the head must have fields"],
  ["---\nname: A\ndescription: ''\n---\n", "name: must be 1 to 48"],
  ["---\ndescription: a\n---\n", "name: is required"],
  ["---\nname: 1\ndescription: a\n---\n", "name: must be a text: write it in quotes"],
  ["---\nname: a--b\ndescription: a\n---\n", "name: must be 1 to 48"],
  [`---\nname: a\ndescription: ${"x".repeat(1_025)}\n---\n`, "description: must have 1 to 1024 characters"],
])("the SKILL.md %j is refused", (text, reason) => {
  expect(readFrontmatter(text).problems.map(({ message }) => message)).toContainEqual(expect.stringContaining(reason));
});
