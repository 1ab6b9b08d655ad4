// Claude Code: a server is added, somebody signs in without a browser of its own, and an answer through the proxy calls its tools.
import { installedVersion, nativeBinary, quiet } from "../commands.ts";
import { keys } from "../terminals/terminal.ts";
import { callingSteps, type McpClient, type Place, type Step, signInAt } from "./client.ts";

const file = nativeBinary("claude-code");
const server = "archway";

export const claudeCode: McpClient = {
  name: "Claude Code",
  version: () => installedVersion("claude-code"),
  steps: (place) => [
    ...connectingSteps(place, "the printed line", () => {
      const [, ...args] = place.workspace.gateway.commands.claude_code.split(" ");
      return { args, env: {} };
    }),
    ...connectingSteps(place, "client id and secret", () => {
      const { client_id, client_secret, endpoint } = place.workspace.gateway;
      const port = ["--callback-port", "8420"];
      return {
        args: [
          "mcp",
          "add",
          "--transport",
          "http",
          "--client-id",
          client_id,
          "--client-secret",
          ...port,
          server,
          endpoint,
        ],
        env: { MCP_CLIENT_SECRET: client_secret },
      };
    }),
  ],
};

function connectingSteps(
  place: Place,
  by: string,
  adding: () => { args: string[]; env: Record<string, string> },
): Step[] {
  const run = (args: string[], env: Record<string, string> = {}) =>
    place.run({ file, args, env: { ...quiet, ...proxyEnvironment(place), ...env } });
  const ask = (prompt: string, ...more: string[]) => run(["-p", prompt, "--dangerously-skip-permissions", ...more]);
  return [
    {
      what: `added by ${by}`,
      async play() {
        const { args, env } = adding();
        const { exitCode, output } = await run(args, env);
        return exitCode === 0 ? undefined : output;
      },
    },
    {
      what: `signed in, by ${by}`,
      async play() {
        const terminal = place.open({ file, args: ["mcp", "login", "--no-browser", server], env: quiet });
        const problem = await signInAt(terminal, place.workspace, async (callback) => {
          terminal.type(callback);
          // Enter that comes in one breath with a text is taken for a part of it.
          await terminal.until(() => terminal.text.includes("code="), 2_000);
          terminal.type(keys.enter);
        });
        if (problem) return problem;
        const { output } = await run(["mcp", "list"]);
        return /archway.*Connected/.test(output) ? undefined : output;
      },
    },
    ...callingSteps(place, {
      by: `by ${by}`,
      async output({ tool, input }) {
        const name = `mcp__${server}__${tool}`;
        // Tools of MCP are not sent to the model before it has searched for them.
        await ask(`Use the tool ToolSearch ${JSON.stringify({ query: `select:${name}`, max_results: 1 })} once.`);
        return (await ask(`Use the tool ${name} ${JSON.stringify(input)} once.`, "--continue")).output;
      },
    }),
    {
      what: `removed, by ${by}`,
      async play() {
        await run(["mcp", "logout", server]);
        const { exitCode, output } = await run(["mcp", "remove", server]);
        return exitCode === 0 ? undefined : output;
      },
    },
  ];
}

function proxyEnvironment({ workspace: { proxy } }: Place): Record<string, string> {
  // As root it lets no tool run without being asked, unless it is told that it is in a sandbox.
  return { ANTHROPIC_BASE_URL: proxy.baseUrl, ANTHROPIC_API_KEY: proxy.key, IS_SANDBOX: "1" };
}
