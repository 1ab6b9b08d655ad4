import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { bundleFiles } from "../components/bundle.ts";
import { type FunctionContract, readEnv } from "../handlers/contract.ts";
import { declaredProgram } from "./support/program/pulumi-program.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = await declaredProgram();

test("the stack consists of components, and components contain everything else", () => {
  const isComponent = (type: string) => type.startsWith("archway:index:");
  const orphans = program.all.filter(({ type, parent }) => !isComponent(type) && !(parent && isComponent(parent.type)));
  expect(orphans.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  expect(program.all.filter(({ parent }) => parent === undefined).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["archway:index:Identity", "archway:index:TenantPlatform", "archway:index:Proxy"]),
  );
});

test("no two resources of a type have the same name", () => {
  const ids = program.all.map(({ type, name }) => `${type}::${name}`);
  expect(ids).toEqual([...new Set(ids)]);
});

test("resources whose deletion would lose data are protected", () => {
  const protectedOnes = program.all.filter(({ options }) => options.protect && options.retainOnDelete);
  expect(protectedOnes.map(({ type }) => type)).toEqual(["aws:dynamodb/table:Table", "aws:cognito/userPool:UserPool"]);
});

test("each function's contract is deployed as one function, whose component sets the environment that the contract reads", async () => {
  const functions = program.ofType("aws:lambda/function:Function");
  const contracts = await everyContract();
  expect(functions).toHaveLength(contracts.length);
  for (const contract of contracts) {
    const code = JSON.stringify(bundleFiles(contract.entry));
    const deployed = functions.filter(({ inputs }) => JSON.stringify(inputs.code) === code);
    expect([contract.entry, deployed.length]).toEqual([contract.entry, 1]);
    const { variables } = bare(deployed[0]?.inputs.environment);
    // Not more either: reading leaves out what the contract does not know.
    expect(Object.keys(readEnv(contract, variables))).toEqual(expect.arrayContaining(Object.keys(variables)));
  }
});

/** One secret variable makes all of them secret. */
function bare(
  environment: Record<string, Record<string, string>> | { secret: Record<string, Record<string, string>> },
) {
  return ("secret" in environment ? environment.secret : environment) as { variables: Record<string, string> };
}

async function everyContract(): Promise<FunctionContract[]> {
  const files = globSync("handlers/*/contract.ts", { cwd: root });
  const modules = await Promise.all(files.map((file) => import(`../${file}`)));
  const isContract = (value: unknown): value is FunctionContract =>
    typeof value === "object" && value !== null && "entry" in value;
  return modules.flatMap((module) => Object.values(module).filter(isContract));
}
