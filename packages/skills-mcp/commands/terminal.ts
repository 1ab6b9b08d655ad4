// A person at a terminal: what only they may do is refused where none is, as in an assistant's own shell.
import { createInterface } from "node:readline";
import { Failure } from "../../command-line/failure.ts";
import type { Machine } from "../../command-line/machine/machine.ts";

/** @throws Failure where the input is no terminal. */
export function requireTerminal({ stdin }: Machine, what: string): void {
  if (stdin.isTTY) return;
  throw new Failure("failed", `${what} needs a person at a terminal, and this input is none`);
}

/** Asks for a line that the person types. */
export async function ask(machine: Machine, question: string): Promise<string> {
  machine.say(question);
  const lines = createInterface({ input: machine.stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    return "";
  } finally {
    lines.close();
  }
}

/** Asks for a line that is typed or pasted and not shown. @throws Failure if it is broken off */
export async function askHidden(machine: Machine, question: string): Promise<string> {
  const stdin = machine.stdin as Machine["stdin"] & { setRawMode?: (isRaw: boolean) => void };
  machine.say(question);
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8");
  try {
    let typed = "";
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === "\r" || character === "\n" || character === "\u0004") return typed;
        if (character === "\u0003") throw new Failure("failed", "broken off, and nothing was changed");
        if (character === "\u007f" || character === "\b") typed = [...typed].slice(0, -1).join("");
        else typed += character;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}
