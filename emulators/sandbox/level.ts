// How well this machine can confine a script: `bwrap` (Linux, bubblewrap), `seatbelt` (macOS) or `none`.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { confined, type Level, levels } from "./confinement.ts";
import { sandboxFolder } from "./folder.ts";
import { defaultLimits } from "./limits.ts";

/** The level, and whether scripts run at all: without a sandbox only who asks for that by name gets it. */
export type Sandbox = { level: Level; runs: boolean };

/** @param asked the level of `--sandbox`; undefined takes the best that works here. */
export function sandboxHere(asked: Level | undefined): Sandbox {
  if (asked === "none") return { level: "none", runs: true };
  const level = levels.find((level) => (asked === undefined || asked === level) && level !== "none" && works(level));
  if (level) return { level, runs: true };
  if (asked) throw new Error(`--sandbox ${asked}: does not work on this machine`);
  return { level: "none", runs: false };
}

/** Whether a command really runs at the level: bubblewrap may be there, and a kernel or container may forbid the namespaces that it needs. */
function works(level: Level): boolean {
  if ((level === "seatbelt") !== (process.platform === "darwin")) return false;
  const folder = sandboxFolder();
  try {
    const { file, args, options } = confined(level, ["/bin/sh", "-c", "exit 7"], {
      folder,
      network: false,
      limits: defaultLimits,
    });
    return spawnSync(file, args, { ...options, stdio: "ignore", timeout: 10_000 }).status === 7;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
