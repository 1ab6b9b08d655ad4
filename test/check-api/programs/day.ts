// A first day over a sign-in by whichever library, as a customer would write it.
import assert from "node:assert/strict";

const { ARCHWAY_API = "", ARCHWAY_BROWSER = "", ARCHWAY_CLIENT = "" } = process.env;

/** All that a client is told is one address; the rest stands there. */
export async function readPlatform() {
  return (await fetch(`${ARCHWAY_API}/.well-known/archway.json`)).json();
}

/** Sends the person to an address, and gives the one at which they come back. */
export async function throughBrowser(email: string, address: string | URL): Promise<URL> {
  return new URL(
    await (await fetch(`${ARCHWAY_BROWSER}?${new URLSearchParams({ email, address: `${address}` })}`)).text(),
  );
}

/** A sign-in of one person, kept by a library. */
export type SignIn = {
  /** Asks with the present access token. */
  fetch(url: string, init: { method: string; body?: string; headers: Record<string, string> }): Promise<Response>;
  /** Gets new tokens, which know the workspaces of now. */
  refresh(): Promise<void>;
  /** Ends the sign-in at the platform. */
  end(): Promise<void>;
};

export async function workThroughADay(signIn: (email: string) => Promise<SignIn>): Promise<void> {
  const domain = `${ARCHWAY_CLIENT.toLowerCase()}.example`;
  const owner = await signIn(`owner@${domain}`);
  const tenant = await ask(owner, "POST /v1/tenants", { name: `${ARCHWAY_CLIENT} day` });
  await owner.refresh();
  assert.equal((await ask(owner, "GET /v1/me")).tenant_id, tenant.tenant_id);

  const { key } = await ask(owner, "POST /v1/keys", { name: "Laptop" });
  const { proxy_url } = await readPlatform();
  const message = { model: "claude-sonnet-5", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] };
  const answer = await fetch(`${proxy_url.replace("{slug}", tenant.slug)}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  assert.equal(answer.status, 200, await answer.text());

  const email = `guest@${domain}`;
  const { user_id } = await ask(owner, "POST /v1/users/invite", { email });
  const guest = await signIn(email);
  assert.equal((await ask(guest, "GET /v1/me")).tenant_id, tenant.tenant_id);
  await ask(owner, `DELETE /v1/users/${user_id}`);
  await guest.refresh();
  assert.equal((await ask(guest, "GET /v1/me")).tenant_id, undefined);

  await owner.end();
  await assert.rejects(owner.refresh());
}

async function ask(person: SignIn, route: string, body?: object) {
  const [method = "", path = ""] = route.split(" ");
  const sent = body && { body: JSON.stringify(body) };
  const answer = await person.fetch(`${ARCHWAY_API}${path}`, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    ...sent,
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${route} answered ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
