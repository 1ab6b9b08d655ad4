// The operations on tables as such. Tables come from the program: none is made, changed or deleted by a call.
import { AwsError } from "../aws/service.ts";
import type { Request } from "./dynalite.ts";
import { type Table, type Tables, tableArn } from "./tables.ts";

/** Tables of one page, a figure of DynamoDB. */
const pageSize = 100;

const onDemand = { ReadCapacityUnits: 0, WriteCapacityUnits: 0, NumberOfDecreasesToday: 0 };

export function listTables(tables: Tables, request: Request): object {
  const { Limit = pageSize, ExclusiveStartTableName = "" } = request as {
    Limit?: number;
    ExclusiveStartTableName?: string;
  };
  const names = tables.all().map((table) => table.schema.TableName);
  const rest = names.toSorted().filter((name) => name > ExclusiveStartTableName);
  const TableNames = rest.slice(0, Limit);
  return { TableNames, ...(rest.length > Limit && { LastEvaluatedTableName: TableNames.at(-1) }) };
}

/** Sizes and counts are 0: AWS, too, brings them up to date hours later. */
export function describeTable(tables: Tables, request: Request, region: string): object {
  const table = describedTable(tables, request);
  const { GlobalSecondaryIndexes, ...schema } = table.schema;
  const arn = tableArn(schema.TableName, region);
  const Table = {
    ...schema,
    TableStatus: "ACTIVE",
    TableId: table.id,
    TableArn: arn,
    CreationDateTime: table.createdAt,
    ItemCount: 0,
    TableSizeBytes: 0,
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST", LastUpdateToPayPerRequestDateTime: table.createdAt },
    ProvisionedThroughput: onDemand,
    DeletionProtectionEnabled: table.deletionProtection,
    ...(table.encrypted && { SSEDescription: { Status: "ENABLED", SSEType: "KMS" } }),
    ...(GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map((index) => ({
        ...index,
        IndexStatus: "ACTIVE",
        IndexArn: `${arn}/index/${index.IndexName}`,
        ItemCount: 0,
        IndexSizeBytes: 0,
        ProvisionedThroughput: onDemand,
      })),
    }),
  };
  return { Table };
}

export function describeContinuousBackups(tables: Tables, { TableName: name }: Request): object {
  const table = tables.find(name as string);
  if (!table) throw new AwsError("TableNotFoundException", `Table not found: ${name}`);
  const days = table.recoveryDays;
  return {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: "ENABLED",
      PointInTimeRecoveryDescription:
        days === undefined
          ? { PointInTimeRecoveryStatus: "DISABLED" }
          : { PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: days },
    },
  };
}

export function describeTimeToLive(tables: Tables, request: Request): object {
  const AttributeName = describedTable(tables, request).timeToLive;
  return {
    TimeToLiveDescription:
      AttributeName === undefined ? { TimeToLiveStatus: "DISABLED" } : { TimeToLiveStatus: "ENABLED", AttributeName },
  };
}

/** What UpdateTimeToLive makes of the table, and its answer. It takes effect at once. */
export function timeToLiveUpdate(tables: Tables, request: Request): { table: Table; answer: object } {
  const table = describedTable(tables, request);
  const wanted = request.TimeToLiveSpecification as { AttributeName: string; Enabled: boolean };
  const current = table.timeToLive;
  if (current !== undefined && current !== wanted.AttributeName) {
    throw invalid(`TimeToLive is active on a different AttributeName: current AttributeName is ${current}`);
  }
  if (wanted.Enabled === (current !== undefined)) {
    throw invalid(`TimeToLive is already ${wanted.Enabled ? "enabled" : "disabled"}`);
  }
  return {
    table: { ...table, timeToLive: wanted.Enabled ? wanted.AttributeName : undefined },
    answer: { TimeToLiveSpecification: wanted },
  };
}

function invalid(message: string): AwsError {
  return new AwsError("ValidationException", message);
}

function describedTable(tables: Tables, { TableName: name }: Request): Table {
  const table = tables.find(name as string);
  if (table) return table;
  throw new AwsError("ResourceNotFoundException", `Requested resource not found: Table: ${name} not found`);
}
