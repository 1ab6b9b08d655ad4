// The agent runtimes of the emulated AgentCore with their versions and endpoints: kept in the store, with a state that settles by the clock.
import type { Collection } from "../../store.ts";
import { endpointArn, identityArn, runtimeArn } from "../arns.ts";
import { isoTime, randomText } from "../ids.ts";
import type { AgentCoreParts } from "../parts.ts";
import { conflict, notFound, overQuota } from "../refusals.ts";
import type { RuntimeDefinition } from "./runtime-input.ts";

type Status = "CREATING" | "UPDATING" | "DELETING" | "READY";

export type Endpoint = {
  name: string;
  id: string;
  description?: string | undefined;
  /** Undefined for DEFAULT, which follows the latest version. */
  version?: string | undefined;
  status: Status;
  settlesAt?: number | undefined;
  createdAt: number;
  updatedAt: number;
};

export type Runtime = {
  id: string;
  arn: string;
  region: string;
  name: string;
  clientToken?: string | undefined;
  /** All versions, the first is version 1. */
  versions: RuntimeDefinition[];
  endpoints: Endpoint[];
  status: Status;
  settlesAt?: number | undefined;
  createdAt: number;
  updatedAt: number;
  tags: Record<string, string>;
};

export const defaultEndpoint = "DEFAULT";

export class Runtimes {
  readonly #kept: Collection<Runtime>;
  readonly #parts: AgentCoreParts;

  constructor(parts: AgentCoreParts) {
    this.#kept = parts.store.collection("agentcore-runtime");
    this.#parts = parts;
  }

  all(): Runtime[] {
    return this.#kept.all().flatMap(({ id }) => this.find(id) ?? []);
  }

  find(id: string): Runtime | undefined {
    const kept = this.#kept.get(id);
    if (!kept) return undefined;
    const now = this.#parts.now();
    const endpoints = kept.endpoints.flatMap((endpoint) => settled(endpoint, now) ?? []);
    const runtime = settled(kept, now);
    if (!runtime) this.#kept.delete(id);
    return runtime && { ...runtime, endpoints };
  }

  /** @throws AwsError ResourceNotFoundException */
  get(id: string): Runtime {
    const runtime = this.find(id);
    if (!runtime) throw notFound(`Agent runtime ${id} was not found`);
    return runtime;
  }

  /** @throws AwsError for a name that is taken, and above the quota. */
  create(given: Pick<Runtime, "region" | "name" | "clientToken" | "tags">, definition: RuntimeDefinition): Runtime {
    const all = this.all().filter(({ region }) => region === given.region);
    const made = given.clientToken === undefined ? undefined : all.find((one) => one.clientToken === given.clientToken);
    if (made) return made;
    if (all.some(({ name }) => name === given.name)) throw conflict(`An agent runtime named ${given.name} exists`);
    const { agentRuntimes: most } = this.#parts.settings().quotas;
    if (all.length >= most) throw overQuota(`The account has its ${most} agent runtimes`);
    const id = `${given.name}-${randomText(10)}`;
    const endpoint = { name: defaultEndpoint, id: defaultEndpoint, ...this.#begun("CREATING") };
    const arn = runtimeArn(given.region, id);
    return this.save({ ...given, id, arn, versions: [definition], endpoints: [endpoint], ...this.#begun("CREATING") });
  }

  /** Makes a new version; the endpoint DEFAULT follows it. @throws AwsError while the runtime changes. */
  update(runtime: Runtime, definition: RuntimeDefinition): Runtime {
    const { createdAt } = this.#ready(runtime);
    const versions = [...runtime.versions, definition];
    return this.save({ ...runtime, versions, ...this.#begun("UPDATING"), createdAt });
  }

  delete(runtime: Runtime): Runtime {
    if (runtime.status === "DELETING") return runtime;
    const { createdAt } = this.#ready(runtime);
    return this.save({ ...runtime, ...this.#begun("DELETING"), createdAt });
  }

  addEndpoint(runtime: Runtime, given: Pick<Endpoint, "name" | "version" | "description">): Endpoint {
    this.#ready(runtime);
    const { endpointsPerRuntime: most } = this.#parts.settings().quotas;
    if (runtime.endpoints.some(({ name }) => name === given.name)) throw conflict(`Endpoint ${given.name} exists`);
    if (runtime.endpoints.length >= most) throw overQuota(`The runtime has its ${most} endpoints`);
    const endpoint = { ...given, id: given.name, ...this.#begun("CREATING") };
    this.save({ ...runtime, endpoints: [...runtime.endpoints, endpoint] });
    return endpoint;
  }

  changeEndpoint(runtime: Runtime, endpoint: Endpoint, status: "UPDATING" | "DELETING"): Endpoint {
    if (endpoint.status !== "READY") throw conflict(`Endpoint ${endpoint.name} is in ${endpoint.status} state`);
    const changed = { ...endpoint, ...this.#begun(status), createdAt: endpoint.createdAt };
    this.save({ ...runtime, endpoints: runtime.endpoints.map((one) => (one.name === endpoint.name ? changed : one)) });
    return changed;
  }

  save(runtime: Runtime): Runtime {
    this.#kept.put(runtime.id, runtime);
    return runtime;
  }

  #ready(runtime: Runtime): Runtime {
    if (runtime.status === "READY") return runtime;
    throw conflict(`Agent runtime ${runtime.id} is in ${runtime.status} state`);
  }

  #begun(status: Status): Pick<Runtime, "status" | "settlesAt" | "createdAt" | "updatedAt"> {
    const now = this.#parts.now();
    return { status, settlesAt: now + this.#parts.settings().runtimeMs, createdAt: now, updatedAt: now };
  }
}

/** @throws AwsError ResourceNotFoundException */
export function endpointOf(runtime: Runtime, name: string): Endpoint {
  const endpoint = runtime.endpoints.find((one) => one.name === name);
  if (!endpoint) throw notFound(`Endpoint ${name} of agent runtime ${runtime.id} was not found`);
  return endpoint;
}

/** The version that an endpoint leads to. */
export function versionOf({ versions }: Runtime, { version }: Endpoint): string {
  return version ?? String(versions.length);
}

function settled<T extends { status: Status; settlesAt?: number | undefined }>(one: T, now: number): T | undefined {
  if (one.settlesAt === undefined || now < one.settlesAt) return one;
  return one.status === "DELETING" ? undefined : { ...one, status: "READY", settlesAt: undefined };
}

export function describeRuntime(runtime: Runtime, version = String(runtime.versions.length)) {
  const { id, arn, region, name, createdAt, updatedAt, status, versions } = runtime;
  return {
    agentRuntimeArn: arn,
    agentRuntimeId: id,
    agentRuntimeName: name,
    agentRuntimeVersion: version,
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    status,
    workloadIdentityDetails: { workloadIdentityArn: identityArn(region, id) },
    ...versions[Number(version) - 1],
  };
}

export function describeEndpoint(runtime: Runtime, endpoint: Endpoint) {
  const { name, id, status, description, createdAt, updatedAt } = endpoint;
  const version = versionOf(runtime, endpoint);
  return {
    name,
    id,
    endpointName: name,
    agentRuntimeId: runtime.id,
    agentRuntimeArn: runtime.arn,
    agentRuntimeEndpointArn: endpointArn(runtime.region, runtime.id, name),
    ...(status !== "CREATING" && { liveVersion: version }),
    targetVersion: version,
    status,
    description,
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
  };
}
