import { expect, test } from "@jest/globals";
import { appClientRecord } from "../../../adapters/dynamodb/access/app-client.record.ts";
import { registeredClientSchema } from "../../../domain/access/registered-client.ts";
import { declaredProgram } from "../../support/program/pulumi-program.ts";

const program = await declaredProgram();

test("every app client of the program has a record that says its use", () => {
  const items = program.ofType("aws:dynamodb/tableItem:TableItem").map(({ inputs }) => {
    expect(inputs).toMatchObject({ tableName: "archway-local", hashKey: "pk", rangeKey: "sk" });
    const attributes = Object.entries(JSON.parse(inputs.item) as Record<string, { S: string }>);
    const { pk, sk, ...record } = Object.fromEntries(attributes.map(([name, { S }]) => [name, S]));
    const client = registeredClientSchema.parse(record);
    expect({ pk, sk }).toEqual(appClientRecord.key({ client_id: client.client_id }));
    return client;
  });
  expect(items.map(({ use }) => use)).toEqual(["console", "token_helper", "token_helper_write", "skills"]);
  const { variables } = program.get("aws:lambda/function:Function", "control").inputs.environment;
  const taken: string[] = JSON.parse(variables.CONTROL_CLIENT_IDS);
  expect(items.map(({ client_id }) => client_id)).toEqual(taken);
  expect(new Set(items.map(({ client_id }) => client_id)).size).toBe(
    program.ofType("aws:cognito/userPoolClient:UserPoolClient").length,
  );
});
