// AgentCore, the secrets, the documents and the table in memory, with which the work on an integration is tried: each call may fail before
// or after its effect, and the order of all effects is kept.
import { isDeepStrictEqual } from "node:util";
import type {
  AgentCoreTargets,
  CredentialProviders,
  TargetDesign,
  TargetState,
} from "../../../domain/integrations/agentcore-targets.ts";
import type { McpServer } from "../../../domain/integrations/mcp-server.ts";
import type { ServerJobDependencies } from "../../../domain/integrations/server-job.ts";
import type { AgentRuntimes, RuntimeDesign, RuntimeState } from "../../../domain/marketplace/agent-runtimes.ts";
import type { AgentCoreJob } from "../../../domain/mcp/job.ts";
import type { RegisteredSpec } from "../../../domain/openapi/registered-spec.ts";

export const aMoment = "2026-11-23T12:00:00.000Z";

export function aServer(changes: Partial<McpServer> = {}): McpServer {
  return {
    tenant_id: "t1",
    server_id: "srv_1",
    name: "pets",
    target_mode: "mcp_server",
    endpoint: "https://mcp.example.com/mcp",
    hosts: ["mcp.example.com"],
    auth: { kind: "bearer" },
    state: "creating",
    secret_version: 1,
    provider_versions: [1],
    spec_versions: [],
    known_tools: {},
    created_at: aMoment,
    created_by: "ann",
    updated_at: aMoment,
    version: 1,
    ...changes,
  };
}

type Runtime = { design: RuntimeDesign; state: RuntimeState; pollsLeft: number; versions: number };
type Target = { id: string; state: TargetState; design: TargetDesign; pollsLeft: number };

/** The run was killed here: whatever it would have done after this is not done. */
export class Killed extends Error {}

