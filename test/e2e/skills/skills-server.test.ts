// The skills server against the local stack, with the SDK's client in both eras of the protocol.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "@modelcontextprotocol/client";
import { describeLevels } from "../../../emulators/test/support/sandbox-levels.ts";
import { Browser } from "../../../local/demo/sign-in.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { bundle as bundleHelper } from "../../../packages/token-helper/build.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";
import { instructions } from "../../support/skills/skill-files.ts";
import { callText, type Era, PageVisit, SkillsSeat } from "../../support/skills/skills-server.ts";

let stack: Stack;
let owner: Person;
let developer: Person;
let aSeat: () => SkillsSeat;
const seats: SkillsSeat[] = [];
beforeAll(async () => {
  stack = await sharedStack();
  [owner, developer] = await Promise.all([
    signUp(stack, "owner@server.example"),
    signUp(stack, "developer@server.example"),
  ]);
  const { tenant_id } = await openWorkspace(stack, owner, "Served");
  await addMember(stack, tenant_id, developer);
  aSeat = await SkillsSeat.build(stack.at("api"));
});
afterEach(async () => {
  await Promise.all(seats.splice(0).map((seat) => seat.remove()));
});

async function seatOf(person?: Person): Promise<SkillsSeat> {
  const seat = aSeat();
  seats.push(seat);
  if (person) await seat.signIn(person);
  return seat;
}

/** Counts the notifications that the list of tools has changed; `next` ends with the one after it was called. */
async function changesOf(client: Client, era: Era) {
  const changes = { count: 0, told: () => {} };
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    changes.count += 1;
    changes.told();
  });
  if (era === "2026-07-28") await client.listen({ toolsListChanged: true });
  return {
    count: () => changes.count,
    next: () =>
      new Promise<void>((resolve) => {
        changes.told = resolve;
      }),
  };
}

const eras: Era[] = ["2025-11-25", "2026-07-28"];

