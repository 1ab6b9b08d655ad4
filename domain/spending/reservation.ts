// A reservation: what one call may cost at most, taken from the caller's budget until the call is settled.
import type { TokenBounds } from "../messages/usage.ts";

export type Reservation = {
  requestId: string;
  /** An upper bound of the request's cost. */
  reservedCost: number;
  /** Milliseconds since the epoch; the ledger row goes to this time's hour. */
  admittedAt: number;
  /** Milliseconds; from then on the function that made it cannot be running any more. */
  expiresAt: number;
  model: string;
  profile: string;
  region: string;
  /** Upper bounds of its tokens. */
  bounds: TokenBounds;
  /** The bounds together, if they come out of the tenant's free credit. */
  creditTokens?: number | undefined;
};
