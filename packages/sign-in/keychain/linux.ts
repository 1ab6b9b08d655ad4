// Linux: the Secret Service (GNOME Keyring, KWallet), by `secret-tool` of libsecret.
import { runTool } from "../../command-line/machine/child-process.ts";
import { inParts, type Keychain } from "./keychain.ts";

/** `secret-tool` cuts a longer secret to 8,192 bytes and reports success (libsecret 0.20.5). */
const most = 8_000;

export function linuxKeychain(service: string, env: Record<string, string | undefined>): Keychain {
  const attributes = (account: string) => ["service", service, "account", account];
  const keychain: Keychain = {
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
  return inParts(keychain, most);
}
