import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { pastedQuery, requireDisplay, signIn } from "../../../packages/sign-in/sign-in.ts";
import { freePorts } from "../../support/free-ports.ts";
import { FakePlatform } from "../../support/sign-in/fake-platform.ts";
import { aMachine, type TestMachine } from "../../support/sign-in/test-machine.ts";

let platform: FakePlatform;
let machine: TestMachine;
beforeAll(async () => {
  platform = await FakePlatform.start((await freePorts(3)).map((port) => `http://localhost:${port}/callback`));
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.usual();
  platform.claims = {};
  // A browser that opens and does nothing: the tests are the person.
  machine = aMachine({ BROWSER: "true" });
});

const email = "ann@acme.example";
/** Ends with what the page says. */
function visit(url: string): Promise<{ status: number; page: string }> {
  return new Promise((resolve, reject) => {
    const asking = httpRequest(url, (response) => {
      let page = "";
      response.on("data", (chunk) => {
        page += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, page }));
    });
    asking.once("error", reject);
    asking.end();
  });
}

/** The address that a browser is to open, by a browser that prints nothing: from where the sign-in page was asked. */
async function inBrowser() {
  const written = new Promise<string>((resolve) => {
    machine.env = { ...machine.env, BROWSER: `${process.execPath} -e fetch(process.argv[1])` };
    platform.answer("/oauth2/authorize", (request, response) => {
      resolve(new URL(request.url ?? "", platform.url).href);
      response.end();
    });
  });
  const signedIn = signIn(machine, platform.app, { browser: true });
  signedIn.catch(() => undefined);
  const query = new URL(await written).searchParams;
  platform.usual();
  return {
    signedIn,
    url: await written,
    state: query.get("state") ?? "",
    callback: query.get("redirect_uri") ?? "",
  };
}

/** A code of another sign-in, that somebody else began. */
async function anotherCode(): Promise<string> {
  const query = new URLSearchParams({
    redirect_uri: "http://localhost/",
    state: "x",
    code_challenge: "theirs",
    nonce: "theirs",
  });
  const { headers } = await fetch(`${platform.url}/oauth2/authorize?${query}`, { redirect: "manual" });
  return new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
}

describe("in the browser of this machine", () => {
  test("a code that comes back with the right state becomes tokens, and the browser's page says so", async () => {
    const { signedIn, url } = await inBrowser();
    const { headers } = await fetch(url, { redirect: "manual" });
    const [page, tokens] = await Promise.all([visit(headers.get("location") ?? ""), signedIn]);
    expect([page.status, tokens.email]).toEqual([200, email]);
    const { host } = new URL(platform.url);
    expect(page.page).toContain(`You are signed in at ${host} as ${email}. You can close this window.`);
    expect(machine.said).toEqual([`archway: sign in at ${host} in the browser that opens now, or at ${url}`]);
  });

  test("foreign requests do not change a sign-in: another state, host, path or method", async () => {
    const { signedIn, url, state, callback } = await inBrowser();
    const code = await anotherCode();
    expect((await visit(`${callback}?code=${code}&state=another`)).status).toBe(400);
    expect((await visit(`${callback}/more?code=${code}&state=${state}`)).status).toBe(404);
    expect((await fetch(`${callback}?code=${code}&state=${state}`, { method: "POST" })).status).toBe(405);
    const { headers } = await fetch(url, { redirect: "manual" });
    await visit(headers.get("location") ?? "");
    expect(await signedIn).toMatchObject({ email });
  });

  test("a code of another sign-in with the right state is refused by the platform, and the browser's page gives no details", async () => {
    const { signedIn, state, callback } = await inBrowser();
    const code = await anotherCode();
    const [page] = await Promise.all([
      visit(`${callback}?code=${code}&state=${state}`),
      expect(signedIn).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("the sign-in failed") }),
    ]);
    expect([page.status, page.page.includes(code), page.page.includes(state)]).toEqual([400, false, false]);
  });

  test("a refused sign-in is also shown on the browser's page, without markup, because a key helper has no window", async () => {
    const { signedIn, state, callback } = await inBrowser();
    const error_description = "PreSignUp failed with error Google has not confirmed <b>this</b> address.";
    const query = new URLSearchParams({ error: "invalid_request", error_description, state });
    const [page] = await Promise.all([
      visit(`${callback}?${query}`),
      expect(signedIn).rejects.toThrow("Google has not confirmed <b>this</b> address"),
    ]);
    expect([page.status, page.page]).toEqual([
      400,
      expect.stringContaining("The sign-in failed: Google has not confirmed &lt;b&gt;this&lt;/b&gt; address."),
    ]);
  });

  test("tokens with another nonce are refused", async () => {
    platform.claims = { nonce: "another" };
    const { signedIn, url } = await inBrowser();
    const { headers } = await fetch(url, { redirect: "manual" });
    await Promise.all([visit(headers.get("location") ?? ""), expect(signedIn).rejects.toThrow("the sign-in failed")]);
  });

  test.each<[string, (response: import("node:http").ServerResponse) => void]>([
    ["a redirect to elsewhere", (response) => response.writeHead(307, { location: "https://evil.example" }).end()],
    ["binary", (response) => response.end(Buffer.from([0, 159, 146, 150]))],
    ["far too much", (response) => response.end("x".repeat(600_000))],
  ])("a token endpoint that answers with %s is said, and gets no second request", async (_what, answer) => {
    const { signedIn, url } = await inBrowser();
    let asked = 0;
    platform.answer("/oauth2/token", (_request, response) => {
      asked += 1;
      answer(response);
    });
    const { headers } = await fetch(url, { redirect: "manual" });
    await Promise.all([visit(headers.get("location") ?? ""), expect(signedIn).rejects.toMatchObject({ exitCode: 4 })]);
    expect(asked).toBe(1);
  });

  test("a browser that cannot be started is reported with the alternative", async () => {
    machine.env = { ...machine.env, BROWSER: "no-such-browser" };
    await expect(signIn(machine, platform.app, { browser: true })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("archway login --no-browser"),
    });
  });

  test("a port that the platform does not know is refused before anything opens", () => {
    expect(() => signIn(machine, platform.app, { browser: true, port: 9 })).toThrow("--port");
  });
});

