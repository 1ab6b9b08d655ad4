// What the console offers about a thing is what the API allows: each thing with each of its readers and each action.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type Audience,
  audiences,
  audiencesFor,
  mayGiveValue,
  mayPropose,
  mayRemoveSecret,
  mayRemoveSkill,
  mayRotate,
} from "../../../console/app/rights.ts";
import type { Claims } from "../../../domain/access/credential.ts";
import { openControlPlane } from "../../support/control-plane.ts";
import { scriptSkill, uploadOf } from "../../support/skills/skill-files.ts";

/** `maker` made the skill, the secret and a key. */
const readers = ["owner", "maker", "colleague"] as const;
type People = Record<(typeof readers)[number], Claims & { tenant_id: string }>;

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let people: People;
let workspaces = 0;
beforeAll(async () => {
  plane = await openControlPlane(({ probe }) => ({
    probe: { ...probe, examine: async () => ({ tools: ["feed", "list"].map((name) => ({ name, digest: "1" })) }) },
  }));
});
afterAll(() => plane.close());
beforeEach(async () => {
  const owner = await plane.workspace(`Offers ${workspaces++}`);
  people = {
    owner,
    maker: await plane.developer(owner.tenant_id),
    colleague: await plane.developer(owner.tenant_id),
  };
});

async function call(who: keyof People, method: string, path: string, body?: object) {
  const { status, body: answer } = await plane.call(method, path, { as: people[who], ...(body && { body }) });
  return { status, answer, isAllowed: status < 300 };
}
const rows = async (who: keyof People, path: string) => (await call(who, "GET", path)).answer.data;
const me = async (who: keyof People) => (await call(who, "GET", "/v1/me")).answer;

/** The row of a list that the console shows to the reader; undefined if it shows none, and offers nothing then. */
async function shown(who: keyof People, path: string, name: string) {
  return (await rows(who, path)).find((row: { name: string }) => row.name === name);
}

const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };

const keyOf = {
  "the owner's own": { by: "owner", body: {} },
  "the maker's own": { by: "maker", body: {} },
  "a service account's": { by: "owner", body: { kind: "service_account", grant } },
} as const;

describe.each(Object.entries(keyOf))("a key, %s", (_, { by, body }) => {
  test.each(readers)(
    "the console offers rotating and revoking a key to the %s exactly if the API allows it",
    async (reader) => {
      for (const developer of ["maker", "colleague"] as const)
        await call("owner", "PUT", `/v1/grants/${people[developer].sub}`, grant);
      const { answer } = await call(by, "POST", "/v1/keys", { name: "Key", ...body });
      const key = await shown(reader, "/v1/keys", "Key");
      const { isAllowed } = await call(reader, "POST", `/v1/keys/${answer.key_id}/rotate`, { overlap_seconds: 60 });
      expect(isAllowed).toBe(key !== undefined && mayRotate(key, await me(reader)));
      expect((await call(reader, "DELETE", `/v1/keys/${answer.key_id}`)).isAllowed).toBe(key !== undefined);
    },
  );
});

/** Rules by which a tool is for an audience, as the console's form sends them. */
const rulesFor = (audience: Audience) => ({
  ...(audience === "nobody" && { offered: ["list"] }),
  owners_only: audience === "owners" ? ["feed"] : [],
});

describe.each(audiences)("a tool that the owner gave %s", (given) => {
  test.each(readers)(
    "the console offers changing rules of tools to the %s exactly as far as the API allows it",
    async (reader) => {
      await call("owner", "POST", "/v1/mcp-gateway");
      const pets = { name: "pets", target_mode: "mcp_server", endpoint: "https://mcp.example.com/mcp" };
      const registered = await call("owner", "POST", "/v1/mcp-servers", { ...pets, tools: rulesFor(given) });
      const path = `/v1/mcp-servers/${registered.answer.server_id}`;
      const offered = audiencesFor((await call(reader, "GET", path)).answer.tools, "feed", await me(reader));
      // From few to many: the owner's last change lifts the rules.
      for (const audience of audiences.toReversed()) {
        const { isAllowed } = await call(reader, "PUT", path, { tools: rulesFor(audience) });
        expect([audience, isAllowed]).toEqual([audience, offered.includes(audience)]);
      }
    },
  );
});

const secretPath = "/v1/secrets/TOKEN";

/** A skill of the maker's whose environment has a secret of the maker's. */
async function makeSkill(state: "draft" | "active" | "deactivated"): Promise<void> {
  const { answer } = await call("maker", "POST", "/v1/skills", uploadOf(scriptSkill()));
  await call("maker", "PUT", secretPath, { value: "a token" });
  await call("maker", "PATCH", "/v1/skills/weekly-report/env", { env: { TOKEN: { secret: "TOKEN" } } });
  const { version, digest } = answer;
  const { env_digest } = (await call("owner", "GET", "/v1/skills/weekly-report/env")).answer;
  if (state !== "draft")
    await call("owner", "POST", "/v1/skills/weekly-report/activate", { version, digest, env_digest });
  if (state === "deactivated") await call("owner", "POST", "/v1/skills/weekly-report/deactivate");
}

describe.each(["draft", "active", "deactivated"] as const)("a skill that is %s", (state) => {
  beforeEach(() => makeSkill(state));

  test.each(readers)(
    "the console offers setting a skill's variables and removing the skill to the %s exactly if the API allows it",
    async (reader) => {
      const skill = await shown(reader, "/v1/skills", "weekly-report");
      const who = await me(reader);
      const offered = skill ? [mayPropose(skill, who), mayRemoveSkill(skill, who)] : [false, false];
      const set = await call(reader, "PATCH", "/v1/skills/weekly-report/env", { env: { MODE: "short" } });
      const removed = await call(reader, "DELETE", "/v1/skills/weekly-report");
      expect([set.isAllowed, removed.isAllowed]).toEqual(offered);
    },
  );

  test.each(readers)(
    "the console offers changing and removing a skill's secret to the %s exactly if the API allows it",
    async (reader) => {
      const secret = await shown(reader, "/v1/secrets", "TOKEN");
      const skills: { name: string; status: string }[] = await rows(reader, "/v1/skills");
      const active = skills.filter(({ status }) => status === "active").map(({ name }) => name);
      const who = await me(reader);
      const offered = [mayGiveValue(secret, who), mayRemoveSecret(secret, active, who)];
      const put = await call(reader, "PUT", secretPath, { value: "another" });
      const removed = await call(reader, "DELETE", secretPath);
      expect([put.isAllowed, removed.isAllowed]).toEqual(offered);
    },
  );
});
