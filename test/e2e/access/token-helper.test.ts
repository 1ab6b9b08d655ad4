// The token helper against the local stack, as a coding assistant and its user start it.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { Browser } from "../../../local/demo/sign-in.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { few, longTest } from "../../support/sizes.ts";
import { type Finished, freeCallbacks, Helper } from "../../support/token-helper/token-helper.ts";

let stack: Stack;
let developer: Person;
let aHelper: (person?: Person) => Promise<Helper>;
/** A home folder in which the developer is signed in, for tests that keep it so. */
let signedIn: Helper;
const helpers: Helper[] = [];
beforeAll(async () => {
  stack = await startSeeded({ config: await freeCallbacks() });
  developer = stack.demo?.developer ?? { email: "", password: "", sub: "" };
  aHelper = await Helper.build(stack.at("api"));
  signedIn = await aHelper(developer);
});
afterAll(async () => {
  signedIn.remove();
  await stack.stop();
});
afterEach(() => {
  for (const helper of helpers.splice(0)) helper.remove();
});

async function open(person?: Person): Promise<Helper> {
  const helper = await aHelper(person);
  helpers.push(helper);
  return helper;
}

const jwt = /^[\w-]+\.[\w-]+\.[\w-]+\n$/;
const oneLine = /^archway: [^\n]+\n$/;
const off = (milliseconds: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${milliseconds}`,
});
/** The stack's time, which tests advance, as the clock of this machine: `doctor` and `setup` find it right. */
const onTime = () => off(stack.clock.ahead);

function meWith(token: string): Promise<Response> {
  return fetch(`${stack.at("api")}/v1/me`, { headers: { authorization: `Bearer ${token.trim()}` } });
}

describe("the first sign-in", () => {
  test("the first sign-in of the token helper needs only the platform's URL and a person at a browser, and prints only the token", async () => {
    const helper = await open();
    const { code, out, err } = await helper.run(["token"], { env: helper.browserOf(developer) });
    expect([code, out, err]).toEqual([0, expect.stringMatching(jwt), expect.stringMatching(oneLine)]);
    expect((await meWith(out)).status).toBe(200);
    expect(await helper.run(["token"])).toEqual({ code: 0, out, err: "" });
  });

  test("the first sign-in of the token helper leaves files that only their owner can read", async () => {
    const helper = signedIn;
    const modes = ["", "access.json", "profile.json", "refresh"].map(
      (name) => statSync(helper.file(name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  test("the first sign-in of the token helper reports a home folder that cannot be written before it opens the browser", async () => {
    const helper = await open();
    writeFileSync(join(helper.home, "archway"), "in the way");
    const { code, out, err } = await helper.run(["token"], { env: helper.browserOf(developer) });
    expect([code, out, err]).toEqual([
      1,
      "",
      expect.stringMatching(/^archway: cannot write [^\n]+ARCHWAY_HOME[^\n]+\n$/),
    ]);
  });

  test("the first sign-in of the token helper says so if the browser cannot be started", async () => {
    const helper = await open();
    const env = { ...helper.browserOf(developer), BROWSER: "no-such-browser" };
    expect(await helper.run(["token"], { env })).toMatchObject({
      code: 3,
      err: expect.stringContaining("login --no-browser"),
    });
  });

  test.each(few(1, ["token", "login"]))(
    "the first sign-in of the token helper is refused in one line by %s if there is no display",
    async (command) => {
      const helper = await open();
      const { code, out, err } = await helper.run([command], { env: { ARCHWAY_URL: stack.at("api") } });
      expect([code, out, err]).toEqual([3, "", expect.stringMatching(oneLine)]);
      expect(err).toContain("archway login --no-browser");
    },
  );

  test("the first sign-in of the token helper can use a browser on another machine, whose last address is pasted", async () => {
    const helper = await open();
    const child = helper.start(["login", "--no-browser", "--url", stack.at("api")]);
    const lines: string[] = [];
    const asked = new Promise<string>((resolve) => {
      child.stderr?.on("data", (chunk) => {
        lines.push(String(chunk));
        const [url] = /http\S+authorize\S+/.exec(lines.join("")) ?? [];
        if (url && lines.join("").includes("Paste")) resolve(url);
      });
    });
    const url = await asked;
    const redirectUri = new URL(url).searchParams.get("redirect_uri") ?? "";
    const browser = new Browser();
    const { email: username, password } = developer;
    const page = await browser.submit(await browser.open(url, redirectUri), { username, password }, redirectUri);
    child.stdin?.write("nonsense\n");
    child.stdin?.write(`${redirectUri}?code=1&state=of-another\n`);
    child.stdin?.write(`${page.url}\n`);
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    expect(await helper.run(["token"])).toMatchObject({ code: 0, out: expect.stringMatching(jwt) });
  });

  test("the first sign-in of the token helper works with a clock that is wrong by a day, and doctor names it", async () => {
    for (const wrong of few(1, [86_400_000, -86_400_000])) {
      const helper = await open();
      const env = { ...helper.browserOf(developer), ...off(wrong) };
      const { code, out } = await helper.run(["token"], { env });
      expect([code, out]).toEqual([0, expect.stringMatching(jwt)]);
      const examined = await helper.run(["doctor"], { env: off(wrong) });
      expect([examined.code, examined.out]).toEqual([1, expect.stringContaining("24 hours")]);
      // The clock is put right: what was got by the wrong one is not trusted for longer than it lasts.
      expect((await meWith((await helper.run(["token"])).out)).status).toBe(200);
    }
  });
});

describe("the next tokens", () => {
  test("the token helper gets a later token without a question when the last one expires", async () => {
    const helper = signedIn;
    const before = helper.access().access_token;
    helper.expire();
    stack.clock.advance(3_600_000);
    expect((await meWith(before)).status).toBe(401);
    const { code, out, err } = await helper.run(["token"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out.trim()).not.toBe(before);
    expect((await meWith(out)).status).toBe(200);
  });

  test("the token helper gives a client that asks again early a new token at once; other clients keep theirs", async () => {
    const helper = await open(developer);
    const ask = (client: string, minutes: number) =>
      helper.run(["token", "--client", client], { env: off(minutes * 60_000) });
    const atOnce = await ask("9", 0);
    expect((await ask("9", 0)).out).not.toBe(atOnce.out);
    const first = await ask("7", 10);
    expect(await ask("8", 10)).toEqual(first);
    const fresh = await ask("7", 11);
    expect([fresh.code, fresh.out === first.out]).toEqual([0, false]);
    expect(await ask("8", 11)).toEqual(fresh);
    expect(await helper.run(["token"], { env: off(660_000) })).toEqual(fresh);
    expect((await meWith(fresh.out)).status).toBe(200);
    expect(await helper.run(["token", "--client", "$PPID"])).toMatchObject({ code: 2, out: "" });
  });

  const damages = [
    ["binary", "\u0000\u0001\u0002"],
    ["a token with a line break", JSON.stringify({ url: "x", access_token: "a\nb", obtained_at: 0, expires_at: 9e15 })],
    ["no JSON", "{"],
    ["far too large", "x".repeat(200_000)],
  ] as const;

  test.each(few(2, damages))("the token helper gets later tokens even if the cache is %s", async (_what, text) => {
    const helper = signedIn;
    writeFileSync(helper.file("access.json"), text);
    expect(await helper.run(["token"])).toMatchObject({ code: 0, out: expect.stringMatching(jwt), err: "" });
  });

  test("the token helper reads later tokens only from the cache, whether or not the platform is named", async () => {
    const helper = await open(developer);
    writeFileSync(helper.file("profile.json"), "\u0000");
    for (const env of [{}, { ARCHWAY_URL: stack.at("api") }])
      expect((await helper.run(["token"], { env })).out.trim()).toBe(helper.access().access_token);
  });

  test.each(few(1, ["refresh", "profile.json"]))(
    "the token helper needs a new sign-in if %s is damaged",
    async (name) => {
      const helper = signedIn;
      helper.expire();
      writeFileSync(helper.file(name), "\u0000");
      expect(await helper.run(["token"])).toEqual({ code: 3, out: "", err: expect.stringMatching(oneLine) });
      expect(await helper.run(["token"], { env: helper.browserOf(developer) })).toMatchObject({ code: 0 });
    },
  );

  test("the token helper needs a new sign-in once the last refresh token was revoked", async () => {
    const helper = await open(developer);
    const { discovery } = JSON.parse(readFileSync(helper.file("profile.json"), "utf8"));
    const token = readFileSync(helper.file("refresh"), "utf8").trim();
    const body = new URLSearchParams({ token, client_id: discovery.clients.token_helper.client_id });
    expect((await fetch(`${discovery.auth_url}/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
    helper.expire();
    const { code, out, err } = await helper.run(["token"]);
    expect([code, out, err]).toEqual([
      3,
      "",
      "archway: your sign-in has ended: archway login, or archway login --no-browser without a display\n",
    ]);
    expect(await helper.run(["token"], { env: helper.browserOf(developer) })).toMatchObject({ code: 0 });
  });
});

