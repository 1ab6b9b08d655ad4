// Secrets of skills: what people give, and who can open it.
import { DecryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { secretOpener } from "../../../adapters/kms/skill-secrets.ts";
import { clientOptions } from "../../../emulators/test/support/aws-endpoint.ts";
import { skillsToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { everything } from "../../support/accounting/accounting.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { scriptSkill, uploadOf } from "../../support/skills/skill-files.ts";

const value = "a-value-that-nobody-may-see-7f3a\nin two lines";
let stack: Stack;
let owner: Person;
let developer: Person;
let tenantId: string;
const clients: KMSClient[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  [owner, developer] = await Promise.all([signUp(stack, "owner@vault.example"), signUp(stack, "dev@vault.example")]);
  ({ tenant_id: tenantId } = await openWorkspace(stack, owner, "Vault"));
  await addMember(stack, tenantId, developer);
});
afterAll(() => {
  for (const client of clients) client.destroy();
});

async function call(person: Person, method: string, path: string, body?: unknown) {
  const authorization = `Bearer ${await skillsToken(stack, person)}`;
  const response = await fetch(stack.at("api") + path, {
    method,
    headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
}

/** KMS for a function's role. */
function kmsAs(roleName: string): KMSClient {
  const role = [...stack.iam.roles.values()].find(({ name }) => name === roleName);
  if (!role) throw new Error(`no role ${roleName}`);
  const principal = { roleArn: role.arn, sessionName: "test", sessionTags: {} };
  const client = new KMSClient(clientOptions(stack.aws, stack.credentials.issue(principal)));
  clients.push(client);
  return client;
}

async function sealedOf(name: string): Promise<string> {
  const row = (await everything(stack)).find(({ pk, sk }) => pk === `SECRET#${tenantId}` && sk === name);
  return String(row?.sealed);
}

test("a secret's value is encrypted with the tenant's key, and only the runner can decrypt it", async () => {
  const put = await call(developer, "PUT", "/v1/secrets/JIRA", { value, description: "The robot's" });
  expect(put).toMatchObject({ status: 200, body: { name: "JIRA", created_by: developer.sub, used_by: [] } });
  const sealed = await sealedOf("JIRA");
  const secret = { tenantId, name: "JIRA" };
  expect(await secretOpener(kmsAs("runner-local")).open(secret, sealed)).toBe(value);

  const denied = { name: "AccessDeniedException" };
  for (const role of ["tenant-keys-local", "control-local", "agentcore-local"]) {
    await expect(secretOpener(kmsAs(role)).open(secret, sealed)).rejects.toMatchObject(denied);
  }
  // The runner opens nothing without the purpose, and nothing for another name or workspace.
  const CiphertextBlob = Buffer.from(sealed.split(".")[1] ?? "", "base64url");
  await expect(kmsAs("runner-local").send(new DecryptCommand({ CiphertextBlob }))).rejects.toMatchObject(denied);
  await expect(secretOpener(kmsAs("runner-local")).open({ tenantId, name: "OTHER" }, sealed)).rejects.toThrow();
});

test("a secret that was removed can be created again with its name at once", async () => {
  await call(developer, "PUT", "/v1/secrets/AGAIN", { value: "first" });
  for (const status of [200, 200]) expect((await call(developer, "DELETE", "/v1/secrets/AGAIN")).status).toBe(status);
  expect(await sealedOf("AGAIN")).toBe("undefined");
  expect((await call(developer, "PUT", "/v1/secrets/AGAIN", { value: "second" })).status).toBe(200);
  const opened = await secretOpener(kmsAs("runner-local")).open({ tenantId, name: "AGAIN" }, await sealedOf("AGAIN"));
  expect(opened).toBe("second");
  expect((await call(developer, "DELETE", "/v1/secrets/NEVER")).status).toBe(404);
});

test("an environment names secrets, and does not show their values", async () => {
  const uploaded = await call(developer, "POST", "/v1/skills", uploadOf(scriptSkill("with-env")));
  const env = { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: { secret: "JIRA" } };
  const changed = await call(developer, "PATCH", "/v1/skills/with-env/env", { env });
  expect(changed.body.env).toMatchObject([
    { name: "JIRA_TOKEN", secret: "JIRA", secret_set_by: developer.sub },
    { name: "JIRA_URL", value: "https://jira.example.com" },
  ]);
  expect(changed.body.env[0]).not.toHaveProperty("value");
  const { version, digest } = uploaded.body;
  const { env_digest } = (await call(owner, "GET", "/v1/skills/with-env/env")).body;
  expect(await call(owner, "POST", "/v1/skills/with-env/activate", { version, digest, env_digest })).toMatchObject({
    status: 200,
  });
  expect((await call(owner, "GET", "/v1/secrets")).body.data).toContainEqual(
    expect.objectContaining({ name: "JIRA", used_by: ["with-env"] }),
  );
  expect(stack.calls.all().filter(({ allowed, sessionName }) => !allowed && sessionName !== "test")).toEqual([]);
});
