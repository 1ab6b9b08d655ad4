// The demo workspace's skills, one of each kind: its developer uploads them, and its owner activates what was uploaded.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "../running-stack.ts";
import { callControlPlane } from "./workspace.ts";

const folder = fileURLToPath(new URL("./skills/", import.meta.url));

/** Tokens of the console, which opens what the skills client opens. */
type Tokens = { owner: string; developer: string };

export async function addSkills(stack: Stack, { owner, developer }: Tokens): Promise<void> {
  for (const name of readdirSync(folder)) {
    const body = { name, files: filesOf(join(folder, name)), change: "The first version" };
    const uploaded = (await callControlPlane(stack, developer, "POST", "/v1/skills", body)) as Reviewed;
    const { version, digest } = uploaded;
    const path = `/v1/skills/${name}`;
    const { env_digest } = (await callControlPlane(stack, owner, "GET", `${path}/env`)) as { env_digest: string };
    await callControlPlane(stack, owner, "POST", `${path}/activate`, { version, digest, env_digest });
  }
}

type Reviewed = { version: number; digest: string };

function filesOf(skill: string): { path: string; content: string }[] {
  const entries = readdirSync(skill, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(skill.length + 1).replaceAll("\\", "/");
    return { path, content: readFileSync(file).toString("base64") };
  });
}
