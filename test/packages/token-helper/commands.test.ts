// The commands as they are called, in this process, against a platform of one process.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { run } from "../../../packages/token-helper/cli.ts";
import { freePorts } from "../../support/free-ports.ts";
import { FakePlatform } from "../../support/sign-in/fake-platform.ts";
import { aMachine, type TestMachine } from "../../support/sign-in/test-machine.ts";
import { longTest } from "../../support/sizes.ts";

let platform: FakePlatform;
let machine: TestMachine;
beforeAll(async () => {
  platform = await FakePlatform.start((await freePorts(3)).map((port) => `http://localhost:${port}/callback`));
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.usual();
  platform.me = {};
  platform.calls.length = 0;
  machine = aMachine();
});

type Finished = { code: number; out: string; said: string[] };

async function archway(...args: string[]): Promise<Finished> {
  machine.said.length = 0;
  machine.printed.length = 0;
  const code = await run(args, machine);
  return { code, out: machine.printed.join(""), said: [...machine.said] };
}

async function signIn(): Promise<void> {
  const { code, said } = await archway("login", "--no-browser", "--url", platform.url);
  if (code !== 0) throw new Error(said.join("\n"));
  platform.asked.length = 0;
}

const nobody = { code: 3, out: "", said: [expect.stringMatching(/^archway: not signed in: archway login --url /)] };

describe("the command line", () => {
  test.each([
    [["--help"], 0],
    [["token", "-h"], 0],
    [["--version"], 0],
  ])("the command line %j is answered on standard output", async (args, code) => {
    expect(await archway(...args)).toEqual({ code, out: expect.stringMatching(/\n$/), said: [] });
  });

  test.each([
    [["--profile", "own", "usage"]],
    [["--profile=own", "usage"]],
    [["-p", "own", "usage"]],
    [["usage", "--profile", "own"]],
  ])("the command line %j names the profile, before or after the command", async (args) => {
    const says = expect.stringContaining("archway login --profile own");
    expect(await archway(...args)).toEqual({ code: 3, out: "", said: [says] });
  });

  test("archway without arguments is a usage error, and prints the help as an error", async () => {
    expect(await archway()).toEqual({ code: 2, out: "", said: [expect.stringContaining("archway login")] });
  });

  test.each([
    [["nonsense"]],
    [["constructor"]],
    [["token", "--nonsense"]],
    [["token", "more"]],
    [["token", "--min-ttl", "soon"]],
    [["token", "--min-ttl", "86401"]],
    [["token", "--profile", "../other"]],
    [["login"]],
    [["login", "--url", "http://api.example.com"]],
    [["login", "--url", "https://api.example.com?x", "--no-browser"]],
    [["setup"]],
    [["setup", "emacs"]],
    [["setup", "env", "more"]],
  ])("the command line %j is a usage error, reported in one line", async (args) => {
    expect(await archway(...args)).toEqual({ code: 2, out: "", said: [expect.stringMatching(/^archway: [^\n]+$/)] });
  });

  test.each([
    [{ home: "" }, {}, "HOME"],
    [{ home: "home/ann" }, { HOME: "home/ann" }, 'HOME is "home/ann"'],
    [{}, { ARCHWAY_HOME: "archway" }, 'ARCHWAY_HOME is "archway"'],
    [{}, { ARCHWAY_HOME: undefined, XDG_CONFIG_HOME: ".config" }, 'XDG_CONFIG_HOME is ".config"'],
  ])("an unusable home is refused: %j %j", async (changes, env, says) => {
    machine = { ...machine, ...changes, env: { ...machine.env, ...env } };
    const refused = { code: 2, out: "", said: [expect.stringContaining("must be an absolute path")] };
    for (const command of [["token"], ["setup", "claude-code"]]) expect(await archway(...command)).toEqual(refused);
    expect(machine.said[0]).toContain(says);
  });

  test("a message of the platform reaches the terminal only as one printable line", async () => {
    await signIn();
    const error = { message: "no\u001b[31m\n\u202e way" };
    platform.answer("/v1/me", (_request, response) => response.writeHead(403).end(JSON.stringify({ error })));
    expect(await archway("usage")).toEqual({
      code: 1,
      out: "",
      said: ["archway: /v1/me is refused with 403: no [31m way"],
    });
  });
});

