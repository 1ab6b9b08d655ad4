// Why a grant was not saved. Where somebody else has changed it meanwhile, both are shown: the form keeps what was typed.
import type { CallError } from "../app/call.ts";
import { FormProblem } from "./field.tsx";
import type { GrantLimits } from "./grant-form.ts";
import { usd } from "./money.ts";

/** Whether the grant is no longer the one with which the form began. */
export const isConflict = (error: CallError | null) => error?.status === 412;

export function GrantProblem({ error, now }: { error: CallError | null; now: GrantLimits | undefined }) {
  if (!isConflict(error) || !now) return <FormProblem error={error} />;
  const { monthly_budget_usd, allowed_models, allowed_regions } = now;
  const models = allowed_models.includes("*") ? "all models" : allowed_models.join(", ");
  return (
    <div className="problem" role="alert">
      <p>
        Somebody has changed it meanwhile. It is now {usd(monthly_budget_usd)} a month for {models} in{" "}
        {allowed_regions.join(", ")}. Saving again replaces that by what you see above.
      </p>
    </div>
  );
}
