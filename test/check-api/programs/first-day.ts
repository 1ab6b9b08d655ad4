// A first day by the generated TypeScript client, as a customer would write it. `./client` is made by `npm run check:api`.
import assert from "node:assert/strict";
import * as api from "./client";
import { createClient, createConfig } from "./client/client";

const { ARCHWAY_API = "", ARCHWAY_TOKENS = "", ARCHWAY_CLIENT = "" } = process.env;

let token = await freshToken();
const client = createClient(createConfig({ baseUrl: ARCHWAY_API, auth: () => token }));

const { data: me } = await api.getMe({ client, throwOnError: true });
assert.equal(me.memberships.length, 0);

const name = `${ARCHWAY_CLIENT} day`;
const creation = { client, body: { name }, headers: { "Idempotency-Key": "first-day" } };
const { data: tenant } = await api.createTenant({ ...creation, throwOnError: true });
const { data: repeated } = await api.createTenant({ ...creation, throwOnError: true });
assert.equal(repeated.tenant_id, tenant.tenant_id);
assert.deepEqual([tenant.status, tenant.owner_sub, tenant.deleted_at], ["active", me.user_id, undefined]);

const taken = await api.createTenant({ client, body: { name } });
assert.equal(taken.response?.status, 409);
assert.equal(taken.error?.error.details.error_code, "slug_taken");
assert.deepEqual(
  taken.error?.error.details.fields?.map(({ path }) => path),
  ["name"],
);

token = await freshToken();
const { data: key } = await api.createKey({ client, body: { name: "Laptop" }, throwOnError: true });
assert.match(key.key, /^ar_live_/);
const wrong = await api.createKey({ client, body: { name: "" } });
assert.deepEqual(
  wrong.error?.error.details.fields?.map(({ path }) => path),
  ["name"],
);

const { proxy_url } = (await (await fetch(`${ARCHWAY_API}/.well-known/archway.json`)).json()) as { proxy_url: string };
const answer = await fetch(`${proxy_url.replace("{slug}", tenant.slug)}/v1/messages`, {
  method: "POST",
  headers: { "x-api-key": key.key, "content-type": "application/json" },
  body: JSON.stringify({ model: "claude-sonnet-5", max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
});
assert.equal(answer.status, 200);
await answer.text();

const { data: keys } = await api.listKeys({ client, query: { limit: 1, status: "active" }, throwOnError: true });
assert.deepEqual(
  keys.data.map(({ key_id }) => key_id),
  [key.key_id],
);
assert.equal(keys.next_cursor, undefined);

const email = `guest@${ARCHWAY_CLIENT.toLowerCase()}.example`;
const { data: invitation } = await api.inviteUser({ client, body: { email }, throwOnError: true });
const person = { client, path: { user_id: invitation.user_id } };
const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1" as const], monthly_budget_usd: 5 };
const { data: granted } = await api.putGrant({
  client,
  path: { dev_sub: invitation.user_id },
  body: grant,
  throwOnError: true,
});
assert.equal(granted.budget_enforcement, "reserved");
const { data: user } = await api.getUser({ ...person, throwOnError: true });
assert.deepEqual([user.email, user.status, user.has_grant], [email, undefined, true]);

for (const _time of [1, 2]) assert.equal((await api.removeUser(person)).response?.status, 204);
const { data: removed } = await api.getUser({ ...person, throwOnError: true });
assert.equal(removed.status, "removed");

const query = { group_by: ["day" as const, "caller" as const], limit: 10 };
const { data: usage } = await api.getUsage({ client, query, throwOnError: true });
assert.deepEqual(
  usage.data.map(({ caller_id, requests }) => [caller_id, requests]),
  [[me.user_id, 1]],
);
for (const _time of [1, 2]) {
  assert.equal((await api.revokeKey({ client, path: { key_id: key.key_id } })).response?.status, 204);
}

async function freshToken(): Promise<string> {
  return (await fetch(ARCHWAY_TOKENS)).text();
}
