// A company and a stranger invite the same newcomer, who signs in on the pool's own pages: whose workspace the tokens name then.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleToken, helperToken, skillsToken } from "../../../local/demo/app-client.ts";
import { acceptInvitation, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";
import { instructions, uploadOf } from "../../support/skills/skill-files.ts";

const minute = 60_000;
const dayMs = 86_400_000;

type Workspace = { owner: Person; tenant_id: string; slug: string };

describe("a company and a stranger", () => {
  let stack: Stack;
  let cursor: number;
  let company: Workspace;
  /** The stranger's workspaces, two of which an owner may name like the company's. */
  let strangers: Workspace[];

  beforeAll(async () => {
    stack = await sharedStack();
    ({ cursor } = stack.calls.since(0));
    const [olga, mallory] = [await signUp(stack, "olga@good.example"), await signUp(stack, "m@evil.example")];
    company = { owner: olga, ...(await openWorkspace(stack, olga, "Good")) };
    strangers = [];
    for (const name of ["Good 0", "Good 1", "Ｇｏｏｄ 2", "good 3"]) {
      strangers.push({ owner: mallory, ...(await openWorkspace(stack, mallory, name)) });
    }
    for (const { tenant_id } of strangers) {
      await call(await consoleToken(stack, mallory), "POST", `/tenants/${tenant_id}/activate`);
      const token = await consoleToken(stack, mallory);
      await call(await skillsToken(stack, mallory), "POST", `/tenants/${tenant_id}/activate`);
      const skills = await skillsToken(stack, mallory);
      const { digest } = (await call(skills, "POST", "/skills", uploadOf({ "SKILL.md": instructions("obey") }))).body;
      const { env_digest } = (await call(skills, "GET", "/skills/obey/env")).body;
      const approved = await call(token, "POST", "/skills/obey/activate", { version: 1, digest, env_digest });
      expect(approved.status).toBe(200);
      expect((await call(skills, "GET", "/skills")).body.data).toMatchObject([{ name: "obey", active_version: 1 }]);
    }
  });
  afterEach(() => {
    expect(stack.calls.since(cursor).calls.filter(({ allowed }) => !allowed)).toEqual([]);
  });

  async function call(token: string, method: string, path: string, body?: object) {
    const response = await fetch(`${stack.at("api")}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** In the name of the workspace's owner. */
  async function inWorkspace({ owner, tenant_id }: Workspace, method: string, path: string, body?: object) {
    await call(await consoleToken(stack, owner), "POST", `/tenants/${tenant_id}/activate`);
    return call(await consoleToken(stack, owner), method, path, body);
  }
  const invite = async (into: Workspace, email: string) => {
    const { status, body } = await inWorkspace(into, "POST", "/users/invite", { email });
    expect([status, body.mail]).toEqual([201, "sent"]);
    return body.user_id as string;
  };

  const tenantOf = (token: string) =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).tenant_id as string | undefined;
  const named = async (person: Person) =>
    (await Promise.all([consoleToken(stack, person), helperToken(stack, person), skillsToken(stack, person)])).map(
      tenantOf,
    );
  const passwordsMailed = (email: string) =>
    stack.mailbox.mails(email).filter(({ text }) => text.includes("temporary password is:")).length;

  test.each([
    ["the company first", "first"],
    ["the stranger first", "last"],
  ] as const)(
    "%s: the new person is asked, and every token names the company once its invitation is accepted",
    async (_who, place) => {
      const email = `p-${place}@good.example`;
      const order = place === "first" ? [company, ...strangers] : [...strangers, company];
      const subs: string[] = [];
      for (const workspace of order) subs.push(await invite(workspace, email));
      expect(new Set(subs).size).toBe(1);
      expect(passwordsMailed(email)).toBe(1);
      for (const { slug, owner } of order) {
        const told = stack.mailbox.mails(email).filter(({ text }) => text.includes(`(${slug})`));
        expect(told.map(({ text }) => text.includes(`${owner.email} invites you to the workspace`))).toEqual([true]);
      }

      const person = await acceptInvitation(stack, { email, sub: subs[0] ?? "" });
      expect(await named(person)).toEqual([undefined, undefined, undefined]);
      const token = await consoleToken(stack, person);
      const { memberships } = (await call(token, "GET", "/me")).body;
      const told = memberships.map((one: Record<string, unknown>) => [one.status, one.tenant_slug, one.invited_by]);
      expect(told.toSorted()).toEqual(order.map(({ slug, owner }) => [undefined, slug, owner.email]).toSorted());

      const accepted = await call(token, "POST", `/me/invitations/${company.tenant_id}/accept`);
      expect([accepted.status, accepted.body]).toMatchObject([200, { tenant_id: company.tenant_id, status: "active" }]);
      expect(await named(person)).toEqual(Array(3).fill(company.tenant_id));
      expect((await call(await skillsToken(stack, person), "GET", "/skills")).body.data).toEqual([]);

      for (const { tenant_id } of strangers) {
        expect((await call(token, "POST", `/me/invitations/${tenant_id}/decline`)).status).toBe(204);
      }
      expect(await named(person)).toEqual(Array(3).fill(company.tenant_id));
      expect((await call(await consoleToken(stack, person), "DELETE", "/users/me")).status).toBe(204);
      expect(await named(person)).toEqual([undefined, undefined, undefined]);
    },
  );

  test("a person whom only the company has invited joins at the first sign-in, and is asked about a stranger's later invitation", async () => {
    const email = "p-alone@good.example";
    const sub = await invite(company, email);
    const person = await acceptInvitation(stack, { email, sub });
    expect(await named(person)).toEqual(Array(3).fill(company.tenant_id));
    for (const stranger of strangers) await invite(stranger, email);
    expect(await named(person)).toEqual(Array(3).fill(company.tenant_id));
    expect((await call(await skillsToken(stack, person), "GET", "/skills")).body.data).toEqual([]);
  });

  test("an invitation that is removed by mistake can be made again at once, without a mail, and the first mail still works", async () => {
    const email = "p-mistake@good.example";
    const sub = await invite(company, email);
    expect((await inWorkspace(company, "DELETE", `/users/${sub}`)).status).toBe(204);
    const again = await inWorkspace(company, "POST", "/users/invite", { email });
    expect([again.status, again.body]).toMatchObject([201, { user_id: sub, mail: "none" }]);
    expect(stack.mailbox.mails(email)).toHaveLength(1);
    expect(await named(await acceptInvitation(stack, { email, sub }))).toEqual(Array(3).fill(company.tenant_id));
  });

  longTest(
    "a stranger cannot replace the password in the company's mail by inviting again before it expires; afterwards the person is asked",
    async () => {
      const email = "p-late@good.example";
      const [stranger = company] = strangers;
      const sub = await invite(company, email);
      await invite(stranger, email);
      stack.clock.advance(10 * minute);
      expect((await inWorkspace(stranger, "POST", `/users/${sub}/resend`)).body.mail).toBe("sent");
      expect(passwordsMailed(email)).toBe(1);
      stack.clock.advance(6 * dayMs);
      expect((await inWorkspace(stranger, "POST", `/users/${sub}/resend`)).body.mail).toBe("sent");
      stack.clock.advance(dayMs);
      await stack.schedules.run("reconcile");
      await expect(acceptInvitation(stack, { email, sub })).rejects.toThrow();
      expect((await inWorkspace(stranger, "POST", `/users/${sub}/resend`)).body.mail).toBe("sent");
      expect(passwordsMailed(email)).toBe(2);
      const person = await acceptInvitation(stack, { email, sub });
      expect(await named(person)).toEqual([undefined, undefined, undefined]);
    },
  );
});
