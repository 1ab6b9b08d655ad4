// The record of an app client in the table, by which the triggers know what its tokens may carry.
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { appClientRecord } from "../../adapters/dynamodb/access/app-client.record.ts";
import { table as schema } from "../../adapters/dynamodb/table.ts";
import type { RegisteredClient } from "../../domain/access/registered-client.ts";
import type { AppClient } from "./app-client.ts";

type RegistrationArgs = { table: aws.dynamodb.Table; client: AppClient; use: RegisteredClient["use"] };

export function registerClient(
  name: string,
  { table, client, use }: RegistrationArgs,
  opts: pulumi.CustomResourceOptions,
): aws.dynamodb.TableItem {
  const item = client.id.apply((clientId) => {
    const registered = {
      ...appClientRecord.key({ client_id: clientId }),
      client_id: clientId,
      use,
    } satisfies RegisteredClient & Record<string, string>;
    return JSON.stringify(Object.fromEntries(Object.entries(registered).map(([name, S]) => [name, { S }])));
  });
  const { partitionKey: hashKey, sortKey: rangeKey } = schema;
  return new aws.dynamodb.TableItem(name, { tableName: table.name, hashKey, rangeKey, item }, opts);
}
