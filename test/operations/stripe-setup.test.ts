// `npm run stripe:setup` as an operator runs it, on a local Stripe and a Secrets Manager.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { SecretsManager } from "../../emulators/secrets-manager/secrets-manager.ts";
import { serveAws } from "../../emulators/test/support/aws-server.ts";
import { type RunningStripe, startStripe } from "../../emulators/test/support/local-stripe.ts";
import { secretsManager } from "../../emulators/test/support/secrets-manager.ts";
import { compiledOnce } from "../support/runner/run-folder.ts";

let local: RunningStripe;
let secrets: SecretsManager;
let aws: Awaited<ReturnType<typeof serveAws>>;
beforeEach(async () => {
  local = await startStripe();
  secrets = secretsManager();
  aws = await serveAws(secrets);
});
afterEach(async () => {
  await local.close();
  await aws.close();
});

async function run(...args: string[]) {
  const child = spawn(process.execPath, ["operations/stripe-setup.ts", ...args], {
    env: {
      ...compiledOnce,
      PATH: process.env.PATH,
      STRIPE_SECRET_KEY: "sk_test_local",
      AWS_ENDPOINT_URL: aws.url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output, errors };
}

test("npm run stripe:setup sets up as many slots as the stack allows workspaces, says what can be set only in the dashboard, and shows no secret", async () => {
  const args = ["--stack", "local/stack.yaml", "--secret", "webhook", "--address", local.url];
  const first = await run(...args);
  expect([first.code, first.errors]).toEqual([0, ""]);
  expect(first.output.match(/^made +meter usage_usd_\d/gm)).toHaveLength(5);
  expect(first.output).toContain('then "leave the subscription past-due"');
  expect(first.output).toContain("72 hours");
  const [destination] = (await local.sdk.v2.core.eventDestinations.list({ include: ["webhook_endpoint.url"] })).data;
  expect(destination?.webhook_endpoint?.url).toBe("https://api.localhost/v1/webhooks/stripe");
  const { webhook_secret: signing_secret, webhook_destination_id: destination_id } = JSON.parse(
    secrets.get("webhook") ?? "{}",
  );
  expect(destination_id).toBe(destination?.id);
  const second = await run(...args);
  expect(second.output).not.toMatch(/^(made|changed)/m);
  expect(first.output + second.output).not.toContain(signing_secret);
  const third = await run(...args, "--new-webhook");
  expect(third.output.match(/^made +\w+/gm)).toEqual([expect.stringContaining("webhook")]);
  expect(JSON.parse(secrets.get("webhook") ?? "{}").webhook_secret).not.toBe(signing_secret);
});

test("npm run stripe:setup says which dashboard settings are right and which are missing, as far as an API shows them", async () => {
  const args = ["--stack", "local/stack.yaml", "--secret", "webhook", "--address", local.url];
  const complete = (await run(...args)).output;
  expect(complete).toContain("right    an address for questions");
  expect(complete).not.toContain("MISSING");
  local.stripe.configure({ is_complete: false });
  expect((await run(...args)).output).toMatch(/^MISSING {2}an address for questions, .*: Settings > Business/m);
  for (const said of ["Successful payments", "Emails: off for failed payments"]) expect(complete).toContain(said);
});

test("npm run stripe:setup says which parameters it needs", async () => {
  const { code, errors } = await run("--secret", "webhook");
  expect(code).not.toBe(0);
  expect(errors).toContain("--stack Pulumi");
});
