// The fields of a grant: models, regions and the monthly budget, for people and service accounts alike.
import type { Answer, CallError, CallInput } from "../app/call.ts";
import { platform } from "../app/platform.ts";
import { useRead } from "../app/query.ts";
import { Field } from "./field.tsx";

export type GrantBody = CallInput<"PUT /v1/grants/{dev_sub}">["body"];
export type Grant = Answer<"GET /v1/grants/{dev_sub}">;

/** What a grant and a service account's limits have in common. */
type GrantLimits = NonNullable<Answer<"GET /v1/keys/{key_id}">["grant"]>;

type Props = {
  of?: GrantLimits | undefined;
  error: CallError | null;
  /** What stands before a field's name in the body that the API judges. */
  path?: string;
};

export function GrantFields({ of, error, path = "" }: Props) {
  const catalog = useRead("GET /v1/catalog");
  const hasAll = of === undefined || of.allowed_models.includes("*");
  return (
    <>
      <Field
        label="Budget for a month, USD"
        name="monthly_budget_usd"
        path={`${path}monthly_budget_usd`}
        type="number"
        min="0"
        step="0.01"
        required
        defaultValue={of?.monthly_budget_usd ?? 50}
        error={error}
        hint="At list price. It resets on the first of the month, UTC."
      />
      <fieldset className="checks">
        <legend>Models</legend>
        <label className="check all">
          <input type="checkbox" name="models" value="*" defaultChecked={hasAll} />
          All, also those to come
        </label>
        {catalog.data?.data.map(({ id, display_name }) => (
          <label key={id} className="check">
            <input
              type="checkbox"
              name="models"
              value={id}
              defaultChecked={!hasAll && of?.allowed_models.includes(id)}
            />
            {display_name}
          </label>
        ))}
      </fieldset>
      <fieldset className="checks">
        <legend>Regions</legend>
        {platform().regions.map((region) => (
          <label key={region} className="check">
            <input
              type="checkbox"
              name="regions"
              value={region}
              defaultChecked={(of?.allowed_regions ?? [platform().default_region]).some((one) => one === region)}
            />
            {region}
          </label>
        ))}
      </fieldset>
    </>
  );
}

/**
 * The grant that a form with these fields says. The API judges it.
 * @param of the grant from which the form began: what it has beside these fields stays
 */
export function readGrant(form: FormData, of?: GrantLimits): GrantBody {
  const models = form.getAll("models").map(String);
  const regions = form.getAll("regions").map(String) as GrantBody["allowed_regions"];
  return {
    ...(of && unshown(of, regions)),
    allowed_models: models.includes("*") ? ["*"] : models,
    allowed_regions: regions,
    monthly_budget_usd: Number(form.get("monthly_budget_usd")),
  };
}

/** The fields of a grant that the form does not show, so that saving keeps them. A region of the grant's own stays while it is allowed. */
function unshown(of: GrantLimits, regions: readonly string[]): Partial<GrantBody> {
  const { budget_enforcement, allow_global_profiles, rate_limit, max_in_flight, default_region } = of;
  return {
    budget_enforcement,
    allow_global_profiles,
    ...(rate_limit && { rate_limit }),
    ...(max_in_flight && { max_in_flight }),
    ...(default_region && regions.includes(default_region) && { default_region }),
  };
}
