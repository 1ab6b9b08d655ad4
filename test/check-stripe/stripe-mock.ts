// Stripe's own stripe-mock, pinned: installed by Go into the cache, run on a free port. It knows v1's parameters, no state and no v2.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The newest one, of 2026-11-22. Its specification is older than the SDK's: see `newer` in main.ts. */
export const mockVersion = "v0.203.0";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** For people, without a stack trace. */
export class GoMissing extends Error {}

export type StripeMock = { url: string; stop(): void };

/** @throws GoMissing without Go, or if the module cannot be had */
export function installStripeMock(): string {
  const folder = join(root, "node_modules", ".cache", "archway", "check-stripe", mockVersion);
  const program = join(folder, process.platform === "win32" ? "stripe-mock.exe" : "stripe-mock");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder };
  const { error, status, stderr } = spawnSync("go", ["install", `github.com/stripe/stripe-mock@${mockVersion}`], {
    env,
    encoding: "utf8",
  });
  if (error) throw new GoMissing("check:stripe needs Go 1.22 or newer on the PATH: https://go.dev/dl");
  if (status !== 0) throw new GoMissing(`stripe-mock cannot be installed: ${stderr.trim()}`);
  return program;
}

export async function startStripeMock(program: string): Promise<StripeMock> {
  const child = spawn(program, ["-http-addr", "127.0.0.1:"], { stdio: ["ignore", "pipe", "inherit"] });
  return { url: `http://${await addressOf(child)}`, stop: () => void child.kill() };
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("stripe-mock has no output");
  for await (const line of createInterface({ input: stdout })) {
    const address = /Listening for HTTP at address: (\S+)/.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error("stripe-mock did not start");
}
