import { expect, test } from "@jest/globals";
import { type FunctionContract, readEnv } from "../handlers/contract.ts";
import { control } from "../handlers/control/contract.ts";
import { proxy } from "../handlers/proxy/contract.ts";
import { triggers } from "../handlers/triggers/contract.ts";
import { declaredProgram } from "./support/pulumi-program.ts";

const program = await declaredProgram();

test("the stack holds components, and components hold everything else", () => {
  const isComponent = (type: string) => type.startsWith("archway:index:");
  const orphans = program.all.filter(({ type, parent }) => !isComponent(type) && !(parent && isComponent(parent.type)));
  expect(orphans.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  expect(program.all.filter(({ parent }) => parent === undefined).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["archway:index:Identity", "archway:index:TenantPlatform", "archway:index:Proxy"]),
  );
});

test("no two resources of a type share a name", () => {
  const ids = program.all.map(({ type, name }) => `${type}::${name}`);
  expect(ids).toEqual([...new Set(ids)]);
});

test("what would lose data when deleted is protected", () => {
  const protectedOnes = program.all.filter(({ options }) => options.protect && options.retainOnDelete);
  expect(protectedOnes.map(({ type }) => type)).toEqual(["aws:dynamodb/table:Table", "aws:cognito/userPool:UserPool"]);
});

const contracts: Record<string, FunctionContract> = {
  "identity-triggers": triggers,
  "tenant-platform-control": control,
  proxy,
};

test("each function can read the environment that its component sets", () => {
  const functions = program.ofType("aws:lambda/function:Function");
  expect(functions.map(({ name }) => name)).toEqual(Object.keys(contracts));
  for (const [name, contract] of Object.entries(contracts)) {
    const { variables } = program.get("aws:lambda/function:Function", name).inputs.environment;
    expect(Object.keys(readEnv(contract, variables)).sort()).toEqual(Object.keys(variables).sort());
  }
});
