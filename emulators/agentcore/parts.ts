// What the collections of the emulated AgentCore work with.
import type { Store } from "../store.ts";
import type { Settings } from "./settings.ts";

export type AgentCoreParts = {
  store: Store;
  now: () => number;
  settings: () => Settings;
};
