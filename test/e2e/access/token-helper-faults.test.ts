// The token helper as a program, killed at every step, on a full disk, and fifty at once: against a platform of one process.
import { rmSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { freePorts } from "../../support/free-ports.ts";
import { FakePlatform, obedientBrowser } from "../../support/sign-in/fake-platform.ts";
import { few, longTest } from "../../support/sizes.ts";
import { Helper } from "../../support/token-helper/token-helper.ts";

let platform: FakePlatform;
let aHelper: () => Promise<Helper>;
let helper: Helper;
beforeAll(async () => {
  platform = await FakePlatform.start((await freePorts(2)).map((port) => `http://localhost:${port}/callback`));
  platform.rotates = true;
  aHelper = await Helper.build(platform.url);
});
afterAll(() => platform.stop());
beforeEach(async () => {
  platform.usual();
  helper = await aHelper();
});
afterEach(() => helper.remove());

const jwt = /^[\w-]+\.[\w-]+\.[\w-]+\n$/;
const good = { code: 0, out: expect.stringMatching(jwt), err: "" };
const browser = () => ({ BROWSER: obedientBrowser, ARCHWAY_URL: platform.url });
const signIn = () => helper.run(["token"], { env: browser() });

/** Node runs it first: the operations that change a folder are counted, and `then` runs before the one of that number. */
function atChange(number: number, then: string): Record<string, string> {
  const names = ["linkSync", "renameSync", "unlinkSync", "rmSync"];
  const source = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let left = ${number};
    for (const name of ${JSON.stringify(names)}) {
      const real = fs[name];
      fs[name] = (path, ...rest) => { if (fs.existsSync(path) && --left === 0) ${then}; return real(path, ...rest); };
    }
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

/** Every write fails as on a disk without room. */
const fullDisk = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    fs.writeFileSync = () => { throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }); };
    syncBuiltinESMExports();`)}`,
};

const killed = "process.kill(process.pid, 'SIGKILL')";

/** Runs the command again and again, killed before its first change, its second one ..., until one run gets to its end. */
async function killedAtEachChange(
  before: () => unknown,
  run: (env: Record<string, string>) => Promise<{ code: number | null }>,
) {
  for (let number = 1; ; number += 1) {
    before();
    const { code } = await run(atChange(number, killed));
    if (code !== null) return number - 1;
    expect(await signIn()).toMatchObject({ code: 0, out: expect.stringMatching(jwt) });
  }
}

describe("killed", () => {
  test.each(few(1, ["/oauth2/authorize", "/.well-known/archway.json", "/oauth2/token"]))(
    "after the token helper was killed in a first sign-in while %s does not answer, the next call signs in",
    async (path) => {
      const asked = platform.hold(path);
      const child = helper.start(["token"], { env: browser() });
      const closed = new Promise((resolve) => child.once("close", resolve));
      await asked;
      child.kill("SIGKILL");
      await closed;
      expect(await signIn()).toMatchObject({ code: 0 });
    },
  );

  longTest(
    "after the token helper was killed before any change that a sign-in makes, the next call signs in",
    async () => {
      const changes = await killedAtEachChange(
        () => rmSync(helper.folder, { recursive: true, force: true }),
        (env) => helper.run(["login"], { env: { ...browser(), ...env } }),
      );
      expect(changes).toBeGreaterThan(8);
    },
  );

  test("after the token helper was killed before any change that a refresh makes, the next call refreshes", async () => {
    await signIn();
    const signIns = platform.count("/oauth2/authorize");
    const changes = await killedAtEachChange(
      () => helper.expire(),
      (env) => helper.run(["token"], { env }),
    );
    expect([changes > 5, platform.count("/oauth2/authorize")]).toEqual([true, signIns]);
  });

  test("after the token helper was killed during a refresh, the old refresh token works for its grace period, and later the helper says to sign in", async () => {
    await signIn();
    for (const seconds of [59, 61]) {
      helper.expire();
      const asked = platform.hold("/oauth2/token");
      const child = helper.start(["token"]);
      const closed = new Promise((resolve) => child.once("close", resolve));
      const answer = await asked;
      child.kill("SIGKILL");
      await closed;
      answer();
      platform.now += seconds;
      const advice = expect.stringContaining("archway login");
      expect(await helper.run(["token"])).toEqual(seconds < 60 ? good : { code: 3, out: "", err: advice });
    }
  });
});

test("fifty simultaneous calls of the token helper with an expired token refresh once, and get the same valid token", async () => {
  await signIn();
  helper.expire();
  const before = platform.count("/oauth2/token");
  const answers = await helper.crowd(50, ["token"]);
  // On a slow machine some are told for whom they wait.
  const told = answers.map(({ err, ...answer }) => ({ ...answer, err: err.replace(/^archway: waiting for .*\n/, "") }));
  expect([...new Set(told.map((answer) => JSON.stringify(answer)))].map((text) => JSON.parse(text))).toEqual([good]);
  expect(platform.count("/oauth2/token")).toBe(before + 1);
});

describe("on a full disk", () => {
  test("the token helper does not ask a person to sign in for tokens that could not be stored", async () => {
    const asked = platform.asked.length;
    const { code, out, err } = await helper.run(["token"], { env: { ...browser(), ...fullDisk } });
    expect([code, out, err]).toEqual([1, "", expect.stringMatching(/^archway: cannot write .*: the disk is full/)]);
    expect(platform.asked).toHaveLength(asked);
  });

  test("the token helper prints a token that could not be stored, and says what to do for the next one", async () => {
    await signIn();
    helper.expire();
    const { code, out, err } = await helper.run(["token"], { env: fullDisk });
    expect([code, out]).toEqual([0, expect.stringMatching(jwt)]);
    expect(err).toMatch(
      /^archway: your sign-in could not be kept, mend this and sign in again: cannot write .* the disk is full/,
    );
    // Where the old refresh token is in its grace yet, not even that.
    expect(await helper.run(["token"])).toEqual(good);
  });
});
