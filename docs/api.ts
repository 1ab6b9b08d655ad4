// `npm run docs:api`: writes docs/api.md, the table of the control plane's routes, from the same routes as the OpenAPI document.
import { writeFileSync } from "node:fs";
import { routes } from "../handlers/control/nouns.ts";
import { callersOf, introduction } from "../handlers/control/routing/openapi.ts";
import { refusalMeanings } from "../handlers/control/routing/refusal-meanings.ts";
import type { Route } from "../handlers/control/routing/route.ts";
import { refusalsOf, refusalsOfEvery } from "../handlers/control/routing/route-refusals.ts";
import { isFinal, statusOf } from "../handlers/middleware/refusal-form.ts";

export const referenceFile = new URL("api.md", import.meta.url);

export function reference(): string {
  const nouns = Object.entries<Record<string, Route>>(routes);
  const given = new Set(nouns.flatMap(([, named]) => Object.values(named).flatMap(refusalsOf)));
  return `# The control plane's API

Made by \`npm run docs:api\` from the routes. The OpenAPI document has every parameter, schema, example and refusal:

    curl https://api.<domain>/v1/openapi.json
    curl http://127.0.0.1:8787/@api/v1/openapi.json     # on a laptop, after \`npm start\`

Any viewer or generator of OpenAPI 3.1 reads it.

${introduction.map((sentence) => `- ${sentence}`).join("\n")}

${nouns.map(([noun, named]) => `## ${noun}\n\n${table(["Call", "What it does", "Callers", "Refusals"], Object.values(named).map(row))}`).join("\n\n")}

## Refusals

Every call can also be refused with ${codes(refusalsOfEvery)}.

A refusal with \`x-should-retry: false\` comes again if the call is repeated unchanged: "Repeat" says "no" there. \`retry-after\` says in how many seconds a repeat may succeed.

${table(
  ["Code", "Status", "Repeat", "Meaning"],
  [...given].map((code) => [
    codes([code]),
    String(statusOf(code)),
    isFinal(code) ? "no" : "",
    `${refusalMeanings[code]}.`,
  ]),
)}
`;
}

function row(route: Route): string[] {
  const { method, path, summary } = route;
  const own = refusalsOf(route).filter((code) => !refusalsOfEvery.includes(code));
  return [
    `\`${method} ${path}\``,
    `${summary}.`,
    callersOf(route)
      .join(" ")
      .replace(/^Callers: ./, (start) => start.slice(-1).toUpperCase()),
    codes(own),
  ];
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(referenceFile, reference());
