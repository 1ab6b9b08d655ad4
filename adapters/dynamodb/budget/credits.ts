// Reads a tenant's free credit, for the meter.
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import type { Rows } from "../rows.ts";
import { creditRecord } from "./credit.record.ts";
import { creditOf } from "./credit-expressions.ts";

export function creditReader(rows: Rows): CreditReader {
  return { get: async (tenantId) => creditOf(await rows.get(creditRecord.key({ tenant_id: tenantId }))) };
}
