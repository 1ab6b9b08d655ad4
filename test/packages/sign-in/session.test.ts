import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Access } from "../../../packages/sign-in/access-cache.ts";
import { Credentials } from "../../../packages/sign-in/credentials.ts";
import type { Keychain } from "../../../packages/sign-in/keychain/keychain.ts";
import { claimsOf } from "../../../packages/sign-in/platform/claims.ts";
import {
  accessToken,
  describe as describeSession,
  openSession,
  type Session,
  signInAt,
  signOut,
  useWorkspace,
} from "../../../packages/sign-in/session.ts";
import { withWriteAccess } from "../../../packages/token-helper/write-access.ts";
import { freePorts } from "../../support/free-ports.ts";
import { FakePlatform, obedientBrowser } from "../../support/sign-in/fake-platform.ts";
import { aMachine, type TestMachine } from "../../support/sign-in/test-machine.ts";

let platform: FakePlatform;
let machine: TestMachine;
let session: Session;
beforeAll(async () => {
  const [first, second] = await freePorts(2);
  platform = await FakePlatform.start([`http://localhost:${first}/callback`, `http://localhost:${second}/callback`]);
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.usual();
  Object.assign(platform, {
    rotates: false,
    graceSeconds: 60,
    now: 0,
    claims: {},
    tokens: {},
    chosen: "t1",
    workspaces: ["t1"],
  });
  machine = aMachine({ BROWSER: obedientBrowser });
  session = openSession(machine);
});

const file = (name: string) => join(machine.folder, name);
const read = (name: string) => readFileSync(file(name), "utf8");

async function signedIn(): Promise<string> {
  const { access_token } = await signInAt(session, platform.url, { browser: false });
  platform.asked.length = 0;
  machine.said.length = 0;
  return access_token;
}

/** As if an hour were over. */
function expire(milliseconds = -1_000): void {
  const access: Access = JSON.parse(read("access.json"));
  const changed = { ...access, obtained_at: access.obtained_at - 3_600_000, expires_at: Date.now() + milliseconds };
  writeFileSync(file("access.json"), JSON.stringify(changed));
}

describe("a token is given out", () => {
  test("a token is returned from the cache, without a call to the platform", async () => {
    const token = await signedIn();
    expect(await accessToken(session)).toBe(token);
    expect(platform.asked).toEqual([]);
  });

  test("a cached token that expires soon is replaced by one refresh, however many processes ask", async () => {
    const before = await signedIn();
    expire(100_000);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => accessToken(openSession(machine))));
    expect([new Set(tokens).size, tokens.includes(before), platform.asked]).toEqual([1, false, ["/oauth2/token"]]);
  });

  test("a cached token that is still valid for a short time is returned if the platform does not answer; otherwise the failure is shown", async () => {
    const token = await signedIn();
    platform.answer("/oauth2/token", (_request, response) => response.writeHead(503).end());
    expire(60_000);
    expect(await accessToken(session)).toBe(token);
    expire(10_000);
    await expect(accessToken(session)).rejects.toMatchObject({ exitCode: 4 });
    expect(existsSync(file("refresh"))).toBe(true);
  });

  test("a token that cannot be cached is returned, and the failure is reported", async () => {
    await signedIn();
    rmSync(file("access.json"));
    mkdirSync(join(file("access.json"), "in-the-way"), { recursive: true });
    expect(await accessToken(session)).toMatch(/\./);
    expect(machine.said).toEqual([expect.stringContaining(`cannot write ${file("access.json")}`)]);
  });

  test.each([[86_400_000], [-86_400_000]])(
    "a token is returned with a clock that is wrong by %j ms, and after its correction",
    async (off) => {
      machine.now = () => Date.now() + off;
      const token = await signedIn();
      expect([await accessToken(session), platform.asked]).toEqual([token, []]);
      machine.now = Date.now;
      expect([(await accessToken(session)) === token, platform.asked]).toEqual([false, ["/oauth2/token"]]);
    },
  );
});

