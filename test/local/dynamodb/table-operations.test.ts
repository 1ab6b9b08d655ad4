import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OpenDynamoDb, openDynamoDb, tableInputs } from "../../support/dynamodb/dynamodb.ts";

const TableName = "main";

let db: OpenDynamoDb;

beforeEach(async () => {
  db = await openDynamoDb();
});

afterEach(() => db.close());

test("a table is described as it was declared, in the region of the call", async () => {
  await db.service.createTable({
    ...tableInputs,
    deletionProtectionEnabled: true,
    serverSideEncryption: { enabled: true },
  });
  const { Table } = await db.client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    TableArn: "arn:aws:dynamodb:eu-central-1:000000000000:table/main",
    TableStatus: "ACTIVE",
    DeletionProtectionEnabled: true,
    SSEDescription: { Status: "ENABLED" },
    GlobalSecondaryIndexes: [
      {
        IndexName: "gsi1",
        IndexStatus: "ACTIVE",
        IndexArn: "arn:aws:dynamodb:eu-central-1:000000000000:table/main/index/gsi1",
      },
    ],
  });
});

test("point-in-time recovery is as declared", async () => {
  const status = async () => {
    const answer = await db.client.send(new DescribeContinuousBackupsCommand({ TableName }));
    return answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  };
  expect(await status()).toEqual({ PointInTimeRecoveryStatus: "DISABLED" });
  await db.service.createTable({ ...tableInputs, pointInTimeRecovery: { enabled: true, recoveryPeriodInDays: 7 } });
  expect(await status()).toEqual({ PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: 7 });
});

test("tables are listed in pages", async () => {
  for (const name of ["zebra", "apple"]) await db.service.createTable({ ...tableInputs, name });
  const first = await db.client.send(new ListTablesCommand({ Limit: 2 }));
  expect(first).toMatchObject({ TableNames: ["apple", "main"], LastEvaluatedTableName: "main" });
  const second = await db.client.send(new ListTablesCommand({ ExclusiveStartTableName: "main" }));
  expect(second.TableNames).toEqual(["zebra"]);
  expect(second).not.toHaveProperty("LastEvaluatedTableName");
});

describe("time to live", () => {
  const change = (AttributeName: string, Enabled: boolean) =>
    db.client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } }));
  const described = async () =>
    (await db.client.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;

  test("is as declared, and changes only to what it is not", async () => {
    expect(await described()).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "expires_at" });
    await expect(change("expires_at", true)).rejects.toThrow("TimeToLive is already enabled");
    await expect(change("other", true)).rejects.toThrow("active on a different AttributeName");
    await change("expires_at", false);
    expect(await described()).toEqual({ TimeToLiveStatus: "DISABLED" });
    await expect(change("expires_at", false)).rejects.toThrow("TimeToLive is already disabled");
    await change("other", true);
    expect(await described()).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: "other" });
  });

  test("that is changed is what the next sweep goes by", async () => {
    const seconds = Math.floor(db.clock.now() / 1000) - 60;
    const Item = { pk: { S: "a" }, sk: { S: "b" }, other: { N: String(seconds) } };
    await db.call("PutItem", { TableName, Item });
    expect(await db.service.sweep()).toBe(0);
    await change("expires_at", false);
    await change("other", true);
    expect(await db.service.sweep()).toBe(1);
  });
});

test("an unknown table is refused with its name", async () => {
  const absent = { TableName: "absent" };
  await expect(db.client.send(new DescribeTableCommand(absent))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "Requested resource not found: Table: absent not found",
  });
  await expect(db.client.send(new DescribeContinuousBackupsCommand(absent))).rejects.toMatchObject({
    name: "TableNotFoundException",
    message: "Table not found: absent",
  });
});
