// An MCP client as a person uses it: what is done with it, and what came of each step.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../../../local/demo/sign-in.ts";
import { agree } from "../../support/mcp/connector.ts";
import { type Command, type Finished, run } from "../child.ts";
import type { Terminal, terminals } from "../terminals/terminal.ts";
import { calls, tokenMs, type Workspace } from "./workspace.ts";

export type Step = {
  what: string;
  /** @returns what is wrong, undefined if nothing is */
  play(): Promise<string | undefined>;
};

/** One call of each integration, and another one when the client's token is over. */
export function callingSteps(
  { workspace }: Place,
  { by, output }: { by: string; output: (call: (typeof calls)[number]) => Promise<string> },
): Step[] {
  const calling = async (call: (typeof calls)[number]) => {
    const written = await output(call);
    return written.includes(call.answer) ? undefined : written;
  };
  return [
    ...calls.map((call) => ({ what: `calls ${call.tool}, ${by}`, play: () => calling(call) })),
    {
      what: `goes on after its token, ${by}`,
      play() {
        workspace.stack.clock.advance(tokenMs);
        return calling(calls[0]);
      },
    },
  ];
}

export type McpClient = {
  name: string;
  version: () => string;
  steps(place: Place): Step[];
};

/** Where a client is used: an empty home and folder, beside a workspace. */
export type Place = {
  workspace: Workspace;
  home: string;
  folder: string;
  /** In a window so wide that no address is broken. */
  open(command: Pick<Command, "file" | "args" | "env">): Terminal;
  run(command: Pick<Command, "file" | "args" | "env">): Promise<Finished>;
};

const longestMs = 120_000;

export async function withPlace<T>(
  workspace: Workspace,
  open: ReturnType<typeof terminals>,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "archway-mcp-client-"));
  const [home, folder] = [join(root, "home"), join(root, "work")];
  for (const path of [home, folder]) mkdirSync(path);
  const within = ({ file, args, env }: Pick<Command, "file" | "args" | "env">) => ({
    file,
    args,
    env: { HOME: home, ...env },
    cwd: folder,
  });
  try {
    return await use({
      workspace,
      home,
      folder,
      open: (command) => open(within(command), { rows: 60, columns: 2_000 }),
      run: (command) => run(within(command), AbortSignal.timeout(longestMs)),
    });
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Signs in at the address that a client shows. @returns where the browser is sent back to, without going there */
export async function signIn({ person }: Workspace, shown: string): Promise<string> {
  const callback = new URL(shown).searchParams.get("redirect_uri") ?? "";
  return agree(new Browser(), shown, person, callback);
}

/** The address at which a client asks its person to sign in. */
export function addressIn(text: string): string | undefined {
  return /https?:\/\/[^\s"']+\/authorize\?[^\s"']+/.exec(text)?.[0];
}

/** A client's window up to its end: somebody signs in at the address that it shows. @returns what is wrong */
export async function signInAt(
  terminal: Terminal,
  workspace: Workspace,
  goBack: (callback: string) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    if (!(await terminal.until(() => addressIn(terminal.text) !== undefined, longestMs)))
      return `no address to sign in at was shown: ${terminal.text.trim()}`;
    await goBack(await signIn(workspace, addressIn(terminal.text) ?? ""));
    await terminal.until(() => terminal.exitCode !== undefined, longestMs);
    return terminal.exitCode === 0 ? undefined : `it ended with ${terminal.exitCode}: ${terminal.text.trim()}`;
  } finally {
    await terminal.close();
  }
}
