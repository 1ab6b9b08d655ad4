import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { getNodeValue, parseTree } from "jsonc-parser";
import type { Machine } from "../../../../packages/command-line/machine/machine.ts";
import { changeJson, sentence, writeChanges } from "../../../../packages/command-line/machine/settings-file.ts";
import { archway } from "../../../../packages/token-helper/program.ts";

let file: string;
let said: string[];
let printed: string[];
let machine: Machine;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), "archway-")), "settings.json");
  [said, printed] = [[], []];
  const stdin = Readable.from([]);
  const [say, out] = [(line: string) => void said.push(line), (text: string) => void printed.push(text)];
  machine = {
    program: archway,
    env: {},
    platform: "linux",
    home: "/",
    cwd: "/nowhere",
    systemRoot: "/nowhere",
    hostname: "here",
    now: () => 0,
    stdin,
    out,
    say,
  };
});

const changes = [
  { path: ["env", "URL"], value: "https://acme.proxy.example.com" },
  { path: ["old"], value: undefined },
];

test("changing a settings file keeps comments, order and all other content", () => {
  writeFileSync(file, '// mine\n{\n  "b": 1, // and this\n  "old": 2,\n  "a": { "c": [1,2] }, /* x */\n}\n');
  writeChanges(machine, [changeJson(file, changes)], false);
  const text = readFileSync(file, "utf8");
  for (const kept of ["// mine\n", '"b": 1, // and this', "/* x */"]) expect(text).toContain(kept);
  expect(text).toContain('"URL": "https://acme.proxy.example.com"');
  const { old, a, b } = getNodeValue(parseTree(text) as never);
  expect([old, a, b]).toEqual([undefined, { c: [1, 2] }, 1]);
  expect(said).toEqual([`${file}:`, '  added   env.URL = "https://acme.proxy.example.com"', "  removed old"]);
});

test("changing a settings file whose value is not an object is refused by name, and the file is unchanged", () => {
  writeFileSync(file, '{ "env": "x" }');
  expect(() => changeJson(file, changes)).toThrow(
    `${file}: env is no object but a string: repair it first, nothing was changed`,
  );
});

test("changing a settings file a second time changes nothing", () => {
  writeChanges(machine, [changeJson(file, changes)], false);
  const { ino } = statSync(file);
  writeChanges(machine, [changeJson(file, changes)], false);
  expect([said.at(-1), statSync(file).ino]).toEqual([`${file}: nothing to change`, ino]);
});

test("a settings file that is only shown is not written", () => {
  writeChanges(machine, [changeJson(file, changes)], true);
  expect(existsSync(file)).toBe(false);
  expect(JSON.parse(printed.join(""))).toEqual({ env: { URL: "https://acme.proxy.example.com" } });
});

test.each(['{"a": ', "[]", "nonsense", '"text"'])("a damaged settings file is not changed: %j", (text) => {
  writeFileSync(file, text);
  expect(() => changeJson(file, changes)).toThrow("repair it first, nothing was changed");
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a settings file can be empty or have a byte order mark", () => {
  for (const text of ["", "  \n", '\uFEFF{"a":1}']) {
    writeFileSync(file, text);
    expect(JSON.parse(changeJson(file, changes).text)).toMatchObject({ env: expect.anything() });
  }
});

describe("the file keeps", () => {
  test("a settings file keeps its access rights, and a new file can be read only by its owner", () => {
    writeChanges(machine, [changeJson(file, changes)], false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o640);
    writeChanges(machine, [changeJson(file, [{ path: ["a"], value: 1 }])], false);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("a settings file that is a link stays a link", () => {
    const target = `${file}.real`;
    writeFileSync(target, "{}");
    symlinkSync(target, file);
    writeChanges(machine, [changeJson(file, changes)], false);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("URL");
  });
});

test("changing a settings file shows the old value, unless it may be a secret", () => {
  expect(sentence("model", "a", "b")).toBe('changed model = "b", it was "a"');
  expect(sentence("env.ANTHROPIC_AUTH_TOKEN", "secret", "b")).not.toContain("secret");
});

test.each([
  ['{"old":1}', "{}"],
  ['{"a":1,"old":1}', '{"a":1}'],
  ['{"old":1,"a":1}', '{"a":1}'],
  ['{"a":1 /* , */, /* x */ "old":1 /* y */}', '{"a":1 /* , */ /* x */  /* y */}'],
])("only the named entries are removed from %j", (before, after) => {
  writeFileSync(file, before);
  expect(changeJson(file, [{ path: ["old"], value: undefined }]).text).toBe(after);
});
