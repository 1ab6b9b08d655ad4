// Whose processes those of bubblewrap are. The kernel bounds the number of a user's processes, and never that of root's (setrlimit(2), RLIMIT_NPROC): what
// root starts runs as nobody, where nobody may make namespaces and reaches Node and the folder of temporary files.
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";

export type Account = { uid: number; gid: number };

const nobody: Account = { uid: 65_534, gid: 65_534 };

let found: { account: Account | undefined } | undefined;

/** Undefined leaves processes to who runs the stack. */
export function sandboxAccount(): Account | undefined {
  found ??= { account: process.getuid?.() === 0 && suffices(nobody) ? nobody : undefined };
  return found.account;
}

function suffices(account: Account): boolean {
  const reached = [process.execPath, realpathSync(tmpdir())];
  const script = 'test -x "$1" && test -x "$2"';
  const args = ["--unshare-user", "--bind", "/", "/", "--", "/bin/sh", "-c", script, "sh", ...reached];
  return spawnSync("bwrap", args, { ...account, cwd: "/", stdio: "ignore", timeout: 10_000 }).status === 0;
}
