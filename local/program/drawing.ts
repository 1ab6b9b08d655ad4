// The declared resources as a drawing: a box for each that does something, an arrow for each that names another.
import type { DeclaredResource, Resources } from "./resources.ts";

/** The types that are drawn and their titles, by column from the caller inwards. Records, policies and permissions are not drawn. */
const columns: Record<string, string>[] = [
  {
    "aws:cloudfront/distribution:Distribution": "CloudFront",
    "aws:apigatewayv2/apiMapping:ApiMapping": "Host of the API",
    "aws:cognito/userPoolDomain:UserPoolDomain": "Sign-in host",
    "aws:cloudwatch/eventTarget:EventTarget": "Schedule",
    "aws:lambda/eventSourceMapping:EventSourceMapping": "Messages of a queue",
  },
  {
    "aws:cloudfront/function:Function": "Edge function",
    "aws:lambda/functionUrl:FunctionUrl": "Function URL",
    "aws:apigatewayv2/integration:Integration": "HTTP API",
    "aws:cognito/userPool:UserPool": "User pool",
  },
  { "aws:lambda/function:Function": "Lambda" },
  {
    "aws:dynamodb/table:Table": "DynamoDB",
    "aws:iam/role:Role": "Model host's role",
    "aws:sqs/queue:Queue": "Queue",
  },
];

const box = { width: 190, height: 46, across: 270, down: 66, margin: 20 };

type Box = { resource: DeclaredResource; kind: string; x: number; y: number };

/** An SVG document, the same for the same program. */
export function draw(resources: Resources): string {
  const boxes = columns.flatMap((kinds, column) => {
    const drawn = [...resources].filter((resource) => kinds[resource.type] && isDrawn(resource));
    // The program's order depends on when its outputs become known.
    const ordered = drawn.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    return ordered.map((resource, row) => ({
      resource,
      kind: kinds[resource.type] ?? "",
      x: box.margin + column * box.across,
      y: box.margin + row * box.down,
    }));
  });
  const arrows = boxes.flatMap((from) => boxes.filter((to) => leadsTo(from, to)).map((to) => arrow(from, to)));
  const width = Math.max(...boxes.map(({ x }) => x)) + box.width + box.margin;
  const height = Math.max(...boxes.map(({ y }) => y)) + box.height + box.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    "<title>What the program deploys</title>",
    '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...arrows,
    ...boxes.map(drawnBox),
    "</svg>\n",
  ].join("\n");
}

function keyOf({ name, type }: DeclaredResource): string {
  return `${name} ${type}`;
}

/** Only the role that may be in another account is drawn: the others belong to their functions, and dead letters to their queue. */
function isDrawn({ type, name }: DeclaredResource): boolean {
  if (type === "aws:sqs/queue:Queue") return !name.endsWith("-dead-letters");
  return type !== "aws:iam/role:Role" || name.endsWith("model-host");
}

/** An arrow leads to a resource whose name stands in the inputs of the nearer one. */
function leadsTo(from: Box, to: Box): boolean {
  if (from.x >= to.x) return false;
  const { arn, id, name, functionUrl } = to.resource.outputs;
  const given = JSON.stringify({ ...from.resource.inputs, code: undefined });
  const names = [arn, id, name, functionUrl && new URL(functionUrl).hostname, to.resource.inputs.apiId];
  return names.some((one) => typeof one === "string" && one !== "" && given.includes(JSON.stringify(one)));
}

function arrow(from: Box, to: Box): string {
  const middle = box.height / 2;
  const line = `x1="${from.x + box.width}" y1="${from.y + middle}" x2="${to.x}" y2="${to.y + middle}"`;
  return `<line ${line} stroke="#555" marker-end="url(#a)"/>`;
}

function drawnBox({ resource, kind, x, y }: Box): string {
  const frame = `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" fill="#eef3fb" stroke="#456"/>`;
  const first = `<text x="${x + 10}" y="${y + 19}" font-weight="bold">${kind}</text>`;
  return `${frame}${first}<text x="${x + 10}" y="${y + 36}">${titleOf(resource)}</text>`;
}

function titleOf({ name, inputs }: DeclaredResource): string {
  const host = inputs.aliases?.[0] ?? inputs.domainName ?? inputs.domain;
  return typeof host === "string" ? host.replace(/localhost$/, "&lt;domain&gt;") : name;
}
