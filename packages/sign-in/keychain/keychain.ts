// The operating system's store of secrets, by its own tool.
import { randomBytes } from "node:crypto";

export type Keychain = {
  /** The keychain's name for people. */
  name: string;
  /** Undefined if there is no such entry. @throws Error if the tool fails otherwise. */
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  /** No failure if there is no such entry. */
  remove(account: string): Promise<void>;
};

/** Whether the keychain takes a secret and gives it back: it may be locked while nobody is there to unlock it. */
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

/** All that the first entry of a secret stored in parts holds: an id and the number of parts. No token looks like this. */
const inPartsText = /^parts (\w+) (\d+)$/;

/**
 * A keychain for secrets of any length, by a tool that takes `most` characters. A longer secret lies in further entries, which the first
 * entry counts. The first one is written last, so a write that is cut off leaves the secret that was there.
 */
export function inParts(keychain: Keychain, most: number): Keychain {
  const partsOf = (account: string, head: string | undefined): string[] => {
    const [, id, count] = inPartsText.exec(head ?? "") ?? [];
    return Array.from({ length: Number(count ?? 0) }, (_, index) => `${account}/${id}/${index}`);
  };
  const removeAll = async (accounts: string[]) => {
    for (const account of accounts) await keychain.remove(account);
  };
  return {
    name: keychain.name,
    async read(account) {
      const head = await keychain.read(account);
      const parts = partsOf(account, head);
      if (parts.length === 0) return head;
      const texts: (string | undefined)[] = [];
      for (const part of parts) texts.push(await keychain.read(part));
      return texts.includes(undefined) ? undefined : texts.join("");
    },
    async write(account, secret) {
      const before = partsOf(account, await keychain.read(account));
      const count = Math.ceil(secret.length / most);
      const head = count > 1 ? `parts ${randomBytes(4).toString("hex")} ${count}` : secret;
      for (const [index, part] of partsOf(account, head).entries())
        await keychain.write(part, secret.slice(index * most, (index + 1) * most));
      await keychain.write(account, head);
      await removeAll(before);
    },
    async remove(account) {
      const parts = partsOf(account, await keychain.read(account));
      await keychain.remove(account);
      await removeAll(parts);
    },
  };
}
