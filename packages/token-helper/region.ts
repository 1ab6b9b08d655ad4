// The region that a client has to name with its calls.
import { Failure } from "./failure.ts";
import type { Budget } from "./platform.ts";

/**
 * Undefined where the platform's own choice is granted.
 * @throws Failure usage for a region that is not granted.
 */
export function chooseRegion(
  { regions, default_region }: Pick<Budget, "regions" | "default_region">,
  wanted?: string,
): string | undefined {
  if (wanted !== undefined && !regions.includes(wanted))
    throw new Failure("usage", `${wanted} is not granted to you: ${regions.join(", ")}`);
  if (wanted !== undefined) return wanted;
  return regions.includes(default_region) ? undefined : regions[0];
}