describe("token", () => {
  test("archway token prints only the token", async () => {
    await signIn();
    expect(await archway("token")).toEqual({ code: 0, out: expect.stringMatching(/^[\w.-]+\n$/), said: [] });
  });

  test("archway token gets a new token if a longer lifetime is requested than the cached token has", async () => {
    await signIn();
    const { out } = await archway("token");
    expect((await archway("token", "--min-ttl", "60")).out).toBe(out);
    const file = join(machine.folder, "access.json");
    const access = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...access, obtained_at: 0, expires_at: 80_000_000 }));
    machine.now = () => 80_000_000 - 1_000_000;
    expect((await archway("token", "--min-ttl", "900")).out).toBe(out);
    expect((await archway("token", "--min-ttl", "1500")).out).not.toBe(out);
  });

  test("archway token with another profile uses another sign-in", async () => {
    await signIn();
    expect(await archway("token", "--profile", "work")).toMatchObject({
      code: 3,
      said: [
        expect.stringMatching(/: archway login --profile work --url .*, or archway login --profile work --no-browser/),
      ],
    });
    machine.env = { ...machine.env, ARCHWAY_PROFILE: "work" };
    expect(await archway("token")).toEqual(nobody);
  });

  test("archway token is refused in one line without a display", async () => {
    machine.env = { ...machine.env, ARCHWAY_URL: platform.url };
    platform.asked.length = 0;
    expect(await archway("token")).toEqual(nobody);
    expect(platform.asked).toEqual([]);
  });
});

describe("login", () => {
  test("archway login says who signed in, and where the refresh token is stored", async () => {
    const { code, out, said } = await archway("login", "--no-browser", "--url", platform.url);
    expect([code, out]).toEqual([0, ""]);
    expect(said.slice(-2)).toEqual([
      `Signed in as ann@acme.example at ${platform.url}.`,
      expect.stringMatching(/^The refresh token is in .*refresh, a file that only your account can read\.$/),
    ]);
  });

  test("archway login without a display prints a command that works as it is printed", async () => {
    expect(await archway("login", "--url", platform.url)).toMatchObject({
      code: 3,
      said: ["archway: there is no display to open a browser on: archway login --no-browser"],
    });
    expect((await archway("login", "--no-browser")).code).toBe(0);
  });

  test("archway login prints the whole command if no platform is known", async () => {
    expect((await archway("login", "--no-browser")).said).toEqual([
      "archway: say where: archway login --no-browser --url https://api.<domain>, your platform's API",
    ]);
  });

  test("archway login needs the address only once, and later sign-ins use the same platform", async () => {
    await signIn();
    expect((await archway("login", "--no-browser")).code).toBe(0);
  });

  test("archway login accepts a registered port, and refuses another port with the list of registered ones", async () => {
    const ports = platform.discovery.clients.token_helper.redirect_uris.map((uri) => new URL(uri).port);
    const { code, said } = await archway("login", "--no-browser", "--url", platform.url, "--port", String(ports[1]));
    expect([code, said.join("\n").includes(`localhost%3A${ports[1]}%2F`)]).toEqual([0, true]);
    expect(await archway("login", "--no-browser", "--url", platform.url, "--port", "1")).toMatchObject({
      code: 2,
      said: [expect.stringContaining(ports.join(", "))],
    });
  });

  test.each<[string, import("node:http").RequestListener]>([
    ["is no platform", (_request, response) => response.writeHead(404).end()],
    ["redirects", (_request, response) => response.writeHead(302, { location: "https://evil.example" }).end()],
    ["answers with a page", (_request, response) => response.end("<html>")],
    ["answers with far too much", (_request, response) => response.end("x".repeat(600_000))],
    ["hangs up", (_request, response) => response.destroy()],
  ])("at an address that %s asks nobody to sign in", async (_what, listener) => {
    platform.answer("/.well-known/archway.json", listener);
    const { code, said } = await archway("login", "--no-browser", "--url", platform.url);
    expect([code, said]).toEqual([4, [expect.stringMatching(/^archway: [^\n]+$/)]]);
  });
});

