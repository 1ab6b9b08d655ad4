import { existsSync, statSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { Credentials } from "../../../packages/sign-in/credentials.ts";
import type { Keychain } from "../../../packages/sign-in/keychain/keychain.ts";
import { Profile } from "../../../packages/sign-in/profile.ts";
import { aMachine } from "../../support/sign-in/test-machine.ts";

const access = { url: "https://api.example.com", access_token: "a.b.c", obtained_at: 0, expires_at: 1 };
let profile: Profile;
let entries: Map<string, string>;
let keychain: Keychain;
let inKeychain: Credentials;
let inFiles: Credentials;
beforeEach(() => {
  profile = new Profile(aMachine());
  entries = new Map();
  keychain = {
    name: "a keychain in memory",
    read: async (account) => entries.get(account),
    write: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => void entries.delete(account),
  };
  inKeychain = new Credentials(profile, keychain);
  inFiles = new Credentials(profile, undefined);
});

describe("the store", () => {
  test("the store of refresh tokens is the keychain if it works, and otherwise a file", async () => {
    expect(await inKeychain.chooseStore()).toBe("keychain");
    expect(entries.size).toBe(0);
    keychain.read = async () => undefined;
    expect(await inKeychain.chooseStore()).toBe("file");
    expect(await inFiles.chooseStore()).toBe("file");
  });

  test("the store of refresh tokens has a name for people", () => {
    expect(inKeychain.describe("keychain")).toBe("a keychain in memory");
    expect(inFiles.describe("file")).toBe(`${profile.file("refresh")}, a file that only your account can read`);
  });
});

test("with a keychain no file ever contains the refresh token", async () => {
  await inKeychain.writeRefreshToken("keychain", "r");
  await inKeychain.writeAccess("keychain", access);
  expect([await inKeychain.refreshToken("keychain"), existsSync(profile.file("refresh"))]).toEqual(["r", false]);
  expect([...entries.keys()]).toEqual(["default/refresh", "default/access"]);
  expect([inKeychain.access(), await inKeychain.accessInKeychain("keychain")]).toEqual([access, access]);
});

test("without a keychain both tokens are in files that only their owner can read", async () => {
  await inFiles.writeRefreshToken("file", "r");
  await inFiles.writeAccess("file", access);
  expect([await inFiles.refreshToken("file"), inFiles.access()]).toEqual(["r", access]);
  expect(statSync(profile.file("refresh")).mode & 0o777).toBe(0o600);
  expect(await inFiles.accessInKeychain("file")).toBeUndefined();
});

test("a failing keychain loses only the access token's copy, and a refresh token that cannot be stored is reported", async () => {
  keychain.write = () => Promise.reject(new Error("locked"));
  await inKeychain.writeAccess("keychain", access);
  expect(inKeychain.access()).toEqual(access);
  await expect(inKeychain.writeRefreshToken("keychain", "r")).rejects.toThrow("locked");
});

test.each(["", "\u0000", "a b", "a\nb", "é", "x".repeat(70_000)])(
  "a damaged refresh token counts as missing: %#",
  async (text) => {
    await inFiles.writeRefreshToken("file", "r");
    writeFileSync(profile.file("refresh"), text);
    expect(await inFiles.refreshToken("file")).toBeUndefined();
    entries.set("default/refresh", text);
    expect(await inKeychain.refreshToken("keychain")).toBeUndefined();
  },
);

test("deleting a profile's tokens leaves none, whichever store they were in", async () => {
  await inKeychain.writeRefreshToken("keychain", "r");
  await inKeychain.writeRefreshToken("file", "r");
  await inKeychain.writeAccess("keychain", access);
  await inKeychain.wipe();
  await inKeychain.wipe();
  expect([entries.size, existsSync(profile.file("refresh")), inKeychain.access()]).toEqual([0, false, undefined]);
});

test("two profiles use the same keychain and share no entry", async () => {
  const machine = aMachine();
  const [work, home] = ["work", "home"].map((name) => new Credentials(new Profile(machine, name), keychain));
  await work?.writeRefreshToken("keychain", "w");
  await home?.writeRefreshToken("keychain", "h");
  expect([await work?.refreshToken("keychain"), await home?.refreshToken("keychain")]).toEqual(["w", "h"]);
});
