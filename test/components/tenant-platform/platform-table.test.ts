import { expect, test } from "@jest/globals";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const declared = await declarationsOf(() => new PlatformTable("archway"));
const table = declared.get("aws:dynamodb/table:Table", "archway");

test("the table's keys, indexes and time to live follow from the schema", () => {
  expect(table.inputs).toMatchObject({
    hashKey: "pk",
    rangeKey: "sk",
    attributes: ["pk", "sk", "gsi1_pk", "gsi1_sk", "gsi2_pk", "gsi2_sk"].map((name) => ({ name, type: "S" })),
    globalSecondaryIndexes: [
      { name: "gsi1", hashKey: "gsi1_pk", rangeKey: "gsi1_sk", projectionType: "ALL" },
      { name: "gsi2", hashKey: "gsi2_pk", rangeKey: "gsi2_sk", projectionType: "KEYS_ONLY" },
    ],
    ttl: { attributeName: "expires_at", enabled: true },
  });
});

test("the table is billed on demand, encrypted, and can be restored to any second", () => {
  expect(table.inputs).toMatchObject({
    billingMode: "PAY_PER_REQUEST",
    serverSideEncryption: { enabled: true },
    pointInTimeRecovery: { enabled: true },
  });
});

test("the table is protected from deletion in one step, by Pulumi and in the AWS console", () => {
  expect(table.inputs.deletionProtectionEnabled).toBe(true);
  expect(table.options).toMatchObject({ protect: true, retainOnDelete: true });
  expect(table.parent?.type).toBe("archway:index:PlatformTable");
});
