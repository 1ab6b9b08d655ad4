// The person's browser: whether there is one to open, and opening it.
import { spawn } from "node:child_process";
import { Failure } from "../failure.ts";
import type { Machine } from "./machine.ts";

type Surroundings = Pick<Machine, "env" | "platform">;
type Opening = Pick<Machine, "env" | "platform" | "program">;

/** Whether a window can be opened where the person sits: not over SSH, and on Linux only with a display. */
export function hasDisplay({ env, platform }: Surroundings): boolean {
  if (env.BROWSER) return true;
  if (platform === "linux") return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || isWsl(env));
  return !(env.SSH_CONNECTION || env.SSH_TTY);
}

/** Ends with the browser's own command, which may be when its window is closed. @throws Failure that names another way. */
export async function openBrowser(url: string, machine: Opening): Promise<void> {
  const [file = "", ...args] = browserCommand(url, machine);
  await new Promise<void>((resolve, reject) => {
    // No shell starts the browser: the address is full of characters that mean something to one.
    const child = spawn(file, args, { stdio: "ignore", detached: true });
    const failed = () =>
      reject(
        new Failure("signInNeeded", `no browser opens with ${file}: run ${machine.program.name} login --no-browser`),
      );
    child.once("error", failed);
    child.once("exit", (code) => (code === 0 ? resolve() : failed()));
    child.unref();
  });
}

/** The command, and its arguments. */
export function browserCommand(url: string, { env, platform }: Surroundings): string[] {
  // xdg-open reads BROWSER as a list, in which `%s` is the address.
  const [own] = (env.BROWSER ?? "").split(platform === "win32" ? ";" : ":");
  if (own) {
    const words = own.split(" ").filter(Boolean);
    return words.includes("%s") ? words.map((word) => (word === "%s" ? url : word)) : [...words, url];
  }
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return isWsl(env) ? ["rundll32.exe", "url.dll,FileProtocolHandler", url] : ["xdg-open", url];
}

function isWsl(env: Surroundings["env"]): boolean {
  return Boolean(env.WSL_DISTRO_NAME);
}
