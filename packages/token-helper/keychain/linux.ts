// Linux: the Secret Service (GNOME Keyring, KWallet), by `secret-tool` of libsecret.
import { runTool } from "../child-process.ts";
import type { Keychain } from "./keychain.ts";

export function linuxKeychain(service: string, env: Record<string, string | undefined>): Keychain {
  const attributes = (account: string) => ["service", service, "account", account];
  return {
    name: "the Secret Service",
    async read(account) {
      const text = await runTool("secret-tool", ["lookup", ...attributes(account)], { env }).catch(() => "");
      return text.trim() || undefined;
    },
    async write(account, secret) {
      const args = ["store", `--label=Archway ${account}`, ...attributes(account)];
      await runTool("secret-tool", args, { env, input: secret });
    },
    async remove(account) {
      await runTool("secret-tool", ["clear", ...attributes(account)], { env }).catch(() => undefined);
    },
  };
}
