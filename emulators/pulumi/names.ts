// Names, ids and ARNs as a provider would give them. They are the same in each run.
import { createHash } from "node:crypto";
import { accountId } from "../aws/account.ts";
import type { Descriptor, Inputs } from "./descriptor.ts";

/** Physical names end in a suffix, as Pulumi's automatic names do, so that nothing can rely on the logical name. */
const suffix = "local";

/** The name on AWS, which is the program's own or made from the logical name. */
export function physicalName(name: string, inputs: Inputs): string {
  return typeof inputs.name === "string" ? inputs.name : `${name}-${suffix}`;
}

/**
 * Computes the name and the ARN of a resource whose id is its name.
 * @param resource the last part of the ARN without the name.
 */
export function named(service: string, resource: string, { global = false } = {}): Descriptor["compute"] {
  return (logicalName, inputs, region, account) => {
    const name = physicalName(logicalName, inputs);
    const arn = arnOf(service, global ? "" : region, `${resource}${name}`, account);
    return { id: name, outputs: { name, arn } };
  };
}

/** An id of lower-case letters and digits, up to 99 of them. */
export function idOf(name: string, length: number): string {
  const digest = createHash("sha512").update(name).digest("hex");
  return BigInt(`0x${digest}`).toString(36).slice(0, length);
}

/** @param region empty for a global service. */
export function arnOf(service: string, region: string, resource: string, account = accountId): string {
  return `arn:aws:${service}:${region}:${account}:${resource}`;
}

/** The account that a provider works in. Pulumi's reference to a provider ends in its id, which is the account here. */
export function accountOf(provider = ""): string {
  return /::(\d{12})$/.exec(provider)?.[1] ?? accountId;
}
