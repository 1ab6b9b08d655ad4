// The operating system's store of secrets, by its own tool.
import { randomBytes } from "node:crypto";

export type Keychain = {
  /** For people. */
  name: string;
  /** Undefined if there is no such entry. @throws Error if the tool fails otherwise. */
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  /** No failure if there is no such entry. */
  remove(account: string): Promise<void>;
};

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
