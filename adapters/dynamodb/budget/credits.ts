// Reads a tenant's free credit, for the meter.
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { creditOf } from "./credit-expressions.ts";

export function creditReader(rows: Rows): CreditReader {
  return { get: async (tenantId) => creditOf(await rows.get(keys.credit(tenantId))) };
}
