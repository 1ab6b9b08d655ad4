// Acts for the people of a workspace through the platform's own pages and calls, for the demo and for tests.

import { membershipRecord } from "../../adapters/dynamodb/people/user.record.ts";
import { table } from "../../emulators/pulumi/services/dynamodb.ts";
import type { Person, Stack } from "../running-stack.ts";
import { appClient, consoleToken } from "./app-client.ts";
import { isBilling } from "./billing.ts";
import { Browser } from "./sign-in.ts";

const password = "Demo-password-1";

/** Lets a person open workspaces, as an administrator of the platform does. Changes nothing where nobody has to be approved. */
export async function approve(stack: Stack, admin: Person, { sub }: Person): Promise<void> {
  await callControlPlane(stack, await consoleToken(stack, admin), "POST", `/v1/users/${sub}/approve`, {});
}

/** Opens a workspace. Its id is only in tokens that are made after it. */
export async function openWorkspace(stack: Stack, owner: Person, name: string) {
  const tenant = await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/tenants", { name });
  return tenant as { tenant_id: string; slug: string };
}

/** @throws Error with the answer, if it is not a success. */
export async function callControlPlane(
  stack: Stack,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(stack.at("api") + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${text}`);
  return JSON.parse(text);
}

/** Signs up on the pages, with the code out of the mail. */
export async function signUp(stack: Stack, email: string): Promise<Person> {
  const { browser, asked, redirect_uri } = await beginSignUp(stack, email);
  const [mail] = stack.mailbox.mails(email).slice(-1);
  const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0] ?? "";
  const confirmed = await browser.submit(asked, { code }, redirect_uri);
  const sub = stack.cognito.subOf(email);
  if (sub === undefined || !confirmed.url.includes("/login")) throw new Error(`${email} could not sign up`);
  return { email, password, sub };
}

/** Types an address on the page for signing up. What follows asks for the code that was mailed there. */
export async function beginSignUp(stack: Stack, email: string) {
  const { client_id, redirect_uri } = appClient(stack.program, "console");
  const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri, scope: "openid" });
  const browser = new Browser();
  const form = await browser.open(`${stack.at("auth")}/signup?${query}`, redirect_uri);
  return { browser, asked: await browser.submit(form, { username: email, password }, redirect_uri), redirect_uri };
}

/** Replaces a forgotten password on the pages, with the code out of the mail. */
export async function resetPassword(stack: Stack, { email, sub }: Person): Promise<Person> {
  const { client_id, redirect_uri } = appClient(stack.program, "console");
  const query = new URLSearchParams({ response_type: "code", client_id, redirect_uri, scope: "openid" });
  const browser = new Browser();
  const form = await browser.open(`${stack.at("auth")}/forgotPassword?${query}`, redirect_uri);
  const asked = await browser.submit(form, { username: email }, redirect_uri);
  const [mail] = stack.mailbox.mails(email).slice(-1);
  const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0] ?? "";
  const renewed = "Demo-password-2";
  const changed = await browser.submit(asked, { code, password: renewed }, redirect_uri);
  if (!changed.url.includes("/login")) throw new Error(`${email} could not replace the password`);
  return { email, sub, password: renewed };
}

/** Signs in with the temporary password of the last mail that has one, and replaces it. It accepts the person's only invitation. */
export async function acceptInvitation(stack: Stack, { email, sub }: Pick<Person, "email" | "sub">): Promise<Person> {
  const passwords = stack.mailbox.mails(email).map(({ text }) => /temporary password is:\s+(\S+)/.exec(text)?.[1]);
  const temporary = passwords.findLast((found) => found !== undefined) ?? "";
  await consoleToken(stack, { email, password: temporary, newPassword: password });
  return { email, password, sub };
}

/** A card that every payment accepts (docs.stripe.com/testing). The country is needed if tax is automatic. */
const card = { number: "4242424242424242", expiry: "12/34", name: "Demo", country: "DE" };

/** Adds a card on the payment provider's page, as the owner would. Does nothing if nobody is billed. */
export async function addPaymentMethod(stack: Stack, owner: Person): Promise<void> {
  if (!isBilling(stack.program)) return;
  const token = await consoleToken(stack, owner);
  const { url } = (await callControlPlane(stack, token, "POST", "/v1/billing/setup", {})) as { url: string };
  const saved = await fetch(url, { method: "POST", body: new URLSearchParams(card), redirect: "manual" });
  if (saved.status !== 303) throw new Error(`${url} answered ${saved.status}`);
  // The provider's event brings the card to the platform.
  await stack.stripe.idle();
}

/** Writes the membership as the platform would, so that a start waits for no invitation. */
export async function addMember(stack: Stack, tenantId: string, { sub }: Person): Promise<void> {
  const now = new Date(stack.clock.now()).toISOString();
  const item = {
    ...membershipRecord.key({ sub, tenant_id: tenantId }),
    ...membershipRecord.indexKey({ tenant_id: tenantId, created_at: now, sub }),
    sub,
    tenant_id: tenantId,
    tenant_role: "developer",
    status: "active",
    created_at: now,
    activated_at: now,
  };
  await stack.dynamodb.putItem(tableName(stack), JSON.stringify(strings(item)));
}

function strings(item: Record<string, string>): Record<string, { S: string }> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }]));
}

function tableName({ program }: Pick<Stack, "program">): string {
  return program.resources.ofType(table.type)[0]?.outputs.name;
}
