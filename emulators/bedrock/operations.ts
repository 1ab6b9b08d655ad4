// The operations of the Bedrock runtime, recognised by method and path.
import { AwsError, type AwsRequest } from "../aws/service.ts";
import { nativeRoute } from "./native-messages.ts";

export type BedrockOperation = "InvokeModel" | "InvokeModelWithResponseStream" | "CountTokens";

const operations: Record<string, BedrockOperation> = {
  invoke: "InvokeModel",
  "invoke-with-response-stream": "InvokeModelWithResponseStream",
  "count-tokens": "CountTokens",
};

export type ModelRequest = {
  operation: BedrockOperation;
  modelId: string;
  /** Set if the call came by the Messages endpoint (native-messages.ts). */
  isNative?: true;
};

/**
 * Reads `POST /model/{modelId}/{operation}`, or a request of the Messages endpoint.
 * @throws AwsError for any other method or path, and for an id that is not percent-encoded properly.
 */
export function route({ method, path, body }: Pick<AwsRequest, "method" | "path" | "body">): ModelRequest {
  if (path.startsWith("/anthropic/")) return nativeRoute({ method, path, body });
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
