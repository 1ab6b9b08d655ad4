import { describe, expect, test } from "@jest/globals";
import { readDeclaration, schemaDifferences } from "../../dynamodb/declaration.ts";
import { tableInputs } from "../support/dynamodb.ts";

const [index] = tableInputs.globalSecondaryIndexes;
const extra = { name: "extra", type: "S" };

describe("a table's declaration", () => {
  test("a table's declaration is read with all supported settings", () => {
    const declared = readDeclaration({
      ...tableInputs,
      pointInTimeRecovery: { enabled: true },
      deletionProtectionEnabled: true,
      serverSideEncryption: { enabled: true },
      tags: { stage: "dev" },
      readCapacity: undefined,
    });
    expect(declared).toEqual({
      schema: {
        TableName: "main",
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
        AttributeDefinitions: ["pk", "sk", "gsi1_pk", "gsi1_sk"].map((name) => ({
          AttributeName: name,
          AttributeType: "S",
        })),
        GlobalSecondaryIndexes: [
          {
            IndexName: "gsi1",
            KeySchema: [
              { AttributeName: "gsi1_pk", KeyType: "HASH" },
              { AttributeName: "gsi1_sk", KeyType: "RANGE" },
            ],
            Projection: { ProjectionType: "ALL" },
          },
        ],
      },
      timeToLive: "expires_at",
    });
  });

  test("a table's time to live is off unless its declaration enables it", () => {
    const ttl = { attributeName: "expires_at" };
    expect(readDeclaration({ ...tableInputs, ttl }).timeToLive).toBeUndefined();
  });

  test.each([
    ["a stream", { streamEnabled: true }, 'Unrecognized key: "streamEnabled"'],
    ["replicas", { replicas: [{ regionName: "eu-west-1" }] }, 'Unrecognized key: "replicas"'],
    ["local indexes", { localSecondaryIndexes: [] }, 'Unrecognized key: "localSecondaryIndexes"'],
    [
      "a key of one's own",
      { serverSideEncryption: { enabled: true, kmsKeyArn: "arn" } },
      'Unrecognized key: "kmsKeyArn"',
    ],
    [
      "an index's capacity",
      { globalSecondaryIndexes: [{ ...index, readCapacity: 1 }] },
      'Unrecognized key: "readCapacity"',
    ],
    ["provisioned capacity", { billingMode: "PROVISIONED" }, "provisioned capacity is not emulated"],
    ["no billing mode", { billingMode: undefined }, "must be PAY_PER_REQUEST"],
    ["no name", { name: undefined }, "name"],
  ])("a table's declaration with %s is refused, not ignored", (_what, inputs, message) => {
    expect(() => readDeclaration({ ...tableInputs, ...inputs })).toThrow(message);
  });

  test.each([
    ["a key that is no attribute", { hashKey: "id" }, "Some index key attributes are not defined"],
    ["an unused attribute", { attributes: [...tableInputs.attributes, extra] }, "attributes that no key uses: extra"],
    ["INCLUDE of nothing", { globalSecondaryIndexes: [{ ...index, projectionType: "INCLUDE" }] }, "nonKeyAttributes"],
    ["an unnamed expiry", { ttl: { enabled: true } }, "ttl is enabled but names no attributeName"],
    ["an index without keys", { globalSecondaryIndexes: [{ name: "gsi1", projectionType: "ALL" }] }, "hashKey"],
  ])("a table's declaration with %s is refused in AWS's words", (_what, inputs, message) => {
    expect(() => readDeclaration({ ...tableInputs, ...inputs })).toThrow(message);
    expect(() => readDeclaration({ ...tableInputs, ...inputs })).toThrow("DynamoDB table main:");
  });
});

describe("two schemas", () => {
  const kept = readDeclaration(tableInputs).schema;
  const differences = (inputs: object) =>
    schemaDifferences(kept, readDeclaration({ ...tableInputs, ...inputs }).schema);

  test("two schemas with the same meaning are equal, whatever their order", () => {
    expect(differences({ attributes: tableInputs.attributes.toReversed() })).toEqual([]);
  });

  test("the difference of two schemas is described in words", () => {
    expect(
      differences({ rangeKey: "gsi1_sk", attributes: [...tableInputs.attributes].filter(({ name }) => name !== "sk") }),
    ).toEqual(["the key is pk (S), sk (S) there, pk (S), gsi1_sk (S) in the program"]);
    expect(differences({ globalSecondaryIndexes: [{ ...index, projectionType: "KEYS_ONLY" }] })).toEqual([
      "index gsi1 is gsi1_pk (S), gsi1_sk (S) with ALL there, gsi1_pk (S), gsi1_sk (S) with KEYS_ONLY in the program",
    ]);
    expect(differences({ globalSecondaryIndexes: [{ ...index, name: "gsi2" }] })).toEqual([
      "index gsi1 is gsi1_pk (S), gsi1_sk (S) with ALL there, missing in the program",
      "index gsi2 is missing there, gsi1_pk (S), gsi1_sk (S) with ALL in the program",
    ]);
    const attributes = tableInputs.attributes.map(({ name }) => ({ name, type: name === "sk" ? "N" : "S" }));
    expect(differences({ attributes })).toEqual(["the key is pk (S), sk (S) there, pk (S), sk (N) in the program"]);
  });
});
