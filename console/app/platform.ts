// The addresses of the platform: `config.json`, which the program writes beside the pages.
import type { ConsoleConfig } from "../../components/console/console-config.ts";

export type { ConsoleConfig };

let loaded: ConsoleConfig | undefined;
/** How far the platform's clock is ahead of this machine's. */
let clockSkewMs = 0;

/** The platform's time in milliseconds: a machine's clock may be wrong by a day, and months, tokens and ends of keys may not. */
export const platformNow = (): number => Date.now() + clockSkewMs;

/** How far the clock of the answer's sender is ahead of ours, in milliseconds: its header `date` has whole seconds. A cache says how old its answer is. */
export function skewOf(headers: Headers, now: number): number {
  const sent = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(sent) ? 0 : sent + 1_000 * Number(headers.get("age") ?? 0) - now;
}

/** @throws Error if the file is missing or no JSON: the console was deployed without it. */
export async function loadPlatform(): Promise<ConsoleConfig> {
  const response = await fetch("/config.json");
  if (!response.ok)
    throw new Error(`config.json is not there (${response.status}): the console is not fully deployed.`);
  clockSkewMs = skewOf(response.headers, Date.now());
  loaded = (await response.json()) as ConsoleConfig;
  return loaded;
}

/** The configuration that `loadPlatform` has read. */
export function platform(): ConsoleConfig {
  if (!loaded) throw new Error("the platform's addresses are not loaded yet");
  return loaded;
}

/** The address of a workspace's models, as clients take it, without `/messages`. */
export function proxyUrl(slug: string): string {
  return platform().proxy_url.replace("{slug}", slug);
}
