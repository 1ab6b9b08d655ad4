// Terms for new owners: those of a stack that sets none, at a markup of 1.
import type { TrustTerms } from "../../../domain/trust/trust.ts";

const usd = 1_000_000_000;

export const terms: TrustTerms = { trialCap: 50 * usd, firstWeek: 150 * usd, firstMonth: 500 * usd };
