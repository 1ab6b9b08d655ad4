// The key of the hashes by which owners are recognized who come again.
import { createHmac } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";

/** The key follows from the secret that stays over changes of the origin's. With another one nobody is recognized any more. */
export function recognitionKey({ relaySecret, originSecret }: Pick<StackConfig, "relaySecret" | "originSecret">) {
  const key = createHmac("sha256", relaySecret ?? originSecret)
    .update("archway recognition")
    .digest("hex");
  return pulumi.secret(key);
}
