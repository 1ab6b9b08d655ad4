// Workspaces in every status with everybody who could ask something of them, for calls that say who may do what.
import { randomBytes, randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { cognitoTokens } from "../../../adapters/cognito/tokens.ts";
import type { Claims, TokenVerifier } from "../../../domain/access/credential.ts";
import { mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";
import type { RunJob } from "../../../domain/runs/run.ts";
import { withoutRun } from "../../../domain/runs/run-use.ts";
import { routes } from "../../../handlers/control/nouns.ts";
import type { Route } from "../../../handlers/control/routing/route.ts";
import {
  consoleClient,
  helperClient,
  helperWriteClient,
  openControlPlane,
  plainTokens,
  skillsClient,
} from "../control-plane.ts";
import { scriptSkill, uploadOf } from "../skills/skill-files.ts";
import { aMoment, memberCommand } from "./members.ts";

export const statuses = ["active", "suspended", "deleted"] as const;
export type Status = (typeof statuses)[number];

/**
 * Who asks something of a workspace. The tokens of all but the last four name it. What is asked for is the developer's, and the
 * colleague is another developer; the intruder is no member.
 */
export const persons = [
  ...(["owner", "developer", "colleague", "removed", "invited", "intruder"] as const),
  ...(["elsewhere", "newcomer", "admin", "support"] as const),
];
export type Person = (typeof persons)[number];

/** Credentials that the control plane refuses. Each belongs to the owner and is wrong in one point. */
export const notLetIn = {
  "no token": "401 credential_missing",
  "an expired token": "401 credential_expired",
  "a token of a sign-in that was ended": "401 credential_ended",
  "a token of a foreign client": "401 credential_invalid",
  "a token of a foreign key": "401 credential_invalid",
  "a token for the proxy alone": "403 scope_missing",
  "an API key": "403 scope_missing",
} as const;
export type NotLetIn = keyof typeof notLetIn;

export type World = {
  tenant_id: string;
  claims: Record<Person, Partial<Claims>>;
  /**
   * Ids of what is there, by the name that a path's parameter has; of keys the one of the person who asks. What is not prepared here the owner has
   * made by the example of the route that creates it.
   */
  things: (person: Person) => Record<string, string>;
};

/** An item that was put, updated or deleted; of an entry of the audit trail, who did what. */
export type Write = { pk: string; actor?: string | undefined; action?: string | undefined };

const userPoolId = "eu-central-1_Matrix";
const issuer = `https://cognito-idp.eu-central-1.amazonaws.com/${userPoolId}`;
const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };

/** A token's end is judged by the machine's clock. */
const machineSeconds = () => Math.floor(Date.now() / 1000);

const aFile = { n: 1, name: "report.md", size: 1 };

export async function openAccessMatrix() {
  const [pair, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const published = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: "k", alg: "RS256", use: "sig" }] };
  const fetcher = { fetch: async () => new TextEncoder().encode(JSON.stringify(published)).buffer as ArrayBuffer };
  const plane = await openControlPlane(({ clock, runs, mcpGateways }) => {
    const real = cognitoTokens({
      userPoolId,
      clientIds: [consoleClient, helperClient, helperWriteClient, skillsClient],
      clock,
      fetcher,
    });
    // Preparations come with plain tokens, the judged calls with signed ones.
    const tokens: TokenVerifier = {
      verify: (token) => (token.startsWith("eyJ.") ? plainTokens : real).verify(token),
    };
    // Each workspace has an MCP gateway, whoever asks and however often it was removed.
    const gateway = {
      ...{ tenant_id: "t", state: "ready" as const, created_at: "2026-11-23T10:00:00.000Z" },
      ...{ address: "a", client_id: "c", public_client_id: "p" },
    };
    const shown = async () => ({ gateway, clientSecret: "s" });
    const ownerGateways = { setUpGateway: shown, rotateSecret: shown, removeGateway: async () => {} };
    // Each run is over as soon as it is queued.
    const over = async ({ tenant_id, skill, run_id }: RunJob) => {
      const run = await runs.get({ tenantId: tenant_id, skill, id: run_id });
      if (!run) return;
      const use = withoutRun(await runs.use(tenant_id), run, clock());
      await runs.write({ ...run, status: "succeeded", files: [aFile] }, "queued", use);
    };
    const runJobs = { send: over, sendAll: async () => {} };
    return { tokens, runJobs, ownerGateways, mcpGateways: { ...mcpGateways, get: async () => gateway } };
  });
  const writes: Write[] = [];
  plane.document.middlewareStack.add(noteWrites(writes) as never, { step: "initialize", name: "writes" });
  const other = await plane.workspace("Elsewhere");
  let worlds = 0;

  function sign(claims: Partial<Claims>, { privateKey } = pair): Promise<string> {
    const usual = {
      ...{ iss: issuer, token_use: "access", client_id: consoleClient, exp: machineSeconds() + 3600 },
      auth_time: Math.floor(plane.clock() / 1000),
    };
    const all = { ...usual, scope: "platform/control:manage", ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(privateKey);
  }

  async function credential(how: NotLetIn, owner: Partial<Claims>): Promise<Record<string, string>> {
    const bearer = async (token: Promise<string>) => ({ authorization: `Bearer ${await token}` });
    switch (how) {
      case "no token":
        return {};
      case "an expired token":
        return bearer(sign({ ...owner, exp: machineSeconds() - 1 }));
      case "a token of a sign-in that was ended": {
        const sub = randomUUID();
        const now = plane.clock();
        await plane.stores.signOuts.put(sub, now);
        return bearer(sign({ ...owner, sub, auth_time: Math.floor(now / 1000) - 1 }));
      }
      case "a token of a foreign client":
        return bearer(sign({ ...owner, client_id: "another-client" }));
      case "a token of a foreign key":
        return bearer(sign(owner, foreign));
      case "a token for the proxy alone":
        return bearer(sign({ ...owner, scope: "platform/proxy:invoke" }));
      case "an API key":
        return { "x-api-key": mintApiKey("live", mintApiKeyId(randomBytes), randomBytes).key };
    }
  }

  async function world(status: Status): Promise<World> {
    const owner = await plane.workspace(`World ${worlds++}`);
    const { tenant_id } = owner;
    const [developer, colleague] = [await plane.developer(tenant_id), await plane.developer(tenant_id)];
    const member = await plane.developer(tenant_id);
    const created_at = aMoment;
    const waits = {
      sub: member.sub,
      email: `${member.sub}@acme.test`,
      approval_status: "pending" as const,
      provider: "password",
      email_verified: true,
      created_at,
    };
    await plane.stores.users.putProfile(waits);
    const [removed, invited] = [randomUUID(), randomUUID()];
    await plane.document.send(memberCommand({ sub: removed, tenant_id, status: "removed" }));
    const address = { email: `${invited}@acme.test` };
    await plane.document.send(memberCommand({ sub: invited, tenant_id, invited_at: aMoment, ...address }));
    const proved = { provider: "password", email_verified: true, approval_status: "approved" as const };
    await plane.stores.users.putProfile({ sub: invited, ...address, ...proved, created_at });
    await plane.call("PUT", `/v1/grants/${developer.sub}`, { as: owner, body: grant });
    const keyOf = async (as: Partial<Claims>) =>
      (await plane.call("POST", "/v1/keys", { as, body: { name: "Laptop" } })).body.key_id;
    const keyIds: Partial<Record<Person, string>> = { owner: await keyOf(owner), developer: await keyOf(developer) };
    await plane.call("POST", "/v1/mcp-gateway", { as: owner });
    const integration = { name: "pets", target_mode: "mcp_server", endpoint: "https://mcp.example.com/mcp" };
    const { server_id } = (await plane.call("POST", "/v1/mcp-servers", { as: owner, body: integration })).body;
    const skill = (await plane.call("POST", "/v1/skills", { as: developer, body: uploadOf(scriptSkill()) })).body;
    const started = await plane.call("POST", `/v1/skills/${skill.name}/runs`, { as: developer, body: { version: 1 } });
    const run_id = started.body.run_id;
    await plane.dependencies.runObjects.putFile(
      { tenantId: tenant_id, skill: skill.name, id: run_id },
      aFile.n,
      Buffer.from("x"),
    );
    // No other workspace has one of this name, unless somebody makes one.
    const secret = `JIRA_${worlds}`;
    await plane.call("PUT", `/v1/secrets/${secret}`, { as: developer, body: { value: "a token" } });
    const prepared = {
      id: tenant_id,
      user_id: member.sub,
      invited_id: invited,
      dev_sub: developer.sub,
      server_id,
      ...{ name: skill.name, version: "1", digest: skill.digest, path: "SKILL.md", secret },
      ...{ run_id, n: String(aFile.n), key_id: keyIds.developer ?? "" },
    };
    const made = await madeByExample(Object.keys(prepared), owner);
    const admin = { sub: randomUUID(), platform_role: "platform_admin" } as const;
    const path = `/v1/tenants/${tenant_id}`;
    if (status === "suspended") await plane.call("POST", `${path}/suspend`, { as: admin, body: { reason: "Unpaid" } });
    if (status === "deleted") await plane.call("DELETE", path, { as: owner });
    // The cached memberships expire after a minute.
    plane.db.clock.advance(60_000);
    return {
      tenant_id,
      claims: {
        owner: { sub: owner.sub, tenant_id },
        developer: { sub: developer.sub, tenant_id },
        colleague: { sub: colleague.sub, tenant_id },
        removed: { sub: removed, tenant_id },
        invited: { sub: invited, tenant_id },
        intruder: { sub: randomUUID(), tenant_id },
        elsewhere: { sub: other.sub, tenant_id: other.tenant_id },
        newcomer: { sub: randomUUID() },
        admin,
        support: { sub: randomUUID(), platform_role: "platform_support" },
      },
      things: (person) => ({ ...made, ...prepared, key_id: keyIds[person] ?? prepared.key_id }),
    };
  }

  async function madeByExample(prepared: readonly string[], as: Partial<Claims>): Promise<Record<string, string>> {
    const all = Object.values(routes).flatMap((noun) => Object.values<Route>(noun));
    const parameters = new Set(
      all.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)),
    );
    const made: Record<string, string> = {};
    for (const name of [...parameters].filter((one) => !prepared.includes(one))) {
      const creation = all.find(({ location }) => location?.includes(`{${name}}`));
      if (!creation) continue;
      const { body } = await plane.call(creation.method, creation.path, { as, body: creation.example.body });
      made[name] = String(body[name]);
    }
    return made;
  }

  /** The answer of the call, and the records that it wrote. */
  async function ask(method: string, address: string, headers: Record<string, string>, body?: unknown) {
    writes.length = 0;
    const { pathname, searchParams } = new URL(address, "https://api.example.com");
    const query = Object.fromEntries(searchParams);
    const reply = await plane.call(method, pathname, { headers, body, query });
    const code = reply.body?.error?.details?.error_code;
    return { ...reply, outcome: code ? `${reply.status} ${code}` : String(reply.status), written: [...writes] };
  }

  const bearerOf = async (claims: Partial<Claims>) => ({ authorization: `Bearer ${await sign(claims)}` });
  return { plane, world, ask, bearerOf, credential, close: () => plane.close() };
}

type Item = Partial<Record<"Put" | "Update" | "Delete", { Item?: Write; Key?: Write }>>;

/** Notes what was written: what a condition refused was not. */
function noteWrites(writes: Write[]) {
  type Call = { input: { TransactItems?: Item[]; Item?: Write; Key?: Write } };
  return (next: (call: Call) => Promise<unknown>, { commandName = "" }: { commandName?: string }) =>
    async (call: Call) => {
      const answer = await next(call);
      if (!/^(Put|Update|Delete|TransactWrite)/.test(commandName)) return answer;
      const single = call.input.TransactItems ?? [{ Put: call.input }];
      const written = single.map(({ Put, Update, Delete }) => Put?.Item ?? (Put ?? Update ?? Delete)?.Key);
      // What a question of usage costs is no change of anything.
      for (const item of written.filter((one) => one && !one.pk.startsWith("ASKED#")))
        if (item) writes.push({ pk: item.pk, actor: item.actor, action: item.action });
      return answer;
    };
}
