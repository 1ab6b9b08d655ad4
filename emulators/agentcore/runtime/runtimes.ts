// The agent runtimes of the emulated AgentCore with their versions: kept in the store, with a state that settles by the clock.
import type { Collection } from "../../store.ts";
import { identityArn, runtimeArn } from "../arns.ts";
import { isoTime, randomText } from "../ids.ts";
import type { AgentCoreParts } from "../parts.ts";
import { conflict, notFound, overQuota } from "../refusals.ts";
import type { RuntimeDefinition } from "./runtime-input.ts";

type Status = "CREATING" | "UPDATING" | "DELETING" | "READY";

export type Runtime = {
  id: string;
  arn: string;
  region: string;
  name: string;
  clientToken?: string | undefined;
  /** All versions, the first is version 1. */
  versions: RuntimeDefinition[];
  status: Status;
  settlesAt?: number | undefined;
  createdAt: number;
  updatedAt: number;
  tags: Record<string, string>;
};

/** The one endpoint that each runtime has. It follows the latest version. */
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
    const runtime = settled(kept, this.#parts.now());
    if (!runtime) this.#kept.delete(id);
    return runtime;
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
    const arn = runtimeArn(given.region, id);
    return this.save({ ...given, id, arn, versions: [definition], ...this.#begun("CREATING") });
  }

  /** Makes a new version. @throws AwsError while the runtime changes. */
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

function settled(one: Runtime, now: number): Runtime | undefined {
  if (one.settlesAt === undefined || now < one.settlesAt) return one;
  return one.status === "DELETING" ? undefined : { ...one, status: "READY", settlesAt: undefined };
}

export function describeRuntime(runtime: Runtime) {
  const { id, arn, region, name, createdAt, updatedAt, status, versions } = runtime;
  return {
    agentRuntimeArn: arn,
    agentRuntimeId: id,
    agentRuntimeName: name,
    agentRuntimeVersion: String(versions.length),
    createdAt: isoTime(createdAt),
    lastUpdatedAt: isoTime(updatedAt),
    status,
    workloadIdentityDetails: { workloadIdentityArn: identityArn(region, id) },
    ...versions.at(-1),
  };
}
