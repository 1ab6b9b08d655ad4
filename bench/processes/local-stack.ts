// The whole local stack: edge, worker threads, IAM and embedded store, with keys whose limits nobody meets.
import { consoleToken } from "../../local/demo/app-client.ts";
import { startLocal } from "../../local/stack.ts";
import { callerCount, limits } from "../workspace.ts";
import { announce, answer } from "./child.ts";

const stack = await startLocal({ port: 0, ephemeral: true });
answer("stop", () => stack.stop());
const { demo } = stack;
if (!demo) throw new Error("The local stack has no demo workspace");
// As many deltas as the constant message has.
stack.bedrock.configure({ outputTokens: 200, tokensPerEvent: 4 });

const authorization = `Bearer ${await consoleToken(stack, demo.owner)}`;

async function createKey(): Promise<string> {
  const response = await fetch(`${stack.at("api")}/v1/keys`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "Benchmark", kind: "service_account", grant: limits }),
  });
  if (!response.ok) throw new Error(`POST /v1/keys answered ${await response.text()}`);
  return ((await response.json()) as { key: string }).key;
}

const apiKeys: string[] = [];
while (apiKeys.length < callerCount) apiKeys.push(await createKey());
announce(stack.at(`${demo.slug}.proxy`), { apiKeys });
