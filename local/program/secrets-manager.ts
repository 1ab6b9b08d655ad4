// Secrets Manager: secrets, whose values are put into them and not declared.
import { createHash } from "node:crypto";
import type { Descriptor } from "./descriptor.ts";
import { arnOf, physicalName } from "./names.ts";

export const secret: Descriptor = {
  type: "aws:secretsmanager/secret:Secret",
  compute(logicalName, inputs, region) {
    const name = physicalName(logicalName, inputs);
    // Six characters of the provider's own follow the name (userguide/troubleshoot.html, "Partial ARN").
    const suffix = createHash("sha256").update(name).digest("hex").slice(0, 6);
    const arn = arnOf("secretsmanager", region, `secret:${name}-${suffix}`);
    return { id: arn, outputs: { name, arn } };
  },
  inputs: {
    served: "name",
    noEffect: "description recoveryWindowInDays kmsKeyId forceOverwriteReplicaSecret",
  },
};

export const secretsManager = [secret];
