// A client of the server, as `setup` sees it.
import type { Machine } from "../../command-line/machine/machine.ts";
import type { FileChange } from "../../command-line/machine/settings-file.ts";

/** The name of the server's entry. Clients put it before the names of tools. */
export const entryName = "skills";

/** How the server is started. */
export type Entry = { command: string; args: string[] };

/** @throws Failure, before anything is changed. */
export type Client = (machine: Machine, entry: Entry) => FileChange;