export function mcpServerWorld(server: McpServer = aServer()) {
  const rows = new Map<string, McpServer>([[server.server_id, server]]);
  const targets = new Map<string, Target>();
  const providers = new Map<string, string>();
  const runtimes = new Map<string, Runtime>();
  const secrets = new Map<string, string>();
  const documents = new Map<string, RegisteredSpec>();
  const effects: string[] = [];
  const jobs: AgentCoreJob[] = [];
  let now = Date.parse(aMoment);
  let calls = 0;
  let killAt: { call: number; when: "before" | "after" } | undefined;
  const settings = {
    polls: 1,
    outcome: "ready" as TargetState,
    runtimeOutcome: "ready" as RuntimeState,
    gateway: { state: "ready", gateway_id: "g1" } as object,
  };
  let isLeased = false;
  let made = 0;

  async function step<T>(effect: string, carryOut: () => T): Promise<T> {
    const at = ++calls;
    if (killAt?.call === at && killAt.when === "before") throw new Killed(effect);
    const result = carryOut();
    effects.push(effect);
    if (killAt?.call === at && killAt.when === "after") throw new Killed(effect);
    return result;
  }
  const secretOf = (design: TargetDesign) =>
    design.credential && secrets.get(providers.get(design.credential.providerArn) ?? "");
  const target = (id: string) => {
    const found = targets.get(id);
    if (!found) throw new Error("no such target");
    return found;
  };

  const agentCoreTargets: AgentCoreTargets = {
    find: async (_, name) =>
      [...targets.values()].find(({ design, state }) => design.name === name && state !== "going")?.id,
    create: (_, design) =>
      step("create target", () => {
        if ([...targets.values()].some((one) => one.design.name === design.name)) throw new Error("the name is taken");
        const id = `T${++made}`;
        targets.set(id, { id, state: "pending", design, pollsLeft: settings.polls });
        return id;
      }),
    update: (_, id, design) =>
      step("update target", () => {
        if (target(id).state === "pending") throw new Error("the target is being worked on");
        targets.set(id, { id, state: "pending", design, pollsLeft: settings.polls });
      }),
    async status(_, id) {
      const found = targets.get(id);
      if (!found) return undefined;
      const status = { state: found.state };
      if (found.pollsLeft-- <= 0) {
        if (found.state === "going") targets.delete(id);
        if (found.state === "pending") found.state = settings.outcome;
      }
      return status;
    },
    remove: (_, id) =>
      step("remove target", () => {
        const found = targets.get(id);
        if (found) Object.assign(found, { state: "going", pollsLeft: settings.polls });
      }),
  };
  const credentialProviders: CredentialProviders = {
    ensure: ({ name, secret }) =>
      step(`ensure provider ${name.split("-").at(-1)}`, () => {
        providers.set(name, secret.name);
        return name;
      }),
    remove: (name) =>
      step(`remove provider ${name.split("-").at(-1)}`, () => {
        const users = [...targets.values()].filter(({ design }) => design.credential?.providerArn === name);
        if (users.some(({ state }) => state !== "going")) throw new Error("a provider in use was removed");
        providers.delete(name);
      }),
  };

  const agentRuntimes: AgentRuntimes = {
    find: async (name) => (runtimes.has(name) ? name : undefined),
    create: (design) =>
      step("create runtime", () => {
        if (runtimes.has(design.name)) throw new Error("the name is taken");
        runtimes.set(design.name, { design, state: "pending", pollsLeft: settings.polls, versions: 1 });
        return design.name;
      }),
    async update(arn, design) {
      const found = runtimes.get(arn);
      if (!found || found.state === "pending") throw new Error("the runtime cannot be changed now");
      if (isDeepStrictEqual(found.design, design)) return;
      await step("update runtime", () =>
        Object.assign(found, { design, state: "pending", pollsLeft: settings.polls, versions: found.versions + 1 }),
      );
    },
    async status(arn) {
      const found = runtimes.get(arn);
      if (!found) return undefined;
      const { state } = found;
      if (found.pollsLeft-- <= 0) {
        if (state === "going") runtimes.delete(arn);
        if (state === "pending") found.state = settings.runtimeOutcome;
      }
      return state;
    },
    remove: (arn) =>
      step("remove runtime", () => {
        const users = [...targets.values()].filter(({ design }) => "runtimeArn" in design.upstream);
        if (users.some(({ state }) => state === "ready")) throw new Error("a runtime in use was removed");
        const found = runtimes.get(arn);
        if (found) Object.assign(found, { state: "going", pollsLeft: settings.polls });
      }),
  };

  const deps: ServerJobDependencies = {
    mcpServers: {
      get: async (_, id) => rows.get(id),
      all: async () => [...rows.values()],
      change: ({ server_id }, progress, version) =>
        step("note", () => {
          const row = rows.get(server_id);
          if (!row || (version !== undefined && row.version !== version)) return false;
          rows.set(server_id, { ...row, ...(progress as Partial<McpServer>) });
          return true;
        }),
      async *due(before) {
        const due = [...rows.values()].filter(({ state, updated_at }) => state !== "ready" && updated_at <= before);
        for (const { tenant_id, server_id } of due) yield { tenant_id, server_id };
      },
      remove: ({ server_id }) => step("remove row", () => void rows.delete(server_id)),
    },
    store: { get: async () => settings.gateway as never },
    targets: agentCoreTargets,
    providers: credentialProviders,
    runtimes: agentRuntimes,
    secrets: {
      read: async (name) => secrets.get(name),
      create: async ({ name, value }) => void secrets.set(name, value),
      put: async (name, value) => void secrets.set(name, value),
      remove: (name) => step(`remove secret ${name.split("/").at(-1)}`, () => void secrets.delete(name)),
    },
    specs: {
      registered: async ({ spec_version }) => documents.get(String(spec_version)),
      put: async (_, version, spec) => void documents.set(String(version), spec),
      remove: (_, version) => step(`remove document ${version}`, () => void documents.delete(String(version))),
    },
    leases: {
      async take() {
        if (isLeased) return false;
        isLeased = true;
        return true;
      },
      async release() {
        isLeased = false;
      },
    },
    jobs: { send: async (job) => void jobs.push(job), sendAll: async (all) => void jobs.push(...all) },
    settings: { stack: "dev" },
    clock: () => now,
    pause: async (milliseconds) => {
      now += milliseconds;
    },
    log: { info: () => {}, problem: () => {} },
  };

  return {
    deps,
    rows,
    targets,
    providers,
    runtimes,
    secrets,
    documents,
    effects,
    jobs,
    settings,
    secretOf,
    lease: (taken: boolean) => {
      isLeased = taken;
    },
    /** Kills the run at its call with this number, from 1 on. */
    kill(at: typeof killAt) {
      calls = 0;
      killAt = at;
    },
    calls: () => calls,
  };
}
