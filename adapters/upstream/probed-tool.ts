// A tool as an MCP server lists it, in the short form in which it is compared with later ones.
import { createHash } from "node:crypto";
import type { ProbedTool } from "../../domain/upstream/upstream.ts";

const digestLength = 16;

type ListedTool = { name: string; description?: string | undefined; inputSchema: unknown };

export function probed({ name, description, inputSchema }: ListedTool): ProbedTool {
  const digest = createHash("sha256")
    .update(JSON.stringify([description, inputSchema]))
    .digest("hex");
  return { name, digest: digest.slice(0, digestLength) };
}
