// The keychain of this machine.
import { join } from "node:path";
import type { Keychain } from "../keychain/keychain.ts";
import { linuxKeychain } from "../keychain/linux.ts";
import { macosKeychain } from "../keychain/macos.ts";
import { windowsKeychain } from "../keychain/windows.ts";
import type { Machine } from "./machine.ts";

/** @param folder where Windows keeps what it has encrypted. */
export function keychainOf({ env, platform }: Pick<Machine, "env" | "platform">, folder: string): Keychain | undefined {
  if (env.ARCHWAY_STORE === "file") return undefined;
  // Another home is another set of profiles.
  const service = env.ARCHWAY_HOME ? `archway ${env.ARCHWAY_HOME}` : "archway";
  if (platform === "darwin") return macosKeychain(service, env);
  if (platform === "win32")
    return windowsKeychain((account) => join(folder, `${account.split("/").at(-1)}.dpapi`), env);
  return platform === "linux" ? linuxKeychain(service, env) : undefined;
}
