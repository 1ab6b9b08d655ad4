#!/usr/bin/env node
// The program's start: a token from the cache costs no more than starting Node. Everything else is loaded when needed.
import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { homeFolder, homeOf, profileName } from "../command-line/home.ts";
import { defaultMinTtlSeconds, isFresh, readAccess } from "../sign-in/access-cache.ts";
import { clientName, isRefused, note } from "../sign-in/given.ts";
import { archway } from "./program.ts";

/** A `token` that needs no more than the cache; undefined for any other command line. */
function plainToken(args: string[]): { profile: string; client: string | undefined } | undefined {
  const [command, ...options] = args;
  if (command !== "token") return undefined;
  let [profile, client]: [string, string | undefined] = [process.env.ARCHWAY_PROFILE || "default", undefined];
  for (let at = 0; at < options.length; at += 2) {
    const [option, value = ""] = options.slice(at);
    if (option === "--profile" || option === "-p") profile = value;
    else if (option === "--client" && clientName.test(value)) client = value;
    else return undefined;
  }
  return profileName.test(profile) ? { profile, client } : undefined;
}

function cachedToken(args: string[]): string | undefined {
  const asked = plainToken(args);
  if (!asked) return undefined;
  const { env, platform } = process;
  const home = homeFolder({ env, platform, home: homeOf(homedir), program: archway });
  if (!isAbsolute(home)) return undefined;
  const folder = join(home, asked.profile);
  const access = readAccess(folder);
  if (!access || !isFresh(access, Date.now(), defaultMinTtlSeconds)) return undefined;
  // If ARCHWAY_URL differs from the profile's address, even in spelling alone, the command compares the two.
  if (env.ARCHWAY_URL && env.ARCHWAY_URL !== access.url) return undefined;
  if (isRefused({ ...asked, folder }, access, Date.now())) return undefined;
  note({ ...asked, folder }, access, Date.now());
  return access.access_token;
}

/** Returns false where a pipe takes nothing right now. */
function print(token: string): boolean {
  try {
    writeSync(1, `${token}\n`);
    return true;
  } catch {
    return false;
  }
}

const token = cachedToken(process.argv.slice(2));
if (token === undefined || !print(token)) {
  import("./cli.ts")
    .then(({ run }) => run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
      // A connection through a proxy that hangs would keep the process alive long after its answer.
      if (code !== 0) process.stdout.write("", () => process.stderr.write("", () => process.exit()));
    });
}
