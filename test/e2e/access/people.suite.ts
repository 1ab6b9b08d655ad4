// The life of a person in a workspace: invited, come, granted, at work, removed; and what an invitation does not do to anybody.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { appClient, consoleToken, helperToken, helperTokens } from "../../../local/demo/app-client.ts";
import {
  acceptInvitation,
  addPaymentMethod,
  beginSignUp,
  openWorkspace,
  resetPassword,
  signUp,
} from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aRequest } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { few, longTest } from "../../support/sizes.ts";

const minute = 60_000;
const dayMs = 86_400_000;
const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };

describe("people", () => {
  let stack: Stack;
  let owner: Person;
  let workspace: { tenant_id: string; slug: string };

  beforeAll(async () => {
    stack = await sharedStack();
    owner = await signUp(stack, "owner@people.example");
    workspace = await openWorkspace(stack, owner, "People");
    await addPaymentMethod(stack, owner);
  });
  afterEach(async () => {
    stack.faults.clear();
    await settled(stack);
  });

  async function call(as: Person | string, method: string, path: string, body?: object, headers = {}) {
    const token = typeof as === "string" ? as : await consoleToken(stack, as);
    const response = await fetch(`${stack.at("api")}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
  const invite = (email: string, as = owner, headers = {}) => call(as, "POST", "/users/invite", { email }, headers);
  const accept = (as: Person) => call(as, "POST", `/me/invitations/${workspace.tenant_id}/accept`);
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

  async function ask(credential: Record<string, string>, slug = workspace.slug): Promise<number> {
    const response = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", ...credential },
      body: JSON.stringify({ ...aRequest, stream: false }),
    });
    await response.text();
    await settled(stack);
    return response.status;
  }

  async function models(token: string, slug: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/models`, { headers });
    await response.text();
    return response.status;
  }

  async function refreshed(refresh_token: string): Promise<{ status: number; error?: string }> {
    const { client_id } = appClient(stack.program, "tokenHelper");
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token });
    const response = await fetch(`${stack.at("auth")}/oauth2/token`, { method: "POST", body });
    return { status: response.status, ...((await response.json()) as { error?: string }) };
  }

  async function mailsTo(email: string): Promise<{ subject: string; text: string }[]> {
    const response = await fetch(`${stack.at("api").replace("/@api", "")}/_local/mail`);
    const mails = (await response.json()) as { to: string; subject: string; text: string }[];
    return mails.filter(({ to }) => to === email);
  }

  test("an invited person signs in with the mailed password, works within the grant, and is refused within a minute of the removal", async () => {
    const { cursor } = stack.calls.since(0);
    const email = "stranger@people.example";
    const invited = await invite("Stranger@people.example");
    expect([invited.status, invited.body]).toMatchObject([201, { email, tenant_role: "developer", mail: "sent" }]);
    const { user_id } = invited.body;
    const mails = await mailsTo(email);
    expect(mails).toMatchObject([
      {
        subject: "You are invited to People on Archway",
        text: expect.stringMatching(
          /^Archway\n\nYou are invited to People on Archway\n\nowner@people\.example invites you to the workspace People \(people.*\) on Archway.*http:\/\/console\.localhost:\d+\n.*temporary password is:\s\S+/s,
        ),
        html: expect.stringContaining("<!doctype html>"),
      },
    ]);

    const person = await acceptInvitation(stack, { email, sub: user_id });
    const token = await helperToken(stack, person);
    expect(claimsOf(token)).toMatchObject({
      sub: user_id,
      tenant_id: workspace.tenant_id,
      tenant_role: "developer",
      "custom:tenant_role": "developer",
    });
    const { body: me } = await call(person, "GET", "/me");
    expect(me).toMatchObject({ user_id, approval_status: "approved" });
    expect(me).not.toHaveProperty("budget");
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(403);
    expect((await call(owner, "PUT", `/grants/${user_id}`, limits)).status).toBe(200);
    stack.clock.advance(minute);
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(200);
    const key = (await call(person, "POST", "/keys", { name: "Laptop" })).body;
    expect(await ask({ "x-api-key": key.key })).toBe(200);

    const { data } = (await call(owner, "GET", "/users")).body;
    const shown = data.find((one: { user_id: string }) => one.user_id === user_id);
    expect(shown).toMatchObject({ email, status: "active", has_grant: true, last_used_at: expect.any(String) });
    expect(shown.spent_usd).toBeGreaterThan(0);

    expect((await call(owner, "DELETE", `/users/${user_id}`)).status).toBe(204);
    stack.clock.advance(minute);
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(403);
    expect(await ask({ "x-api-key": key.key })).toBe(401);
    expect((await call(token, "GET", "/keys")).status).toBe(403);
    expect(claimsOf(await helperToken(stack, person))).not.toHaveProperty("tenant_id");
    expect((await call(person, "GET", "/me")).body.memberships).toMatchObject([{ status: "removed" }]);

    stack.clock.advance(10 * minute);
    expect((await invite(email)).body).toMatchObject({ user_id, mail: "sent" });
    expect((await mailsTo(email)).at(-1)?.text).toMatch(/^owner@people.example invites you to the workspace People /);
    expect(claimsOf(await helperToken(stack, person))).not.toHaveProperty("tenant_id");
    expect((await accept(person)).body).toMatchObject({ tenant_id: workspace.tenant_id, status: "active" });
    expect(claimsOf(await helperToken(stack, person))).toMatchObject({ tenant_id: workspace.tenant_id });
    expect((await call(person, "GET", "/me")).body).not.toHaveProperty("budget");
    expect(stack.calls.since(cursor).calls.filter(({ allowed }) => !allowed)).toEqual([]);
  });

  test("a person who signs out everywhere is refused at both planes within a minute, until the next sign-in", async () => {
    const person = await signUp(stack, "lost-laptop@people.example");
    const { slug } = await openWorkspace(stack, person, "Lost laptop");
    const [stolen, console] = [await helperTokens(stack, person), await consoleToken(stack, person)];
    const asked = () => models(stolen.access_token, slug);
    expect(await asked()).toBe(200);
    expect((await call(stolen.access_token, "POST", "/me/sign-out-everywhere")).status).toBe(403);
    stack.clock.advance(2_000);
    expect((await call(console, "POST", "/me/sign-out-everywhere")).status).toBe(204);
    expect(await refreshed(stolen.refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
    stack.clock.advance(minute);
    expect([await asked(), (await call(stolen.access_token, "GET", "/me")).status]).toEqual([401, 401]);
    expect((await call(console, "GET", "/me")).body.error.details.error_code).toBe("credential_ended");
    expect(await models(await helperToken(stack, person), slug)).toBe(200);
    expect((await call(person, "GET", "/me")).status).toBe(200);
    expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
  });

  test("everybody who is signed in with a replaced password is signed out within a minute", async () => {
    const person = await signUp(stack, "forgetful@people.example");
    const { slug } = await openWorkspace(stack, person, "Forgetful");
    const stolen = await helperTokens(stack, person);
    expect(await models(stolen.access_token, slug)).toBe(200);
    stack.clock.advance(2_000);
    const renewed = await resetPassword(stack, person);
    expect(await refreshed(stolen.refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
    stack.clock.advance(minute);
    expect(await models(stolen.access_token, slug)).toBe(401);
    expect(await models(await helperToken(stack, renewed), slug)).toBe(200);
    expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
  });

  test("an invitation does not change a person's active workspace, and a person who leaves returns to the former workspace", async () => {
    const guest = await signUp(stack, "guest@people.example");
    const home = await openWorkspace(stack, guest, "Guest at home");
    const { status, body } = await invite("guest@people.example");
    expect([status, body]).toMatchObject([201, { user_id: guest.sub, mail: "sent" }]);
    const [console, helper] = [await consoleToken(stack, guest), await helperToken(stack, guest)];
    expect([claimsOf(console).tenant_id, claimsOf(helper).tenant_id]).toEqual([home.tenant_id, home.tenant_id]);
    expect((await call(guest, "GET", "/tenants")).body.data).toHaveLength(1);
    expect((await accept(guest)).status).toBe(200);
    expect(claimsOf(await consoleToken(stack, guest)).tenant_id).toBe(home.tenant_id);
    expect((await call(guest, "GET", "/tenants")).body.data).toHaveLength(2);
    expect((await call(guest, "POST", `/tenants/${workspace.tenant_id}/activate`)).status).toBe(200);
    expect(claimsOf(await consoleToken(stack, guest)).tenant_id).toBe(workspace.tenant_id);
    expect((await call(guest, "DELETE", "/users/me")).status).toBe(204);
    expect(claimsOf(await consoleToken(stack, guest)).tenant_id).toBe(home.tenant_id);
    expect((await call(guest, "DELETE", "/users/me")).status).toBe(409);
  });

  longTest(
    "an invitation that is not followed ends after a week, and the address can then be used to sign up",
    async () => {
      const email = "ignored@people.example";
      const { user_id } = (await invite(email)).body;
      await call(owner, "PUT", `/grants/${user_id}`, limits);
      await expect(signUp(stack, email)).rejects.toThrow("could not sign up");
      stack.clock.advance(6 * dayMs);
      await stack.schedules.run("reconcile");
      expect((await call(owner, "POST", `/users/${user_id}/resend`)).body).toMatchObject({ user_id, mail: "sent" });
      stack.clock.advance(6 * dayMs);
      await stack.schedules.run("reconcile");
      const people = async () => (await call(owner, "GET", "/users?limit=100")).body.data;
      const invited = (await people()).find((one: { user_id: string }) => one.user_id === user_id);
      expect(invited).toMatchObject({ email, has_grant: true });
      expect(invited).not.toHaveProperty("status");
      stack.clock.advance(dayMs);
      await stack.schedules.run("reconcile");
      expect((await people()).find((one: { user_id: string }) => one.user_id === user_id)).toMatchObject({
        status: "removed",
        has_grant: false,
      });
      const [entry] = (await call(owner, "GET", "/audit?action=user.expire")).body.data;
      expect(entry).toMatchObject({ actor: "reconcile", target: user_id });

      const alone = await signUp(stack, email);
      expect(alone.sub).not.toBe(user_id);
      expect(claimsOf(await consoleToken(stack, alone))).not.toHaveProperty("tenant_id");
      expect((await call(alone, "GET", "/me")).body).toMatchObject({ approval_status: "approved", memberships: [] });
      const again = await invite(email);
      expect([again.status, again.body.user_id]).toEqual([201, alone.sub]);
      expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
    },
  );

  test("an address that somebody else signed up with and never confirmed is free again within a day", async () => {
    const email = "squatted@people.example";
    await beginSignUp(stack, email);
    expect((await mailsTo(email)).at(-1)).toMatchObject({
      subject: "Confirm your address for Archway",
      text: expect.stringMatching(/Your code is:\s\d{6}\n.*within 23 hours.*If it was not you/s),
    });
    await expect(signUp(stack, email)).rejects.toThrow("could not sign up");
    stack.clock.advance(dayMs - 60 * minute);
    await stack.schedules.run("reconcile");
    expect((await signUp(stack, email)).email).toBe(email);
    stack.clock.advance(dayMs);
    await stack.schedules.run("reconcile");
    expect(stack.cognito.subOf(email)).toBeDefined();
  });

  const breaks: [string, object][] = [
    ["the membership", { service: "dynamodb", operation: "TransactWriteItems", match: "user.invite" }],
    ["the account", { service: "cognito-idp", operation: "AdminCreateUser" }],
    ["the kept answer", { service: "dynamodb", operation: "UpdateItem", match: "IDEMPOTENCY#" }],
  ];

  test.each(few(1, breaks))(
    "an invitation that is interrupted at %s, before or after its effect, is completed by its repeat",
    async (_what, at) => {
      for (const when of ["before", "after"] as const) {
        const email = `${randomUUID()}@broken.example`;
        const headers = { "idempotency-key": randomUUID() };
        stack.faults.put([{ ...at, when, kind: "error", times: 3 }]);
        await invite(email, owner, headers);
        stack.faults.clear();
        const { status, body } = await invite(email, owner, headers);
        expect([status, body]).toMatchObject([201, { email, mail: "sent" }]);
        expect((await mailsTo(email)).length).toBeGreaterThan(0);
        const person = await acceptInvitation(stack, { email, sub: body.user_id });
        expect(claimsOf(await consoleToken(stack, person)).tenant_id).toBe(workspace.tenant_id);
        const { data } = (await call(owner, "GET", "/users?limit=100")).body;
        expect(data.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
        const audit = (await call(owner, "GET", "/audit?action=user.invite")).body.data;
        expect(audit.filter(({ target }: { target: string }) => target === body.user_id)).toHaveLength(1);
      }
    },
  );
});
