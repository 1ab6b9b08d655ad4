// The text that `npm start` prints: the addresses, the people, and three commands to copy.

import { defaultAddress } from "../describe.ts";
import type { Stack } from "../running-stack.ts";
import { appClient } from "./app-client.ts";
import { isBilling } from "./billing.ts";

export type WelcomeOptions = { upstream: string | undefined; secondsToStart: number };

export function welcome(stack: Stack, { upstream, secondsToStart }: WelcomeOptions): string {
  const { demo, edge } = stack;
  const lines = [
    `Archway is up on ${edge} (${secondsToStart.toFixed(1)} s).`,
    "",
    `  console         ${stack.console}`,
    `  control plane   ${stack.at("api")}/v1/openapi.json`,
    `  model proxy     ${edge}/@<slug>.proxy/vendor/v1`,
    `  sign-in         ${signInPage(stack)}`,
    ...(isBilling(stack.program) ? [`  Stripe          ${stack.at("stripe")}/dashboard`] : []),
    `  model host      ${upstream ?? "built in"}`,
    `  sandbox         ${sandboxLine(stack)}`,
    `  AWS endpoint    ${stack.aws}`,
    `  look inside     ${edge}/_local`,
  ];
  if (stack.clock.ahead > 0) {
    const hours = (stack.clock.ahead / 3_600_000).toFixed(1);
    lines.push("", `The clock is ${hours} h ahead, where the data's last run left it.`);
  }
  if (demo) lines.push("", ...demoLines(demo), "", ...commands(stack, demo));
  return `${lines.join("\n")}\n`;
}

function sandboxLine({ sandbox: { level, runs } }: Stack): string {
  if (level !== "none") return level;
  return runs
    ? "none: scripts of skills run as you do"
    : "none: scripts of skills are refused (--sandbox none runs them unconfined)";
}

/** The console's sign-in page: the sign-in host shows a page only to people who come from an app. */
function signInPage(stack: Stack): string {
  const { client_id, redirect_uri } = appClient(stack.program, "console");
  return `${stack.at("auth")}/login?${new URLSearchParams({ response_type: "code", client_id, redirect_uri })}`;
}

function demoLines(demo: NonNullable<Stack["demo"]>): string[] {
  const person = (role: string, { email, password }: { email: string; password: string }) =>
    `  ${role.padEnd(15)} ${email}  ${password}`;
  return [
    `Demo workspace "${demo.slug}":`,
    person("owner", demo.owner),
    person("developer", demo.developer),
    person("platform admin", demo.platform_admin),
    `  API key         ${demo.api_key}  (a service account's)`,
  ];
}

function commands(stack: Stack, { slug, api_key }: NonNullable<Stack["demo"]>): string[] {
  const proxy = stack.at(`${slug}.proxy`);
  const token = `npm run --silent token -- owner${stack.edge === defaultAddress ? "" : ` ${stack.edge}`}`;
  return [
    "Try a streamed message:",
    "",
    `curl -N ${proxy}/vendor/v1/messages -H 'x-api-key: ${api_key}' -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' -d '{"model":"claude-sonnet-5","max_tokens":200,"stream":true,"messages":[{"role":"user","content":"What is an arch?"}]}'`,
    "",
    "The same with the Anthropic TypeScript SDK:",
    "",
    `ANTHROPIC_BASE_URL=${proxy}/vendor ANTHROPIC_API_KEY=${api_key} npm run --silent example`,
    "",
    "The owner's workspace from the control plane:",
    "",
    `curl ${stack.at("api")}/v1/tenants/my -H "authorization: Bearer $(${token})"`,
  ];
}
