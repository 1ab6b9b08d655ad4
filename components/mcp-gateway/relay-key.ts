// The key of the marks in the addresses of MCP gateways.
import { createHmac } from "node:crypto";
import type { StackConfig } from "../config.ts";

/** The key follows from the secret. It must not change with a deployment, because the addresses made with it are in people's clients. */
export function relayKey({ relaySecret, originSecret }: Pick<StackConfig, "relaySecret" | "originSecret">): string {
  return createHmac("sha256", relaySecret ?? originSecret)
    .update("archway mcp relay")
    .digest("hex");
}