describe("a client that asks again while it would keep a good token", () => {
  const later = (minutes: number) => {
    const now = machine.now();
    machine.now = () => now + minutes * 60_000;
  };

  test("a client that asks again early was refused and gets a new token; a caller without a client name gets the cached one", async () => {
    const token = await signedIn();
    later(10);
    expect(await accessToken(session, { client: "7" })).toBe(token);
    later(1);
    expect(await accessToken(session)).toBe(token);
    const fresh = await accessToken(session, { client: "7" });
    expect([fresh === token, platform.asked]).toEqual([false, ["/oauth2/token"]]);
    expect(await accessToken(session)).toBe(fresh);
  });

  test("a client gets the cached token if it has not had it yet, or if its own has expired", async () => {
    const token = await signedIn();
    later(10);
    for (const client of ["7", "8"]) expect(await accessToken(session, { client })).toBe(token);
    later(5);
    expect([await accessToken(session, { client: "7" }), platform.asked]).toEqual([token, []]);
  });

  test("several refused clients cause one refresh, however many ask at the same time", async () => {
    const token = await signedIn();
    const clients = Array.from({ length: 20 }, (_, index) => String(index));
    const askAll = () => Promise.all(clients.map((client) => accessToken(openSession(machine), { client })));
    later(10);
    await askAll();
    later(1);
    const tokens = await askAll();
    expect([new Set(tokens).size, tokens.includes(token), platform.asked]).toEqual([1, false, ["/oauth2/token"]]);
  });

  test("a client that asks again at once causes no second refresh", async () => {
    await signedIn();
    later(10);
    for (const _ of [1, 2]) await accessToken(session, { client: "7" });
    for (const _ of [1, 2, 3]) await accessToken(session, { client: "7" });
    expect(platform.asked).toEqual(["/oauth2/token"]);
  });

  test("a client that asks again is told to sign in if the sign-in has ended", async () => {
    await signedIn();
    delete machine.env.BROWSER;
    later(10);
    await accessToken(session, { client: "7" });
    platform.refreshTokens.clear();
    await expect(accessToken(session, { client: "7" })).rejects.toMatchObject({ exitCode: 3 });
  });
});

describe("where the platform rotates refresh tokens", () => {
  beforeEach(async () => {
    platform.rotates = true;
    await signedIn();
    expire();
  });

  test("a rotated refresh token is stored, and the next refresh uses it", async () => {
    const before = read("refresh");
    await accessToken(session);
    const after = read("refresh");
    expect(after).not.toBe(before);
    platform.now = 61;
    expire();
    await accessToken(session);
    expect(read("refresh")).not.toBe(after);
  });

  test("a rotated refresh token is stored before the access token is returned or cached", async () => {
    const { keychain } = await inKeychain();
    const cached = read("access.json");
    const written: [string, string][] = [];
    keychain.write = async (account) => void written.push([account, read("access.json")]);
    await accessToken(session);
    expect(written[0]).toEqual(["default/refresh", cached]);
    expect(read("access.json")).not.toBe(cached);
  });

  test("a lost answer of a refresh has no effect within the grace period, and needs a new sign-in after it", async () => {
    const lost = read("refresh");
    await accessToken(session);
    writeFileSync(file("refresh"), lost);
    expire();
    platform.now = 59;
    await accessToken(session);
    writeFileSync(file("refresh"), lost);
    expire();
    platform.now = 61;
    machine.env = { ...machine.env, BROWSER: undefined };
    await expect(accessToken(session)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("archway login"),
    });
  });

  test("a refresh token that cannot be stored is reported with the remedy, and the access token is returned and cached", async () => {
    const { description, keychain } = await inKeychain();
    keychain.write = async (account) => {
      if (account.endsWith("refresh")) throw new Error("locked");
    };
    const token = await accessToken(session);
    expect(machine.said).toEqual([expect.stringMatching(/could not be kept.*sign in again.*locked/)]);
    expect([description.store, JSON.parse(read("access.json")).access_token]).toEqual(["keychain", token]);
  });
});

/** The sign-in that is there, in a keychain in memory. */
async function inKeychain() {
  const entries = new Map([["default/refresh", read("refresh").trim()]]);
  const keychain: Keychain = {
    name: "a keychain in memory",
    read: async (account) => entries.get(account),
    write: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => void entries.delete(account),
  };
  session = { ...session, credentials: new Credentials(session.profile, keychain) };
  const description = { ...describeSession(session), store: "keychain" as const };
  session.profile.write(description);
  return { keychain, description, entries };
}