describe("status", () => {
  test("archway status shows the local state without a call", async () => {
    await signIn();
    const { code, out } = await archway("status", "--json");
    expect([code, JSON.parse(out), platform.asked]).toEqual([
      0,
      {
        profile: "default",
        folder: machine.folder,
        signed_in: true,
        url: platform.url,
        email: "ann@acme.example",
        tenant_id: "t1",
        tenant_role: "developer",
        access_token_expires_at: expect.stringMatching(/Z$/),
        store: expect.stringContaining("refresh"),
      },
      [],
    ]);
    expect((await archway("status")).out).toMatch(
      /Signed in +as ann@acme.example\n.*\nAccess token +ends in 60 minutes\n/,
    );
  });

  test("archway status exits with 3 without a sign-in", async () => {
    expect(await archway("status", "--json")).toMatchObject({
      code: 3,
      out: expect.stringContaining('"signed_in": false'),
    });
    expect((await archway("status")).out).toContain("no: archway login");
  });

  test("archway status shows a damaged token as missing", async () => {
    await signIn();
    for (const text of ["{", "\u0000", JSON.stringify({ access_token: "a.b" })]) {
      writeFileSync(join(machine.folder, "access.json"), text);
      expect(await archway("status")).toMatchObject({
        code: 0,
        out: expect.stringContaining("the next call gets one"),
      });
    }
  });
});

describe("usage", () => {
  test("archway usage shows the remaining budget, the time of its reset, and the models", async () => {
    await signIn();
    const { code, out } = await archway("usage");
    expect([code, out]).toEqual([0, expect.stringMatching(/Left +37\.50 USD of 50\.00 USD\n/)]);
    expect(out).toMatch(/Resets +2026-12-01T00:00:00Z\nModels +claude-sonnet-5\nRegions +eu-central-1 \(default\)\n/);
    expect(JSON.parse((await archway("usage", "--json")).out)).toMatchObject({
      slug: "acme",
      budget: { left_usd: 37.5 },
    });
  });

  test("archway usage separates models that the usual region serves from the others", async () => {
    await signIn();
    const budget = { ...platform.usualBudget, models: ["claude-sonnet-5", "claude-fable-5-1"] };
    platform.me = { budget };
    const { out } = await archway("usage");
    expect(out).toMatch(/Models +claude-sonnet-5\nElsewhere +claude-fable-5-1: not in eu-central-1\n/);
    expect(await archway("setup", "env", "--model", "claude-fable-5-1")).toMatchObject({
      code: 2,
      said: ["archway: claude-fable-5-1 is not granted to you in eu-central-1: claude-sonnet-5"],
    });
  });

  test("archway usage shows the budget even if the proxy refuses to list models for the region", async () => {
    await signIn();
    platform.answer("/acme/vendor/v1/models", (_request, response) =>
      response.writeHead(403).end('{"error":{"message":"The model is not available in eu-central-1."}}'),
    );
    const { code, out } = await archway("usage");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Left .*\nSpent(?:.*\n)*Models +none\nElsewhere +claude-sonnet-5: not in eu-central-1\n/),
    ]);
  });

  test("archway usage gets another token if the platform refuses the cached one, or says how to sign in", async () => {
    await signIn();
    let refused = 1;
    platform.answer("/v1/me", (_request, response) => {
      refused -= 1;
      if (refused < 0) platform.usual();
      response.writeHead(401).end('{"error":{"message":"no"}}');
    });
    expect(await archway("usage")).toMatchObject({
      code: 3,
      said: ["archway: /v1/me is refused with 401: no. Sign in again: archway login"],
    });
    expect(platform.count("/oauth2/token")).toBe(1);
    expect((await archway("usage")).code).toBe(0);
    platform.answer("/v1/me", (_request, response) => response.writeHead(401).end("{}"));
    platform.refreshTokens.clear();
    expect((await archway("doctor")).out).toMatch(/FAIL token +your sign-in has ended: archway login/);
  });

  test("archway usage gets another token after another workspace was made the active one", async () => {
    await signIn();
    const membership = {
      tenant_id: "t2",
      status: "active",
      tenant_name: "Acme",
      tenant_slug: "acme",
      tenant_status: "active",
    };
    platform.me = { tenant_id: "t2", memberships: [membership] };
    expect((await archway("usage")).code).toBe(0);
    expect(platform.count("/oauth2/token")).toBe(1);
  });

  test("archway usage says so if the person is in no workspace, or if the platform has another version", async () => {
    await signIn();
    platform.me = { memberships: [], tenant_id: undefined };
    expect(await archway("usage")).toMatchObject({
      code: 1,
      said: [expect.stringContaining("you are in no workspace")],
    });
    platform.me = { memberships: "none" };
    expect(await archway("usage")).toMatchObject({ code: 4, said: [expect.stringContaining("update archway")] });
  });
});

