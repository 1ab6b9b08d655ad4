// Stacked bars, one for each column, with the same numbers as a table. Arrow keys go from column to column.
import { useId, useState } from "react";
import { Table } from "../parts/table.tsx";
import { steps } from "./scale.ts";
import { colourOf, type Series } from "./series.ts";

type Props = {
  columns: readonly string[];
  series: readonly Series[];
  /** All entities that were ever shown here, by which colours are given. */
  known: readonly string[];
  name: (entity: string) => string;
  columnName: (column: string) => string;
  format: (value: number) => string;
  /** A sentence that says what is to be seen. */
  summary: string;
  /** The column that is not over yet. */
  today?: string;
  /** What of each column is an estimate: hatched. */
  estimates?: readonly number[] | undefined;
};

const [width, height, left, bottom] = [720, 240, 64, 24];

export function Stack({ columns, series, known, name, columnName, format, summary, today, estimates }: Props) {
  const [at, setAt] = useState(today === undefined ? columns.length - 1 : Math.max(0, columns.indexOf(today)));
  const id = useId();
  const totals = columns.map((_, column) => series.reduce((sum, { values }) => sum + (values[column] ?? 0), 0));
  const ticks = steps(Math.max(0, ...totals));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => (height - bottom) * (1 - value / top);
  const step = (width - left) / Math.max(columns.length, 1);
  const chosen = columns[at];
  const move = (by: number) => setAt((before) => Math.min(columns.length - 1, Math.max(0, before + by)));

  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>{summary}</figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a figure holds a group of columns */}
      <div
        role="group"
        aria-label="Columns, with arrow keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the columns are read by arrow keys
        tabIndex={0}
        onKeyDown={({ key }) => (key === "ArrowLeft" ? move(-1) : key === "ArrowRight" ? move(1) : undefined)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
          <defs>
            <pattern id={`${id}-hatch`} className="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
              <path d="M0 6 6 0" />
            </pattern>
          </defs>
          {ticks.map((tick) => (
            <g key={tick} className="tick">
              <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
              <text x={left - 6} y={Math.max(10, y(tick) + 4)} textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {columns.map((column, place) => {
            let base = 0;
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is the group's arrow keys
              <g key={column} onMouseEnter={() => setAt(place)} className={place === at ? "chosen" : undefined}>
                <rect className="column" x={left + place * step} y={0} width={step} height={height - bottom} />
                {series.map(({ entity, values }) => {
                  const value = values[place] ?? 0;
                  const from = y(base);
                  base += value;
                  return (
                    <rect
                      key={entity}
                      className={`bar colour-${colourOf(entity, known)}${column === today ? " open" : ""}`}
                      x={left + place * step + step * 0.1}
                      width={step * 0.8}
                      y={y(base)}
                      height={Math.max(0, from - y(base))}
                    />
                  );
                })}
                {(estimates?.[place] ?? 0) > 0 && (
                  <rect
                    fill={`url(#${id}-hatch)`}
                    x={left + place * step + step * 0.1}
                    width={step * 0.8}
                    y={y(totals[place] ?? 0)}
                    height={y(0) - y(estimates?.[place] ?? 0)}
                  />
                )}
                {(columns.length <= 12 || place % Math.ceil(columns.length / 8) === 0) && (
                  <text className="label" x={left + (place + 0.5) * step} y={height - 6} textAnchor="middle">
                    {columnName(column)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <p className="reading" aria-live="polite">
        {chosen === undefined
          ? ""
          : `${columnName(chosen)}${chosen === today ? ", so far" : ""}: ${format(totals[at] ?? 0)}${(estimates?.[at] ?? 0) > 0 ? `, of which ${format(estimates?.[at] ?? 0)} estimated` : ""}`}
      </p>
      <ul className="legend">
        {series.map(({ entity, total }) => (
          <li key={entity}>
            <span className={`swatch colour-${colourOf(entity, known)}`} /> {name(entity)} <b>{format(total)}</b>
          </li>
        ))}
      </ul>
      <details>
        <summary>Show as table</summary>
        <Table
          rows={columns.map((column, place) => ({ column, place }))}
          keyOf={({ column }) => column}
          columns={[
            { title: "Time", isHead: true, of: ({ column }) => columnName(column) },
            ...series.map(({ entity, values }) => ({
              title: name(entity),
              isNumber: true,
              of: ({ place }: { place: number }) => format(values[place] ?? 0),
            })),
            { title: "All", isNumber: true, of: ({ place }) => format(totals[place] ?? 0) },
          ]}
        />
      </details>
    </figure>
  );
}
