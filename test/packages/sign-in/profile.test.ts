import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { type Description, Profile } from "../../../packages/sign-in/profile.ts";
import { aDiscovery } from "../../support/control-plane.ts";
import { aMachine, type TestMachine } from "../../support/sign-in/test-machine.ts";

let machine: TestMachine;
let profile: Profile;
beforeEach(() => {
  machine = aMachine();
  profile = new Profile(machine);
});

const { vendor: _vendor, providers: _providers, openid_configuration_url: _documents, clients, ...shared } = aDiscovery;
/** What the helper reads of it. */
const { token_helper, token_helper_write, skills } = clients;
const discovery = { ...shared, clients: { token_helper, token_helper_write, skills } };
const description: Description = {
  url: "https://api.example.com",
  discovery,
  store: "file",
  email: "ann@acme.example",
};

test("a profile is named by the option, the environment, or the default, and has its own folder", () => {
  const env = { ...machine.env, ARCHWAY_PROFILE: "work" };
  const names = [profile, new Profile({ ...machine, env }), new Profile({ ...machine, env }, "home")];
  expect(names.map(({ name }) => name)).toEqual(["default", "work", "home"]);
  expect(profile.folder).toBe(join(machine.home, "archway", "default"));
});

test.each(["", "../other", "a/b", "a b", "x".repeat(65), "ä"])("%j is refused as the name of a profile", (name) => {
  expect(() => new Profile(machine, name)).toThrow("a profile's name is");
});

test("a profile is read as it was written, and only by its owner", () => {
  expect(profile.read()).toBeUndefined();
  profile.write(description);
  expect([profile.read(), statSync(profile.file("profile.json")).mode & 0o777]).toEqual([description, 0o600]);
});

describe("counts as none where its file is damaged:", () => {
  test.each<[string, unknown]>([
    ["no address", { url: undefined }],
    ["an address that is none", { url: 7 }],
    ["an unknown store", { store: "cloud" }],
    ["an e-mail that is none", { email: {} }],
    ["no discovery", { discovery: undefined }],
    ["a sign-in without TLS", { discovery: { ...discovery, auth_url: "http://auth.example.com" } }],
    ["no app client", { discovery: { ...discovery, clients: {} } }],
    ["an API of another domain", { discovery: { ...discovery, api_url: "https://api.elsewhere.example" } }],
  ])("%s", (_what, change) => {
    mkdirSync(profile.folder, { recursive: true });
    writeFileSync(profile.file("profile.json"), JSON.stringify({ ...description, ...(change as object) }));
    expect(profile.read()).toBeUndefined();
  });

  test.each(["", "{", "null", "\u0000", "x".repeat(100_000)])(
    "a profile with a damaged file counts as missing: %#",
    (text) => {
      mkdirSync(profile.folder, { recursive: true });
      writeFileSync(profile.file("profile.json"), text);
      expect(profile.read()).toBeUndefined();
    },
  );
});

test("a profile's folder is tested before it is needed, and the test leaves nothing behind", () => {
  profile.checkWritable();
  expect(readdirSync(profile.folder)).toEqual([]);
  writeFileSync(join(profile.folder, "file"), "");
  expect(() =>
    new Profile({ ...machine, env: { ARCHWAY_HOME: join(profile.folder, "file") } }).checkWritable(),
  ).toThrow("a file is where a folder should be");
});

test("removing a profile leaves none of its files", () => {
  profile.write(description);
  writeFileSync(profile.file("lock"), "");
  profile.remove();
  profile.remove();
  expect(existsSync(profile.folder)).toBe(false);
});
