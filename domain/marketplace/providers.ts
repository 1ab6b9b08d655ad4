// The marketplace's catalog. A provider is a file of its own and a line here.
import { fieldRefusal } from "../kernel/refusal.ts";
import { braveSearch } from "./brave-search.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { notion } from "./notion.ts";
import { openweather } from "./openweather.ts";
import { type Provider, providerSchema, type RuntimeProvider } from "./provider.ts";
import { tavily } from "./tavily.ts";

/** In the order of their ids. */
export const providers: readonly Provider[] = [braveSearch, github, gitlab, notion, openweather, tavily].map((data) =>
  providerSchema.parse(data),
);

export const runtimeProviders: readonly RuntimeProvider[] = providers.filter((one) => one.kind === "runtime");

/** @throws Refusal invalid_request that names those which there are */
export function requireProvider(providerId: string): Provider {
  const found = providers.find(({ provider_id }) => provider_id === providerId);
  if (found) return found;
  const ids = providers.map(({ provider_id }) => provider_id).join(", ");
  throw fieldRefusal("invalid_request", "provider_id", `must be one of ${ids}`);
}
