// The manifest of a tenant's setup: which steps outside the table are intended, at work or done, and what they made.
import type { Customer } from "../billing/customer.ts";
import type { OutsideStep, Tenant } from "../workspace/tenant.ts";

/** The hold of a run on a step; times in milliseconds. */
export type Claim = {
  until: number;
  /** True if another run has held the step before: it may have done any part of it. */
  isRepeat: boolean;
  /** The id that an earlier run noted for what it had made. */
  resource?: string | undefined;
};

type Held = {
  resource: string;
  /** The end of the run's claim. No other claim of the step ends at the same time, so it identifies the claim. */
  until: number;
};

/** How long a claim holds: longer than any function that carries out a step may run. */
export const claimMs = 60_000;

export interface SetupManifest {
  /** `taken` while another run holds the step; `gone` if the tenant is missing, is deleted or has the step done. */
  claim(tenantId: string, step: OutsideStep, hold: { now: number; until: number }): Promise<Claim | "taken" | "gone">;
  /** Records what was made before the step is complete. False if the claim is over. */
  note(tenantId: string, step: OutsideStep, held: Held): Promise<boolean>;
  /**
   * Records the step as done: on the manifest, and on the tenant with these attributes.
   * @throws Error if the claim is over, or the customer by which it was done has changed since it was read
   */
  done(
    tenantId: string,
    step: OutsideStep,
    held: Held & { attributes: Partial<Tenant>; customer?: Customer },
  ): Promise<void>;
  /** The id that an earlier run noted for what the step had made. */
  resource(tenantId: string, step: OutsideStep): Promise<string | undefined>;
}
