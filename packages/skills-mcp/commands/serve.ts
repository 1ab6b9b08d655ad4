// `serve`: the MCP server on this process's input and output, until the client closes them.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { programVersion } from "../../command-line/cli.ts";
import { type Command, textOption } from "../../command-line/command.ts";
import { openSession } from "../../sign-in/session.ts";
import { usesSkillsOnly } from "../read-only.ts";
import { serverFactory } from "../server/server.ts";
import { servicesOf } from "../server/services.ts";

export const serve: Command = async (machine, options) => {
  const readOnly = options["read-only"] === true;
  const session = openSession(machine, textOption(options, "profile"));
  const services = servicesOf(session, {
    workingDirectory: process.cwd(),
    ...(readOnly && { scopes: usesSkillsOnly }),
  });
  const closed = new Promise<void>((resolve) => {
    machine.stdin.once("close", resolve);
    machine.stdin.once("end", resolve);
  });
  const handle = serveStdio(serverFactory(services, { version: programVersion(), readOnly }));
  services.active.start();
  await closed;
  services.active.stop();
  services.pages.close();
  await handle.close();
  return 0;
};