test("archway commands list invitations with address and inviter, and never as workspaces", async () => {
  await signIn();
  const member = { ...{ tenant_id: "t1", tenant_name: "Good", tenant_slug: "acme" }, status: "active" };
  const invited = { tenant_id: "t2", tenant_name: "Good\n", tenant_slug: "good-0", invited_by: "m@evil.example" };
  platform.me = { ...platform.me, memberships: [member, invited] };
  const told = expect.stringMatching(
    /^You are invited to Good.*\(good-0\), by m@evil\.example: accept or decline in the console/,
  );
  expect(await archway("workspaces")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\* acme Good,\s*$/),
    said: [told],
  });
  expect(await archway("usage")).toMatchObject({ code: 0, said: [told] });
  expect(await archway("use", "good-0")).toMatchObject({
    code: 1,
    said: [expect.stringContaining("you are invited to Good")],
  });
});

test("archway use says so if a workspace is suspended", async () => {
  await signIn();
  const membership = {
    tenant_id: "t1",
    status: "active",
    tenant_name: "Acme",
    tenant_slug: "acme",
    tenant_status: "suspended",
  };
  platform.me = { memberships: [membership] };
  expect(await archway("use", "acme")).toMatchObject({
    code: 0,
    said: ["Tokens are for Acme (acme) from now on.", "It is suspended: nobody calls models in it."],
  });
});

describe("logout", () => {
  const livesOn = () => [
    "The last token calls models for 60 more minutes, wherever a client holds it. It changes nothing.",
    `A browser is signed in at ${new URL(platform.url).host} for up to an hour.`,
    "API keys that setup has made stay good until the console revokes them.",
  ];

  test("archway logout revokes and deletes the sign-in, and has nothing to do a second time", async () => {
    await signIn();
    expect(await archway("logout")).toEqual({ code: 0, out: "", said: ["Signed out.", ...livesOn()] });
    expect([platform.count("/oauth2/revoke"), existsSync(machine.folder)]).toEqual([1, false]);
    expect(await archway("logout")).toEqual({ code: 0, out: "", said: ["Nobody was signed in."] });
  });

  test("archway logout --everywhere ends all sign-ins, after a new sign-in that may make changes", async () => {
    await signIn();
    platform.answer("/v1/me/sign-out-everywhere", (_request, response) => response.writeHead(204).end());
    const { code, said } = await archway("logout", "--everywhere");
    expect([code, platform.count("/v1/me/sign-out-everywhere"), existsSync(machine.folder)]).toEqual([0, 1, false]);
    expect(said).toContain("archway: signing out everywhere needs you to sign in once more");
    expect(said.slice(-3)).toEqual([
      "Every sign-in of yours has ended. Tokens that clients hold are refused within a minute.",
      ...livesOn().slice(1),
    ]);
  });

  test("archway logout --everywhere stays signed in if the platform does not end the other sign-ins", async () => {
    await signIn();
    const refused = { error: { message: "not now" } };
    platform.answer("/v1/me/sign-out-everywhere", (_request, response) =>
      response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify(refused)),
    );
    const { code, said } = await archway("logout", "--everywhere");
    expect([code, said.at(-1)]).toEqual([4, expect.stringContaining("503: not now")]);
    expect((await archway("status")).code).toBe(0);
  });

  test("archway logout keeps only the platform's address", async () => {
    await signIn();
    await archway("logout");
    const says = `archway: not signed in: archway login --url ${platform.url}, or archway login --no-browser --url ${platform.url} without a display`;
    expect(await archway("token")).toEqual({ code: 3, out: "", said: [says] });
    expect((await archway("login", "--no-browser")).code).toBe(0);
  });

  test("archway logout deletes the sign-in even if the platform cannot be reached, and says so", async () => {
    await signIn();
    platform.answer("/oauth2/revoke", (_request, response) => response.writeHead(503).end());
    const { code, said } = await archway("logout");
    const ends = expect.stringMatching(
      /signed out here, and not at the platform.*ends there 30 days after the sign-in/,
    );
    expect([code, said, existsSync(machine.folder)]).toEqual([4, [...livesOn(), ends], false]);
  });
});

