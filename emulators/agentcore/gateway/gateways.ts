// The gateways of the emulated AgentCore: kept in the store, with a state that settles by the clock.
import type { Collection } from "../../store.ts";
import { gatewayArn, identityArn } from "../arns.ts";
import { isoTime, randomText } from "../ids.ts";
import type { AgentCoreParts } from "../parts.ts";
import { conflict, invalid, notFound, overQuota } from "../refusals.ts";
import type { GatewayDefinition } from "./gateway-input.ts";

export type GatewayStatus = "CREATING" | "UPDATING" | "DELETING" | "READY";

export type RateLimit = {
  rateLimitId: string;
  description?: string | undefined;
  dimensionKeys: string[];
  entries: unknown[];
  createdAt: number;
  updatedAt: number;
};

export type Gateway = {
  id: string;
  arn: string;
  region: string;
  clientToken?: string | undefined;
  definition: GatewayDefinition;
  status: GatewayStatus;
  /** When the status becomes READY, or the gateway is gone. */
  settlesAt?: number | undefined;
  createdAt: number;
  updatedAt: number;
  tags: Record<string, string>;
  rateLimits: RateLimit[];
  /** Until this time the gateway cannot be deleted, although its last target is gone. */
  lingersUntil?: number;
};

export class Gateways {
  readonly #kept: Collection<Gateway>;
  readonly #parts: AgentCoreParts;

  constructor(parts: AgentCoreParts) {
    this.#kept = parts.store.collection("agentcore-gateway");
    this.#parts = parts;
  }

  all(): Gateway[] {
    return this.#kept.all().flatMap(({ id }) => this.find(id) ?? []);
  }

  find(id: string): Gateway | undefined {
    const gateway = this.#kept.get(id);
    if (gateway?.settlesAt === undefined || this.#parts.now() < gateway.settlesAt) return gateway;
    if (gateway.status === "DELETING") {
      this.#kept.delete(id);
      return undefined;
    }
    const settled: Gateway = { ...gateway, status: "READY", settlesAt: undefined };
    this.#kept.put(id, settled);
    return settled;
  }

  /** @throws AwsError ResourceNotFoundException */
  get(id: string): Gateway {
    const gateway = this.find(id);
    if (!gateway) throw notFound(`Gateway with identifier ${id} was not found`);
    return gateway;
  }

  /**
   * A repeat with the same client token gets the gateway that the first call made.
   * @throws AwsError for a name that another gateway has, and above the quota.
   */
  create(region: string, definition: GatewayDefinition, token: string | undefined, tags: Record<string, string>) {
    const all = this.all();
    const made = token === undefined ? undefined : all.find(({ clientToken }) => clientToken === token);
    if (made) return made;
    const { name } = definition;
    if (all.some((other) => other.region === region && other.definition.name === name)) {
      throw conflict(`A gateway with name ${name} already exists in this account and region`);
    }
    const { quotas, gatewayMs } = this.#parts.settings();
    if (all.length >= quotas.gateways) throw overQuota(`The account has its ${quotas.gateways} gateways`);
    const now = this.#parts.now();
    const id = `${name.toLowerCase()}-${randomText(10)}`;
    return this.save({
      id,
      arn: gatewayArn(region, id),
      region,
      clientToken: token,
      definition,
      status: "CREATING",
      settlesAt: now + gatewayMs,
      createdAt: now,
      updatedAt: now,
      tags,
      rateLimits: [],
    });
  }

  /** @throws AwsError while the gateway changes. */
  update(gateway: Gateway, definition: GatewayDefinition): Gateway {
    if (gateway.status !== "READY") throw conflict(`Gateway ${gateway.id} is in ${gateway.status} state`);
    if (definition.name !== gateway.definition.name) throw invalid("name: a gateway keeps its name");
    const now = this.#parts.now();
    const settlesAt = now + this.#parts.settings().gatewayMs;
    return this.save({ ...gateway, definition, status: "UPDATING", settlesAt, updatedAt: now });
  }

  /** @throws AwsError as long as it has targets, or is still being made or changed. */
  delete(gateway: Gateway, hasTargets: boolean): Gateway {
    if (gateway.status === "DELETING") return gateway;
    const now = this.#parts.now();
    // The words that AWS was seen to use; it refused for a while after the list was empty, too.
    if (hasTargets || now < (gateway.lingersUntil ?? 0)) {
      throw invalid(
        `Gateway ${gateway.id} has targets associated with it. Delete all targets before deleting the gateway.`,
      );
    }
    if (gateway.status !== "READY") throw conflict(`Gateway ${gateway.id} is in ${gateway.status} state`);
    return this.save({ ...gateway, status: "DELETING", settlesAt: now + this.#parts.settings().gatewayMs });
  }

  save(gateway: Gateway): Gateway {
    this.#kept.put(gateway.id, gateway);
    return gateway;
  }
}

export function gatewayHost({ id, region }: Pick<Gateway, "id" | "region">): string {
  return `${id}.gateway.bedrock-agentcore.${region}.amazonaws.com`;
}

/** The gateway as CreateGateway, GetGateway and UpdateGateway answer. */
export function describeGateway(gateway: Gateway) {
  const { id, arn, region, definition, status, createdAt, updatedAt } = gateway;
  return {
    gatewayArn: arn,
    gatewayId: id,
    gatewayUrl: `https://${gatewayHost(gateway)}/mcp`,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    status,
    ...definition,
    workloadIdentityDetails: { workloadIdentityArn: identityArn(region, id) },
  };
}

export function summaryOf({ id, definition, status, createdAt, updatedAt }: Gateway) {
  const { name, description, authorizerType, protocolType } = definition;
  const times = { createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return { gatewayId: id, name, status, description, ...times, authorizerType, protocolType };
}
