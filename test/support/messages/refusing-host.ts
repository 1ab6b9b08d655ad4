// A model host that refuses fixed fields and flags as Bedrock does: one field at a time, by its path with the types on the way, and flags without
// a word which it means.
import { createHash } from "node:crypto";
import { rejection } from "../../../adapters/bedrock/failures.ts";
import type { ModelRequest } from "../../../domain/messages/model-host.ts";

type Fields = Record<string, unknown>;

export type Refuses = {
  flag(flag: string): boolean;
  /** @param holder the name and the type of what has the field */
  field(holder: string, field: string, flags: readonly string[]): boolean;
};

/** Makes the refusals of a host by a seed: each flag and each field with a chance of its own, and some fields only without the flag of their name. */
export function randomRefusals(seed: number, isRefusable: (holder: string, field: string) => boolean): Refuses {
  const chance = (text: string) => (createHash("sha256").update(`${seed} ${text}`).digest()[0] ?? 0) / 256;
  return {
    flag: (flag) => chance(`flag ${flag}`) < 0.3,
    field: (holder, field, flags) => {
      if (!isRefusable(holder, field)) return false;
      const dice = chance(`field ${holder} ${field}`);
      return dice < 0.3 || (dice < 0.6 && !flags.includes(`${field}-2027-01-01`));
    },
  };
}

/** Takes a request. @throws ModelHostError `rejected` as the host words it */
export function takeOrRefuse({ flag, field }: Refuses, { body, betas, metadata }: ModelRequest): void {
  if (betas.some(flag)) throw rejection("invalid beta flag");
  const path = firstRefused({ ...JSON.parse(body), ...(metadata !== undefined && { metadata }) }, [], ":");
  if (path) throw rejection(`${path.join(".")}: Extra inputs are not permitted`);

  function firstRefused(
    value: unknown,
    above: readonly (string | number)[],
    name: string,
  ): (string | number)[] | undefined {
    if (Array.isArray(value)) return first(value, (element, place) => firstRefused(element, [...above, place], name));
    if (typeof value !== "object" || value === null) return undefined;
    const { type, role } = value as Fields;
    const kind = typeof type === "string" ? type : "";
    const holder = name === ":" ? name : `${name}:${kind || (typeof role === "string" ? role : "")}`;
    const here = kind === "" ? above : [...above, kind];
    return first(Object.entries(value), ([key, within]) => {
      if (field(holder, key, betas)) return [...here, key];
      return key === "input_schema" || key === "input" ? undefined : firstRefused(within, [...here, key], key);
    });
  }
}

function first<T, R>(values: readonly T[], find: (value: T, place: number) => R | undefined): R | undefined {
  for (const [place, value] of values.entries()) {
    const found = find(value, place);
    if (found !== undefined) return found;
  }
  return undefined;
}
