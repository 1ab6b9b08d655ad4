// The calls that AgentCore takes in a second, by operation.
import { throttled } from "./refusals.ts";
import type { Settings } from "./settings.ts";

type PerSecond = "changesPerSecond" | "readsPerSecond" | "identityPerSecond" | "runtimeChangesPerSecond";

const second = 1_000;

export class Throttle {
  readonly #taken = new Map<string, number[]>();

  /** @throws AwsError ThrottlingException for a call too many. */
  take(operation: string, now: number, { quotas }: Settings): void {
    const kind = kindOf(operation);
    if (!kind) return;
    const recent = (this.#taken.get(operation) ?? []).filter((at) => at > now - second);
    if (recent.length >= quotas[kind]) throw throttled("Rate exceeded");
    this.#taken.set(operation, [...recent, now]);
  }
}

function kindOf(operation: string): PerSecond | undefined {
  if (/CredentialProvider/.test(operation)) return "identityPerSecond";
  if (/^(Create|Update|Delete)AgentRuntime/.test(operation)) return "runtimeChangesPerSecond";
  if (/^(Create|Update|Delete)Gateway(Target)?$/.test(operation)) return "changesPerSecond";
  if (/^(Get|List)Gateway(Target)?s?$/.test(operation)) return "readsPerSecond";
  return undefined;
}
