// A stack for a test whose demo workspace was made before, by the first one of the same run: making it costs twenty times what the rest
// of a start does.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sandboxHere } from "../../../emulators/sandbox/level.ts";
import { type LocalOptions, type Stack, startLocal } from "../../../local/stack.ts";
import { seededFolder } from "../runner/run-folder.ts";

/** Scripts of tests are ours: where there is no sandbox, or ARCHWAY_SANDBOX is `none`, they run without one. */
const unconfined: Pick<LocalOptions, "sandbox"> =
  process.env.ARCHWAY_SANDBOX === "none" || !sandboxHere(undefined).runs ? { sandbox: "none" } : {};

/** All that it writes lies in the folder, which is removed when it stops. */
export type SeededStack = Stack & { dataFolder: string };

/**
 * Starts on a copy of the data that a stack of `local/stack.yaml` leaves: no mail, call or log of the making is in it.
 * @param options a configuration that the demo workspace does not depend on
 */
export async function startSeeded(options: Pick<LocalOptions, "config" | "change"> = {}): Promise<SeededStack> {
  const folder = mkdtempSync(join(tmpdir(), "archway-stack-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await seed(folder);
    const stack = await startLocal({ ...options, ...unconfined, port: 0, dataFolder: folder });
    // Owners of one test after another pay by the same test cards, and are to have a trial each.
    stack.stripe.configure({ same_fingerprints: false });
    return { ...stack, dataFolder: folder, stop: () => stack.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Puts into a folder what a stack of `local/stack.yaml` leaves that has made its demo workspace. */
export async function seed(folder: string): Promise<void> {
  cpSync(await seeded(), folder, { recursive: true });
}

/** The data of a stack that has stopped. One of Jest's workers makes it, and the others wait. */
async function seeded(): Promise<string> {
  const folder = join(seededFolder(), "data");
  while (!existsSync(folder)) {
    if (isMine()) await make(folder).finally(() => rmSync(making(), { recursive: true, force: true }));
    else await sleep(20);
  }
  return folder;
}

const making = () => join(seededFolder(), "making");

/** Only one worker can make this folder. */
function isMine(): boolean {
  try {
    mkdirSync(making());
    return true;
  } catch {
    return false;
  }
}

async function make(folder: string): Promise<void> {
  // Another one may have made it between the last look and the turn.
  if (existsSync(folder)) return;
  const begun = await begin();
  rmSync(join(begun, "logs"), { recursive: true });
  renameSync(begun, folder);
}

/** Tries again, as the demo's people would, where a machine that has no time lets Cognito's five seconds for a trigger pass. */
async function begin(more = 3): Promise<string> {
  const begun = mkdtempSync(join(seededFolder(), "begun-"));
  try {
    const stack = await startLocal({ port: 0, dataFolder: begun });
    await stack.stop();
    return begun;
  } catch (error) {
    if (more === 0) throw error;
    return begin(more - 1);
  }
}
