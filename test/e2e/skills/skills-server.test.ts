// The skills server against the local stack, with the SDK's client in both eras of the protocol.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "@modelcontextprotocol/client";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { instructions } from "../../support/skills/skill-files.ts";
import { callText, type Era, PageVisit, SkillsSeat, stackForSkills } from "../../support/skills/skills-server.ts";

let stack: Stack;
let owner: Person;
let developer: Person;
let aSeat: () => SkillsSeat;
const seats: SkillsSeat[] = [];
beforeAll(async () => {
  stack = await stackForSkills();
  [owner, developer] = await Promise.all([
    signUp(stack, "owner@server.example"),
    signUp(stack, "developer@server.example"),
  ]);
  const { tenant_id } = await openWorkspace(stack, owner, "Served");
  await addMember(stack, tenant_id, developer);
  aSeat = await SkillsSeat.build(stack.at("api"));
});
afterAll(() => stack.stop());
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

  test("uploads a folder, the owner reviews and activates it on a page, and the same connection calls the new tool", async () => {
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
        expect(await visit.answer({ digest: shown.digest })).toMatchObject({ status: 200 });
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
});
