// The targets of the emulated AgentCore's gateways. An operation on one first reads what it offers, then settles by the clock; until then the
// target serves what it had.
import type { Collection } from "../../store.ts";
import { isoTime, lowerCase, randomText } from "../ids.ts";
import type { AgentCoreParts } from "../parts.ts";
import { conflict, invalid, notFound, overQuota, throttled } from "../refusals.ts";
import type { Gateway, Gateways } from "./gateways.ts";
import { serverOf, type TargetDefinition } from "./target-input.ts";

/** A tool as an MCP server lists it, by the target's own name. */
export type Tool = { name: string; description?: string; inputSchema: object; [member: string]: unknown };

/** The request behind a tool of an OpenAPI document. */
export type OpenApiOperation = {
  method: string;
  url: string;
  parameters: { name: string; in: string }[];
  /** The arguments that are members of the body, or `whole` if the argument `body` is all of it. */
  body?: string[] | "whole";
  /** The type of the body. */
  mediaType?: "application/json" | "application/x-www-form-urlencoded";
};

/** A tool, and the request behind it unless an MCP server is asked. */
export type OfferedTool = { tool: Tool; operation?: OpenApiOperation };

/** A prompt, a resource and a template of resources as an MCP server lists them. */
export type Prompt = { name: string; [member: string]: unknown };
export type Resource = { uri: string; [member: string]: unknown };
export type ResourceTemplate = { uriTemplate: string; [member: string]: unknown };

/** What a target offers. An API has tools alone. */
export type Offered = {
  tools: OfferedTool[];
  prompts?: Prompt[];
  resources?: Resource[];
  resourceTemplates?: ResourceTemplate[];
};

/** Reads what a definition offers. It throws an Error whose message is a reason for people. */
export type ReadOffered = (gateway: Gateway, definition: TargetDefinition) => Promise<Offered>;

/** A definition of a target, with what was read by it. */
export type Offer = Offered & { definition: TargetDefinition };

type Kind = "CREATE" | "UPDATE" | "SYNCHRONIZE" | "DELETE";
type Outcome = Offered | { reason: string };

export type Target = {
  id: string;
  gatewayId: string;
  clientToken?: string | undefined;
  definition: TargetDefinition;
  status: string;
  statusReasons?: string[] | undefined;
  createdAt: number;
  updatedAt: number;
  lastSynchronizedAt?: number | undefined;
  /** The operation under way. It ends once its outcome is known and its time has come. */
  pending?: { kind: Kind; until: number; outcome?: Outcome } | undefined;
  /** The offer that answers calls at present. */
  live?: Offer | undefined;
};

/** The statuses of TargetStatus: while an operation is under way, and after it failed. */
const statuses: Record<Kind, [during: string, failed: string]> = {
  CREATE: ["CREATING", "FAILED"],
  UPDATE: ["UPDATING", "UPDATE_UNSUCCESSFUL"],
  SYNCHRONIZE: ["SYNCHRONIZING", "SYNCHRONIZE_UNSUCCESSFUL"],
  DELETE: ["DELETING", ""],
};

export class Targets {
  readonly #kept: Collection<Target>;
  readonly #parts: AgentCoreParts;
  readonly #gateways: Gateways;
  readonly #readOffered: ReadOffered;
  /** The operations under way that read a target, by target. */
  readonly #reading = new Map<string, Promise<void>>();

  constructor(parts: AgentCoreParts, gateways: Gateways, readOffered: ReadOffered) {
    this.#kept = parts.store.collection("agentcore-target");
    this.#parts = parts;
    this.#gateways = gateways;
    this.#readOffered = readOffered;
  }

  all(): Target[] {
    return this.#kept.all().flatMap((target) => this.#settled(target) ?? []);
  }

  /** The targets of a gateway, oldest first. */
  of(gatewayId: string): Target[] {
    return this.all().filter((target) => target.gatewayId === gatewayId);
  }

  find(gatewayId: string, id: string): Target | undefined {
    const target = this.#kept.get(id);
    return target?.gatewayId === gatewayId ? this.#settled(target) : undefined;
  }

  /** @throws AwsError ResourceNotFoundException */
  get(gatewayId: string, id: string): Target {
    const target = this.find(gatewayId, id);
    if (!target) throw notFound(`Target with identifier ${id} was not found on gateway ${gatewayId}`);
    return target;
  }

  /** @throws AwsError for a name that another target of the gateway has, and above a quota. */
  create(gateway: Gateway, definition: TargetDefinition, token: string | undefined): Target {
    const others = this.of(gateway.id);
    const made = token === undefined ? undefined : others.find(({ clientToken }) => clientToken === token);
    if (made) return made;
    const { name } = definition;
    if (gateway.status !== "READY") throw conflict(`Gateway ${gateway.id} is in ${gateway.status} state`);
    if (others.some((other) => other.definition.name === name)) {
      throw conflict(`A target with name ${name} already exists on gateway ${gateway.id}`);
    }
    const { targetsPerGateway } = this.#parts.settings().quotas;
    if (others.length >= targetsPerGateway) throw overQuota(`The gateway has its ${targetsPerGateway} targets`);
    const now = this.#parts.now();
    const times = { createdAt: now, updatedAt: now };
    const id = randomText(10, lowerCase.toUpperCase());
    return this.#begin({ id, gatewayId: gateway.id, clientToken: token, definition, status: "", ...times }, "CREATE");
  }

