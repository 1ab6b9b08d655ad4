// The description of a running stack for scripts and readers: its addresses, app clients and demo workspace.
import { appClient } from "./demo/app-client.ts";
import type { Stack } from "./running-stack.ts";

export const defaultPort = 8787;
/** The stack that scripts ask, unless they are given another address. */
export const defaultAddress = `http://127.0.0.1:${defaultPort}`;

export function describe({ edge, console, mcp, aws, demo, program }: Stack) {
  const clients = {
    console: appClient(program, "console"),
    token_helper: appClient(program, "tokenHelper"),
    token_helper_write: appClient(program, "tokenHelperWrite"),
    skills: appClient(program, "skills"),
  };
  return { edge, console, mcp, aws, clients, demo };
}
