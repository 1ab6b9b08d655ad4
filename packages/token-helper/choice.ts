// The models and the region that a client is set up with, out of those that are granted.
import { Failure } from "../command-line/failure.ts";
import type { Budget } from "../sign-in/platform/platform.ts";

export type Choice = {
  model: string;
  smallModel: string;
  /** The newest model of each family that the person may call. */
  families: { opus?: string; sonnet?: string; haiku?: string };
};

type Wanted = { model?: string | undefined; smallModel?: string | undefined };

/**
 * @param granted those that the region serves
 * @throws Failure for a model that is not among them, or if none is.
 */
export function chooseModels(granted: string[], region: string, { model, smallModel }: Wanted): Choice {
  for (const id of [model, smallModel]) {
    if (id !== undefined && !granted.includes(id))
      throw new Failure("usage", `${id} is not granted to you in ${region}: ${granted.join(", ") || "no model is"}`);
  }
  const families = Object.fromEntries(
    (["opus", "sonnet", "haiku"] as const).flatMap((family) => {
      const [newest] = granted.filter((id) => id.startsWith(`claude-${family}-`)).sort(newestFirst);
      return newest ? [[family, newest]] : [];
    }),
  ) as Choice["families"];
  const usual = model ?? families.sonnet ?? families.opus ?? families.haiku ?? granted[0];
  if (!usual)
    throw new Failure("failed", `your grant names no model that ${region} serves: ask your workspace's owner for one`);
  return { model: usual, smallModel: smallModel ?? families.haiku ?? usual, families };
}

/** Sorts by the version, `claude-opus-4-8` before `claude-opus-4-6`; a name without a date before the same one with a date. */
function newestFirst(a: string, b: string): number {
  const [left, right] = [versionOf(a), versionOf(b)];
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
    const difference = (right[place] ?? 0) - (left[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function versionOf(id: string): number[] {
  return id
    .split("-")
    .filter((part) => /^\d+$/.test(part))
    .map((part) => (part.length > 4 ? 0 : Number(part)));
}

/**
 * The region that a client has to name with its calls; undefined where the platform's own choice is granted.
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

/** The region in which a client's calls run: the one that it names, or else the platform's choice. */
export function regionOf({ default_region }: Pick<Budget, "default_region">, named: string | undefined): string {
  return named ?? default_region;
}
