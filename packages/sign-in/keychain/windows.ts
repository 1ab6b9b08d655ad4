// Windows: files that only this account can decrypt (DPAPI), by Windows PowerShell. Credential Manager takes no 2,560 bytes.
import { readFileSync, rmSync } from "node:fs";
import { runTool } from "../../command-line/machine/child-process.ts";
import { writePrivate } from "../../command-line/machine/private-file.ts";
import type { Keychain } from "./keychain.ts";

const prologue =
  "$ErrorActionPreference='Stop';Add-Type -AssemblyName System.Security;$i=[Console]::In.ReadToEnd().Trim();";
const protect =
  "[Console]::Out.Write([Convert]::ToBase64String([Security.Cryptography.ProtectedData]::Protect([Text.Encoding]::UTF8.GetBytes($i),$null,'CurrentUser')))";
const unprotect =
  "[Console]::Out.Write([Text.Encoding]::UTF8.GetString([Security.Cryptography.ProtectedData]::Unprotect([Convert]::FromBase64String($i),$null,'CurrentUser')))";

/** @param fileOf where an account's secret is kept. */
export function windowsKeychain(
  fileOf: (account: string) => string,
  env: Record<string, string | undefined>,
): Keychain {
  const run = (script: string, input: string) => {
    const command = Buffer.from(prologue + script, "utf16le").toString("base64");
    return runTool("powershell.exe", ["-NoProfile", "-NonInteractive", "-EncodedCommand", command], { env, input });
  };
  return {
    name: "a file that Windows encrypts for your account",
    async read(account) {
      try {
        return (await run(unprotect, readFileSync(fileOf(account), "utf8"))) || undefined;
      } catch {
        return undefined;
      }
    },
    async write(account, secret) {
      writePrivate(fileOf(account), await run(protect, secret));
    },
    async remove(account) {
      rmSync(fileOf(account), { force: true });
    },
  };
}
