// docs/storage.md against the program: whose right to what it tells, and which keys.
import { expect, test } from "@jest/globals";
import {
  activeListings,
  creditAttributes,
  listings,
  markAttributes,
  paymentState,
  records,
  signInAttributes,
} from "../../adapters/dynamodb/schema.ts";
import { type Retained, retention, retentionText } from "../../domain/kernel/retention.ts";
import { documentedRights, functions, rowsOf } from "../support/accounting/storage-table.ts";
import { declaredProgram } from "../support/program/pulumi-program.ts";

type Statement = {
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string[] | string>>;
};

const operationOf: Record<string, string> = {
  "dynamodb:GetItem": "get",
  "dynamodb:BatchGetItem": "batchGet",
  "dynamodb:Query": "query",
  "dynamodb:PutItem": "put",
  "dynamodb:UpdateItem": "update",
  "dynamodb:DeleteItem": "delete",
  "dynamodb:ConditionCheckItem": "condition",
};

const program = await declaredProgram();
const policies = program.ofType("aws:iam/rolePolicy:RolePolicy");

function statementsOf(policy: string): Statement[] {
  const found = policies.find(({ name }) => name === policy);
  const { Statement } = JSON.parse(found?.inputs.policy) as { Statement: Statement[] };
  return Statement.filter(({ Action }) => Action.some((action) => action.startsWith("dynamodb:")));
}

const keysOf = (condition: Statement["Condition"]) =>
  [condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? []].flat();

/** What the declared policies say, in the document's words. */
function declaredRights() {
  const listed = [...Object.values(listings), ...Object.values(activeListings)];
  const prefixes = [...Object.values(records), ...listed.map((prefix) => `index ${prefix}`)];
  const rights: ReturnType<typeof documentedRights> = Object.fromEntries(prefixes.map((prefix) => [prefix, {}]));
  for (const name of functions) {
    for (const row of Object.values(rights)) row[name] = "";
    for (const { Action, Resource, Condition } of statementsOf(name)) {
      const place = Resource.some((arn) => arn.includes("/index/")) ? "index " : "";
      const limited = Condition?.["ForAllValues:StringLike"]?.["dynamodb:Attributes"] ? "*" : "";
      for (const pattern of keysOf(Condition)) {
        const keys = place + pattern.replace(/\*$/, "");
        const row = rights[keys];
        if (!row) throw new Error(`${name} has a right to ${keys}, which is no kind of record`);
        const operations = Action.map((action) => `${operationOf[action] ?? action}${limited}`);
        row[name] = [row[name], ...operations].filter(Boolean).join(", ");
      }
    }
  }
  return rights;
}

test("every function with a right to the table has a column", () => {
  const having = policies.map(({ name }) => name).filter((name) => statementsOf(name).length > 0);
  expect(having.toSorted()).toEqual(functions.toSorted());
});

test("the table of rights is what the program's policies say", () => {
  expect(documentedRights()).toEqual(declaredRights());
});

test("no function has a right to the table but by partition keys, and none to a call without them", () => {
  for (const { inputs } of policies) {
    const { Statement } = JSON.parse(inputs.policy) as { Statement: Statement[] };
    for (const { Action, Resource, Condition } of Statement.filter(({ Action }) => /dynamodb:/.test(Action.join()))) {
      expect(Action).toHaveLength(1);
      expect(Object.keys(operationOf)).toContain(Action[0]);
      expect(Condition?.["ForAllValues:StringLike"]).toHaveProperty(["dynamodb:LeadingKeys"]);
      expect(Condition?.Null).toMatchObject({ "dynamodb:LeadingKeys": "false" });
      expect(Resource).toEqual([expect.stringMatching(/:table\/archway-local(\/index\/gsi[12])?$/)]);
    }
  }
});

test.each([
  ["triggers", "USER#", signInAttributes],
  ["meter", "TENANT#", markAttributes],
  ["meter", "CREDIT#", creditAttributes],
  ["settle", "CREDIT#", creditAttributes],
  ["proxy", "CREDIT#", creditAttributes],
  ["webhook", "TENANT#", ["pk", "sk", "version", ...paymentState]],
] as const)("the updates of %s to %s name what it writes there, and nothing else", (name, prefix, attributes) => {
  const updates = statementsOf(name).filter(({ Action }) => Action.includes("dynamodb:UpdateItem"));
  const ofKind = updates.filter(({ Condition }) => keysOf(Condition).includes(`${prefix}*`));
  expect(ofKind.map(({ Condition }) => Condition)).toEqual([
    {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${prefix}*`], "dynamodb:Attributes": attributes },
      Null: { "dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false" },
    },
  ]);
});

test("each policy is far below IAM's 10,240 characters for the inline policies of a role", () => {
  for (const name of functions) {
    expect(JSON.stringify(statementsOf(name)).length).toBeLessThan(5_000);
  }
});

test("docs/storage.md has every record's keys, with the prefix of its kind", () => {
  const rows = rowsOf("Record");
  const startsOf = (column: string) => [...new Set(rows.map((row) => /^`([A-Z]+#)/.exec(row[column] ?? "")?.[1]))];
  expect(startsOf("pk")).toEqual(Object.values(records));
  const found = startsOf("index keys").filter(Boolean).toSorted();
  expect(found).toEqual([...Object.values(listings), ...Object.values(activeListings)].toSorted());
});

test("a record's life is its kind's retention, and a kind without one is kept until something deletes it", () => {
  const rows = rowsOf("Record").map(({ pk = "", Life = "" }) => ({ pk, Life }));
  for (const [kind, prefix] of Object.entries(records)) {
    const lives = rows.filter(({ pk }) => pk.startsWith(`\`${prefix}`)).map(({ Life }) => Life);
    // The notice of the free credit is kept until the workspace is purged, as its limit does not begin anew.
    const counted = new Set(lives.filter((life) => /^\d/.test(life)));
    expect({ kind, counted: [...counted] }).toEqual({
      kind,
      counted: kind in retention ? [retentionText(kind as Retained)] : [],
    });
  }
});
