// A Pulumi program with what the local stack does not know: a type, a look-up, and an output that nothing here computes.
import * as aws from "@pulumi/aws";

const table = new aws.dynamodb.Table("known", { attributes: [{ name: "pk", type: "S" }], hashKey: "pk" });
new aws.sfn.Activity("activity");
new aws.cloudwatch.LogGroup("group", { name: table.streamArn });

export const zones = aws.getAvailabilityZonesOutput().id;
