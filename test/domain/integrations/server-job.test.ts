// An integration is brought where its record says: made, moved to another credential, removed. A run may be killed at each of its steps.
import { describe, expect, test } from "@jest/globals";
import type { McpServer } from "../../../domain/integrations/mcp-server.ts";
import { processServer, queueDueServers, removeServers } from "../../../domain/integrations/server-job.ts";
import { serverSecretName } from "../../../domain/integrations/server-secret.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { aServer, Killed, mcpServerWorld } from "../../support/mcp/mcp-server-world.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

type World = ReturnType<typeof mcpServerWorld>;
const job = { kind: "server", tenant_id: "t1", server_id: "srv_1" } as const;
const name = (version: number) => serverSecretName("dev", aServer(), version);
const keep = (world: World, version: number) => world.secrets.set(name(version), `{"api_key":"secret ${version}"}`);
const left = ({ rows, targets, providers, secrets }: World) => [rows.size, targets.size, providers.size, secrets.size];

async function ready(): Promise<World> {
  const world = mcpServerWorld();
  keep(world, 1);
  await processServer(world.deps, job);
  world.effects.length = 0;
  return world;
}

/** What a PUT with a new secret writes. */
function rotate(world: World) {
  const row = world.rows.get("srv_1") ?? aServer();
  const version = row.version + 1;
  const versions = [...row.provider_versions, version];
  world.rows.set("srv_1", { ...row, state: "updating", version, secret_version: version, provider_versions: versions });
  keep(world, version);
}

