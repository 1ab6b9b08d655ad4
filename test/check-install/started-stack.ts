// A stack that a person started with `npm start` in a terminal of their own, used by what it printed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

export type StartedStack = {
  /** What the printed `curl` answers. */
  streamedMessage(): string;
  stop(): Promise<void>;
};

/** @throws Error with the output if the stack ends before it is up. */
export async function startedStack(checkout: string, env: NodeJS.ProcessEnv): Promise<StartedStack> {
  const child = spawn("npm", ["start", "--", "--ephemeral", "--port", "0"], {
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const ended = once(child, "exit");
  // The stack holds the output open until it has ended, too.
  const closed = once(child, "close");
  let output = "";
  const isUp = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("\ncurl -N ") && output.includes("from the control plane")) resolve();
      });
    }
  });
  await Promise.race([isUp, ended]);
  const curl = /^curl -N .*$/m.exec(output)?.[0];
  if (curl === undefined) throw new Error(`npm start ended before it was up: ${output.slice(-2000)}`);

  return {
    streamedMessage: () => {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", curl], { encoding: "utf8" });
      if (status !== 0) throw new Error(`${curl} ended with ${status}: ${stderr}`);
      return stdout;
    },
    stop: async () => {
      // As Ctrl+C does, a signal to the group reaches npm, its shell and the stack.
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await closed;
    },
  };
}