describe("a sign-in is asked for", () => {
  test("a sign-in is requested in the browser on first use, once for all waiting processes, and its tokens are stored in files", async () => {
    machine.env = { ...machine.env, ARCHWAY_URL: platform.url };
    platform.asked.length = 0;
    const tokens = await Promise.all([1, 2, 3].map(() => accessToken(openSession(machine))));
    expect([new Set(tokens).size, platform.count("/oauth2/authorize")]).toEqual([1, 1]);
    expect(readdirSync(machine.folder).sort()).toEqual(["access.json", "profile.json", "refresh"]);
    expect(describeSession(session)).toMatchObject({ url: platform.url, store: "file", email: "ann@acme.example" });
  });

  test("a sign-in is requested in one window only; processes that waited for a failed sign-in say how to begin another", async () => {
    machine.env = { ...machine.env, ARCHWAY_URL: platform.url };
    platform.asked.length = 0;
    // Each of the three asks for two locks, and names the machine for it.
    let asked = 0;
    const bothLocksAsked = new Promise<void>((resolve) => {
      const get = () => {
        asked += 1;
        if (asked === 6) setImmediate(resolve);
        return "laptop";
      };
      Object.defineProperty(machine, "hostname", { get });
    });
    const held = platform.hold("/oauth2/token");
    const signingIn = accessToken(session);
    await held;
    const waiting = [1, 2].map(() => accessToken(openSession(machine)));
    const ends = Promise.allSettled([signingIn, ...waiting]);
    await bothLocksAsked;
    platform.claims = { nonce: "another" };
    (await held)();
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(waiting[1]).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("archway login --url"),
    });
    expect(platform.count("/oauth2/authorize")).toBe(1);
  });

  test("without a display a sign-in is requested by a one-line message, before anything is written", async () => {
    machine.env = { ...machine.env, BROWSER: undefined, ARCHWAY_URL: platform.url };
    platform.asked.length = 0;
    const advice = `not signed in: archway login --url ${platform.url}, or archway login --no-browser --url ${platform.url} without a display`;
    await expect(accessToken(session)).rejects.toMatchObject({ exitCode: 3, message: advice });
    expect(platform.asked).toEqual([]);
  });

  test("without a known platform a sign-in is requested by a one-line message", async () => {
    await expect(accessToken(session)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("archway login --url https://api.<domain>"),
    });
  });

  test("a sign-in is requested when the last sign-in was revoked, and its tokens are deleted", async () => {
    await signedIn();
    platform.refreshTokens.clear();
    expire();
    machine.env = { ...machine.env, BROWSER: undefined };
    await expect(accessToken(session)).rejects.toMatchObject({
      exitCode: 3,
      message: "your sign-in has ended: archway login, or archway login --no-browser without a display",
    });
    expect(readdirSync(machine.folder)).toEqual(["profile.json"]);
    machine.env = { ...machine.env, BROWSER: obedientBrowser };
    expect(await accessToken(session)).toMatch(/\./);
  });

  test("a second sign-in can be completed while the first waits for its person", async () => {
    machine.env = { ...machine.env, ARCHWAY_URL: platform.url };
    const held = platform.hold("/oauth2/authorize");
    const waiting = accessToken(session);
    const goOn = await held;
    const other = openSession(machine);
    const { access_token } = await signInAt(other, platform.url, { browser: false });
    expect(await accessToken(other)).toBe(access_token);
    goOn();
    const last = await waiting;
    expect([last === access_token, await accessToken(other)]).toEqual([false, last]);
  });

  test("a sign-in is requested only if the platform gives refresh tokens and the home can be written", async () => {
    platform.tokens = { refresh_token: undefined };
    await expect(signedIn()).rejects.toThrow("no refresh token");
    platform.asked.length = 0;
    rmSync(machine.folder, { recursive: true });
    writeFileSync(machine.folder, "in the way");
    await expect(signedIn()).rejects.toThrow("ARCHWAY_HOME names another folder");
    expect(platform.asked).toEqual([]);
  });
});