async function isKilled(world: World): Promise<boolean> {
  try {
    await processServer(world.deps, job);
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

async function finish(world: World) {
  world.kill(undefined);
  world.lease(false);
  await processServer(world.deps, job);
}

test("a registration creates the credential provider, then the target, and is ready when AgentCore says so", async () => {
  const world = mcpServerWorld();
  keep(world, 1);
  world.settings.polls = 3;
  await processServer(world.deps, job);
  expect(world.effects).toEqual(["ensure provider 1", "create target", "note", "note"]);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", gateway_target_id: "T1", provider_versions: [1] });
  expect([...world.targets.values()][0]?.design).toEqual({
    name: "pets",
    upstream: { endpoint: "https://mcp.example.com/mcp" },
    credential: { providerArn: expect.any(String), location: "header", name: "Authorization", prefix: "Bearer" },
  });
});

test("an integration without a credential has no credential provider, and an API's document is sent with its target", async () => {
  const { secret_version: _, ...plain } = aServer({ auth: { kind: "none" }, provider_versions: [] });
  const world = mcpServerWorld({ ...plain, target_mode: "openapi", spec_version: 1, spec_versions: [1] });
  world.documents.set("1", aRegisteredSpec());
  await processServer(world.deps, job);
  expect(world.effects).toEqual(["create target", "note", "note"]);
  expect([...world.targets.values()][0]?.design).toEqual({
    name: "pets",
    upstream: { document: JSON.stringify(aRegisteredSpec().document) },
  });
});

test("a rotation follows the specification's order, and the target keeps its id and its name", async () => {
  const world = await ready();
  rotate(world);
  await processServer(world.deps, job);
  expect(world.effects).toEqual([
    ...["ensure provider 2", "update target", "note"],
    ...["remove provider 1", "remove secret 1", "note"],
  ]);
  expect([...world.targets.keys()]).toEqual(["T1"]);
  expect(left(world)).toEqual([1, 1, 1, 1]);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", provider_versions: [2], version: 2 });
});

test("the old credential provider stays until the target is ready with the new one", async () => {
  const world = await ready();
  rotate(world);
  world.settings.outcome = "unsuccessful";
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", provider_versions: [1, 2] });
  expect(world.providers.size).toBe(2);
  world.settings.outcome = "ready";
  rotate(world);
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", provider_versions: [3] });
  expect([...world.providers.values()]).toEqual([name(3)]);
});

describe.each(["before", "after"] as const)(
  "killed at each step, %s its effect, a repeat ends in one clean state:",
  (when) => {
    test("a registration that is killed at any step is completed by a repeat", async () => {
      let steps = 0;
      for (;;) {
        const world = mcpServerWorld();
        keep(world, 1);
        world.kill({ call: steps + 1, when });
        if (!(await isKilled(world))) break;
        steps++;
        await finish(world);
        expect(left(world)).toEqual([1, 1, 1, 1]);
        expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", provider_versions: [1] });
      }
      expect(steps).toBe(4);
    });

    test("a rotation that is killed at any step is completed by a repeat", async () => {
      let steps = 0;
      for (;;) {
        const world = await ready();
        rotate(world);
        world.kill({ call: steps + 1, when });
        if (!(await isKilled(world))) break;
        steps++;
        // Whatever was cut off, the target's provider has its secret.
        const [target] = [...world.targets.values()];
        expect(target && world.secretOf(target.design)).toMatch(/secret [12]/);
        await finish(world);
        expect([...world.targets.keys()]).toEqual(["T1"]);
        expect([...world.providers.values()]).toEqual([name(2)]);
        expect([...world.secrets.keys()]).toEqual([name(2)]);
        expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", provider_versions: [2] });
      }
      expect(steps).toBe(6);
    });

    test("a removal that is killed at any step is completed by a repeat", async () => {
      let steps = 0;
      for (;;) {
        const world = await ready();
        rotate(world);
        world.rows.set("srv_1", { ...(world.rows.get("srv_1") ?? aServer()), state: "deleting" });
        world.kill({ call: steps + 1, when });
        const killed = await isKilled(world);
        if (killed) await finish(world);
        expect(left(world)).toEqual([0, 0, 0, 0]);
        if (!killed) break;
        steps++;
      }
      expect(steps).toBe(6);
    });
  },
);

/** An integration of a runtime provider. */
const aRuntimeServer = () =>
  aServer({ name: "web", target_mode: "runtime", provider_id: "tavily", auth: { kind: "bearer" } });
const runtimeWorld = () => {
  const world = mcpServerWorld(aRuntimeServer());
  keep(world, 1);
  return world;
};
const remains = (world: World) => [...left(world), world.runtimes.size];

test("a provider's server gets a runtime of its own, whose variables are the credential and the settings", async () => {
  const world = runtimeWorld();
  world.secrets.set(name(1), JSON.stringify({ api_key: "secret 1", environment: { DEFAULT_PARAMETERS: "{}" } }));
  world.settings.polls = 3;
  await processServer(world.deps, job);
  expect(world.effects).toEqual(["create runtime", "note", "create target", "note", "note"]);
  const [[runtimeArn, runtime] = []] = [...world.runtimes];
  expect(runtimeArn).toMatch(/^r[0-9a-f]{8}_srv_1$/);
  expect(runtime?.design).toMatchObject({
    providerId: "tavily",
    tenantId: "t1",
    environment: { TAVILY_API_KEY: "secret 1", DEFAULT_PARAMETERS: "{}" },
  });
  expect([...world.targets.values()][0]?.design).toEqual({ name: "web", upstream: { runtimeArn } });
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", runtime_arn: runtimeArn });
  expect(world.rows.get("srv_1")?.credential_provider_id).toBeUndefined();
  expect(remains(world)).toEqual([1, 1, 0, 1, 1]);
});

test("settings that the provider does not accept are given to no runtime, though they are stored", async () => {
  const world = runtimeWorld();
  const environment = {
    BASE_URL: "https://evil.example",
    HTTPS_PROXY: "http://evil.example",
    DEFAULT_PARAMETERS: "{}",
  };
  world.secrets.set(name(1), JSON.stringify({ api_key: "secret 1", environment }));
  await processServer(world.deps, job);
  const [runtime] = world.runtimes.values();
  expect(runtime?.design.environment).toEqual({ TAVILY_API_KEY: "secret 1", DEFAULT_PARAMETERS: "{}" });
});

test("a new credential is a new version of the runtime, which is ready before the target is moved to it", async () => {
  const world = runtimeWorld();
  await processServer(world.deps, job);
  world.effects.length = 0;
  rotate(world);
  await processServer(world.deps, job);
  expect(world.effects).toEqual([
    ...["update runtime", "update target", "note"],
    ...["remove provider 1", "remove secret 1", "note"],
  ]);
  const [runtime] = world.runtimes.values();
  expect([runtime?.versions, runtime?.design.environment]).toEqual([2, { TAVILY_API_KEY: "secret 2" }]);
});

test("a runtime that does not start is reported, and is created again with other settings", async () => {
  const world = runtimeWorld();
  world.settings.runtimeOutcome = "failed";
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", reason: expect.stringContaining("did not start") });
  expect(world.targets.size).toBe(0);
  world.settings.runtimeOutcome = "ready";
  rotate(world);
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready" });
  expect([...world.runtimes.values()].map(({ versions }) => versions)).toEqual([1]);
});

test("a version of a runtime that does not start leaves the previous version in service", async () => {
  const world = runtimeWorld();
  await processServer(world.deps, job);
  world.settings.runtimeOutcome = "unsuccessful";
  rotate(world);
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", provider_versions: [1, 2] });
  world.settings.runtimeOutcome = "ready";
  rotate(world);
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", provider_versions: [3] });
});

test("a purge removes the target first and then the runtime, even if the gateway is gone", async () => {
  for (const gateway of [{ state: "deleting", gateway_id: "g1" }, undefined]) {
    const world = runtimeWorld();
    await processServer(world.deps, job);
    if (!gateway) world.targets.clear();
    Object.assign(world.settings, { gateway });
    world.effects.length = 0;
    expect(await removeServers(world.deps, "t1")).toBe(true);
    expect(remains(world)).toEqual([0, 0, 0, 0, 0]);
    const first = gateway ? ["remove target", "remove runtime"] : ["remove runtime"];
    expect(world.effects.slice(0, first.length)).toEqual(first);
  }
});

describe.each(["before", "after"] as const)("a runtime's run killed at each step, %s its effect,", (when) => {
  const steps = { registration: 5, rotation: 6, removal: 6 };

  test.each(Object.entries(steps))(
    "an interrupted job of a runtime is completed by a repeat: %s",
    async (kind, most) => {
      let killed = 0;
      for (let at = 1; at <= most; at++) {
        const world = runtimeWorld();
        if (kind !== "registration") await processServer(world.deps, job);
        if (kind === "rotation") rotate(world);
        const row = world.rows.get("srv_1");
        if (kind === "removal" && row) world.rows.set("srv_1", { ...row, state: "deleting" });
        world.kill({ call: at, when });
        if (await isKilled(world)) killed++;
        await finish(world);
        const isThere = kind === "removal" ? 0 : 1;
        expect([kind, at, ...remains(world)]).toEqual([kind, at, isThere, isThere, 0, isThere, isThere]);
        if (isThere) expect(world.rows.get("srv_1")).toMatchObject({ state: "ready" });
      }
      expect(killed).toBeGreaterThanOrEqual(most - 1);
    },
  );
});

test("two rotations, the second requested before the first is carried out, end with the second credential", async () => {
  const world = await ready();
  rotate(world);
  rotate(world);
  await processServer(world.deps, job);
  expect([...world.providers.values()]).toEqual([name(3)]);
  expect([...world.secrets.keys()]).toEqual([name(3)]);
});

test("a rotation that is requested during another is not lost", async () => {
  const world = await ready();
  rotate(world);
  const { update } = world.deps.targets;
  world.deps.targets.update = async (...input) => {
    await update(...input);
    world.deps.targets.update = update;
    rotate(world);
  };
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "updating", version: 3, provider_versions: [1, 2, 3] });
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", version: 3, provider_versions: [3] });
  expect([...world.providers.values()]).toEqual([name(3)]);
});

