// The assistants that people use in a terminal: how each is started, what it asks a person, and how one sees whether it works.
import { join } from "node:path";
import type { Command } from "../child.ts";
import { modules, nativeBinary, openCodeBinary } from "../commands.ts";
import type { ClientName } from "../scenarios.ts";
import { keys } from "./terminal.ts";

export const assistantNames = ["claude-code", "claude-code-2.1.197", "opencode", "continue"] as const;
export type AssistantName = (typeof assistantNames)[number] & ClientName;

/** A question that it asks before or during its work, and the answer of somebody who agrees. */
type Dialog = { shows: RegExp; press: string[] };

export type Assistant = {
  /** As `archway setup` calls it. */
  setupName: string;
  program(): Pick<Command, "file" | "args">;
  /** The command line's arguments for one question without a terminal. */
  headless(question: string): string[];
  dialogs: Dialog[];
  /** The screen shows this while the assistant waits for a question. */
  ready: RegExp;
  /** The screen shows this while the assistant works on a question. */
  busy: RegExp;
  /** How one stops an answer. */
  stop: string[];
  quit: string[];
};

const claudeCode = (packageName: string): Assistant => ({
  setupName: "claude-code",
  program: () => ({ file: nativeBinary(packageName), args: [] }),
  headless: (question) => ["-p", question],
  dialogs: [
    { shows: /Choose the text style/, press: [keys.enter] },
    { shows: /Press Enter to continue/, press: [keys.enter] },
    { shows: /❯ (?:1\. )?Yes, I trust this folder/, press: [keys.enter] },
    { shows: /❯ No, exit\s+Yes, I trust this folder/, press: [keys.down] },
    { shows: /Do you want to use this API key\?\s+(?:1\. )?Yes\s+❯/, press: [keys.up] },
    { shows: /Do you want to use this API key\?\s+❯ (?:1\. )?Yes/, press: [keys.enter] },
    { shows: /❯ 1\. Yes\b[^│]*\n[^│]*\bNo\b/, press: [keys.enter] },
  ],
  ready: /─{20,}\n❯.*(?:\n.*)?\n─{20,}/,
  busy: /esc to interrupt|retrying in|Retrying in|^\s*[·✢✳✶✻✽*✦] .*(?:…|\.\.\.)/m,
  stop: [keys.interrupt],
  quit: ["/exit", keys.enter],
});

export const assistants: Record<AssistantName, Assistant> = {
  "claude-code": claudeCode("claude-code"),
  "claude-code-2.1.197": claudeCode("claude-code-2.1.197"),
  opencode: {
    setupName: "opencode",
    program: () => ({ file: openCodeBinary(), args: [] }),
    headless: (question) => ["run", question],
    dialogs: [{ shows: /Permission required[\s\S]*Allow once/, press: [keys.enter] }],
    ready: /ctrl\+p commands/,
    busy: /esc (?:again to )?interrupt/,
    stop: [keys.escape, keys.escape],
    quit: [keys.interrupt],
  },
  continue: {
    setupName: "continue",
    program: () => ({ file: process.execPath, args: [join(modules, "@continuedev/cli", "dist", "cn.js")] }),
    headless: (question) => ["-p", question],
    dialogs: [{ shows: /Would you like to continue\?|Continue\n.*Reject/, press: [keys.enter] }],
    ready: /Ask anything|Enter your message/,
    busy: /esc to interrupt|Generating|\(\d+s .*interrupt/,
    stop: [keys.escape],
    quit: ["/exit", keys.enter],
  },
};

export function isAssistant(name: ClientName): name is AssistantName {
  return name in assistants;
}
