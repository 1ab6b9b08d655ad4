// A machine for the token helper's commands in this process, with a home of its own and a person in front of it, who opens an address
// that is printed in a browser elsewhere and pastes where it ended.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Program } from "../../../packages/command-line/home.ts";
import type { Machine } from "../../../packages/command-line/machine/machine.ts";
import { archway } from "../../../packages/token-helper/program.ts";

export type TestMachine = Machine & { said: string[]; printed: string[]; folder: string };

/** @param env beside the one that keeps it off the keychain of whoever runs the tests */
export function aMachine(env: Record<string, string> = {}, program: Program = archway): TestMachine {
  const home = mkdtempSync(join(tmpdir(), "archway-home-"));
  const stdin = new PassThrough();
  const [said, printed]: [string[], string[]] = [[], []];
  return {
    program,
    env: { ARCHWAY_HOME: join(home, "archway"), ARCHWAY_STORE: "file", PATH: join(home, "bin"), ...env },
    platform: "linux",
    home,
    cwd: join(home, "work"),
    systemRoot: join(home, "system"),
    hostname: "laptop",
    now: Date.now,
    stdin,
    out: (text) => void printed.push(text),
    say: (line) => {
      said.push(line);
      const [, url] = /^Open this address.*?(http\S+authorize\S+)/s.exec(line) ?? [];
      if (url) void lastAddress(url).then((last) => stdin.write(`${last}\n`));
    },
    said,
    printed,
    folder: join(home, "archway", "default"),
  };
}

async function lastAddress(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: "manual" });
  return headers.get("location") ?? "";
}
