// The demo workspace, made once: through the platform's own pages and calls, as its people would make it.
import { lambdaFunction } from "../../emulators/pulumi/services/lambda.ts";
import type { Store } from "../../emulators/store.ts";
import type { Demo, Stack } from "../running-stack.ts";
import { consoleToken } from "./app-client.ts";
import { addSkills } from "./skills.ts";
import { addMember, addPaymentMethod, approve, callControlPlane, openWorkspace, signUp } from "./workspace.ts";

/** Gives the demo workspace, and makes it if there is none. */
export async function seed(stack: Stack, store: Store): Promise<Demo> {
  const kept = store.collection<Demo>("demo");
  const known = kept.get("demo");
  if (known) return known;
  const demo = await createDemo(stack);
  kept.put("demo", demo);
  return demo;
}

async function createDemo(stack: Stack): Promise<Demo> {
  const [owner, developer, platform_admin] = await Promise.all([
    signUp(stack, "owner@acme.example"),
    signUp(stack, "developer@acme.example"),
    signUp(stack, platformAdminEmail(stack)),
  ]);
  await approve(stack, platform_admin, owner);
  const { tenant_id, slug } = await openWorkspace(stack, owner, "Acme");
  await addPaymentMethod(stack, owner);
  await addMember(stack, tenant_id, developer);
  // The workspace's id is only in tokens that are made after it.
  const token = await consoleToken(stack, owner);
  const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1", "us-east-1"], monthly_budget_usd: 50 };
  await callControlPlane(stack, token, "PUT", `/v1/grants/${developer.sub}`, limits);
  const key = { name: "Demo service account", kind: "service_account", grant: limits };
  const { key: api_key } = (await callControlPlane(stack, token, "POST", "/v1/keys", key)) as { key: string };
  await addSkills(stack, { owner: token, developer: await consoleToken(stack, developer) });
  return { tenant_id, slug, api_key, owner, developer, platform_admin };
}

function platformAdminEmail({ program }: Stack): string {
  const triggers = program.resources
    .ofType(lambdaFunction.type)
    .find(({ inputs }) => inputs.environment?.variables?.PLATFORM_ADMINS);
  const [email] = JSON.parse(triggers?.inputs.environment.variables.PLATFORM_ADMINS ?? "[]") as string[];
  return email ?? "admin@archway.example";
}
