// Runs a client's program in a process group of its own, for a bounded time, and leaves nothing of it running.
import { spawn } from "node:child_process";

export type Command = { file: string; args: string[]; env: Record<string, string>; cwd: string };
export type Finished = {
  /** What it wrote to the terminal, both streams. */
  output: string;
  exitCode: number | undefined;
  /** Why it had to be killed. */
  killed: string | undefined;
  milliseconds: number;
};

/** @param signal kills it; its reason says why. */
export async function run({ file, args, env, cwd }: Command, signal: AbortSignal): Promise<Finished> {
  const startedAt = performance.now();
  // Nothing of this machine's environment but what a program needs to start: no credential, no proxy, no setting.
  const path = process.env.PATH ?? "";
  const child = spawn(file, args, {
    cwd,
    env: { PATH: path, ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => written.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => written.push(chunk));
  const stop = () => killGroup(child.pid);
  signal.addEventListener("abort", stop);
  process.once("exit", stop);
  try {
    const exitCode = await new Promise<number | undefined>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code ?? undefined));
    });
    const milliseconds = Math.round(performance.now() - startedAt);
    const killed = signal.aborted ? String(signal.reason) : undefined;
    return { output: Buffer.concat(written).toString(), exitCode, killed, milliseconds };
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", stop);
    stop();
  }
}

/** The client and all it has started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
