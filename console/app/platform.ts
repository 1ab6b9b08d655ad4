// The addresses of the platform: `config.json`, which the program writes beside the pages.
import type { ConsoleConfig } from "../../components/console/console-config.ts";

export type { ConsoleConfig };

let loaded: ConsoleConfig | undefined;

/** @throws Error if the file is missing or no JSON: the console was deployed without it. */
export async function loadPlatform(): Promise<ConsoleConfig> {
  const response = await fetch("/config.json");
  if (!response.ok)
    throw new Error(`config.json is not there (${response.status}): the console is not fully deployed.`);
  loaded = (await response.json()) as ConsoleConfig;
  return loaded;
}

/** What `loadPlatform` has read. */
export function platform(): ConsoleConfig {
  if (!loaded) throw new Error("the platform's addresses are not loaded yet");
  return loaded;
}

/** The address of a workspace's models, as clients take it, without `/messages`. */
export function proxyUrl(slug: string): string {
  return platform().proxy_url.replace("{slug}", slug);
}
