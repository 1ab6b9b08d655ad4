// One conversation of an assistant: it shares a folder, tries to activate it itself by tool and by shell, waits for the owner, and uses the skill and
// one with a script.
import type { Turn } from "../support/skills/messages-turn.ts";
import type { Heard, Step } from "../support/skills/scripted-model.ts";

export type Speech = {
  /** How the assistant names a tool of the skills server to its model. */
  use: (tool: string, input: object) => Turn;
  /** How its model runs a command. */
  shell: (command: string) => Turn;
  /** What its model does first to have these tools, where they are not there from the start. */
  find?: (tools: string[]) => Turn;
  /** Whether it asks for the list of tools again when the server says that it has changed. */
  listens: boolean;
};

type Plan = {
  /** The folder of the skill, which has its name. */
  folder: string;
  name: string;
  /** What the shell is given to have the skill activated. */
  activation: string;
  ownerActivates: () => Promise<void>;
};

/** @param heard by what was asked, the result */
export function conversation({ use, shell, find, listens }: Speech, plan: Plan, heard: Map<string, Heard>): Step[] {
  const { folder, name, activation, ownerActivates } = plan;
  const finding = (...tools: string[]) => (find ? [["find", () => find(tools)] as const] : []);
  const using = (skill: string, input: object) =>
    listens ? use(skill, input) : use("invoke_skill", { name: skill, input });
  const asked: (readonly [string, () => Turn | Promise<Turn>])[] = [
    ...finding("upload_skill", "activate_skill", "list_skills", "invoke_skill"),
    ["upload", () => use("upload_skill", { directory: folder })],
    ["activate", () => use("activate_skill", { name, version: 1 })],
    ["shell", () => shell(activation)],
    [
      "list",
      async () => {
        await ownerActivates();
        return use("list_skills", {});
      },
    ],
    ...finding(name, "word-count"),
    ["instructions", () => using(name, {})],
    ["script", () => using("word-count", { text: "three small words" })],
    ["end", () => ({ says: "That is done." })],
  ];
  return asked.map(([, act], place) => (now) => {
    const [before] = asked[place - 1] ?? [];
    if (before !== undefined) heard.set(before, now);
    return act();
  });
}
