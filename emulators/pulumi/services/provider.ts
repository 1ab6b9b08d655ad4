// A provider that works in another account than the stack's own.
import { accountId, accountIn } from "../../aws/account.ts";
import type { Descriptor } from "../descriptor.ts";

/** The id of a provider is the account in which it makes resources, for their ARNs. Lists reach a provider as JSON. */
export const provider: Descriptor = {
  type: "pulumi:providers:aws",
  compute(_name, { assumeRoles }) {
    const [role] = JSON.parse(String(assumeRoles ?? "[]")) as { roleArn?: string }[];
    return { id: accountIn(role?.roleArn ?? "") ?? accountId, outputs: {} };
  },
  inputs: {
    served: "assumeRoles",
    noEffect: "allowedAccountIds region profile version skipCredentialsValidation skipRegionValidation",
  },
};
