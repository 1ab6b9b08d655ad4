// A tool as an MCP server lists it, in the short form in which it is compared with later ones.
import { createHash } from "node:crypto";
import type { ProbedTool } from "../../domain/upstream/upstream.ts";

const digestLength = 16;

type ListedTool = { name: string; [member: string]: unknown };

/** All that a model or a client is told of the tool counts: a hint such as `destructiveHint` is a change, too. */
export function probed({ name, ...told }: ListedTool): ProbedTool {
  const { title, description, inputSchema, outputSchema, annotations, icons, _meta } = told;
  const digest = createHash("sha256")
    .update(JSON.stringify([title, description, inputSchema, outputSchema, annotations, icons, _meta]))
    .digest("hex");
  return { name, digest: digest.slice(0, digestLength) };
}
