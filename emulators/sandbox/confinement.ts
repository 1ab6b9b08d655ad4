// The command that starts another one confined to a folder.
import { lstatSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Account, sandboxAccount } from "./account.ts";
import type { Limits } from "./limits.ts";

export const levels = ["bwrap", "seatbelt", "none"] as const;
export type Level = (typeof levels)[number];

export type Confinement = {
  /** The folder in which the command may write. It has two folders: `work`, where the command starts, and `tmp`. */
  folder: string;
  /** Whether the command reaches the network, which is this machine's own then. */
  network: boolean;
  limits: Limits;
};

type Spawn = { file: string; args: string[]; options: { cwd: string; env: Record<string, string> } & Partial<Account> };

const system = "/usr/local/bin:/usr/bin:/bin";

/** @param command an absolute path and its arguments; `node` is on the command's path. */
export function confined(level: Level, command: string[], confinement: Confinement): Spawn {
  const limited = ["/bin/sh", "-c", limiting(level, confinement.limits), "sh", ...command];
  if (level === "bwrap") return inBubblewrap(limited, confinement);
  const work = join(confinement.folder, "work");
  const env = { ...common(work, join(confinement.folder, "tmp")), PATH: `${dirname(process.execPath)}:${system}` };
  const [file = "", ...args] =
    level === "seatbelt" ? ["/usr/bin/sandbox-exec", "-p", seatbeltProfile(confinement), ...limited] : limited;
  return { file, args, options: { cwd: work, env } };
}

const common = (home: string, tmp: string) => ({ HOME: home, TMPDIR: tmp, LANG: "C.UTF-8" });

/**
 * A size of files is in units of 512 bytes. Shells name the number of processes differently (`-u` in bash and zsh, `-p` in dash), and threads count as
 * processes on Linux: Node has a dozen of them. In a user namespace the kernel counts what runs there (Linux 5.14 and later). Without a sandbox it would
 * count all that the user runs, which may be more already.
 */
function limiting(level: Level, { diskMb, processes }: Limits): string {
  const threads = processes * 16;
  const number = level === "none" ? "" : `{ ulimit -u ${threads} || ulimit -p ${threads}; } 2>/dev/null; `;
  return `ulimit -c 0; ulimit -n 512; ulimit -f ${diskMb * 2048}; ${number}exec "$@"`;
}

const visible = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ssl",
  "/etc/ca-certificates",
  "/etc/pki",
  "/etc/localtime",
];
const forNetwork = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];
const places = { work: "/session", tmp: "/tmp", node: "/opt/node/node" };

/** The command gets namespaces of its own for everything, no right of root, the system's programs for reading, and its folder. */
function inBubblewrap(command: string[], { folder, network }: Confinement): Spawn {
  const read = (path: string) => ["--ro-bind-try", path, path];
  const environment = { ...common(places.work, places.tmp), PATH: `${dirname(places.node)}:${system}` };
  const args = [
    ...["--unshare-all", ...(network ? ["--share-net"] : []), "--die-with-parent", "--new-session"],
    ...["--uid", "1000", "--gid", "1000", "--hostname", "session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/usr", "/usr"],
    ...["/bin", "/sbin", "/lib", "/lib64"].flatMap(asHere),
    ...visible.flatMap(read),
    ...(network ? forNetwork.flatMap(read) : []),
    ...["--ro-bind", process.execPath, places.node],
    // Where the stack runs as root, the kernel would take root's settings from inside, too.
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"],
    ...["--bind", join(folder, "work"), places.work, "--bind", join(folder, "tmp"), places.tmp],
    // Shared memory is a folder on the disk, because files in memory would count against no limit.
    ...["--bind", join(folder, "tmp"), "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", places.work, "--clearenv"],
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
    ...command,
  ];
  return {
    file: "bwrap",
    args,
    options: { cwd: folder, env: { PATH: process.env.PATH ?? system }, ...sandboxAccount() },
  };
}

/** Most systems have `/bin` as a link to `/usr/bin`, and some as a folder of its own. */
function asHere(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** Apple's sandbox: it writes to its folder alone, reads no home, and reaches no network. Rules that come later win. */
function seatbeltProfile({ folder, network }: Confinement): string {
  const path = (value: string) => `(subpath ${JSON.stringify(value)})`;
  return [
    "(version 1)",
    "(allow default)",
    ...(network ? [] : ["(deny network*)"]),
    `(deny file-read* ${path(homedir())} ${path("/Users")})`,
    `(allow file-read* ${path(folder)} ${path(dirname(process.execPath))})`,
    "(deny file-write*)",
    `(allow file-write* ${path(folder)} (literal "/dev/null") (literal "/dev/zero"))`,
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
  ].join("");
}
