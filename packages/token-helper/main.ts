#!/usr/bin/env node
// The program's start: a token from the cache costs no more than starting Node. Everything else is loaded when needed.
import { writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { defaultMinTtlSeconds, homeFolder, isFresh, profileName, readAccess } from "./access-cache.ts";

/** The profile of a plain `token`, or undefined for any other command line. */
function plainToken(args: string[]): string | undefined {
  const [command, option, value] = args;
  if (command !== "token") return undefined;
  if (args.length === 1) return process.env.ARCHWAY_PROFILE || "default";
  return args.length === 3 && (option === "--profile" || option === "-p") ? value : undefined;
}

function cachedToken(args: string[]): string | undefined {
  const profile = plainToken(args);
  if (profile === undefined || !profileName.test(profile)) return undefined;
  const { env, platform } = process;
  const access = readAccess(join(homeFolder({ env, platform, home: homedir() }), profile));
  if (!access || !isFresh(access, Date.now(), defaultMinTtlSeconds)) return undefined;
  // Another address than the profile's is for the command to refuse.
  return env.ARCHWAY_URL ? undefined : access.access_token;
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
    });
}
