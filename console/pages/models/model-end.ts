// The words in which the console tells a model's end.
import type { Answer } from "../../app/api.ts";

type Offered = Answer<"GET /v1/catalog">["data"][number];

/** Undefined while no end is known. */
export function endOf({ last_day, vendor_last_day, successor }: Partial<Offered>): string | undefined {
  const ends = [
    last_day && `Can be called until ${last_day}.`,
    vendor_last_day && `Ends at the vendor's own API on ${vendor_last_day}.`,
  ].filter((end) => end !== undefined);
  if (ends.length === 0) return undefined;
  return [...ends, successor && `Use ${successor} instead.`].filter((one) => one !== undefined).join(" ");
}
