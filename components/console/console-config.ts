// `config.json`, which the console reads before anything else: the discovery document, and values that only a console needs.
import type { Discovery } from "../../domain/access/discovery.ts";

export type ConsoleConfig = Discovery & {
  /** The platform's name. */
  brand: string;
  /** `manual`: who signs up waits for a platform admin before they may open a workspace. */
  approval: "automatic" | "manual";
  /** The user pool's API, at which a signed-in person sets up a second factor. */
  user_pool_url: string;
  /** Regions in which models run. */
  regions: string[];
  default_region: string;
  /** True where the platform bills. */
  billing: boolean;
};
