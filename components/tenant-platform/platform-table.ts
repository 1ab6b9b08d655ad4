// The one table of the platform. It stands before Identity because the pool's triggers write to it.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { table as schema } from "../../adapters/dynamodb/table.ts";

export class PlatformTable extends pulumi.ComponentResource {
  readonly table: aws.dynamodb.Table;

  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:PlatformTable", name, {}, opts);
    const { partitionKey, sortKey, timeToLive, index, activeIndex } = schema;
    this.table = new aws.dynamodb.Table(
      name,
      {
        billingMode: "PAY_PER_REQUEST",
        hashKey: partitionKey,
        rangeKey: sortKey,
        attributes: [
          ...[partitionKey, sortKey],
          ...[index.partitionKey, index.sortKey],
          ...[activeIndex.partitionKey, activeIndex.sortKey],
        ].map((key) => ({ name: key, type: "S" })),
        globalSecondaryIndexes: [
          { name: index.name, hashKey: index.partitionKey, rangeKey: index.sortKey, projectionType: "ALL" },
          {
            name: activeIndex.name,
            hashKey: activeIndex.partitionKey,
            rangeKey: activeIndex.sortKey,
            projectionType: "KEYS_ONLY",
          },
        ],
        ttl: { attributeName: timeToLive, enabled: true },
        pointInTimeRecovery: { enabled: true },
        serverSideEncryption: { enabled: true },
        deletionProtectionEnabled: true,
      },
      { parent: this, protect: true, retainOnDelete: true },
    );
    this.registerOutputs({ tableName: this.table.name });
  }
}
