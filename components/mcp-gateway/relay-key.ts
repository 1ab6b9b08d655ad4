// The key of the marks in the addresses of MCP gateways.
import { createHmac } from "node:crypto";
import type { StackConfig } from "../config.ts";

/** The same as long as the secret stays: the addresses are in people's clients. */
export function relayKey({ relaySecret, originSecret }: Pick<StackConfig, "relaySecret" | "originSecret">): string {
  return createHmac("sha256", relaySecret ?? originSecret)
    .update("archway mcp relay")
    .digest("hex");
}
