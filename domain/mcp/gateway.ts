// A workspace's MCP gateway: its record in the table, and who may work on it at a time.
import * as z from "zod";
import { Refusal } from "../kernel/refusal.ts";
import type { AuditEntry } from "../workspace/audit.ts";

/** `creating` until AgentCore says it is ready; `failed` if it says it cannot be. */
export const gatewayStates = ["creating", "ready", "failed", "deleting"] as const;

export const mcpGatewaySchema = z.object({
  tenant_id: z.string(),
  state: z.enum(gatewayStates),
  /** The reason for the state `failed`. */
  reason: z.string().optional(),
  created_at: z.iso.datetime(),
  /** AgentCore's id of the gateway. */
  gateway_id: z.string().optional(),
  /** The gateway's segment in the path of its address (names.ts). */
  address: z.string().optional(),
  /** The app client with a secret, for a connector's form. */
  client_id: z.string().optional(),
  /** The app client without a secret, for programs on people's machines. */
  public_client_id: z.string().optional(),
  secret_rotated_at: z.iso.datetime().optional(),
  /** The previous secret, and until when it is valid. */
  retiring_secret: z.object({ secret_id: z.string(), until: z.iso.datetime() }).optional(),
});

export type McpGateway = z.output<typeof mcpGatewaySchema>;

/** A gateway that AgentCore has made, with both its clients. */
export type AddressedGateway = McpGateway & { address: string; client_id: string; public_client_id: string };

export function isAddressed(gateway: McpGateway | undefined): gateway is AddressedGateway {
  return gateway?.address !== undefined && gateway.client_id !== undefined && gateway.public_client_id !== undefined;
}

export interface GatewayStore {
  get(tenantId: string): Promise<McpGateway | undefined>;
  /** Writes the first record. @param dueAt when a run looks whether the creation was cut off, in ISO 8601 */
  begin(gateway: McpGateway, dueAt: string, entry: AuditEntry): Promise<void>;
  /**
   * Changes attributes of a record that is there; undefined takes one away.
   * @param dueAt when the gateway needs a run again; null if it needs none; as before unless given
   */
  change(tenantId: string, attributes: Partial<McpGateway>, dueAt?: string | null, entry?: AuditEntry): Promise<void>;
  remove(tenantId: string): Promise<void>;
  /** The tenants whose gateways need a run by then. */
  due(until: string): AsyncIterable<string>;
}

/** One run at a time works on a gateway and on what hangs on it, because AgentCore takes few changes of a gateway at once. */
export interface GatewayLeases {
  /** Takes the gateway for one job until a time in milliseconds. @returns false while another job has it */
  take(tenantId: string, lease: { now: number; until: number }): Promise<boolean>;
  release(tenantId: string, until: number): Promise<void>;
}

/** A lease is longer than the function may run (handlers/agentcore/contract.ts), so that a run never outlives it. */
const leaseMs = 130_000;
/** A request looks this often, and this long apart, whether the other run is done. */
const leaseAttempts = 5;
const leasePauseMs = 800;

export type GatewayLeaseDependencies = {
  leases: GatewayLeases;
  /** Milliseconds since the epoch. */
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
};

/** @throws Refusal changed_meanwhile while another run is at work */
export async function underLease<T>(
  { leases, clock, pause }: GatewayLeaseDependencies,
  tenantId: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= leaseAttempts; attempt++) {
    const until = clock() + leaseMs;
    if (await leases.take(tenantId, { now: clock(), until })) {
      return work().finally(() => leases.release(tenantId, until));
    }
    if (attempt < leaseAttempts) await pause(leasePauseMs);
  }
  const message = "The workspace's MCP gateway is being changed by another call, try again in a moment";
  throw new Refusal("changed_meanwhile", message);
}
