// A tool of the operating system: its input and output in memory, for a bounded time, and never through a shell.
import { spawn } from "node:child_process";

type Options = { input?: string; env: Record<string, string | undefined>; timeoutMs?: number };

/**
 * Runs a tool and returns its output.
 * @throws Error without its output, which may hold a secret: it is not there, failed, or took too long
 */
export function runTool(file: string, args: string[], { input, env, timeoutMs = 20_000 }: Options): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    // Node's own timer goes on after a program that is not there, and keeps this one alive.
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(`${file}: ${error.code}`));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`${file} ended with ${code ?? "a signal"}`));
    });
    // A tool that ends without reading is told by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
}
