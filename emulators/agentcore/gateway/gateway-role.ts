// The service role of a gateway at work: whether it may do what a call needs, by the program's policies, with a line in the stack's calls.
import type { Calls } from "../../aws/calls.ts";
import type { Authorization } from "../../aws/service.ts";
import type { Iam } from "../../iam/iam.ts";
import { directoryArn, identityArn, vaultArn } from "../arns.ts";
import type { Gateway } from "./gateways.ts";

type GatewayRoleOptions = { iam: Pick<Iam, "decide">; calls: Calls; now: () => number };

export class GatewayRole {
  readonly #options: GatewayRoleOptions;

  constructor(options: GatewayRoleOptions) {
    this.#options = options;
  }

  /** @throws Error in AWS's words for the first right that the role lacks. */
  async check({ definition, id, region }: Gateway, operation: string, rights: Authorization[]): Promise<void> {
    const { iam, calls, now } = this.#options;
    const { roleArn } = definition;
    const role = roleArn.slice(roleArn.lastIndexOf("/") + 1);
    const decided = await Promise.all(
      rights.map(async ({ action, resource, context }) => {
        const principal = { roleArn, sessionName: id, sessionTags: {} };
        const all = { "aws:RequestedRegion": region, ...context };
        return { action, resource, decision: await iam.decide(principal, { action, resource, context: all }) };
      }),
    );
    for (const { action, decision } of decided) calls.count(role, action, decision);
    const denied = decided.find(({ decision }) => !decision.allowed)?.decision.reason;
    calls.add({
      at: now(),
      role,
      sessionName: id,
      service: "bedrock-agentcore",
      operation,
      decisions: decided.map(({ action, resource, decision }) => ({ action, resource, allowed: decision.allowed })),
      allowed: denied === undefined,
      ...(denied !== undefined && { reason: denied }),
      status: denied === undefined ? 200 : 403,
      durationMs: 0,
    });
    if (denied !== undefined) throw new Error(denied);
  }
}

/**
 * The rights to get a key out of the token vault: a token for the gateway's workload identity, then the key
 * (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-prerequisites-permissions.html; in public code one deployment failed
 * for want of the right on the identity).
 */
export function vaultRights({ id, region }: Gateway, providerArn: string): Authorization[] {
  const identity = [directoryArn(region), identityArn(region, id)];
  const rightsTo = (name: string, resources: string[]) =>
    resources.map((resource) => ({ action: `bedrock-agentcore:${name}`, resource }));
  return [
    ...rightsTo("GetWorkloadAccessToken", identity),
    ...rightsTo("GetResourceApiKey", [providerArn, vaultArn(region), ...identity]),
  ];
}
