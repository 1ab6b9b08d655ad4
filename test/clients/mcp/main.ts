// `npm run clients:mcp`: MCP clients from npm, unmodified, sign in to a workspace's gateway on this machine and call its tools; prints a table.
import { parseArgs } from "node:util";
import { startLocal } from "../../../local/stack.ts";
import { seconds } from "../judge.ts";
import { terminals } from "../terminals/terminal.ts";
import { claudeCode } from "./claude-code.ts";
import { type McpClient, withPlace } from "./client.ts";
import { inspector } from "./inspector.ts";
import { openCode } from "./opencode.ts";
import { serveUpstreams } from "./upstreams.ts";
import { prepareWorkspace, type Workspace } from "./workspace.ts";

const clients = [claudeCode, inspector, openCode];
const { values } = parseArgs({ options: { client: { type: "string", default: "" } } });

type Row = { client: string; what: string; milliseconds: number; problem: string | undefined };

process.once("SIGINT", () => process.exit(130));
const open = terminals();
const stack = await startLocal({ port: 0, ephemeral: true });
const upstreams = await serveUpstreams(stack);
const rows: Row[] = [];
try {
  const workspace = await prepareWorkspace(stack);
  for (const client of clients.filter(({ name }) => name.toLowerCase().includes(values.client))) {
    for await (const row of played(client, workspace)) {
      rows.push(row);
      if (row.problem !== undefined) process.stdout.write(`FAIL ${row.client}, ${row.what}\n${row.problem}\n`);
    }
  }
} finally {
  upstreams.close();
  await stack.stop();
}
process.stdout.write(`${tableOf(rows)}\n`);
process.exitCode = rows.every(({ problem }) => problem === undefined) ? 0 : 1;

async function* played(client: McpClient, workspace: Workspace): AsyncGenerator<Row> {
  const place = await withPlace(workspace, open, async (place) => {
    const found: Row[] = [];
    for (const { what, play } of client.steps(place)) {
      const startedAt = performance.now();
      const problem = await play();
      const milliseconds = Math.round(performance.now() - startedAt);
      found.push({ client: `${client.name} ${client.version()}`, what, milliseconds, problem });
      if (problem !== undefined) break;
    }
    return found;
  });
  yield* place;
}

function tableOf(all: Row[]): string {
  const lines = all.map(({ client, what, milliseconds, problem }) => {
    return `| ${client} | ${what} | ${problem === undefined ? "ok" : "**FAIL**"} | ${seconds(milliseconds)} |`;
  });
  return ["| client | what | | |", "| --- | --- | --- | --- |", ...lines].join("\n");
}
