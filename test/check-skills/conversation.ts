// One conversation of an assistant: it shares a folder, tries to activate it itself, waits for the owner, and uses the new tool.
import { lastResult, type Step } from "../support/skills/scripted-model.ts";

type Plan = {
  /** The folder of the skill. */
  folder: () => string;
  name: string;
  /** What the owner does meanwhile. */
  ownerActivates: () => Promise<void>;
};

/** By Claude Code's names: its servers' tools are found by ToolSearch first, and have `mcp__` and the server's name before theirs. */
export function conversation({ folder, name, ownerActivates }: Plan, results: string[]): Step[] {
  const heard =
    (step: Step): Step =>
    (body) => {
      results.push(lastResult(body));
      return step(body);
    };
  const find = (...tools: string[]) => ({
    tool: "ToolSearch",
    input: { query: `select:${tools.map((tool) => `mcp__skills__${tool}`).join(",")}` },
  });
  const use = (tool: string, input: object) => ({ tool: `mcp__skills__${tool}`, input });
  return [
    () => find("upload_skill", "activate_skill", "list_skills"),
    heard(() => use("upload_skill", { directory: folder() })),
    heard(() => use("activate_skill", { name, version: 1 })),
    heard(async () => {
      await ownerActivates();
      return use("list_skills", {});
    }),
    heard(() => find(name)),
    heard(() => use(name, {})),
    heard(() => ({ says: "That is done." })),
  ];
}
