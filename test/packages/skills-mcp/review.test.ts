// What a reviewer sees of a file, on the page and at a terminal.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import { Failure } from "../../../packages/command-line/failure.ts";
import type { Machine } from "../../../packages/command-line/machine/machine.ts";
import type { SkillsApi } from "../../../packages/skills-mcp/api/skills-api.ts";
import { ask, askHidden } from "../../../packages/skills-mcp/commands/terminal.ts";
import { reviewPage } from "../../../packages/skills-mcp/pages/review-page.ts";
import { variablesUnderReview } from "../../../packages/skills-mcp/review/environment-review.ts";
import { fileReview } from "../../../packages/skills-mcp/review/file-review.ts";
import { reviewOf } from "../../../packages/skills-mcp/review/review.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a file under review", () => {
  test("a file under review shows each hidden character by its name, and every line completely", () => {
    const text = `See\u200b this\u202e\n${"x".repeat(3_000)}\n\u001b[2Jend`;
    expect(fileReview("a.md", undefined, bytes(text))).toEqual({
      path: "a.md",
      state: "new",
      size: Buffer.byteLength(text),
      lines: ["See[U+200B] this[U+202E]", "x".repeat(3_000), "[U+001B][2Jend"],
    });
  });

  test("a file under review shows what has changed since the active version, line by line", () => {
    const review = fileReview("a.md", bytes("one\ntwo\nthree\n"), bytes("one\n2\nthree\n"));
    expect(review.state).toBe("changed");
    expect(review.difference).toEqual([
      { sign: " ", line: "one" },
      { sign: "-", line: "two" },
      { sign: "+", line: "2" },
      { sign: " ", line: "three" },
    ]);
  });

  test("a file under review is shown as unchanged, removed, or binary", () => {
    expect(fileReview("a", bytes("x"), bytes("x"))).toMatchObject({ state: "unchanged", lines: ["x"] });
    expect(fileReview("a", bytes("x"), undefined)).toEqual({ path: "a", state: "removed", size: 1 });
    expect(fileReview("a", undefined, new Uint8Array([0, 159, 146]))).toEqual({ path: "a", state: "new", size: 3 });
  });
});

describe("an environment under review", () => {
  const at = { set_by: "dev", set_at: "10:00" };

  test("an environment under review shows each value, who set it and when, beside the active one, with each hidden character by its name", () => {
    const env = [
      { name: "KEPT", value: "x", ...at },
      { name: "TOKEN", secret: "JIRA", ...at, secret_set_by: "owner", secret_set_at: "09:00" },
      { name: "URL", value: "https://evil.example\u202e", ...at },
    ];
    const active_env = [
      { name: "GONE", secret: "OLD", ...at },
      { name: "KEPT", value: "x", ...at },
      { name: "URL", value: "https://jira.example", set_by: "owner", set_at: "08:00" },
    ];
    expect(variablesUnderReview({ env, active_env })).toEqual([
      { name: "GONE", state: "removed", active: "secret OLD, which is not there; set by dev at 10:00" },
      { name: "KEPT", state: "unchanged", now: '"x"; set by dev at 10:00' },
      { name: "TOKEN", state: "new", now: "secret JIRA, whose value owner gave at 09:00; set by dev at 10:00" },
      {
        ...{ name: "URL", state: "changed", now: '"https://evil.example[U+202E]"; set by dev at 10:00' },
        active: '"https://jira.example"; set by owner at 08:00',
      },
    ]);
  });

  test("an environment under review that cannot be read does not count as empty", async () => {
    const failing = (failure: Failure) => ({ ...api(), env: () => Promise.reject(failure) }) as unknown as SkillsApi;
    await expect(reviewOf(failing(new Failure("unreachable", "away")), "greeting", 1)).rejects.toThrow("away");
  });

  test("an environment under review is shown only to the owner, who is told what an activation covers", async () => {
    const onlyOwner = "only the workspace's owner activates skills: ask them to review and activate greeting";
    for (const env of [
      () => Promise.reject(new Failure("failed", "This needs the role owner")),
      async () => ({ env: [] }),
    ])
      await expect(reviewOf({ ...api(), env } as unknown as SkillsApi, "greeting", 1)).rejects.toThrow(onlyOwner);
  });

  function api() {
    return {
      skill: async () => ({ name: "greeting" }),
      version: async () => ({ name: "greeting", version: 1, files: [] }),
      files: async () => new Map(),
    };
  }
});

describe("a review page", () => {
  test("a review page activates exactly what it showed", async () => {
    const activated: unknown[] = [];
    const api = {
      skill: async () => ({ name: "greeting" }),
      version: async () => ({ name: "greeting", version: 1, digest: "d1", files: [] }),
      files: async () => new Map(),
      env: async () => ({ env: [], env_digest: "e1" }),
      activate: async (...given: unknown[]) => activated.push(given),
    };
    const page = reviewPage({ api: api as unknown as SkillsApi, workspace: "Acme", name: "greeting", version: 1 });
    await page.show();
    await expect(page.answer({ digest: "d1", env_digest: "e2" })).rejects.toThrow("not the version that was shown");
    await expect(page.answer({ digest: "d1" })).rejects.toThrow("not the version that was shown");
    await page.answer({ digest: "d1", env_digest: "e1" });
    expect(activated).toEqual([["greeting", 1, { digest: "d1", env_digest: "e1" }]]);
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
      env: async () => ({ env: [], env_digest: "e1" }),
      files: async (_name: string, version: number, files: { path: string; digest: string }[]) => {
        read.push(...files.map(({ path }) => `${version} ${path}`));
        return new Map(files.map(({ path, digest }) => [path, bytes(digest)]));
      },
    };
    return { api: api as unknown as SkillsApi, read };
  }

  test("a review compares each file with the active version, and reads unchanged content once", async () => {
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

  test("a review of a first version, or of the active version, shows every file completely", async () => {
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

  test("a person at a terminal types a line, and a secret line is not shown and can be corrected", async () => {
    expect(await ask(terminal("abcdef12\n").machine, "Digest?")).toBe("abcdef12");
    const { machine, modes } = terminal("secrex\u007ft\r");
    expect([await askHidden(machine, "Value?"), modes]).toEqual(["secret", [true, false]]);
  });

  test("a person can cancel a review at a terminal, which is then as before", async () => {
    const { machine, modes } = terminal("sec\u0003");
    await expect(askHidden(machine, "Value?")).rejects.toThrow("broken off");
    expect(modes).toEqual([true, false]);
  });
});
