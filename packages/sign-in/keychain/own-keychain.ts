// The keychain of this machine.
import { join } from "node:path";
import type { Machine } from "../../command-line/machine/machine.ts";
import type { Keychain } from "./keychain.ts";
import { linuxKeychain } from "./linux.ts";
import { macosKeychain } from "./macos.ts";
import { windowsKeychain } from "./windows.ts";

/** @param folder where Windows keeps what it has encrypted. */
export function keychainOf(
  { env, platform, program }: Pick<Machine, "env" | "platform" | "program">,
  folder: string,
): Keychain | undefined {
  if (env.ARCHWAY_STORE === "file") return undefined;
  // Each home of profiles has entries of its own in the keychain.
  const service = env.ARCHWAY_HOME ? `${program.name} ${env.ARCHWAY_HOME}` : program.name;
  if (platform === "darwin") return macosKeychain(service, env);
  if (platform === "win32")
    return windowsKeychain((account) => join(folder, `${account.split("/").at(-1)}.dpapi`), env);
  return platform === "linux" ? linuxKeychain(service, env) : undefined;
}