describe("doctor", () => {
  const checksOf = (out: string) => JSON.parse(out).map(({ check, ok }: { check: string; ok: boolean }) => [check, ok]);
  const all = ["profile", "address", "clock", "token", "grant", "models", "call", "credit", "claude"];

  test("archway doctor tests everything up to a model's answer, or without the call that costs money", async () => {
    await signIn();
    expect(await archway("doctor")).toMatchObject({ code: 0, out: expect.stringMatching(/^(ok {3}.*\n){9}$/) });
    expect(checksOf((await archway("doctor", "--json", "--no-call")).out)).toEqual(
      all.slice(0, -3).map((name) => [name, true]),
    );
  });

  test.each<[string, () => void]>([
    ["profile", () => writeFileSync(join(machine.folder, "profile.json"), "{")],
    ["address", () => platform.answer("/.well-known/archway.json", (_request, response) => response.destroy())],
    ["clock", () => Object.assign(machine, { now: () => Date.now() - 86_400_000 })],
    ["grant", () => Object.assign(platform, { me: { budget: undefined } })],
    ["models", () => platform.answer("/acme/vendor/v1/models", (_request, response) => response.end('{"data":[]}'))],
    [
      "call",
      () => platform.answer("/acme/vendor/v1/messages", (_request, response) => response.writeHead(500).end("{}")),
    ],
    ["credit", () => Object.assign(platform, { me: withCredit(9_975) })],
    ["claude", () => Object.assign(machine, { env: { ...machine.env, CLAUDE_CODE_USE_BEDROCK: "1" } })],
  ])("ends at the first thing that does not work: %s", async (name, spoil) => {
    await signIn();
    await archway("setup", "claude-code", "--no-call");
    spoil();
    const { code, out } = await archway("doctor", "--json");
    const before = all.slice(0, all.indexOf(name));
    expect([code, checksOf(out)]).toEqual([1, [...before.map((each) => [each, true]), [name, false]]]);
  });
});

/** A workspace that has nothing to pay with but its free credit. */
const withCredit = (left_tokens: number) => ({
  free_credit: { granted_tokens: 10_000, spent_tokens: 10_000 - left_tokens, left_tokens },
  has_payment_method: false,
});

describe("a free credit that is all there is", () => {
  const says =
    "9975 of 10000 tokens of free credit are all there is, and an assistant's first request needs some 50000";

  test("archway usage shows a free credit beside a budget without a limit", async () => {
    await signIn();
    platform.me = withCredit(9_975);
    expect((await archway("usage")).out).toMatch(/^Credit +9975 of 10000 tokens, and nothing beyond them/m);
    expect(JSON.parse((await archway("usage", "--json")).out).free_credit).toMatchObject({ left_tokens: 9_975 });
    platform.me = { ...withCredit(9_975), has_payment_method: true };
    expect((await archway("usage")).out).not.toContain("Credit");
  });

  test("archway setup of an assistant fails with a small free credit, and setup of an SDK mentions it", async () => {
    await signIn();
    platform.me = withCredit(9_975);
    expect(await archway("setup", "claude-code")).toMatchObject({ code: 1 });
    expect(machine.said.at(-1)).toMatch(new RegExp(`^FAIL credit +${says}`));
    expect(await archway("setup", "env")).toMatchObject({ code: 0 });
    expect(machine.said.join("\n")).toContain(`\n${says}`);
  });
});

