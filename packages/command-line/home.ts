// Where a program of ours keeps its files. A token from the cache needs this too, so keep it small.
import { join } from "node:path";

/** A program of ours, as people call it. */
export type Program = {
  /** The command. Its folder and its entries in the keychain have the same name. */
  name: "archway" | "archway-skills";
  /** The program's app client in the platform's discovery document. */
  appClient: "token_helper" | "skills";
};

/** The name of a profile, which is a folder of the home. */
export const profileName = /^[A-Za-z0-9_-]{1,64}$/;

type Place = { env: Record<string, string | undefined>; platform: NodeJS.Platform; home: string; program: Program };

/** The person's home folder; empty where the system knows none. */
export function homeOf(find: () => string): string {
  try {
    return find();
  } catch {
    return "";
  }
}

/** The folder of all profiles. Each program has its own, also where the environment names one. */
export function homeFolder({ env, platform, home, program: { name } }: Place): string {
  if (env.ARCHWAY_HOME) {
    const suffix = name.slice("archway".length);
    return suffix ? `${env.ARCHWAY_HOME.replace(/[\\/]+$/, "")}${suffix}` : env.ARCHWAY_HOME;
  }
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), name);
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), name);
}
