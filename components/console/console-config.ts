// What the console reads before anything else: `config.json`, the discovery document with what only a console needs beside it.
import type { Discovery } from "../../domain/access/discovery.ts";

export type ConsoleConfig = Discovery & {
  /** The platform's name. */
  brand: string;
  /** `manual`: who signs up waits for a platform admin before they may open a workspace. */
  approval: "automatic" | "manual";
  /** The user pool's API, for a second factor. */
  user_pool_url: string;
  /** Regions in which models run. */
  regions: string[];
  default_region: string;
  /** True where the platform bills. */
  billing: boolean;
};
