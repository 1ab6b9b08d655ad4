import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { works } from "../../../packages/token-helper/keychain/keychain.ts";
import { keychainOf } from "../../../packages/token-helper/keychains.ts";

let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archway-"));
  mkdirSync(join(folder, "bin"));
  env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, STORE: folder };
});

/** A program in place of the operating system's, that notes its arguments. */
function tool(name: string, script: string): void {
  const file = join(folder, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "$@" >> "$STORE/arguments"\n${script}\n`);
  chmodSync(file, 0o755);
}

const tools = {
  linux: () =>
    tool(
      "secret-tool",
      'for last; do :; done; f="$STORE/$(echo "$last" | tr / _)"\ncase $1 in store) cat > "$f";; lookup) cat "$f";; clear) rm "$f";; esac',
    ),
  darwin: () =>
    tool(
      "security",
      `if [ "$1" = -i ]; then sed -n 's/.*-a "\\([^"]*\\)" -w "\\([^"]*\\)".*/\\1 \\2/p' | { read a s; echo "$s" > "$STORE/$(echo "$a" | tr / _)"; }
else f="$STORE/$(echo "$5" | tr / _)"; case $1 in find*) cat "$f";; delete*) rm "$f";; esac; fi`,
    ),
  win32: () => tool("powershell.exe", 'read i; printf "%s" "$i" | rev'),
};

describe.each(["linux", "darwin", "win32"] as const)("the keychain of %s", (platform) => {
  const secret = "eyJ.secret-token_1";

  test("gives back what it took, until it is removed, and knows nothing else", async () => {
    tools[platform]();
    const keychain = keychainOf({ platform, env }, folder);
    await keychain?.write("default/refresh", secret);
    expect(await keychain?.read("default/refresh")).toBe(secret);
    expect(await keychain?.read("default/access")).toBeUndefined();
    await keychain?.remove("default/refresh");
    await keychain?.remove("default/refresh");
    expect(await keychain?.read("default/refresh")).toBeUndefined();
  });

  test("never shows a secret in the arguments of a process", async () => {
    tools[platform]();
    const keychain = keychainOf({ platform, env }, folder);
    await keychain?.write("default/refresh", secret);
    await keychain?.read("default/refresh");
    expect(readFileSync(join(folder, "arguments"), "utf8")).not.toContain(secret);
  });

  test("works only if it does: not without its tool, with one that fails, or with one that forgets", async () => {
    const keychain = keychainOf({ platform, env }, folder);
    if (!keychain) throw new Error("none");
    expect(await works(keychain, "default")).toBe(false);
    tools[platform]();
    expect(await works(keychain, "default")).toBe(true);
    const name = { linux: "secret-tool", darwin: "security", win32: "powershell.exe" }[platform];
    for (const script of ["exit 1", "cat > /dev/null"]) {
      tool(name, script);
      expect(await works(keychain, "default")).toBe(false);
    }
  });
});

test("macOS's tool takes no secret that would end its line early", async () => {
  tools.darwin();
  const keychain = keychainOf({ platform: "darwin", env }, folder);
  for (const secret of ['a" -T /evil', "a\ndelete-keychain", "x".repeat(4_000)]) {
    await expect(keychain?.write("default/refresh", secret)).rejects.toThrow("takes no such secret");
  }
  expect(existsSync(join(folder, "arguments"))).toBe(false);
});

test("who wants a file gets no keychain", () => {
  expect(keychainOf({ platform: "darwin", env: { ARCHWAY_STORE: "file" } }, folder)).toBeUndefined();
});
