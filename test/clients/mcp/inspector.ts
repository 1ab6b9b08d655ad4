// The MCP Inspector in a terminal: somebody signs in once, and lists and calls tools in both eras of the protocol.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { modules } from "../commands.ts";
import { callingSteps, type McpClient, signInAt } from "./client.ts";
import { calls } from "./workspace.ts";

const folder = join(modules, "@modelcontextprotocol", "inspector");
const program = join(folder, "clients", "launcher", "build", "index.js");

export const inspector: McpClient = {
  name: "Inspector",
  version: () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version,
  steps(place) {
    const { gateway } = place.workspace;
    // No keychain is asked for: a machine without a desktop has none.
    const env = { MCP_INSPECTOR_SECRET_STORE: "file" };
    const [, , ...printed] = gateway.commands.inspector.split(" ");
    const run = (args: string[]) =>
      place.run({
        file: process.execPath,
        args: [program, "--cli", gateway.endpoint, "--transport", "http", "--format", "json", ...args],
        env,
      });
    return [
      {
        what: "signs in and lists, by the printed line",
        play: () =>
          signInAt(
            place.open({ file: process.execPath, args: [program, ...printed], env }),
            place.workspace,
            (callback) => fetch(callback),
          ),
      },
      ...["legacy", "modern"].flatMap((era) => [
        {
          what: `lists, ${era} era`,
          async play() {
            const { output } = await run(["--stored-auth-only", "--protocol-era", era, "--method", "tools/list"]);
            return calls.every(({ tool }) => output.includes(`"${tool}"`)) ? undefined : output;
          },
        },
        ...callingSteps(place, {
          by: `${era} era`,
          async output({ tool, input }) {
            const asked = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(input)];
            return (await run(["--stored-auth-only", "--protocol-era", era, ...asked])).output;
          },
        }),
      ]),
    ];
  },
};