test("a target that was never ready is replaced by one with the same name", async () => {
  const world = mcpServerWorld();
  keep(world, 1);
  world.settings.outcome = "failed";
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", reason: expect.stringContaining("could not list") });
  world.settings.outcome = "ready";
  rotate(world);
  await processServer(world.deps, job);
  expect([...world.targets.keys()]).toEqual(["T2"]);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", gateway_target_id: "T2" });
});

test("a job for an integration that is ready, or gone, changes nothing", async () => {
  const world = await ready();
  await processServer(world.deps, job);
  await processServer(world.deps, { ...job, server_id: "srv_2" });
  expect(world.effects).toEqual([]);
});

test("tools that were found after the gateway's list are listed again, and are noted as taken when the target is ready", async () => {
  const world = await ready();
  const server = world.rows.get("srv_1") as McpServer;
  world.rows.set("srv_1", { ...server, state: "updating", tools_found_at: "2026-11-28T10:00:00.000Z" });
  world.settings.polls = 3;
  await processServer(world.deps, job);
  expect(world.effects).toEqual(["ensure provider 1", "update target", "note", "note"]);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "ready", tools_taken_at: "2026-11-28T10:00:00.000Z" });
});

test.each([
  ["another run has the gateway", (world: World) => world.lease(true)],
  ["the gateway is being made", (world: World) => Object.assign(world.settings, { gateway: { state: "creating" } })],
  ["AgentCore takes its time", (world: World) => Object.assign(world.settings, { polls: 1_000 })],
  [
    "AgentCore does not answer",
    (world: World) => {
      world.deps.targets.create = async () => {
        throw new Refusal("gateway_unavailable", "no answer");
      };
    },
  ],
])("a job is repeated later while %s, but not endlessly", async (_, hinder) => {
  const world = mcpServerWorld();
  keep(world, 1);
  hinder(world);
  await processServer(world.deps, job);
  expect(world.jobs).toEqual([{ ...job, attempt: 2 }]);
  await expect(processServer(world.deps, { ...job, attempt: 60 })).rejects.toThrow();
});

