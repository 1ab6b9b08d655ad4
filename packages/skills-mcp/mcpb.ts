// `npm run mcpb`: `dist/mcpb`, the folder of a bundle for desktop clients, which `mcpb pack` makes one file of.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./build.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** @param outside where the folder goes; `dist/mcpb` unless given. */
export async function mcpbFolder(outside = join(folder, "dist", "mcpb")): Promise<string> {
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(join(outside, "server"), { recursive: true });
  await bundle(join(outside, "server", "archway-skills.cjs"));
  writeFileSync(join(outside, "manifest.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  return outside;
}

/** The bundle's manifest, in version 0.4 of MCPB's form: MCPB's own tools read a manifest by the version that it names. */
function manifest() {
  const { version, description, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entry = "server/archway-skills.cjs";
  return {
    manifest_version: "0.4",
    name: "archway-skills",
    display_name: "Archway skills",
    version,
    description,
    author: { name: "Archway" },
    license,
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: {
        command: "node",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills these in.
        args: ["${__dirname}/server/archway-skills.cjs", "serve"],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills these in.
        env: { ARCHWAY_URL: "${user_config.url}" },
      },
    },
    // Every active skill of the workspace is a tool, too.
    tools_generated: true,
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: ">=20" } },
    user_config: {
      url: {
        type: "string",
        title: "Platform",
        description: "The address of the platform's API, https://api.<domain>",
        required: true,
      },
    },
  };
}

if (import.meta.main) await mcpbFolder(process.argv[2]);
