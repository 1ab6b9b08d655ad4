import { createHash } from "node:crypto";
import type { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { modelHostCredentials, roleCredentials } from "../../adapters/sts.ts";
import { FakeTime } from "../support/fake-time.ts";

const roleArn = "arn:aws:iam::000000000000:role/model-host";
const ann = { tenantId: "tenant-1", callerId: "ann@example.com" };

let time: FakeTime;
let calls: AssumeRoleCommand["input"][];
let answer: (nth: number) => object;
let sessions: ReturnType<typeof modelHostCredentials>;
beforeEach(() => {
  time = new FakeTime();
  calls = [];
  answer = (nth) => ({
    Credentials: { AccessKeyId: `key-${nth}`, SecretAccessKey: "secret", SessionToken: "token" },
  });
  const client = {
    send: async ({ input }: AssumeRoleCommand) => {
      calls.push(input);
      return answer(calls.length);
    },
  };
  sessions = modelHostCredentials(roleArn, time.clock, client as unknown as STSClient);
});

const minutes = (count: number) => count * 60_000;

test("a session of the model host has the tenant's id as its tag and the caller's hash as its name, and no other facts about tenant or caller", async () => {
  await sessions(ann);
  expect(calls).toEqual([
    {
      RoleArn: roleArn,
      RoleSessionName: createHash("sha256").update(ann.callerId).digest("hex").slice(0, 32),
      Tags: [{ Key: "tenant_id", Value: "tenant-1" }],
      DurationSeconds: 3600,
    },
  ]);
  expect(JSON.stringify(calls)).not.toContain("ann");
});

test("the credentials of a session are those that STS answered", async () => {
  const expiration = new Date("2026-11-21T06:00:00Z");
  answer = () => ({
    Credentials: { AccessKeyId: "a", SecretAccessKey: "b", SessionToken: "c", Expiration: expiration },
  });
  expect(await sessions(ann)).toEqual({ accessKeyId: "a", secretAccessKey: "b", sessionToken: "c", expiration });
});

describe("one session", () => {
  test("a session of the model host serves simultaneous and later calls, until five minutes before it ends", async () => {
    const keys = await Promise.all([sessions(ann), sessions(ann), sessions(ann)]);
    expect(new Set(keys.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(["key-1"]));
    await time.advance(minutes(55) - 1);
    expect((await sessions(ann)).accessKeyId).toBe("key-1");
    await time.advance(1);
    expect((await sessions(ann)).accessKeyId).toBe("key-2");
    expect((await sessions(ann)).accessKeyId).toBe("key-2");
    expect(calls).toHaveLength(2);
  });

  test("a session of the model host belongs to one caller in one tenant", async () => {
    await sessions(ann);
    await sessions({ ...ann, callerId: "bob" });
    await sessions({ ...ann, tenantId: "tenant-2" });
    expect(new Set(calls.map(({ RoleSessionName, Tags }) => JSON.stringify([RoleSessionName, Tags]))).size).toBe(3);
  });

  test("a session of the model host is forgotten when a thousand others were used after it", async () => {
    for (let index = 0; index <= 1_000; index++) await sessions({ ...ann, callerId: `caller-${index}` });
    await sessions({ ...ann, callerId: "caller-1000" });
    expect(calls).toHaveLength(1_001);
    await sessions({ ...ann, callerId: "caller-0" });
    expect(calls).toHaveLength(1_002);
  });
});

describe("a failure", () => {
  test("a failure to get a session is reported to every waiting call, and is not cached", async () => {
    answer = (nth) => {
      if (nth === 1) throw Object.assign(new Error("no"), { name: "AccessDenied" });
      return { Credentials: { AccessKeyId: `key-${nth}`, SecretAccessKey: "s", SessionToken: "t" } };
    };
    const both = await Promise.allSettled([sessions(ann), sessions(ann)]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect((await sessions(ann)).accessKeyId).toBe("key-2");
  });

  test.each([{}, { Credentials: {} }, { Credentials: { AccessKeyId: "a", SecretAccessKey: "b" } }])(
    "an STS answer without complete credentials is a failure: %j",
    async (given) => {
      answer = () => given;
      await expect(sessions(ann)).rejects.toThrow("AssumeRole answered without credentials");
    },
  );
});

test("a role without tags is assumed under the name of the caller, and a client of the SDK learns when its credentials expire", async () => {
  const ends = new Date(3_600_000);
  answer = () => ({
    Credentials: { AccessKeyId: "key", SecretAccessKey: "secret", SessionToken: "token", Expiration: ends },
  });
  const client = { send: async ({ input }: AssumeRoleCommand) => answer(calls.push(input)) };
  const credentials = await roleCredentials(roleArn, "meter", client as unknown as STSClient)();

  expect(calls).toEqual([{ RoleArn: roleArn, RoleSessionName: "meter", DurationSeconds: 3600 }]);
  expect(credentials).toEqual({
    accessKeyId: "key",
    secretAccessKey: "secret",
    sessionToken: "token",
    expiration: ends,
  });
});
