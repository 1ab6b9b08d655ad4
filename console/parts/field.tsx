// A field of a form with its label, its hint, and what the API says is wrong with it.
import { type ComponentProps, useId, useState } from "react";
import type { CallError } from "../app/call.ts";

type Props = ComponentProps<"input"> & {
  label: string;
  name: string;
  hint?: string | undefined;
  error?: CallError | null | undefined;
  /** Where the field is in the body that the API judges, if not at its name. */
  path?: string;
};

export function Field({ label, hint, error, path, ...input }: Props) {
  const id = useId();
  // What the API refused is over with the first letter of another try.
  const [answered, setAnswered] = useState<Props["error"]>();
  const problem = error === answered ? undefined : error?.problemOf(path ?? input.name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        {...input}
        onInput={() => setAnswered(error)}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
      />
      <p id={`${id}-hint`} className={problem ? "wrong" : "quiet"}>
        {problem ?? hint}
      </p>
    </div>
  );
}

type ChoiceProps = ComponentProps<"select"> & {
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  /** The texts are long. */
  isWide?: boolean;
};

export function Choice({ label, options, isWide = false, ...select }: ChoiceProps) {
  const id = useId();
  return (
    <div className={isWide ? "field wide" : "field"}>
      <label htmlFor={id}>{label}</label>
      <select id={id} {...select}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A day in UTC. An emptied field keeps the day that was there. */
export function DayField({
  label,
  name,
  value,
  onDay,
}: {
  label: string;
  name: string;
  value: string;
  onDay: (day: string) => void;
}) {
  return (
    <Field
      label={label}
      name={name}
      type="date"
      required
      value={value}
      onChange={({ target }) => target.value && onDay(target.value)}
    />
  );
}

/** A status as a title. */
export const titled = (status: string) => status.charAt(0).toUpperCase() + status.slice(1).replaceAll("_", " ");

/** A filter of the address that is one of some words; `all` filters nothing. */
export function StatusFilter({
  value,
  of,
  onStatus,
}: {
  value: string;
  of: readonly string[];
  onStatus: (status: string) => void;
}) {
  return (
    <Choice
      label="Status"
      name="status"
      value={value}
      onChange={({ target }) => onStatus(target.value)}
      options={of.map((status) => [status, titled(status)] as const)}
    />
  );
}

/** The button that saves a form, and the word that it is saved. */
export function SaveActions({ of, saved }: { of: { isPending: boolean; isSuccess: boolean }; saved: string }) {
  return (
    <div className="actions">
      <button type="submit" className="main" disabled={of.isPending}>
        Save
      </button>
      {of.isSuccess && <span role="status">{saved}</span>}
    </div>
  );
}

/** Shows a refusal of the API. It names the field, which may be none that the form shows. */
export function FormProblem({ error }: { error: CallError | null }) {
  if (!error) return null;
  return (
    <div className="problem" role="alert">
      <p>{error.message}</p>
      {error.requestId && <p className="quiet">Request {error.requestId}</p>}
    </div>
  );
}
