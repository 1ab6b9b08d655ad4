// Clients that others made work through a first day against a local stack: signing up, workspace, key, call, invitation, removal. Each
// runs a program as a customer would write it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consoleToken } from "../../local/demo/app-client.ts";
import { signUp } from "../../local/demo/workspace.ts";
import type { Person } from "../../local/running-stack.ts";
import type { Stack } from "../../local/stack.ts";
import type { PythonTools } from "../support/python-environment.ts";
import { clients, type Start } from "./clients.ts";
import { comeBack } from "./person.ts";

/** @returns the exit code. */
export async function runFirstDays(stack: Stack, tools: PythonTools): Promise<number> {
  const document = await (await fetch(`${stack.at("api")}/v1/openapi.json`)).text();
  let failed = 0;
  for (const { name, start } of clients) {
    const folder = mkdtempSync(join(tmpdir(), "first-day-"));
    try {
      writeFileSync(join(folder, "openapi.json"), document);
      const made = await start(folder, tools);
      const status = await withPeople(stack, name, (people) =>
        run(made, { ARCHWAY_API: stack.at("api"), ARCHWAY_CLIENT: name, ...people }),
      );
      console.log(`${name}: the first day ${status === 0 ? "went well" : "failed"}`);
      if (status !== 0) failed = 1;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return failed;
}

/**
 * Plays the people of a program. `ARCHWAY_TOKENS` gives an owner who has signed up a fresh token, as a sign-in or a refresh would, for
 * clients that do not sign in; `ARCHWAY_BROWSER` takes a person to an address, for those that do.
 */
async function withPeople<T>(
  stack: Stack,
  name: string,
  use: (addresses: Record<string, string>) => Promise<T>,
): Promise<T> {
  let signedUp: Promise<Person> | undefined;
  const owner = () => {
    signedUp ??= signUp(stack, `owner@${name.toLowerCase()}.example`);
    return signedUp;
  };
  const answers: Record<string, (query: URLSearchParams) => Promise<string>> = {
    "/token": async () => consoleToken(stack, await owner()),
    "/browser": (query) => comeBack(stack, query.get("email") ?? "", query.get("address") ?? ""),
  };
  const server = createServer(async ({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const answer = await answers[pathname]?.(searchParams).catch(String);
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await use({ ARCHWAY_TOKENS: `${address}/token`, ARCHWAY_BROWSER: `${address}/browser` });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function run({ command, args, env = {} }: Start, settings: Record<string, string>): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...settings, ...env } });
  const [code] = await once(child, "exit");
  return code ?? 1;
}
