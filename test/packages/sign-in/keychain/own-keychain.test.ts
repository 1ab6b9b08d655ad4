import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { inParts, works } from "../../../../packages/sign-in/keychain/keychain.ts";
import { keychainOf } from "../../../../packages/sign-in/keychain/own-keychain.ts";
import { archway } from "../../../../packages/token-helper/program.ts";

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

/** `secret-tool` of libsecret 0.20.5 keeps 8,192 bytes, and ends with 0. */
const secretTool = `for last; do :; done; f="$STORE/$(echo "$last" | tr / _)"
case $1 in store) head -c 8192 > "$f";; lookup) cat "$f";; clear) rm "$f";; esac`;

/**
 * `security -i` reads lines of 4,095 characters, words in double quotes with `\\` before a quote or a backslash, and goes on after a
 * command that fails (github.com/apple-oss-distributions/Security, SecurityTool/macOS/security.c and readline.c).
 */
const security = `
const { readFileSync, rmSync, writeFileSync } = require("node:fs");
function execute([command, ...rest]) {
  const option = (name) => rest[rest.indexOf(name) + 1];
  const file = process.env.STORE + "/" + option("-a").replaceAll("/", "_");
  if (command === "add-generic-password") writeFileSync(file, option("-w"));
  else if (command === "delete-generic-password") rmSync(file);
  else if (command === "find-generic-password") console.log(readFileSync(file, "utf8"));
  else throw new Error(command);
}
if (process.argv[2] === "-i") {
  for (const line of readFileSync(0, "utf8").match(/.{1,4095}\\n?/g))
    execute([...line.matchAll(/"((?:[^"\\\\]|\\\\.)*)"|(\\S+)/g)].map(([, quoted, bare]) => bare ?? quoted.replace(/\\\\(.)/g, "$1")));
} else execute(process.argv.slice(2));`;

const tools = {
  linux: () => tool("secret-tool", secretTool),
  darwin: () => {
    writeFileSync(join(folder, "security.cjs"), security);
    tool("security", `exec "${process.execPath}" "$STORE/security.cjs" "$@"`);
  },
  win32: () => tool("powershell.exe", 'read -r i; printf "%s" "$i" | rev'),
};

describe.each(["linux", "darwin", "win32"] as const)("the keychain of %s", (platform) => {
  const secret = "eyJ.secret-token_1";

  test("a system's keychain returns a stored secret until it is removed", async () => {
    tools[platform]();
    const keychain = keychainOf({ program: archway, platform, env }, folder);
    await keychain?.write("default/refresh", secret);
    expect(await keychain?.read("default/refresh")).toBe(secret);
    expect(await keychain?.read("default/access")).toBeUndefined();
    await keychain?.remove("default/refresh");
    await keychain?.remove("default/refresh");
    expect(await keychain?.read("default/refresh")).toBeUndefined();
  });

  test("a system's keychain never shows a secret in the arguments of a process", async () => {
    tools[platform]();
    const keychain = keychainOf({ program: archway, platform, env }, folder);
    await keychain?.write("default/refresh", secret);
    await keychain?.read("default/refresh");
    expect(readFileSync(join(folder, "arguments"), "utf8")).not.toContain(secret);
  });

  test("a system's keychain counts as working only if its tool stores and returns a secret", async () => {
    const keychain = keychainOf({ program: archway, platform, env }, folder);
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

describe.each([
  ["linux", 6_400],
  ["darwin", 2_400],
  ["win32", 6_400],
] as const)("a secret in the keychain of %s", (platform, bytes) => {
  test("a long secret in a system's keychain leaves nothing behind when it is removed or replaced by a shorter one", async () => {
    tools[platform]();
    const keychain = keychainOf({ program: archway, platform, env }, folder);
    const known = readdirSync(folder).length;
    const long = JSON.stringify({ access_token: randomBytes(bytes).toString("base64url"), quoted: 'a" -T \\ b' });
    for (const secret of [long, "short"]) {
      await keychain?.write("default/access", secret);
      expect((await keychain?.read("default/access")) === secret).toBe(true);
    }
    // The entry, and the tool's arguments.
    expect(readdirSync(folder)).toHaveLength(known + 2);
    await keychain?.write("default/access", long);
    await keychain?.remove("default/access");
    expect(readdirSync(folder)).toHaveLength(known + 1);
  });
});

test("interrupting the storing of a long secret leaves the previous secret", async () => {
  const entries = new Map<string, string>();
  let left = 2;
  const keychain = inParts(
    {
      name: "a keychain that breaks",
      read: async (account) => entries.get(account),
      write: async (account, secret) => {
        if (left-- <= 0) throw new Error("broken");
        entries.set(account, secret);
      },
      remove: async (account) => void entries.delete(account),
    },
    10,
  );
  await keychain.write("a", "before");
  await expect(keychain.write("a", "x".repeat(25))).rejects.toThrow("broken");
  expect(await keychain.read("a")).toBe("before");
});

test("macOS's keychain tool is given no secret that would end its line early", async () => {
  tools.darwin();
  const keychain = keychainOf({ program: archway, platform: "darwin", env }, folder);
  await expect(keychain?.write("default/refresh", "a\ndelete-keychain")).rejects.toThrow("takes no such secret");
  expect(readFileSync(join(folder, "arguments"), "utf8")).not.toContain("-i");
});

test("a person who chooses files gets no keychain", () => {
  expect(keychainOf({ program: archway, platform: "darwin", env: { ARCHWAY_STORE: "file" } }, folder)).toBeUndefined();
});
