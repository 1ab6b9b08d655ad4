import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { evaluateProgram, readStackConfig } from "../../../local/program/program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stack-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function stackFile(text: string): Promise<string> {
  const file = join(folder, "Pulumi.theirs.yaml");
  await writeFile(file, text);
  return file;
}

describe("a stack file with encrypted values", () => {
  const encrypted = `
encryptionsalt: v1:00
config:
  aws:region: us-east-1
  cloudflare:apiToken:
    secure: v1:AAAA
  archway:domain:
    secure: v1:AAAA
  archway:cloudflareZoneId: {secure: v1:BBBB}
  archway:originSecret: {secure: v1:CCCC}
  archway:sealingSecret: {secure: v1:CCCC}
  archway:console:
    callbackUrls: ["https://console.example/callback"]
    logoutUrls: ["https://console.example/"]
`;

  test("a stack file with encrypted values can be used locally: local secrets replace the program's own, and secrets of other programs are left out", async () => {
    const config = await readStackConfig(await stackFile(encrypted));
    expect(config).not.toHaveProperty("cloudflare:apiToken");
    expect(JSON.stringify(config)).not.toMatch(/secure|v1:/);
    expect(config["archway:domain"]).toBe("localhost");
    expect((await evaluateProgram(config)).region).toBe("us-east-1");
  });

  test("an encrypted value of a stack file that is needed is reported by its key, also if it is nested", async () => {
    const file = await stackFile(`${encrypted}
  archway:platformAdmins: {secure: v1:DDDD}
  archway:names: {scopePrefix: {secure: v1:EEEE}}
`);
    const message = await readStackConfig(file).catch((error: Error) => error.message);
    expect(message).toContain("only Pulumi can read what is encrypted there (archway:platformAdmins, archway:names)");
    expect(message).not.toContain("v1:");
  });

  test("a stack file may keep encrypted secrets of external providers, which are simulated locally", async () => {
    const file = await stackFile(`${encrypted}
  archway:google: {clientId: x.apps.googleusercontent.com, clientSecret: {secure: v1:DDDD}}
  archway:oidcProviders: [{name: Okta, issuer: "https://example.okta.com", clientId: x, clientSecret: {secure: v1:EEEE}}]
`);
    const config = await readStackConfig(file);
    expect(JSON.stringify(config)).not.toMatch(/secure|v1:/);
    expect(JSON.parse(config["archway:google"] ?? "").clientSecret).toMatch(/^local-/);
    const { resources } = await evaluateProgram(config);
    const providers = resources.ofType("aws:cognito/identityProvider:IdentityProvider");
    expect(providers.map(({ inputs }) => inputs.providerName)).toEqual(["Google", "Okta"]);
  });

  test("a stack file may keep an encrypted value that is given in another way", async () => {
    const file = await stackFile(`${encrypted}\n  archway:platformAdmins: {secure: v1:DDDD}\n`);
    const config = await readStackConfig(file, { "archway:platformAdmins": "[]" });
    expect(config["archway:platformAdmins"]).toBe("[]");
  });
});

test.each(["Pulumi.prod.yaml.example", "local/stack.yaml"])("the stack file %s is a working stack", async (file) => {
  const { exports } = await evaluateProgram(await readStackConfig(file));
  expect(exports).toMatchObject({ signInUrl: "https://auth.localhost" });
});
