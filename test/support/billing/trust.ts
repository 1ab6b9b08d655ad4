// Terms for new owners, those of a stack that sets none, at a markup of 1; and a recognition that knows nobody.
import type { Recognition } from "../../../domain/trust/recognition.ts";
import type { TrustTerms } from "../../../domain/trust/trust.ts";

const usd = 1_000_000_000;

export const terms: TrustTerms = { trialCap: 50 * usd, firstWeek: 150 * usd, firstMonth: 500 * usd };

export const nobodyKnown: Pick<Recognition, "of" | "leave" | "forget"> = {
  of: async () => ({ owedCents: 0, cards: [] }),
  leave: async () => true,
  forget: async () => {},
};
