// What a reviewer sees of a file, on the page and at a terminal.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import type { Machine } from "../../../packages/command-line/machine/machine.ts";
import type { SkillsApi } from "../../../packages/skills-mcp/api/skills-api.ts";
import { ask, askHidden } from "../../../packages/skills-mcp/commands/terminal.ts";
import { fileReview } from "../../../packages/skills-mcp/review/file-review.ts";
import { reviewOf } from "../../../packages/skills-mcp/review/review.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a file under review", () => {
  test("shows each hidden character by its name, and every line whole", () => {
    const text = `See\u200b this\u202e\n${"x".repeat(3_000)}\n\u001b[2Jend`;
    expect(fileReview("a.md", undefined, bytes(text))).toEqual({
      path: "a.md",
      state: "new",
      size: Buffer.byteLength(text),
      lines: ["See[U+200B] this[U+202E]", "x".repeat(3_000), "[U+001B][2Jend"],
    });
  });

  test("says what has changed since the active version, line by line", () => {
    const review = fileReview("a.md", bytes("one\ntwo\nthree\n"), bytes("one\n2\nthree\n"));
    expect(review.state).toBe("changed");
    expect(review.difference).toEqual([
      { sign: " ", line: "one" },
      { sign: "-", line: "two" },
      { sign: "+", line: "2" },
      { sign: " ", line: "three" },
    ]);
  });

  test("is unchanged, removed, or no text", () => {
    expect(fileReview("a", bytes("x"), bytes("x"))).toMatchObject({ state: "unchanged", lines: ["x"] });
    expect(fileReview("a", bytes("x"), undefined)).toEqual({ path: "a", state: "removed", size: 1 });
    expect(fileReview("a", undefined, new Uint8Array([0, 159, 146]))).toEqual({ path: "a", state: "new", size: 3 });
  });
});

describe("a review", () => {
  /** A platform with a skill whose versions hold these files, by their paths. A digest is the content itself. */
  function platform(versions: Record<string, string>[], active?: number) {
    const read: string[] = [];
    const filesOf = (version: number) =>
      Object.entries(versions[version - 1] ?? {}).map(([path, digest]) => ({ path, digest, size: digest.length }));
    const api = {
      skill: async () => ({ name: "greeting", active_version: active }),
      version: async (_name: string, version: number) => ({ name: "greeting", version, files: filesOf(version) }),
      env: async () => [],
      files: async (_name: string, version: number, files: { path: string; digest: string }[]) => {
        read.push(...files.map(({ path }) => `${version} ${path}`));
        return new Map(files.map(({ path, digest }) => [path, bytes(digest)]));
      },
    };
    return { api: api as unknown as SkillsApi, read };
  }

  test("compares each file with the active version, and reads what both have once", async () => {
    const { api, read } = platform(
      [
        { a: "same", b: "one", c: "gone" },
        { a: "same", b: "two", d: "new" },
      ],
      1,
    );
    const { files } = await reviewOf(api, "greeting", 2);
    expect(files.map(({ path, state }) => `${path} ${state}`)).toEqual([
      ...["a unchanged", "b changed", "c removed", "d new"],
    ]);
    expect(read).toEqual(["2 a", "2 b", "2 d", "1 b", "1 c"]);
  });

  test("of a first version, and of the active one, has every file whole", async () => {
    for (const active of [undefined, 1]) {
      const { files } = await reviewOf(platform([{ a: "x" }], active).api, "greeting", 1);
      expect(files).toMatchObject([{ path: "a", state: "new", lines: ["x"] }]);
    }
  });
});

describe("a person at a terminal", () => {
  function terminal(typed: string) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
    const modes: boolean[] = [];
    const said: string[] = [];
    const machine = { stdin, say: (line: string) => void said.push(line) } as unknown as Machine;
    stdin.write(typed);
    return { machine, modes, said };
  }

  test("types a line, and a hidden one that is shown by nobody and may be mended", async () => {
    expect(await ask(terminal("abcdef12\n").machine, "Digest?")).toBe("abcdef12");
    const { machine, modes } = terminal("secrex\u007ft\r");
    expect([await askHidden(machine, "Value?"), modes]).toEqual(["secret", [true, false]]);
  });

  test("breaks off, and the terminal is as before", async () => {
    const { machine, modes } = terminal("sec\u0003");
    await expect(askHidden(machine, "Value?")).rejects.toThrow("broken off");
    expect(modes).toEqual([true, false]);
  });
});
