// What the archive says of the provider whose server it has (components/mcp-gateway/runtime-program.ts).
import { readFileSync } from "node:fs";

export type OwnProvider = {
  /** The variables that its server gets: the credential's and those of settings. */
  variables: readonly string[];
  /** The hosts that its server may reach. */
  hosts: readonly string[];
};

export function ownProvider(): OwnProvider {
  return JSON.parse(readFileSync(new URL("./provider.json", import.meta.url), "utf8")) as OwnProvider;
}