test("a full quota is reported, and blocks no other integration", async () => {
  const world = mcpServerWorld();
  keep(world, 1);
  world.deps.providers.ensure = async () => {
    throw new Refusal("platform_full", "The platform has no room for another of these right now");
  };
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", reason: expect.stringContaining("no room") });
  expect(world.targets.size).toBe(0);
});

test("an integration without a gateway fails with that reason", async () => {
  const world = mcpServerWorld();
  Object.assign(world.settings, { gateway: undefined });
  await processServer(world.deps, job);
  expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", reason: expect.stringContaining("no MCP gateway") });
});

test("all integrations of a deleted workspace are removed, and a removal that takes too long continues with the next run", async () => {
  const world = await ready();
  world.settings.polls = 1_000;
  expect(await removeServers(world.deps, "t1")).toBe(false);
  for (const target of world.targets.values()) target.pollsLeft = 0;
  expect(await removeServers(world.deps, "t1")).toBe(true);
  expect(left(world)).toEqual([0, 0, 0, 0]);
});

describe("a registration that was cut off before its job was queued", () => {
  test("an interrupted registration is continued by the schedule some minutes later", async () => {
    const world = mcpServerWorld();
    keep(world, 1);
    world.deps.clock = () => Date.parse(aServer().updated_at) + 299_000;
    await queueDueServers(world.deps);
    expect(world.jobs).toEqual([]);
    world.deps.clock = () => Date.parse(aServer().updated_at) + 300_000;
    await queueDueServers(world.deps);
    expect(world.jobs).toEqual([job]);
    await processServer(world.deps, job);
    expect(world.rows.get("srv_1")?.state).toBe("ready");
  });

  test.each([
    ["credential", aServer()],
    [
      "document",
      aServer({ target_mode: "openapi", auth: { kind: "none" }, secret_version: undefined, spec_version: 1 }),
    ],
  ])(
    "an interrupted registration fails with a reason if its %s was never stored, and creates nothing",
    async (_, server) => {
      const world = mcpServerWorld();
      world.rows.set("srv_1", server);
      await processServer(world.deps, job);
      expect(world.rows.get("srv_1")).toMatchObject({ state: "failed", reason: expect.stringContaining("cut off") });
      expect([world.targets.size, world.providers.size]).toEqual([0, 0]);
    },
  );
});
