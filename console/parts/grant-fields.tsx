// The fields of a grant: models, regions and the monthly budget, for people and service accounts alike.
import { type ChangeEvent, useState } from "react";
import type { Answer } from "../app/api.ts";
import type { CallError } from "../app/call.ts";
import { useWorkspace } from "../app/page.ts";
import { platform } from "../app/platform.ts";
import { useRead } from "../app/query.ts";
import { Choice, Field } from "./field.tsx";
import { fallbackRegions, type GrantLimits, usualRegion } from "./grant-form.ts";
import { price } from "./money.ts";
import { regionName } from "./regions.ts";

type Props = {
  of?: GrantLimits | undefined;
  error: CallError | null;
  /** What stands before a field's name in the body that the API judges. */
  path?: string;
};

export function GrantFields({ of, error, path = "" }: Props) {
  const catalog = useRead("GET /v1/catalog");
  const { default_region } = useWorkspace();
  const [allowed, setAllowed] = useState<readonly string[]>(of?.allowed_regions ?? [default_region]);
  const inOrder = platform().regions.filter((region) => allowed.includes(region));
  const usual = usualRegion(inOrder, of?.default_region, default_region);
  const others = fallbackRegions(inOrder, usual, of);
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
      <fieldset className="checks" onChange={chooseModels}>
        <legend>Models, with USD for a million tokens of input and output</legend>
        <label className="check all">
          <input type="checkbox" name="models" value="*" defaultChecked={hasAll} />
          All, also those to come
        </label>
        {catalog.data?.data.map(({ id, display_name, regions }) => (
          <div key={id} className="check">
            <label className="check">
              <input
                type="checkbox"
                name="models"
                value={id}
                defaultChecked={!hasAll && of?.allowed_models.includes(id)}
              />
              {display_name}
            </label>
            <span className="quiet">{pricesOf(regions)}</span>
          </div>
        ))}
      </fieldset>
      <fieldset className="checks" onChange={({ currentTarget }) => requireOne(currentTarget)}>
        <legend>Regions</legend>
        <p className="quiet all" aria-live="polite">
          {usual ? `Calls that name no region go to ${regionName(usual)}.` : "Choose where calls may go."}
        </p>
        {platform().regions.map((region) => (
          <label key={region} className="check">
            <input
              type="checkbox"
              name="regions"
              value={region}
              checked={allowed.includes(region)}
              onChange={({ target }) =>
                setAllowed(target.checked ? [...allowed, region] : allowed.filter((one) => one !== region))
              }
            />
            {regionName(region)}
          </label>
        ))}
      </fieldset>
      {usual && others.length > 0 && (
        <>
          <input type="hidden" name="default_region" value={usual} />
          <Choice
            label={`When ${regionName(usual)} has no room`}
            name="fallback_region"
            defaultValue={of?.fallback_region}
            options={[["", "Refuse calls"], ...others.map((region) => [region, `Call ${regionName(region)}`] as const)]}
          />
          <p className="quiet">
            For an hour, and for the models that have no room. Calls reserve the higher price of both regions.
          </p>
        </>
      )}
    </>
  );
}

type Regions = Answer<"GET /v1/catalog">["data"][number]["regions"];

/** What input and output cost in the first region. The page of models has the rest. */
function pricesOf([first]: Regions): string {
  const [of] = first?.prices ?? [];
  return of ? `${price(of.input)}, ${price(of.output)}` : "";
}

/** All models and some models exclude each other: what was checked last holds. */
function chooseModels({ currentTarget, target }: ChangeEvent<HTMLFieldSetElement>): void {
  const chosen = target as unknown as HTMLInputElement;
  if (chosen.checked)
    for (const box of currentTarget.querySelectorAll("input"))
      if ((box.value === "*") !== (chosen.value === "*")) box.checked = false;
  requireOne(currentTarget);
}

/** The browser refuses to send the form while no box of the set is checked, and says so at the first. */
function requireOne(set: HTMLFieldSetElement): void {
  const boxes = [...set.querySelectorAll("input")];
  boxes[0]?.setCustomValidity(boxes.some(({ checked }) => checked) ? "" : "Choose at least one.");
}
