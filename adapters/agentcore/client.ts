// The client of AgentCore's control plane, and what its errors mean here.
import { BedrockAgentCoreControlClient } from "@aws-sdk/client-bedrock-agentcore-control";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { agents } from "../connections.ts";

/** A creation answers after a second or two. The SDK's own token of a creation makes its repeats safe. */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 6_000 };

export function agentCoreClient(): BedrockAgentCoreControlClient {
  return new BedrockAgentCoreControlClient({
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
  });
}

/** Tags by which a stack and the account's bill tell whose things these are. */
export function tagsOf(stack: string, tenantId: string): Record<string, string> {
  return { archway_stack: stack, tenant_id: tenantId };
}

/** The answer, or undefined for an error of this name. @throws Refusal as `refusing` */
export async function unless<T>(name: string, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === name) return undefined;
    throw refusalOf(error);
  }
}

/** @throws Refusal gateway_unavailable for what passes, platform_full for a full quota; any other error as it is */
export async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** A quota's error has its own name at the gateways and another one at the identities (reference of the API, "Errors"). */
const full = ["ServiceQuotaExceededException", "ResourceLimitExceededException"];

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (full.includes(error.name)) {
    const message = "The platform has no room for another of these right now: ask its operator to raise the limit";
    return new Refusal("platform_full", message, { cause: error });
  }
  if (!passes(error)) return error;
  const message = "The MCP gateway service does not answer right now. Try again in a moment.";
  return new Refusal("gateway_unavailable", message, { cause: error });
}

function passes(error: Error): boolean {
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } };
  if (error.name === "ThrottlingException" || $fault === "server") return true;
  return error.name === "TimeoutError" || ($metadata !== undefined && $metadata.httpStatusCode === undefined);
}