describe("setup", () => {
  const settings = () => join(machine.home, ".claude", "settings.json");

  test("archway setup writes the client's settings, says each change, and tries them", async () => {
    await signIn();
    const { code, said } = await archway("setup", "claude-code");
    expect([code, said[0], said.at(-1)]).toEqual([
      0,
      `${settings()}:`,
      "claude is not on your PATH, so only the platform was tried.",
    ]);
    expect(said).toContain("claude-sonnet-5 answers in acme: it works.");
    expect(JSON.parse(readFileSync(settings(), "utf8")).env.ANTHROPIC_BASE_URL).toBe(`${platform.url}/acme/vendor`);
  });

  test("archway setup makes no test call with --no-call, and writes nothing with --print", async () => {
    await signIn();
    expect(await archway("setup", "claude-code", "--print")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^{/),
    });
    expect(existsSync(settings())).toBe(false);
    expect((await archway("setup", "claude-code", "--no-call")).code).toBe(0);
    expect(platform.count("/acme/vendor/v1/messages")).toBe(0);
  });

  const install = (name: string, program: string) => {
    mkdirSync(join(machine.home, "bin"));
    writeFileSync(join(machine.home, "bin", name), `#!${process.execPath}\n${program}`, { mode: 0o755 });
  };

  /** Stands in for Claude Code: it calls where its settings lead, in the session that it was given, and says what it was asked for. */
  const caller = (address: string) => `
    const words = process.argv.slice(2);
    const session = words[words.indexOf("--session-id") + 1];
    const headers = { "x-claude-code-session-id": session };
    fetch("${address}", { method: "POST", headers }).then(() => console.log(words.join(" "), process.env.CLAUDECODE, process.cwd()));
  `;

  test("archway setup asks the client itself if it is installed, without another client's environment", async () => {
    await signIn();
    machine.env = { ...machine.env, CLAUDECODE: "1" };
    install("claude", caller(`${platform.url}/acme/vendor/v1/messages`));
    expect(await archway("setup", "claude-code")).toMatchObject({ code: 0 });
    expect(machine.said.at(-1)).toBe("claude answers: it works.");
    expect(platform.calls).toEqual([
      expect.not.objectContaining({ session_id: expect.anything() }),
      expect.objectContaining({ session_id: expect.stringMatching(/^[\w-]{36}$/) }),
    ]);
  });

  /** A server in another provider's place, which counts what it is asked. */
  async function recorder() {
    const recorded = { url: "", seen: 0, stop: () => void server.close() };
    const server = createServer((_request, response) => {
      recorded.seen += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    recorded.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return recorded;
  }

  longTest("archway setup accepts no answer from another address than the platform's", async () => {
    await signIn();
    const elsewhere = await recorder();
    install("claude", caller(elsewhere.url));
    expect(await archway("setup", "claude-code")).toMatchObject({ code: 1 });
    expect(machine.said.at(-1)).toContain("claude answers, but not by the platform, which has no call of it");
    expect(elsewhere.seen).toBe(1);
    elsewhere.stop();
  });

  describe("says what leads Claude Code past the platform, and where it is set", () => {
    const write = (file: string, content: object) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(content));
      return file;
    };
    const bedrock = { env: { CLAUDE_CODE_USE_BEDROCK: "1" } };

    test.each<[string, () => string]>([
      [
        "the shell",
        () => {
          machine.env = { ...machine.env, CLAUDE_CODE_USE_BEDROCK: "true" };
          return "your shell";
        },
      ],
      ["the person's settings", () => write(settings(), bedrock)],
      ["the file of its state", () => write(join(machine.home, ".claude.json"), bedrock)],
      ["the project's settings", () => write(join(machine.cwd, ".claude", "settings.json"), bedrock)],
      [
        "local settings of a folder above",
        () => write(join(machine.home, "a", ".claude", "settings.local.json"), bedrock),
      ],
      ["managed settings", () => write(join(machine.systemRoot, "etc/claude-code/managed-settings.json"), bedrock)],
      [
        "a part of managed settings",
        () => write(join(machine.systemRoot, "etc/claude-code/managed-settings.d/10-aws.json"), bedrock),
      ],
    ])("in %s: setup and doctor fail", async (_where, set) => {
      await signIn();
      machine.cwd = join(machine.home, "a", "b");
      if (_where === "the project's settings") machine.cwd = join(machine.home, "work");
      const place = set();
      const says = `CLAUDE_CODE_USE_BEDROCK is set in ${place}: claude does not call the platform`;
      expect(await archway("setup", "claude-code")).toMatchObject({ code: 1 });
      expect(machine.said.at(-1)).toContain(says);
      const { code, out } = await archway("doctor");
      expect([code, out]).toEqual([1, expect.stringMatching(new RegExp(`FAIL claude +${says}`))]);
    });

    test("archway setup does not report settings that the person's own settings override", async () => {
      await signIn();
      machine.env = { ...machine.env, CLAUDE_CODE_USE_BEDROCK: "1" };
      write(settings(), { env: { CLAUDE_CODE_USE_BEDROCK: "0" } });
      expect(await archway("setup", "claude-code")).toMatchObject({ code: 0 });
      expect(await archway("doctor")).toMatchObject({ code: 0 });
    });

    test("archway setup reports a different base URL of the project or of administrators, but not a setting that is off", async () => {
      await signIn();
      const file = write(join(machine.cwd, ".claude", "settings.json"), {
        env: { ANTHROPIC_BASE_URL: "https://elsewhere.example", CLAUDE_CODE_USE_VERTEX: "0" },
      });
      expect(await archway("setup", "claude-code")).toMatchObject({ code: 1 });
      expect(machine.said.at(-1)).toContain(`ANTHROPIC_BASE_URL is set in ${file}`);
      write(file, { env: { ANTHROPIC_BASE_URL: `${platform.url}/acme/vendor`, CLAUDE_CODE_USE_VERTEX: "0" } });
      expect(await archway("setup", "claude-code")).toMatchObject({ code: 0 });
    });
  });

  test.each([
    ["fails", 'console.error("Not logged in"); process.exit(1)', "claude ends with 1: Not logged in"],
    ["answers nothing", "", "claude ends with 0: it says nothing"],
    ["is killed", "process.kill(process.pid, 9)", "claude ends with -1: it says nothing"],
  ])("archway setup does not report a client as working that %s", async (_what, program, says) => {
    await signIn();
    install("claude", program);
    expect(await archway("setup", "claude-code")).toMatchObject({ code: 1 });
    expect(machine.said.at(-1)).toBe(`archway: ${says}`);
  });

  test("archway setup leaves a damaged file unchanged", async () => {
    await signIn();
    mkdirSync(dirname(settings()), { recursive: true });
    writeFileSync(settings(), '{"a": ');
    expect(await archway("setup", "claude-code")).toMatchObject({
      code: 1,
      said: [expect.stringContaining("nothing was changed")],
    });
    expect(readFileSync(settings(), "utf8")).toBe('{"a": ');
  });

  test("archway setup fails with the first failing check", async () => {
    await signIn();
    platform.answer("/acme/vendor/v1/messages", (_request, response) =>
      response.writeHead(403).end('{"error":{"message":"no"}}'),
    );
    expect(await archway("setup", "env")).toMatchObject({
      code: 1,
      said: [expect.anything(), expect.stringMatching(/^FAIL call .*no$/)],
    });
  });

  test("archway setup refuses a model and a region that are not granted, and names the granted ones", async () => {
    await signIn();
    expect(await archway("setup", "env", "--model", "gpt-9")).toMatchObject({
      code: 2,
      said: [expect.stringContaining("claude-sonnet-5")],
    });
    expect(await archway("setup", "env", "--region", "mars-1")).toMatchObject({
      code: 2,
      said: [expect.stringContaining("eu-central-1")],
    });
  });
});