describe("what a person asks", () => {
  test("archway status says who is signed in where, and exits with 3 if no one is", async () => {
    const helper = signedIn;
    const { code, out } = await helper.run(["status", "--json"]);
    const facts = {
      signed_in: true,
      email: developer.email,
      tenant_id: stack.demo?.tenant_id,
      tenant_role: "developer",
    };
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining(facts)]);
    expect((await helper.run(["status", "--profile", "other"])).code).toBe(3);
  });

  test("archway usage says what is left, when it resets, and for which models", async () => {
    const helper = signedIn;
    const { code, out } = await helper.run(["usage"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/Left +\d+\.\d\d USD of 50\.00 USD\n/)]);
    expect(out).toMatch(/Resets +\d{4}-\d\d-01T/);
    expect(out).toMatch(/Models +.*claude-sonnet-5/);
  });

  test("archway doctor finds everything in order, up to an answer of a model", async () => {
    const helper = signedIn;
    const { code, out } = await helper.run(["doctor", "--json"], { env: onTime() });
    const names = ["profile", "address", "clock", "token", "grant", "models", "call", "credit", "claude"];
    expect([code, JSON.parse(out).map(({ check, ok }: { check: string; ok: boolean }) => [check, ok])]).toEqual([
      0,
      names.map((name) => [name, true]),
    ]);
  });

  test("archway tells a removed member about the removal", async () => {
    const leaving = await signUp(stack, "leaving@acme.example");
    await addMember(stack, stack.demo?.tenant_id ?? "", leaving);
    const helper = await open(leaving);
    const owner = stack.demo?.owner ?? developer;
    expect((await asConsole(owner, `/v1/users/${leaving.sub}`, "DELETE")).status).toBe(204);
    helper.expire();
    expect(await helper.run(["usage"])).toEqual({
      code: 1,
      out: "",
      err: `archway: you are in no workspace: create one in the console, ${stack.console}, or ask for an invitation\n`,
    });
    expect((await helper.run(["doctor"], { env: onTime() })).out).toMatch(/FAIL grant +you are in no workspace/);
  });

  test("archway tells a member without a grant whom to ask", async () => {
    const person = await signUp(stack, "grantless@acme.example");
    await addMember(stack, stack.demo?.tenant_id ?? "", person);
    const helper = await open(person);
    expect(await helper.run(["setup", "env"])).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("no grant"),
    });
  });

  test("archway logout --everywhere also ends the sign-in of another machine, whose token is refused by each proxy a minute later", async () => {
    const person = await signUp(stack, "two-machines@acme.example");
    const { slug } = await openWorkspace(stack, person, "Two machines");
    const [here, there] = [await open(person), await open(person)];
    const token = (await there.run(["token"])).out.trim();
    stack.clock.advance(2_000);
    expect((await here.run(["logout", "--everywhere"], { env: here.browserOf(person) })).code).toBe(0);
    stack.clock.advance(60_000);
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/models`, { headers });
    expect(status).toBe(401);
    const { code, err } = await there.run(["token", "--fresh"]);
    expect([code, err]).toEqual([3, expect.stringContaining("your sign-in has ended")]);
  });

  test("archway logout ends the sign-in at the platform, and leaves nothing on the machine", async () => {
    const helper = await open(developer);
    const { discovery } = JSON.parse(readFileSync(helper.file("profile.json"), "utf8"));
    const refresh_token = readFileSync(helper.file("refresh"), "utf8").trim();
    expect((await helper.run(["logout"])).code).toBe(0);
    expect(() => statSync(helper.folder)).toThrow();
    const { client_id } = discovery.clients.token_helper;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id });
    expect((await fetch(`${discovery.auth_url}/oauth2/token`, { method: "POST", body })).status).toBe(400);
    expect((await helper.run(["logout"])).code).toBe(0);
  });
});

describe("setup", () => {
  test("archway setup tells Claude Code what it needs, keeps the rest of its settings, and proves it with a call", async () => {
    const helper = signedIn;
    const file = join(helper.home, ".claude", "settings.json");
    mkdirSync(join(helper.home, ".claude"));
    writeFileSync(file, '{\n  "theme": "dark",\n  "env": { "MINE": "1" }\n}\n');
    const first = await helper.run(["setup", "claude-code", "--region", "us-east-1"], { env: onTime() });
    expect([first.code, first.err]).toEqual([0, expect.stringContaining("it works")]);
    const text = readFileSync(file, "utf8");
    expect(JSON.parse(text)).toMatchObject({
      theme: "dark",
      apiKeyHelper: expect.stringContaining("token"),
      model: expect.stringContaining("claude-sonnet"),
      env: {
        MINE: "1",
        ANTHROPIC_BASE_URL: `${stack.at("acme.proxy")}/vendor`,
        ANTHROPIC_CUSTOM_HEADERS: "X-Platform-Region: us-east-1",
      },
    });
    const again = await helper.run(["setup", "claude-code", "--region", "us-east-1"], { env: onTime() });
    expect(again.err).toContain("nothing to change");
  });

  test("archway setup --print shows the settings and changes nothing", async () => {
    const helper = signedIn;
    const { code, out } = await helper.run(["setup", "opencode", "--print"]);
    expect([code, out]).toEqual([0, expect.stringContaining("chat.headers")]);
    expect(() => statSync(join(helper.home, ".config"))).toThrow();
  });

  test("archway setup gives Continue an API key of the caller, and no second one", async () => {
    const helper = signedIn;
    const count = async () =>
      ((await (await asConsole(developer, "/v1/keys")).json()) as { data: unknown[] }).data.length;
    const before = await count();
    const env = { ...helper.browserOf(developer), ...onTime() };
    const first = await helper.run(["setup", "continue"], { env });
    expect([first.code, first.err]).toEqual([
      0,
      expect.stringContaining("a new API key needs you to sign in once more"),
    ]);
    expect((await helper.run(["setup", "continue"], { env: onTime() })).code).toBe(0);
    expect((await count()) - before).toBe(1);
    expect(readFileSync(join(helper.home, ".continue", ".env"), "utf8")).toMatch(/^ARCHWAY_API_KEY=ar_live_\S+\n$/);
    expect(readFileSync(join(helper.home, ".continue", "config.yaml"), "utf8")).not.toContain("ar_live_");
  });

  test("archway setup creates no API key if another person or no person signs in at the second window", async () => {
    const helper = await open(developer);
    const { code, err } = await helper.run(["setup", "continue"], {
      env: helper.browserOf(stack.demo?.owner ?? developer),
    });
    expect([code, err]).toEqual([1, expect.stringContaining("somebody else signed in: nothing was changed")]);
    const nobody = await helper.run(["setup", "continue"]);
    expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining("nobody signed in")]);
    expect(() => statSync(join(helper.home, ".continue", ".env"))).toThrow();
  });

  test("archway setup prints the environment for a shell", async () => {
    const helper = signedIn;
    const { out } = await helper.run(["setup", "env", "--no-call", "--shell", "sh"]);
    expect(out).toContain(`export ANTHROPIC_BASE_URL='${stack.at("acme.proxy")}/vendor'\n`);
  });
});

async function asConsole(person: Person, path: string, method = "GET"): Promise<Response> {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}` };
  return fetch(stack.at("api") + path, { method, headers });
}

