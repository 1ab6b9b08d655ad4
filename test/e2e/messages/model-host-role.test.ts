// What the role that calls models lets in, and what a session of it may: the rules of another account, tried one by one.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { BedrockRuntimeClient, InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { AssumeRoleCommand, STSClient, type Tag } from "@aws-sdk/client-sts";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { Keys } from "../../../emulators/aws/credentials.ts";
import { clientOptions } from "../../../emulators/test/support/aws-endpoint.ts";
import { modelHostAccountId } from "../../../local/program/program.ts";
import type { Stack } from "../../../local/stack.ts";
import { largeCatalog } from "../../support/program/large-catalog.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

const tenant: Tag = { Key: "tenant_id", Value: "t1" };
const base = "anthropic.claude-sonnet-5";

const folder = "coverage/model-host-role";
const largeCatalogFile = `${folder}/150-models.json`;

let stack: Stack;
async function start(config: Record<string, string> = {}): Promise<void> {
  stack = await startSeeded({ config });
}

function roleArn(name: string): string {
  const role = [...stack.iam.roles.values()].find((one) => one.name === `${name}-local`);
  if (!role) throw new Error(`no role ${name}`);
  return role.arn;
}

function keysOf(name: string): Keys {
  return stack.credentials.issue({ roleArn: roleArn(name), sessionName: "function", sessionTags: {} });
}

async function assume(as: string, ...tags: Tag[]): Promise<Keys> {
  const client = new STSClient(clientOptions(stack.aws, keysOf(as)));
  const role = { RoleArn: roleArn(`proxy-model-host-${modelHostAccountId}`), RoleSessionName: "caller", Tags: tags };
  const { Credentials: session } = await client.send(new AssumeRoleCommand(role));
  const { AccessKeyId = "", SecretAccessKey = "", SessionToken = "" } = session ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

async function invoke(keys: Keys, modelId: string, region = "eu-central-1"): Promise<number | undefined> {
  const options = { ...clientOptions(stack.aws, keys), region, requestHandler: new NodeHttpHandler() };
  const body = JSON.stringify({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 5,
    messages: [{ role: "user", content: "Hello" }],
  });
  const { $metadata } = await new BedrockRuntimeClient(options).send(new InvokeModelCommand({ modelId, body }));
  return $metadata.httpStatusCode;
}

describe("with the platform's catalog", () => {
  beforeAll(() => start());
  afterAll(() => stack.stop());

  test("the model host's role is in another account than the platform", () => {
    expect(roleArn(`proxy-model-host-${modelHostAccountId}`)).toBe(
      `arn:aws:iam::${modelHostAccountId}:role/proxy-model-host-${modelHostAccountId}-local`,
    );
    expect(roleArn("proxy")).not.toContain(modelHostAccountId);
  });

  describe("the role is assumed", () => {
    test("the model host's role can be assumed by the proxy for a tenant", async () => {
      await expect(assume("proxy", tenant)).resolves.toHaveProperty("sessionToken");
    });

    test.each([
      ["without the tenant's tag", "proxy", []],
      ["with an empty one", "proxy", [{ Key: "tenant_id", Value: "" }]],
      ["with another tag beside it", "proxy", [tenant, { Key: "team", Value: "a" }]],
      ["with another tag in its place", "proxy", [{ Key: "team", Value: "a" }]],
      ["by another function of the platform", "control", [tenant]],
      ["by itself", `proxy-model-host-${modelHostAccountId}`, [tenant]],
    ])("the model host's role cannot be assumed %s", async (_, role, tags) => {
      await expect(assume(role, ...tags)).rejects.toMatchObject({ name: "AccessDenied" });
    });

    test("the model host's role cannot be assumed by another role whose own policies allow it", async () => {
      const context = { "aws:RequestTag/tenant_id": "t1", "aws:TagKeys": ["tenant_id"] };
      const decision = (name: string) => {
        const caller = { roleArn: roleArn(name), sessionName: "function", sessionTags: {} };
        return stack.iam.decideTrust(
          roleArn(`proxy-model-host-${modelHostAccountId}`),
          caller,
          "sts:AssumeRole",
          context,
        );
      };
      expect((await decision("meter")).allowed).toBe(false);
      expect((await decision("proxy")).allowed).toBe(true);
    });
  });

  sessionCalls();
});

describe("with a catalog of 150 models", () => {
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(largeCatalogFile, JSON.stringify(largeCatalog(150)));
    await start({ "archway:catalog": largeCatalogFile });
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the model host's role for 150 models has several policies, all attached", () => {
    const role = stack.iam.roles.get(roleArn(`proxy-model-host-${modelHostAccountId}`));
    expect(role?.policies.length).toBeGreaterThan(5);
    expect(role?.policies.length).toBeLessThanOrEqual(10);
  });

  test("a session of the model host's role is still limited to one tenant", async () => {
    await expect(assume("proxy", { Key: "team", Value: "a" })).rejects.toMatchObject({ name: "AccessDenied" });
    await expect(assume("proxy", tenant, { Key: "team", Value: "a" })).rejects.toMatchObject({ name: "AccessDenied" });
  });

  test.each(["eu-central-1", "us-east-1"])(
    "the model host's role for 150 models may call the last of them in %s",
    async (region) => {
      const session = await assume("proxy", tenant);
      const last = largeCatalog(150).models.at(-1);
      await expect(invoke(session, `global.${last?.base_id}`, region)).resolves.toBe(200);
    },
  );

  sessionCalls();
});

/** What holds for every catalog that has the platform's models. */
function sessionCalls(): void {
  describe("a session calls models", () => {
    let session: Keys;
    beforeAll(async () => {
      session = await assume("proxy", tenant);
    });

    test.each([
      [`eu.${base}`, "eu-central-1"],
      [`eu.${base}`, "eu-central-2"],
      [`us.${base}`, "us-east-1"],
      [`global.${base}`, "eu-central-1"],
    ])("a session of the model host's role calls models through %s in %s", async (profile, region) => {
      await expect(invoke(session, profile, region)).resolves.toBe(200);
    });

    test.each([
      ["a base model directly", base, "us-east-1"],
      ["a model that the catalog has not", "eu.anthropic.claude-of-nobody", "eu-central-1"],
      ["a profile in a region that the catalog does not name for it", `eu.${base}`, "eu-west-1"],
    ])("the model host's role in another account cannot be assumed %s", async (_, modelId, region) => {
      await expect(invoke(session, modelId, region)).rejects.toMatchObject({ name: "AccessDeniedException" });
    });
  });
}
