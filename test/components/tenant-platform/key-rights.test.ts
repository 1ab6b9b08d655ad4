import { expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { keyPolicy, tenantKeysLink } from "../../../components/tenant-platform/key-rights.ts";

const resolved = <T>(value: pulumi.Input<T>) =>
  new Promise<pulumi.Unwrap<T>>((resolve) => void pulumi.output(value).apply(resolve));
const account = "111122223333";
const role = `arn:aws:iam::${account}:role/tenant-keys`;

test("every right on keys except naming is limited to the stack's tags, and a deletion to the longest notice", async () => {
  const statements = await resolved(tenantKeysLink("prod", account).allow);
  const by = (action: string) => statements.filter(({ actions }) => actions.includes(action));
  for (const action of ["kms:CreateKey", "kms:TagResource"]) {
    expect(by(action)).toMatchObject([
      {
        conditions: {
          StringEquals: { "aws:RequestTag/archway_stack": "prod" },
          StringLike: { "aws:RequestTag/tenant_id": "?*" },
        },
      },
    ]);
  }
  expect(by("kms:ScheduleKeyDeletion")).toMatchObject([
    {
      conditions: {
        StringEquals: { "aws:ResourceTag/archway_stack": "prod" },
        NumericEquals: { "kms:ScheduleKeyDeletionPendingWindowInDays": "30" },
      },
    },
  ]);
  for (const action of ["kms:DisableKey", "kms:DescribeKey", "kms:PutKeyPolicy"]) {
    expect(by(action)).toMatchObject([{ conditions: { StringEquals: { "aws:ResourceTag/archway_stack": "prod" } } }]);
  }
  expect(by("kms:CreateAlias")).toMatchObject([{ resources: [`arn:aws:kms:*:${account}:alias/archway/prod/*`] }]);
});

test("no IAM policy allows using a key or changing its grants, and only the stack's keys can get a new key policy", async () => {
  const statements = await resolved(tenantKeysLink("prod", account).allow);
  expect(statements.flatMap(({ actions }) => actions).join()).not.toMatch(/Encrypt|Decrypt|DataKey|Grant|\*/);
  const ofStack = { StringEquals: { "aws:ResourceTag/archway_stack": "prod" } };
  const changing = statements.filter(({ actions }) => actions.some((action) => action.includes("Policy")));
  expect(changing).toEqual([expect.objectContaining({ conditions: ofStack })]);
});

test("a key's policy gives administration to the account, and use only to the platform's roles", async () => {
  const [secretKeepers, secretReaders] = [[`${role}-agentcore`], [`${role}-gateway`, `${role}-probe`]];
  const skillRunner = `${role}-runner`;
  const text = await resolved(keyPolicy({ account, provisioner: role, secretKeepers, secretReaders, skillRunner }));
  const [administration, naming, keeping, reading, sealing, opening] = JSON.parse(text).Statement;
  expect(administration.Principal).toEqual({ AWS: `arn:aws:iam::${account}:root` });
  expect(administration.Action).toEqual(expect.arrayContaining(["kms:Put*", "kms:CancelKeyDeletion"]));
  expect(administration.Action.join()).not.toMatch(/Encrypt|Decrypt|DataKey|kms:\*/);
  expect([naming.Principal, naming.Action]).toEqual([{ AWS: role }, ["kms:CreateAlias", "kms:PutKeyPolicy"]]);
  const Condition = { StringLike: { "kms:ViaService": "secretsmanager.*.amazonaws.com" } };
  expect(keeping).toMatchObject({ Principal: { AWS: secretKeepers }, Condition });
  expect(reading).toMatchObject({ Principal: { AWS: secretReaders }, Action: ["kms:Decrypt"], Condition });
  const ofSkills = { StringEquals: { "kms:EncryptionContext:purpose": "skill-secret" } };
  expect(sealing).toMatchObject({ Principal: { AWS: role }, Action: ["kms:GenerateDataKey"], Condition: ofSkills });
  expect(opening).toMatchObject({ Principal: { AWS: skillRunner }, Action: ["kms:Decrypt"], Condition: ofSkills });
});
