// Reads the declaration of a table (the inputs of a Pulumi `aws.dynamodb.Table`) into the table that is served.
import * as z from "zod";
import { checkRequest, type IndexSchema, type KeySchema, requestCheck, type TableSchema } from "./dynalite.ts";
import type { Table } from "./tables.ts";

const indexDeclaration = z.strictObject({
  name: z.string(),
  hashKey: z.string(),
  rangeKey: z.string().optional(),
  projectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
  nonKeyAttributes: z.array(z.string()).optional(),
});

const tableDeclaration = z.strictObject({
  name: z.string(),
  hashKey: z.string(),
  rangeKey: z.string().optional(),
  attributes: z.array(z.strictObject({ name: z.string(), type: z.enum(["S", "N", "B"]) })),
  billingMode: z.literal("PAY_PER_REQUEST", "must be PAY_PER_REQUEST: provisioned capacity is not emulated"),
  globalSecondaryIndexes: z.array(indexDeclaration).default([]),
  ttl: z.strictObject({ attributeName: z.string().optional(), enabled: z.boolean().default(false) }).optional(),
  pointInTimeRecovery: z
    .strictObject({ enabled: z.boolean(), recoveryPeriodInDays: z.int().min(1).max(35).default(35) })
    .optional(),
  deletionProtectionEnabled: z.boolean().default(false),
  serverSideEncryption: z.strictObject({ enabled: z.boolean() }).optional(),
  tags: z.record(z.string(), z.string()).optional(),
});

/**
 * Reads a declaration. Undefined members count as not declared.
 * @throws Error that names a member that is wrong or not emulated
 */
export function readDeclaration(inputs: object): Table {
  const parsed = tableDeclaration.safeParse(JSON.parse(JSON.stringify(inputs)));
  const name = (inputs as { name?: unknown }).name;
  if (!parsed.success) throw new Error(`DynamoDB table ${name}: ${z.prettifyError(parsed.error)}`);
  const declared = parsed.data;
  const problem = problemOf(declared);
  if (problem) throw new Error(`DynamoDB table ${name}: ${problem}`);
  return { schema: schemaOf(declared), timeToLive: declared.ttl?.enabled ? declared.ttl.attributeName : undefined };
}

type Declaration = z.output<typeof tableDeclaration>;

/** The reason for which AWS would refuse to create the table, if any. */
function problemOf(declared: Declaration): string | undefined {
  const schema = schemaOf(declared);
  try {
    checkRequest({ ...structuredClone(schema), BillingMode: "PAY_PER_REQUEST" }, requestCheck("CreateTable"));
  } catch (error) {
    return (error as Error).message;
  }
  const keys = [schema, ...(schema.GlobalSecondaryIndexes ?? [])].flatMap((one) => one.KeySchema);
  const unused = declared.attributes.filter(({ name }) => !keys.some((key) => key.AttributeName === name));
  if (unused.length > 0) return `attributes that no key uses: ${unused.map(({ name }) => name).join(", ")}`;
  const bare = declared.globalSecondaryIndexes.find(
    (index) => index.projectionType === "INCLUDE" && !index.nonKeyAttributes,
  );
  if (bare) return `index ${bare.name} projects INCLUDE but names no nonKeyAttributes`;
  if (declared.ttl?.enabled && !declared.ttl.attributeName) return "ttl is enabled but names no attributeName";
  return undefined;
}

function schemaOf(declared: Declaration): TableSchema {
  const indexes = declared.globalSecondaryIndexes.map(indexSchemaOf);
  return {
    TableName: declared.name,
    KeySchema: keySchemaOf(declared.hashKey, declared.rangeKey),
    AttributeDefinitions: declared.attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
}

function indexSchemaOf(declared: z.output<typeof indexDeclaration>): IndexSchema {
  return {
    IndexName: declared.name,
    KeySchema: keySchemaOf(declared.hashKey, declared.rangeKey),
    Projection: {
      ProjectionType: declared.projectionType,
      ...(declared.nonKeyAttributes && { NonKeyAttributes: declared.nonKeyAttributes }),
    },
  };
}

function keySchemaOf(hashKey: string, rangeKey: string | undefined): KeySchema {
  return [
    { AttributeName: hashKey, KeyType: "HASH" },
    ...(rangeKey === undefined ? [] : [{ AttributeName: rangeKey, KeyType: "RANGE" as const }]),
  ];
}

/** The differences between the kept schema and the declared schema, in words. */
export function schemaDifferences(kept: TableSchema, declared: TableSchema): string[] {
  const before = partsOf(kept);
  const after = partsOf(declared);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((part) => before.get(part) !== after.get(part))
    .map((part) => `${part} is ${before.get(part) ?? "missing"} there, ${after.get(part) ?? "missing"} in the program`);
}

function partsOf(schema: TableSchema): Map<string, string> {
  const typeOf = (name: string) => schema.AttributeDefinitions.find((one) => one.AttributeName === name)?.AttributeType;
  const keys = (key: KeySchema) => key.map(({ AttributeName: name }) => `${name} (${typeOf(name)})`).join(", ");
  const parts = new Map([["the key", keys(schema.KeySchema)]]);
  for (const { IndexName, KeySchema, Projection } of schema.GlobalSecondaryIndexes ?? []) {
    const projected = [Projection.ProjectionType, ...(Projection.NonKeyAttributes ?? []).toSorted()].join(" ");
    parts.set(`index ${IndexName}`, `${keys(KeySchema)} with ${projected}`);
  }
  return parts;
}
