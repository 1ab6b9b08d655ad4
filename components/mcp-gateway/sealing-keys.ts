// The keys of what MCP clients hold between calls, as a variable of the function that seals and opens it.
import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";

/** The first key seals, and both open. */
export function sealingKeys({ sealingSecret, previousSealingSecret }: StackConfig): pulumi.Output<string> {
  const secrets = [sealingSecret, previousSealingSecret].filter((secret) => secret !== undefined);
  const keys = secrets.map((secret) => createHmac("sha256", secret).update("archway connector sealing").digest("hex"));
  return pulumi.secret(JSON.stringify(keys));
}