  update(target: Target, definition: TargetDefinition): Target {
    return this.#begin({ ...this.#idle(target), definition, updatedAt: this.#parts.now() }, "UPDATE");
  }

  /** @throws AwsError for a target with a list of its own, or without any. */
  synchronize(target: Target): Target {
    const server = serverOf(target.definition);
    if (!server || server.mcpToolSchema)
      throw invalid("Only an MCP server without a static tool schema is synchronized");
    if (server.listingMode === "DYNAMIC") throw invalid("A target with the listing mode DYNAMIC is not synchronized");
    return this.#begin(this.#idle(target), "SYNCHRONIZE");
  }

  delete(target: Target): Target {
    if (target.pending?.kind === "DELETE") return target;
    return this.#begin(this.#idle(target), "DELETE");
  }

  /** The offers of a gateway's targets. A target that is being made, or is being deleted, offers nothing. */
  offers(gatewayId: string): Offer[] {
    const { servesWhileUpdating } = this.#parts.settings();
    return this.of(gatewayId).flatMap(({ live, pending }) =>
      live && pending?.kind !== "DELETE" && (!pending || servesWhileUpdating) ? [live] : [],
    );
  }

  /** Waits until no target is being read. */
  async idle(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading.values());
  }

  /** @throws AwsError while another operation on it is under way: AWS names no code for that. */
  #idle(target: Target): Target {
    if (!target.pending) return target;
    throw conflict(`Target ${target.id} is in ${target.status} state`);
  }

  #begin(target: Target, kind: Kind): Target {
    const busy = this.of(target.gatewayId).filter(({ pending }) => pending !== undefined);
    const { quotas, targetMs } = this.#parts.settings();
    if (busy.length >= quotas.targetOperations) {
      throw throttled(`Gateway ${target.gatewayId} has its ${quotas.targetOperations} concurrent target operations`);
    }
    const pending = { kind, until: this.#parts.now() + targetMs };
    const begun = this.#save({ ...target, status: statuses[kind][0], statusReasons: undefined, pending });
    this.#read(begun);
    return begun;
  }

  /** Reads what the target of an operation under way offers. After a restart it begins again. */
  #read({ id, gatewayId, definition, pending }: Target): void {
    const gateway = this.#gateways.find(gatewayId);
    if (!pending || pending.kind === "DELETE" || pending.outcome || this.#reading.has(id) || !gateway) return;
    const reading = this.#outcome(gateway, definition).then((outcome) => {
      this.#reading.delete(id);
      if (!this.#parts.store.isOpen) return;
      const target = this.#kept.get(id);
      if (target?.pending) this.#save({ ...target, pending: { ...target.pending, outcome } });
    });
    this.#reading.set(id, reading);
  }

  async #outcome(gateway: Gateway, definition: TargetDefinition): Promise<Outcome> {
    try {
      const offered = await this.#readOffered(gateway, definition);
      const { toolsPerTarget } = this.#parts.settings().quotas;
      if (offered.tools.length > toolsPerTarget) return { reason: `The target has more than ${toolsPerTarget} tools.` };
      return offered;
    } catch (error) {
      return { reason: (error as Error).message };
    }
  }

  #settled(target: Target): Target | undefined {
    const { pending } = target;
    if (!pending || this.#parts.now() < pending.until) return target;
    const { kind, outcome } = pending;
    if (kind === "DELETE") return this.#remove(target, pending.until);
    if (!outcome) {
      this.#read(target);
      return target;
    }
    const { pending: _, ...rest } = target;
    if ("reason" in outcome) {
      return this.#save({ ...rest, status: statuses[kind][1], statusReasons: [outcome.reason] });
    }
    const live = { ...outcome, definition: target.definition };
    const lastSynchronizedAt = serverOf(target.definition) && pending.until;
    return this.#save({ ...rest, status: "READY", live, lastSynchronizedAt });
  }

  #remove(target: Target, goneAt: number): undefined {
    this.#kept.delete(target.id);
    const gateway = this.#gateways.find(target.gatewayId);
    if (gateway) this.#gateways.save({ ...gateway, lingersUntil: goneAt + this.#parts.settings().lingerMs });
  }

  #save(target: Target): Target {
    this.#kept.put(target.id, target);
    return target;
  }
}

/** The target as most operations answer. */
export function describeTarget({ arn }: Gateway, target: Target) {
  const { id, status, statusReasons, definition, createdAt, updatedAt, lastSynchronizedAt } = target;
  return {
    gatewayArn: arn,
    targetId: id,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    status,
    statusReasons,
    ...definition,
    credentialProviderConfigurations: definition.credentialProviderConfigurations ?? [],
    ...(lastSynchronizedAt !== undefined && { lastSynchronizedAt: isoTime(lastSynchronizedAt) }),
  };
}

export function targetSummary({ arn }: Gateway, target: Target) {
  const { targetId, name, status, description, createdAt, updatedAt } = describeTarget({ arn } as Gateway, target);
  const { lastSynchronizedAt, definition } = target;
  const server = serverOf(definition);
  return {
    targetId,
    name,
    status,
    description,
    createdAt,
    updatedAt,
    ...(lastSynchronizedAt !== undefined && { lastSynchronizedAt: isoTime(lastSynchronizedAt) }),
    ...(server && { listingMode: server.listingMode ?? "DEFAULT", resourcePriority: server.resourcePriority }),
  };
}