describe("in a browser elsewhere", () => {
  test("a pasted address of a sign-in becomes tokens", async () => {
    expect(await signIn(machine, platform.app, { browser: false })).toMatchObject({ email });
    expect(machine.said.join("\n")).toContain("Paste the whole address here");
  });

  test("a wrongly pasted address is requested again, three times in all; an empty line is ignored", async () => {
    const own = machine.say;
    machine.say = (line) => {
      machine.said.push(line);
      if (!/authorize/.test(line)) return;
      machine.stdin.push("nonsense\n");
      machine.stdin.push(`http://localhost/callback?code=1&state=another\n`);
      machine.stdin.push("\n\n\n");
      machine.stdin.push("more nonsense\n");
    };
    await expect(signIn(machine, platform.app, { browser: false })).rejects.toMatchObject({ exitCode: 3 });
    expect(machine.said.slice(-2)).toEqual([
      "That is no such address. Once more:",
      "That is of another sign-in. Paste the last address:",
    ]);
    machine.say = own;
  });

  test("a sign-in by pasting ends when the input ends", async () => {
    machine.say = () => undefined;
    machine.stdin.push(null);
    await expect(signIn(machine, platform.app, { browser: false })).rejects.toMatchObject({ exitCode: 3 });
  });
});

test("a pasted address needs a state, and a code or an error", () => {
  const pasted = ["http://localhost:8400/callback?code=1&state=2", " http://localhost/?error=x&state=2 \r"];
  const quoted = [
    "'http://localhost/?code=1&state=2'",
    ' "http://localhost/?code=1&state=2" ',
    "<http://localhost/?code=1&state=2>",
  ];
  expect([...pasted, ...quoted].map((line) => pastedQuery(line)?.get("state"))).toEqual(Array(5).fill("2"));
  const others = [
    "",
    "code=1&state=2",
    "http://localhost:8400/callback?code=1",
    "http://localhost:8400/?state=2",
    "\u0007",
  ];
  expect(others.map(pastedQuery)).toEqual(others.map(() => undefined));
});

test("a sign-in in this machine's browser needs a display, and the message names the other way", () => {
  expect(() => requireDisplay(aMachine())).toThrow("archway login --no-browser");
  requireDisplay(aMachine({ DISPLAY: ":0" }));
});