describe("somebody in two workspaces", () => {
  let eve: Person;
  beforeAll(async () => {
    eve = await signUp(stack, "eve@two.example");
  });
  const inUse = async (helper: Helper) => {
    const { out } = await helper.run(["workspaces", "--json"]);
    return (JSON.parse(out) as { slug: string; in_use: boolean }[]).find(({ in_use }) => in_use)?.slug;
  };
  const tenantOf = async (token: string) => ((await (await meWith(token)).json()) as { tenant_id?: string }).tenant_id;

  test("a person who creates a workspace after signing in uses it with the next command", async () => {
    const helper = await open(eve);
    expect((await helper.run(["usage"])).err).toContain("you are in no workspace");
    await openWorkspace(stack, eve, "Eve One");
    expect(await helper.run(["usage"])).toMatchObject({ code: 0, out: expect.stringContaining("(eve-one), owner") });
  });

  test("each profile of the token helper stays in its workspace, whatever another profile or the console chooses, until `archway use`", async () => {
    const [one, two] = [await open(eve), await open(eve)];
    const second = await openWorkspace(stack, eve, "Eve Two");
    expect(await inUse(one)).toBe("eve-one");
    expect(await two.run(["use", "eve-two"])).toMatchObject({ code: 0, err: expect.stringContaining("run it again") });
    expect([await inUse(one), await inUse(two)]).toEqual(["eve-one", "eve-two"]);
    const fresh = [await one.run(["token", "--fresh"]), await two.run(["token", "--fresh"])];
    const [first, other] = await Promise.all(fresh.map(({ out }) => tenantOf(out)));
    expect(first).not.toBe(second.tenant_id);
    expect(other).toBe(second.tenant_id);
    expect((await one.run(["workspaces"])).out).toBe("* eve-one Eve One, owner\n  eve-two Eve Two, owner\n");
    expect(await one.run(["use", "nobody-here"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("you are in no workspace nobody-here; yours: eve-"),
    });
  });

  longTest("archway setup writes the address of the profile's workspace, even if another one is active", async () => {
    const helper = await open(eve);
    await helper.run(["use", "eve-one"]);
    const headers = { authorization: `Bearer ${helper.access().access_token}` };
    const { memberships } = (await (await meWith(helper.access().access_token)).json()) as {
      memberships: { tenant_id: string; tenant_slug: string }[];
    };
    const two = memberships.find(({ tenant_slug }) => tenant_slug === "eve-two")?.tenant_id;
    const activated = await fetch(`${stack.at("api")}/v1/tenants/${two}/activate`, { method: "POST", headers });
    expect(activated.status).toBe(200);
    expect(await helper.run(["setup", "claude-code", "--no-call"])).toMatchObject({ code: 0 });
    const written = readFileSync(join(helper.home, ".claude", "settings.json"), "utf8");
    expect([written.includes("eve-one.proxy"), written.includes("eve-two")]).toEqual([true, false]);
    expect(await inUse(helper)).toBe("eve-one");
  });

  longTest(
    "two profiles that switch at the same time end in their own workspaces, or in their former workspaces with the advice to try again",
    async () => {
      const [one, two] = [await open(eve), await open(eve)];
      await one.run(["use", "eve-one"]);
      await two.run(["use", "eve-two"]);
      const ended = await Promise.all([one.run(["use", "eve-two"]), two.run(["use", "eve-one"])]);
      const isRight = ({ code, err }: Finished) => code === 0 || (code === 4 && err.includes("try again"));
      expect(ended.filter((each) => !isRight(each))).toEqual([]);
      const ends = ended.map(({ code }) => code === 0);
      expect(await inUse(one)).toBe(ends[0] ? "eve-two" : "eve-one");
      expect(await inUse(two)).toBe(ends[1] ? "eve-one" : "eve-two");
    },
  );

  test("a deleted workspace of a profile is replaced by the person's other workspace, and the token helper says so", async () => {
    const helper = await open(eve);
    const third = await openWorkspace(stack, eve, "Eve Three");
    expect((await helper.run(["use", "eve-three"])).code).toBe(0);
    const gone = await asConsole(eve, `/v1/tenants/${third.tenant_id}`, "DELETE");
    expect(gone.status).toBe(204);
    const { code, out, err } = await helper.run(["usage"]);
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(/\(eve-(one|two)\), owner/),
      expect.stringContaining("in this profile's workspace no more"),
    ]);
  });
});
