// macOS: the login keychain, by `security`.
import { runTool } from "../../command-line/machine/child-process.ts";
import { inParts, type Keychain } from "./keychain.ts";

type Env = Record<string, string | undefined>;

/**
 * A line of `security -i` has at most 4,095 characters, and a longer one is run as two commands (`MAX_LINE_LEN`,
 * github.com/apple-oss-distributions/Security, SecurityTool/macOS/security.c). The rest is for the entry's name.
 */
const longestLine = 4_000;
const most = 3_000;

export function macosKeychain(service: string, env: Env): Keychain {
  const tool = (args: string[]) => runTool("security", args, { env });
  const entry = (account: string) => ["-s", service, "-a", account];
  const keychain: Keychain = {
    name: "the macOS keychain",
    async read(account) {
      const text = await tool(["find-generic-password", ...entry(account), "-w"]).catch(() => "");
      return text.trim() || undefined;
    },
    async write(account, secret) {
      // The secret goes to `security` by its input: everybody on the machine can read the arguments of a process.
      const words = ["add-generic-password", "-U", ...entry(account), "-w", secret].map(quoted);
      const input = `${words.join(" ")}\n`;
      if (input.length > longestLine || /[\n\0]/.test(input.trimEnd()))
        throw new Error("security takes no such secret");
      await runTool("security", ["-i"], { env, input });
    },
    async remove(account) {
      await tool(["delete-generic-password", ...entry(account)]).catch(() => undefined);
    },
  };
  return inParts(keychain, most);
}

/** Quotes a word as `split_line` of the same file reads it. */
function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}
