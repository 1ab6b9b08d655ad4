import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Use } from "../../emulators/aws/calls.ts";
import { Iam } from "../../emulators/iam/iam.ts";
import { allow, aRole, resources } from "../../emulators/test/support/declared-iam.ts";
import { merge, type PermissionReport, readReports, report, saveReport, table } from "../../local/permission-report.ts";

const iam = new Iam(
  resources(
    aRole("proxy", [
      allow(["dynamodb:GetItem", "dynamodb:PutItem"], "arn:aws:dynamodb:eu-central-1:000000000000:table/main"),
      allow("dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:000000000000:table/audit"),
      allow("logs:*", "*", { Sid: "Logs" }),
    ]),
    aRole("meter", [{ ...allow("sqs:*", "*"), Effect: "Deny" }]),
  ),
);

function used(action: string, statements: string[], more: Partial<Use> = {}): Use {
  return { role: "proxy", action, allowed: 1, denied: 0, statements, ...more };
}

const usedOf = ({ grants }: PermissionReport) =>
  grants.filter((grant) => grant.used).map(({ statement, action }) => `${statement} ${action}`);

describe("a report", () => {
  test("a permission report lists every grant, and whether its statement allowed the action", () => {
    const one = report(iam, [used("dynamodb:GetItem", ["RolePolicy proxy#1"])]);
    expect(one.grants.map(({ statement, action, used }) => [statement, action, used])).toEqual([
      ["RolePolicy proxy#1", "dynamodb:GetItem", true],
      ["RolePolicy proxy#1", "dynamodb:PutItem", false],
      ["RolePolicy proxy#2", "dynamodb:GetItem", false],
      ["RolePolicy proxy#Logs", "logs:*", false],
    ]);
  });

  test("a permission report counts a pattern as used if any action that it matches was used", () => {
    expect(usedOf(report(iam, [used("logs:PutLogEvents", ["RolePolicy proxy#Logs"])]))).toEqual([
      "RolePolicy proxy#Logs logs:*",
    ]);
  });

  test("a permission report counts neither denied calls nor another role's", () => {
    const denied = used("dynamodb:PutItem", ["RolePolicy proxy#1"], { allowed: 0, denied: 1 });
    const others = used("dynamodb:GetItem", ["RolePolicy proxy#1"], { role: "meter" });
    expect(usedOf(report(iam, [denied, others]))).toEqual([]);
  });

  test("a permission report is printed as a table with denials first", () => {
    const uses = [
      used("dynamodb:GetItem", ["RolePolicy proxy#1"], { allowed: 12 }),
      used("kms:Decrypt", [], { allowed: 0, denied: 3 }),
    ];
    expect(table(report(iam, uses))).toBe(
      [
        "proxy",
        "  DENIED  kms:Decrypt       3 times",
        "  used    dynamodb:GetItem  12 times",
        "  unused  dynamodb:PutItem  RolePolicy proxy#1 on arn:aws:dynamodb:eu-central-1:000000000000:table/main",
        "  unused  dynamodb:GetItem  RolePolicy proxy#2 on arn:aws:dynamodb:eu-central-1:000000000000:table/audit",
        "  unused  logs:*            RolePolicy proxy#Logs on *",
      ].join("\n"),
    );
  });
});

describe("of rights by kind of record", () => {
  const byKind = new Iam(
    resources(
      aRole("proxy", [
        allow("dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:000000000000:table/main", {
          Condition: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["KEY#*", "GRANT#*"] } },
        }),
      ]),
    ),
  );
  const getKeys = used("dynamodb:GetItem", ["RolePolicy proxy#1"], { leadingKeys: "KEY#*", allowed: 2 });

  test("a permission report counts each kind of record as a separate grant, and names unused ones", () => {
    expect(table(report(byKind, [getKeys]))).toBe(
      [
        "proxy",
        "  used    dynamodb:GetItem KEY#*    2 times",
        "  unused  dynamodb:GetItem GRANT#*  RolePolicy proxy#1 on arn:aws:dynamodb:eu-central-1:000000000000:table/main",
      ].join("\n"),
    );
  });

  test("permission reports of runs that used different kinds of record are added by kind", () => {
    const getGrants = { ...getKeys, leadingKeys: "GRANT#*", allowed: 1 };
    const merged = merge([report(byKind, [getKeys]), report(byKind, [getKeys, getGrants])]);
    expect(merged.uses.map(({ leadingKeys, allowed }) => [leadingKeys, allowed])).toEqual([
      ["KEY#*", 4],
      ["GRANT#*", 1],
    ]);
    expect(merged.grants.map(({ leadingKeys, used }) => [leadingKeys, used])).toEqual([
      ["KEY#*", true],
      ["GRANT#*", true],
    ]);
  });
});

const first = report(iam, [used("dynamodb:GetItem", ["RolePolicy proxy#1"])]);
const second = report(iam, [
  used("dynamodb:GetItem", ["RolePolicy proxy#2"], { allowed: 2, denied: 1 }),
  used("dynamodb:PutItem", ["RolePolicy proxy#1"]),
]);

test("merged permission reports add uses, and keep a grant that any run used", () => {
  const merged = merge([first, second]);
  expect(merged.uses[0]).toEqual({
    role: "proxy",
    action: "dynamodb:GetItem",
    allowed: 3,
    denied: 1,
    statements: ["RolePolicy proxy#1", "RolePolicy proxy#2"],
  });
  expect(usedOf(merged)).toEqual([
    "RolePolicy proxy#1 dynamodb:GetItem",
    "RolePolicy proxy#1 dynamodb:PutItem",
    "RolePolicy proxy#2 dynamodb:GetItem",
  ]);
});

describe("a folder of reports", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "permissions-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  test("a folder of permission reports is merged into one report", async () => {
    const runs = join(folder, "runs");
    await Promise.all([saveReport(runs, first), saveReport(runs, second)]);
    expect(usedOf(await readReports(runs))).toEqual(usedOf(merge([first, second])));
  });

  test("a folder of permission reports with another file is refused by the file's name", async () => {
    await writeFile(join(folder, "other.json"), "{}");
    await expect(readReports(folder)).rejects.toThrow("other.json is not a permission report");
  });
});