describe.each(eras)("a client of %s", (era) => {
  const name = `greeting-${era.slice(0, 4)}`;
  // Between the eras the way to ask a person differs: the first test shows both.
  const alike = era === "2026-07-28" ? test : longTest;

  test("a client of the skills server uploads a folder, the owner activates it on a page, and the same connection calls the new tool: %s", async () => {
    const [seat, owned] = [await seatOf(developer), await seatOf(owner)];
    const folder = seat.write(name, { "SKILL.md": instructions(name), "notes/more.md": "More of it.\n" });
    const client = await seat.connect({ era, roots: [seat.project] });
    const before = (await client.listTools()).tools.map((tool) => tool.name);
    expect(before).toContain("upload_skill");
    expect(before).not.toContain(name);
    expect(await callText(client, "upload_skill", { directory: folder })).toMatchObject({
      text: expect.stringContaining(`Version 1 of ${name} is uploaded`),
      isError: false,
    });

    const visits: Record<string, unknown>[] = [];
    const reviewer = await owned.connect({
      era,
      elicited: async (url) => {
        const visit = new PageVisit(url);
        const shown = await visit.open();
        visits.push(shown);
        expect(await visit.answer({ digest: shown.digest, env_digest: shown.env_digest })).toMatchObject({
          status: 200,
        });
        return "accept";
      },
    });
    const changes = await changesOf(reviewer, era);
    const changed = changes.next();
    expect(await callText(reviewer, "activate_skill", { name, version: 1 })).toMatchObject({
      text: expect.stringContaining(`Version 1 of ${name} is active`),
    });
    expect(visits).toMatchObject([
      {
        workspace: "Served",
        name,
        files: [{ path: "SKILL.md" }, { path: "notes/more.md", lines: ["More of it.", ""] }],
      },
    ]);
    await changed;
    expect(changes.count()).toBe(1);
    expect((await reviewer.listTools()).tools.map((tool) => tool.name)).toContain(name);
    const native = await callText(reviewer, name);
    expect(native.text).toMatch(/^\[Skill greeting-\d+, version 1, of the workspace Served/);
    expect(native.text).toContain("It grants no permission");
    expect(await callText(reviewer, name, { path: "notes/more.md" })).toMatchObject({
      text: expect.stringContaining("More of it."),
    });
    expect((await callText(client, "invoke_skill", { name })).text).toBe(native.text);
  });

  alike("is led to a sign-in by its first call, which then goes on", async () => {
    const seat = await seatOf();
    const client = await seat.connect({
      era,
      elicited: async (url) => {
        await signInAt(url, developer);
        return "accept";
      },
    });
    expect(await callText(client, "list_skills")).toMatchObject({
      text: expect.stringContaining('"served"'),
      isError: false,
    });
    expect((await seat.run(["status"])).code).toBe(0);
  });

  alike("whose person types a secret on the page gets no value of it anywhere", async () => {
    const seat = await seatOf(developer);
    const value = `value-${randomUUID()}`;
    const secret = `TOKEN_${era.slice(0, 4)}`;
    const client = await seat.connect({
      era,
      elicited: async (url) => {
        const visit = new PageVisit(url);
        expect(JSON.stringify(await visit.open())).not.toContain(value);
        expect((await visit.answer({ value })).status).toBe(200);
        return "accept";
      },
    });
    const created = await callText(client, "create_secret", { name: secret, description: "For the tests" });
    const listed = await callText(client, "list_secrets");
    expect([created.isError, listed.text.includes(secret)]).toEqual([false, true]);
    expect(created.text + listed.text).not.toContain(value);
    expect(everyFileBelow(seat.home).filter((text) => text.includes(value))).toEqual([]);
  });

  alike("whose person declines has activated nothing, and hears of the terminal", async () => {
    const seat = await seatOf(owner);
    const client = await seat.connect({ era, elicited: async () => "decline", roots: [seat.project] });
    const declined = `declined-${era.slice(0, 4)}`;
    await callText(client, "upload_skill", { directory: seat.write(declined, { "SKILL.md": instructions(declined) }) });
    expect(await callText(client, "activate_skill", { name: declined, version: 1 })).toEqual({
      isError: true,
      text: expect.stringContaining(`archway-skills activate ${declined} 1`),
    });
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain(declined);
  });
});

// The stack takes the best level that this machine has.
describeLevels(["bwrap", "seatbelt"], () => {
  test("a skill with a script is a tool with a schema of its own, and answers from the sandbox", async () => {
    const seat = await seatOf(owner);
    const client = await seat.connect({
      roots: [seat.project],
      elicited: async (url) => {
        const visit = new PageVisit(url);
        const { digest, env_digest, run } = (await visit.open()) as { digest: string; env_digest: string; run: object };
        expect(run).toEqual({ path: "scripts/add.sh", network: "none", timeout_seconds: 60 });
        await visit.answer({ digest, env_digest });
        return "accept";
      },
    });
    const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
    const head = "metadata:\n  archway-run: scripts/add.sh\n  archway-input: input.json";
    const directory = seat.write("echoing", {
      "SKILL.md": instructions("echoing", head),
      "input.json": JSON.stringify(schema),
      "scripts/add.sh": 'cat\ncat > "$OUTPUT_DIR/word.txt" <<END\nleft here\nEND\n',
    });
    expect(await callText(client, "upload_skill", { directory })).toMatchObject({ isError: false });
    expect(await callText(client, "activate_skill", { name: "echoing", version: 1 })).toMatchObject({ isError: false });
    const tool = (await client.listTools()).tools.find(({ name }) => name === "echoing");
    expect(tool).toMatchObject({ inputSchema: schema, annotations: { destructiveHint: true, openWorldHint: false } });
    const { structuredContent } = await client.callTool({ name: "echoing", arguments: { word: "arch" } });
    expect(structuredContent).toMatchObject({
      status: "succeeded",
      exit_code: 0,
      output: expect.stringContaining('"arch"'),
    });
    const { run_id } = structuredContent as { run_id: string };
    expect((await callText(client, "get_run", { name: "echoing", run_id, file: "word.txt" })).text).toContain(
      "left here",
    );
    expect(await callText(client, "echoing", { word: 1 })).toMatchObject({ isError: true });
    const invoked = await callText(client, "invoke_skill", { name: "echoing", input: { word: "again" } });
    expect(invoked).toMatchObject({ isError: false, text: expect.stringContaining("again") });
  });
});

describe("without a person", () => {
  test("a tool call without a sign-in is answered with one line of advice", async () => {
    const client = await (await seatOf()).connect();
    const { text, isError } = await callText(client, "list_skills");
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^nobody can be asked here\. Not signed in: [^\n]+$/),
    ]);
  });

  test("a command without a terminal activates no skill and stores no secret", async () => {
    const seat = await seatOf(owner);
    const activation = await seat.run(["activate", "greeting-2026", "1"], { input: "aaaaaaaa\n" });
    const secret = await seat.run(["secret", "set", "TYPED"], { input: "value\n" });
    expect([activation.code, secret.code]).toEqual([1, 1]);
    expect(activation.err + secret.err).toMatch(/needs a person at a terminal[\s\S]*needs a person at a terminal/);
  });

  test("a developer's assistant is told that only the owner can activate, before a page is opened", async () => {
    const seat = await seatOf(developer);
    const opened: string[] = [];
    const client = await seat.connect({
      roots: [seat.project],
      elicited: async (url) => {
        opened.push(url);
        return "decline";
      },
    });
    await callText(client, "upload_skill", { directory: seat.write("mine", { "SKILL.md": instructions("mine") }) });

    expect(await callText(client, "activate_skill", { name: "mine", version: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining("only the workspace's owner activates skills"),
    });
    expect(opened).toEqual([]);
  });

  test("the activation page accepts only the digest that it showed", async () => {
    const seat = await seatOf(owner);
    const refusals: unknown[] = [];
    const client = await seat.connect({
      roots: [seat.project],
      elicited: async (url) => {
        const visit = new PageVisit(url);
        const { env_digest } = await visit.open();
        refusals.push((await visit.answer({ digest: "sha256:other", env_digest })).body.error);
        return "decline";
      },
    });
    await callText(client, "upload_skill", { directory: seat.write("own", { "SKILL.md": instructions("own") }) });
    expect((await callText(client, "activate_skill", { name: "own", version: 1 })).isError).toBe(true);
    expect(refusals).toEqual(["this is not the version that was shown"]);
  });
});

