// The runtimes at AgentCore, as the rules here need them. Each serves one workspace's integration of a runtime provider.

export type RuntimeDesign = {
  name: string;
  tenantId: string;
  /** The provider whose server runs in the runtime. */
  providerId: string;
  /** Variables of the server. */
  environment: Record<string, string>;
};

/** `failed`: the runtime never ran. `unsuccessful`: its last change did not take effect. `going`: it is being removed. */
export type RuntimeState = "pending" | "ready" | "failed" | "unsuccessful" | "going";

/** Each call throws Refusal gateway_unavailable if AgentCore does not answer, platform_full if there is no room. */
export interface AgentRuntimes {
  /** The ARN of the runtime of this name. */
  find(name: string): Promise<string | undefined>;
  /** Begins to make a runtime. @returns its ARN */
  create(design: RuntimeDesign): Promise<string>;
  /** Begins a new version, if the design is another one than the runtime's. */
  update(arn: string, design: RuntimeDesign): Promise<void>;
  /** The state of a runtime; undefined if there is none. */
  status(arn: string): Promise<RuntimeState | undefined>;
  /** Begins to remove a runtime. Nothing happens if there is none, or its removal has begun. */
  remove(arn: string): Promise<void>;
}

/** The address at which a gateway calls a runtime; the endpoint DEFAULT is that of the newest version. */
export function runtimeEndpoint(arn: string): string {
  const [, , , region = ""] = arn.split(":");
  return `https://bedrock-agentcore.${region}.amazonaws.com/runtimes/${encodeURIComponent(arn)}/invocations?qualifier=DEFAULT`;
}
