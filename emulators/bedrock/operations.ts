// The operations of the Bedrock runtime, recognised by method and path.
import { AwsError, type AwsRequest } from "../aws/service.ts";

export type BedrockOperation = "InvokeModel" | "InvokeModelWithResponseStream" | "CountTokens";

const operations: Record<string, BedrockOperation> = {
  invoke: "InvokeModel",
  "invoke-with-response-stream": "InvokeModelWithResponseStream",
  "count-tokens": "CountTokens",
};

export type ModelRequest = { operation: BedrockOperation; modelId: string };

/**
 * Reads `POST /model/{modelId}/{operation}`.
 * @throws AwsError for any other method or path, and for an id that is not percent-encoded properly.
 */
export function route({ method, path }: Pick<AwsRequest, "method" | "path">): ModelRequest {
  const [, encoded = "", verb = ""] = /^\/model\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const operation = Object.hasOwn(operations, verb) ? operations[verb] : undefined;
  if (method !== "POST" || !operation) {
    throw new AwsError("UnknownOperationException", `The model host has no operation ${method} ${path}`, 404);
  }
  return { operation, modelId: decoded(encoded) };
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new AwsError("ValidationException", "The provided model identifier is invalid.");
  }
}
