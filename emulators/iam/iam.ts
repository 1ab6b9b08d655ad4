// IAM as the program declares it: whether a role may do something, and whether a role may be assumed.
import { accountId, accountIn } from "../aws/account.ts";
import type { Authorization, Principal } from "../aws/service.ts";
import type { Resources } from "../pulumi/resources.ts";
import { simulatedKey } from "./condition-keys.ts";
import { type Policy, parsePolicy } from "./policy.ts";
import { awsService, type Context, type RequestingPrincipal, session } from "./requesting-principal.ts";
import { type Role, rolesOf } from "./roles.ts";
import { type AccessQuestion, anything, simulate, type Verdict } from "./simulation.ts";
import { unknownNamesIn } from "./unknown-names.ts";
import { distinguishable } from "./verdict-key.ts";

export type Decision = {
  allowed: boolean;
  /** AWS's message for a denial, else the statements that allow. */
  reason: string;
  /** The statements that matched, `<policy>#<Sid or place>`. */
  statements: string[];
  /** The patterns for `dynamodb:LeadingKeys` that matched, which name kinds of records. */
  leadingKeys?: string[];
};

/** The JSON of the policy attached to a resource, e.g. a key's policy, if it has one. */
export type ResourcePolicyOf = (arn: string) => string | undefined;

/** The number of cached verdicts, and of parsed policies. The oldest goes first. */
const cacheSize = 10_000;

/** The policy that AWS attaches to a key without one. It leaves the decision to the account's IAM policies. */
export const defaultKeyPolicy = JSON.stringify({
  Version: "2012-10-17",
  Id: "key-default-1",
  Statement: [
    {
      Sid: "Enable IAM User Permissions",
      Effect: "Allow",
      Principal: { AWS: `arn:aws:iam::${accountId}:root` },
      Action: "kms:*",
      Resource: "*",
    },
  ],
});

export class Iam {
  /** The program's roles by ARN. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly #resourcePolicyOf: ResourcePolicyOf;
  readonly #simulate: typeof simulate;
  readonly #verdicts = new Map<string, Promise<Verdict>>();
  readonly #policies = new Map<string, Policy>();

  /** @throws Error naming the resource, for a policy that cannot be read and a role or policy that is not declared. */
  constructor(resources: Resources, resourcePolicyOf: ResourcePolicyOf = () => undefined, simulation = simulate) {
    this.roles = rolesOf(resources);
    this.#resourcePolicyOf = resourcePolicyOf;
    this.#simulate = simulation;
  }

  /** Describes each unknown action and condition key in a line. AWS accepts them in silence, and they never match. */
  async unknownNames(): Promise<string[]> {
    return unknownNamesIn([...this.roles.values()].flatMap((role) => [role.trust, ...role.policies]));
  }

  /**
   * Whether the caller's policies and the resource's own allow a call.
   * @throws Error for a role that the program lacks, and for an authorization that AWS does not know.
   */
  async decide(principal: Principal, { action, resource, context = {} }: Authorization): Promise<Decision> {
    const caller = session(principal, this.#role(principal));
    const attached = this.#attachedPolicy(resource);
    const resourcePolicy = this.#policy(`policy of ${resource}`, attached);
    const policies = [...caller.identityPolicies, resourcePolicy].filter((policy) => policy !== undefined);
    const question: AccessQuestion = {
      caller: caller.id,
      action,
      resource,
      context: lookedAt(policies, () => ({ ...caller.context(), ...ownerOf(resource), ...context })),
      identityPolicies: caller.identityPolicies,
      resourcePolicy,
    };
    // A resource's policy alone can tell one session of a role from another.
    const who = resourcePolicy ? caller.id : principal.roleArn;
    const verdict = await this.#verdict([who, attached], question, policies);
    return decision(verdict, caller, question);
  }

  /**
   * Whether a role's trust policy lets a session or an AWS service (`lambda.amazonaws.com`) assume it. `decide` answers
   * whether the caller's own policies allow the call.
   */
  async decideTrust(
    roleArn: string,
    principal: Principal | string,
    action: string,
    context: Context = {},
  ): Promise<Decision> {
    const isService = typeof principal === "string";
    const caller = isService ? awsService(principal) : session(principal, this.#role(principal));
    const trust = this.roles.get(roleArn)?.trust;
    const policies = trust ? [trust] : [];
    const question: AccessQuestion = {
      caller: caller.id,
      action,
      resource: roleArn,
      context: lookedAt(policies, () => ({ ...caller.context(), ...ownerOf(roleArn), ...context })),
      identityPolicies: isService ? [] : [anything],
      resourcePolicy: trust,
    };
    // A role that does not exist is denied in the same words, so that nobody learns which roles exist.
    const nobody = {
      allowed: false,
      because: `because no role trust policy allows the ${action} action`,
      statements: [],
    };
    const verdict = trust ? await this.#verdict([caller.id, "trust"], question, policies) : nobody;
    return decision(verdict, caller, question);
  }

  #role(principal: Principal): Role {
    const role = this.roles.get(principal.roleArn);
    if (!role) throw new Error(`${principal.roleArn} is not a role of the program`);
    return role;
  }

  #attachedPolicy(arn: string): string | undefined {
    const isKey = arn.startsWith("arn:aws:kms:") && arn.includes(":key/");
    return this.#resourcePolicyOf(arn) ?? (isKey ? defaultKeyPolicy : undefined);
  }

  #policy(name: string, text: string | undefined): Policy | undefined {
    if (text === undefined) return undefined;
    return remembered(this.#policies, JSON.stringify([name, text]), () => parsePolicy(name, text, "resource"));
  }

  /** The context holds only keys that the policies look at, so that calls which they cannot tell apart share a verdict. */
  #verdict(scope: unknown[], question: AccessQuestion, policies: Policy[]): Promise<Verdict> {
    const { action, resource, context } = question;
    const key = JSON.stringify([...scope, action, resource, distinguishable(context, policies)]);
    return remembered(this.#verdicts, key, () => this.#simulate(question));
  }
}

function decision(verdict: Verdict, caller: RequestingPrincipal, { action, resource }: AccessQuestion): Decision {
  const { allowed, because, statements, leadingKeys } = verdict;
  const denied = `${caller.title} is not authorized to perform: ${action} on resource: ${resource} ${because}`;
  return { allowed, reason: allowed ? because : denied, statements, ...(leadingKeys && { leadingKeys }) };
}

/** A resource that belongs to no account, such as a foundation model, counts as one of the stack's own account. */
function ownerOf(arn: string): Context {
  return { "aws:ResourceAccount": accountIn(arn) ?? accountId };
}

function lookedAt(policies: Policy[], context: () => Context): Context {
  if (policies.every((policy) => policy.keys.size === 0)) return {};
  const entries = Object.entries(context()).map(([key, value]) => [simulatedKey(key), value] as const);
  return Object.fromEntries(entries.filter(([key]) => policies.some(({ keys }) => keys.has(key.toLowerCase()))));
}

function remembered<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const [oldest] = cache.size >= cacheSize ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  const made = make();
  cache.set(key, made);
  return made;
}