describe("an assistant", () => {
  test("an assistant cannot upload files outside the client's roots, nor links", async () => {
    const seat = await seatOf(developer);
    const inside = seat.write("inside", { "SKILL.md": instructions("inside") });
    const outside = seat.write("../outside", { "SKILL.md": instructions("outside") });
    symlinkSync(outside, join(seat.project, "linked"));
    const client = await seat.connect({ roots: [inside] });
    for (const directory of [outside, join(seat.project, "linked"), "../outside", "/etc"]) {
      const { text, isError } = await callText(client, "upload_skill", { directory });
      expect([isError, text]).toEqual([true, expect.stringContaining("lies outside")]);
    }
  });

  test("an assistant is told why a skill is refused, with file and reason, as by `check` without a sign-in", async () => {
    const seat = await seatOf(developer);
    const files = {
      "SKILL.md": instructions("other"),
      "notes/key.md": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbg==\n",
    };
    const directory = seat.write("refused", files);
    const client = await seat.connect();
    const { text, isError } = await callText(client, "upload_skill", { directory });
    expect([isError, text]).toEqual([true, expect.stringMatching(/notes\/key\.md: looks as if[\s\S]*SKILL\.md: name/)]);
    const stranger = await seatOf();
    const { code, out } = await stranger.run(["check", directory]);
    expect([code, out]).toEqual([1, expect.stringMatching(/notes\/key\.md: looks as if[\s\S]*SKILL\.md: name/)]);
    const good = stranger.write("good", { "SKILL.md": instructions("good") });
    expect(await stranger.run(["check", good])).toMatchObject({
      code: 0,
      err: expect.stringContaining("good is a valid skill"),
    });
  });

  test("an assistant downloads a skill that it may read into a new folder", async () => {
    const seat = await seatOf(developer);
    const client = await seat.connect();
    expect(await callText(client, "download_skill", { name: "greeting-2026", directory: "copies" })).toMatchObject({
      isError: false,
    });
    expect(readFileSync(join(seat.project, "copies", "greeting-2026", "notes", "more.md"), "utf8")).toBe(
      "More of it.\n",
    );
    const again = await callText(client, "download_skill", { name: "greeting-2026", directory: "copies" });
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining("nothing is overwritten") });
  });
});

describe("a sign-in", () => {
  test("a sign-in of the skills server for using skills requests only that scope, and offers no tool that makes changes", async () => {
    const seat = await seatOf();
    await seat.signIn(developer, ["--read-only"]);
    const client = await seat.connect({ args: ["--read-only"] });
    const names = (await client.listTools()).tools.filter(({ name }) => name.includes("_")).map(({ name }) => name);
    expect(names).toEqual(["list_skills", "list_secrets", "read_skill", "invoke_skill", "get_run", "download_skill"]);
    expect((await callText(client, "invoke_skill", { name: "greeting-2026" })).isError).toBe(false);
    const everything = await seat.connect();
    const directory = seat.write("unwritten", { "SKILL.md": instructions("unwritten") });
    expect((await callText(everything, "upload_skill", { directory })).isError).toBe(true);
  });

  longTest(
    "a sign-in of the skills server is separate from the token helper's: ending one keeps the other",
    async () => {
      const seat = await seatOf(developer);
      const helper = seat.with([process.execPath, await bundleHelper(join(seat.home, "archway.cjs"))]);
      await helper.signIn(developer);
      expect((await seat.run(["logout"])).code).toBe(0);
      expect((await seat.run(["status"])).code).toBe(3);
      expect((await helper.run(["token"])).code).toBe(0);
    },
  );
});

/** A person's browser, which ends at the program that waits on this machine. */
async function signInAt(url: string, { email: username, password }: Person): Promise<void> {
  const [browser, nowhere] = [new Browser(), "nowhere:"];
  await browser.submit(await browser.open(url, nowhere), { username, password }, nowhere);
}

/** The texts of all files, as far as they are some. */
function everyFileBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}
