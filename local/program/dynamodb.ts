// DynamoDB: tables.
import type { Descriptor } from "./descriptor.ts";
import { arnOf, physicalName } from "./names.ts";

export const table: Descriptor = {
  type: "aws:dynamodb/table:Table",
  compute(logicalName, inputs, region) {
    const name = physicalName(logicalName, inputs);
    return { id: name, outputs: { name, arn: arnOf("dynamodb", region, `table/${name}`) } };
  },
  inputs: "service",
};

export const dynamoDb = [table];
