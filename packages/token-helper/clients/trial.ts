// A client that was set up is asked one question by itself: only that shows that it reads its settings and starts in this network.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Failure, oneLine } from "../../command-line/failure.ts";
import type { Machine } from "../../command-line/machine/machine.ts";
import type { Platform } from "../../sign-in/platform/platform.ts";
import { type Call, callsOf, isListed } from "../own-call.ts";
import type { Trial } from "./client.ts";

/** opencode's first start fetches packages, for 40 seconds on a busy machine; one that waits for a network or a person takes longer than this. */
const longestMs = 180_000;

/** Where the client's call has to arrive, and whose it is. */
type Listing = { platform: Platform; userId: string };

/**
 * Asks the client a question, unless it is not installed, and looks for its call at the platform. A client that names its session is known by that;
 * of another one the first new call of the person counts. @returns a sentence for people
 * @throws Failure with the end of what the client wrote, if it does not answer; also if the answer came from somewhere else.
 */
export async function tryClient(
  machine: Machine,
  { program, args, sessionId }: Trial,
  { platform, userId }: Listing,
): Promise<string> {
  if (!isOnPath(machine, program)) return `${program} is not on your PATH, so only the platform was tried.`;
  const word = `arch${randomBytes(3).toString("hex")}`;
  machine.say(`Asking ${program} itself, which may take a while ...`);
  const before = (await callsOf(platform, userId)).map(({ request_id }) => request_id);
  const { code, output } = await run(machine, program, [...args, `Answer with this word alone: ${word}`]);
  if (code === 0 && output.includes(word)) {
    const isOwn = ({ request_id, session_id = sessionId }: Call) =>
      session_id === sessionId && !before.includes(request_id);
    if (await isListed(platform, userId, isOwn)) return `${program} answers: it works.`;
    throw new Failure(
      "failed",
      `${program} answers, but not by the platform, which has no call of it: something leads it elsewhere`,
    );
  }
  const why = code === undefined ? `does not answer within ${longestMs / 1000} seconds` : `ends with ${code}`;
  throw new Failure("failed", `${program} ${why}: ${oneLine(output).slice(-400) || "it says nothing"}`);
}

/** In an empty folder, so that no project's settings take part, and with nobody at its input. */
async function run({ env, platform }: Machine, program: string, args: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "archway-setup-"));
  // Claude Code does not start within another one of itself.
  const { CLAUDECODE: _, ...surroundings } = env;
  const onWindows = platform === "win32";
  const child = spawn(program, onWindows ? args.map((each) => `"${each}"`) : args, {
    cwd,
    env: surroundings,
    shell: onWindows,
    detached: !onWindows,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, late] = ["", false];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const kill = () => {
    late = true;
    stop(child.pid, onWindows);
  };
  const timer = setTimeout(kill, longestMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", ({ message }) => reject(new Failure("failed", `${program} does not start: ${message}`)));
      child.once("exit", resolve);
    });
    return { code: late ? undefined : (code ?? -1), output };
  } finally {
    clearTimeout(timer);
    stop(child.pid, onWindows);
    rmSync(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The client and all that it has started. */
function stop(pid: number | undefined, alone: boolean): void {
  try {
    if (pid !== undefined) process.kill(alone ? pid : -pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}

function isOnPath({ env, platform }: Machine, program: string): boolean {
  const names = platform === "win32" ? [`${program}.exe`, `${program}.cmd`] : [program];
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => names.some((name) => isExecutable(join(folder, name))));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
