// The operating system's store of secrets, by its own tool.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Machine } from "../machine.ts";
import { linuxKeychain } from "./linux.ts";
import { macosKeychain } from "./macos.ts";
import { windowsKeychain } from "./windows.ts";

export type Keychain = {
  /** For people. */
  name: string;
  /** Undefined if there is no such entry. @throws Error if the tool fails otherwise. */
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  /** No failure if there is no such entry. */
  remove(account: string): Promise<void>;
};

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

/** Whether the keychain takes a secret and gives it back: it may be locked, or have no one to ask. */
export async function works(keychain: Keychain, profile: string): Promise<boolean> {
  const [account, secret] = [`${profile}/probe`, randomBytes(16).toString("hex")];
  try {
    await keychain.write(account, secret);
    const read = await keychain.read(account);
    await keychain.remove(account);
    return read === secret;
  } catch {
    return false;
  }
}
