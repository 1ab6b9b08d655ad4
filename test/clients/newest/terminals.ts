// The newest of the assistants that `npm run clients` plays, in a terminal as people use them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./registries.ts";

/** @returns the exit code of the run */
export function playTerminals(folder: string, clients: readonly string[]): number {
  install("npm", folder, wanted(), "");
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const chosen = clients.flatMap((name) => ["--client", name]);
  const { status } = spawnSync(process.execPath, [main, "--no-page", "--mode", "terminal", ...chosen], {
    env: { ...process.env, ARCHWAY_CLIENT_MODULES: join(folder, "node_modules") },
    stdio: "inherit",
  });
  return status ?? 1;
}

/** The packages of the pinned run in their newest versions. A package of a fixed version stays. */
function wanted(): string[] {
  const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  return Object.entries(dependencies).map(([name, pinned]) => {
    const alias = /^npm:(.+)@[^@]+$/.exec(pinned)?.[1];
    if (/-\d+\.\d+\.\d+$/.test(name)) return `${name}@${pinned}`;
    return alias ? `${name}@npm:${alias}@latest` : `${name}@latest`;
  });
}
