// `npm run diagram` draws what the program deploys, from the program itself, into docs/deployment.md. The same program gives the same page.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DeclaredResource, Resources } from "../emulators/pulumi/resources.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "./program/program.ts";

export const diagramFile = new URL("../docs/deployment.md", import.meta.url);

/** The types that are drawn and their titles, from the caller inwards. Records, policies and permissions are not drawn. */
const kinds: Record<string, string> = {
  "aws:cloudfront/distribution:Distribution": "CloudFront",
  "aws:apigatewayv2/apiMapping:ApiMapping": "Host of the API",
  "aws:cognito/userPoolDomain:UserPoolDomain": "Sign-in host",
  "aws:cloudwatch/eventTarget:EventTarget": "Schedule",
  "aws:lambda/eventSourceMapping:EventSourceMapping": "Messages of a queue",
  "aws:cloudfront/function:Function": "Edge function",
  "aws:lambda/functionUrl:FunctionUrl": "Function URL",
  "aws:apigatewayv2/integration:Integration": "HTTP API",
  "aws:cognito/userPool:UserPool": "User pool",
  "aws:lambda/function:Function": "Lambda",
  "aws:dynamodb/table:Table": "DynamoDB",
  "aws:iam/role:Role": "Model host's role",
  "aws:sqs/queue:Queue": "Queue",
};
const ranks = Object.keys(kinds);

/** The page with its Mermaid flowchart. */
export function drawn(resources: Resources): string {
  const boxes = [...resources]
    .filter(isDrawn)
    // The program's order depends on when its outputs become known.
    .toSorted((one, other) => ranks.indexOf(one.type) - ranks.indexOf(other.type) || (one.name < other.name ? -1 : 1));
  const lines = boxes.flatMap((from, index) => [
    `    ${index}["${kinds[from.type]}<br>${titleOf(from)}"]`,
    ...boxes.flatMap((to, target) => (leadsTo(from, to) ? [`    ${index} --> ${target}`] : [])),
  ]);
  const graph = ["```mermaid", "flowchart LR", ...lines, "```"].join("\n");
  return `# What the program deploys\n\n\`npm run diagram\` draws this page from the program.\n\n${graph}\n`;
}

/** Only the role that may be in another account is drawn: the others belong to their functions, and dead letters to their queue. */
function isDrawn({ type, name }: DeclaredResource): boolean {
  if (type === "aws:sqs/queue:Queue") return !name.endsWith("-dead-letters");
  return type === "aws:iam/role:Role" ? name.includes("model-host") : ranks.includes(type);
}

/** An arrow leads to a resource further in whose name stands in the inputs of the nearer one. */
function leadsTo(from: DeclaredResource, to: DeclaredResource): boolean {
  if (ranks.indexOf(from.type) >= ranks.indexOf(to.type)) return false;
  const { arn, id, name, functionUrl } = to.outputs;
  const given = JSON.stringify({ ...from.inputs, code: undefined });
  const names = [arn, id, name, functionUrl && new URL(functionUrl).hostname, to.inputs.apiId];
  return names.some((one) => typeof one === "string" && one !== "" && given.includes(JSON.stringify(one)));
}

function titleOf({ name, inputs }: DeclaredResource): string {
  const host = inputs.aliases?.[0] ?? inputs.domainName ?? inputs.domain;
  return typeof host === "string" ? host.replace(/localhost$/, "&lt;domain&gt;") : name;
}

if (import.meta.main) {
  const root = new URL("..", import.meta.url);
  const { resources } = await evaluateProgram(await readStackConfig(fileURLToPath(new URL(localStackFile, root))));
  writeFileSync(diagramFile, drawn(resources));
}
