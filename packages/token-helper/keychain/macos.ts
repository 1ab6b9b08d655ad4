// macOS: the login keychain, by `security`.
import { runTool } from "../child-process.ts";
import type { Keychain } from "./keychain.ts";

type Env = Record<string, string | undefined>;

/** `security -i` reads lines of at most 4,096 bytes. */
const longest = 3_500;

export function macosKeychain(service: string, env: Env): Keychain {
  const tool = (args: string[]) => runTool("security", args, { env });
  const entry = (account: string) => ["-s", service, "-a", account];
  return {
    name: "the macOS keychain",
    async read(account) {
      const text = await tool(["find-generic-password", ...entry(account), "-w"]).catch(() => "");
      return text.trim() || undefined;
    },
    async write(account, secret) {
      // On its input: everybody on the machine can read the arguments of a process.
      if (secret.length > longest || /["\\\n]/.test(secret + service)) throw new Error("security takes no such secret");
      const input = `add-generic-password -U -s "${service}" -a "${account}" -w "${secret}"\n`;
      await runTool("security", ["-i"], { env, input });
    },
    async remove(account) {
      await tool(["delete-generic-password", ...entry(account)]).catch(() => undefined);
    },
  };
}