describe("a profile's workspace", () => {
  beforeEach(async () => {
    Object.assign(platform, { rotates: true, graceSeconds: 0, workspaces: ["t1", "t2", "t3"] });
    await signedIn();
  });
  const named = async () => {
    const ofToken = claimsOf(await accessToken(session))?.tenant_id;
    return [describeSession(session).tenant_id, ofToken];
  };

  test("a profile's workspace is that of its first token, and later the one chosen by `archway use`", async () => {
    expect(await named()).toEqual(["t1", "t1"]);
    await useWorkspace(session, "t2");
    platform.chosen = "t3";
    expire();
    expect(await named()).toEqual(["t2", "t2"]);
  });

  test("two simultaneous choices of a profile's workspace end with one of them, and neither command fails", async () => {
    await Promise.all(["t2", "t3"].map((id) => useWorkspace(openSession(machine), id)));
    const [ofProfile, ofToken] = await named();
    expect(["t2", "t3"]).toContain(ofProfile);
    expect(ofToken).toBe(ofProfile);
  });

  test("a profile's workspace is not changed if the person is not a member of the new workspace, or if the platform fails", async () => {
    await expect(useWorkspace(session, "t9")).rejects.toThrow("in that workspace no more");
    platform.answer("/v1/tenants/t2/activate", (_request, response) => response.writeHead(503).end("{}"));
    await expect(useWorkspace(session, "t2")).rejects.toMatchObject({ exitCode: 4 });
    platform.usual();
    expire();
    expect([await named(), machine.said]).toEqual([["t1", "t1"], []]);
  });

  test("a profile's workspace is replaced, with a message, when the person is no longer a member", async () => {
    Object.assign(platform, { workspaces: ["t2"], chosen: "t2" });
    expire();
    expect(await named()).toEqual(["t2", "t2"]);
    expect(machine.said).toEqual([expect.stringContaining("in this profile's workspace no more")]);
  });

  test("a second sign-in for a change acts in the profile's workspace or changes nothing, and then ends", async () => {
    const signIns = () =>
      [...platform.refreshTokens.values()].filter((ends) => ends === Number.POSITIVE_INFINITY).length;
    const before = signIns();
    platform.chosen = "t3";
    const acted = await withWriteAccess(session, "a new API key", async () => platform.chosen);
    Object.assign(platform, { workspaces: ["t2"], chosen: "t2" });
    const work = () => Promise.reject(new Error("it was done elsewhere"));
    await expect(withWriteAccess(session, "a new API key", work)).rejects.toThrow("nothing was changed");
    expect([acted, platform.count("/oauth2/revoke"), signIns()]).toEqual(["t1", 2, before]);
  });
});

test("a profile of one platform returns no token for another", async () => {
  await signedIn();
  machine.env = { ...machine.env, ARCHWAY_URL: "https://api.elsewhere.example" };
  await expect(accessToken(session)).rejects.toMatchObject({ exitCode: 2 });
});

test("a token that could not be cached in a read-only home is returned from the keychain", async () => {
  await signedIn();
  const { entries } = await inKeychain();
  entries.set("default/access", read("access.json"));
  const { access_token } = JSON.parse(read("access.json"));
  rmSync(file("access.json"));
  expect([await accessToken(session), platform.asked]).toEqual([access_token, []]);
});

test("a refresh token of one platform is never stored with the address of another, even if a sign-in there could not be stored", async () => {
  await signedIn();
  const { keychain, entries } = await inKeychain();
  keychain.write = async (account, secret) => {
    if (account.endsWith("refresh")) throw new Error("locked");
    entries.set(account, secret);
  };
  const other = await FakePlatform.start(platform.discovery.clients.token_helper.redirect_uris);
  await expect(signInAt(session, other.url, { browser: false })).rejects.toThrow(/could not be kept.*locked/);
  other.stop();
  expect([describeSession(session).url, entries.has("default/refresh")]).toEqual([other.url, false]);
});

test("a keychain that returns nothing is named in the message if no one can sign in again", async () => {
  await signedIn();
  const { entries } = await inKeychain();
  entries.clear();
  expire();
  machine.env = { ...machine.env, BROWSER: undefined };
  await expect(accessToken(session)).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/^a keychain in memory gives no sign-in: archway login /),
  });
});

describe("signing out", () => {
  test("signing out revokes the refresh token and leaves nothing", async () => {
    await signedIn();
    const token = read("refresh").trim();
    expect([await signOut(session), platform.refreshTokens.has(token), existsSync(machine.folder)]).toEqual([
      undefined,
      false,
      false,
    ]);
    expect(await signOut(session)).toBeUndefined();
  });

  test("signing out deletes all tokens even if the platform does not answer, and says so", async () => {
    await signedIn();
    platform.answer("/oauth2/revoke", (_request, response) => response.destroy());
    expect(await signOut(session)).toMatchObject({ exitCode: 4 });
    expect(existsSync(machine.folder)).toBe(false);
  });
});
