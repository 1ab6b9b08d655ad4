// Stacked bars, one for each column, with the same numbers as a table. Arrow keys go from column to column.
import { useId, useRef, useState } from "react";
import { Table } from "../parts/table.tsx";
import { useWidth } from "../parts/width.ts";
import { labelled, steps } from "./scale.ts";
import { colourOf, type Series } from "./series.ts";

type Props = {
  columns: readonly string[];
  series: readonly Series[];
  /** All entities that were ever shown here, by which colours are given. */
  known: readonly string[];
  name: (entity: string) => string;
  columnName: (column: string) => string;
  format: (value: number) => string;
  /** The values of the axis, which are round. */
  axis: (value: number) => string;
  /** A sentence that says what is to be seen. */
  summary: string;
  /** The column that is not over yet. */
  today?: string;
  /** The part of each column that is an estimate. It is drawn hatched. */
  estimates?: readonly number[] | undefined;
  /** False where the page has a table of its own. */
  hasTable?: boolean;
};

export function Stack(props: Props) {
  const { columns, series, known, name, columnName, format, summary, today, estimates, hasTable = true } = props;
  const [chosen, choose] = useState(today === undefined ? columns.length - 1 : Math.max(0, columns.indexOf(today)));
  const at = Math.min(chosen, columns.length - 1);
  const id = useId();
  const totals = columns.map((_, column) => series.reduce((sum, { values }) => sum + (values[column] ?? 0), 0));
  const move = (by: number) => choose(Math.min(columns.length - 1, Math.max(0, at + by)));
  const column = columns[at];
  const estimate = estimates?.[at] ?? 0;
  const parts = series.flatMap(({ entity, values }) => (values[at] ? [`${name(entity)} ${format(values[at])}`] : []));

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
        <Bars {...props} totals={totals} chosen={at} onChoose={choose} />
      </div>
      <p className="reading" aria-live="polite">
        {column !== undefined && (
          <>
            <strong>
              {columnName(column)}
              {column === today && ", so far"}: {format(totals[at] ?? 0)}
            </strong>
            {estimate > 0 && `, of which ${format(estimate)} estimated`}
            {parts.length > 1 && ` (${parts.join(", ")})`}
          </>
        )}
      </p>
      <ul className="legend">
        {series.map(({ entity, total }) => (
          <li key={entity}>
            <span className={`swatch colour-${colourOf(entity, known)}`} /> {name(entity)} <b>{format(total)}</b>
          </li>
        ))}
      </ul>
      {hasTable && (
        <details>
          <summary>Show as table</summary>
          <Table
            isFigures
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
      )}
    </figure>
  );
}

/** The chart's height and its margins, in pixels. The height is the style sheet's, too. */
const [height, top, bottom] = [240, 12, 24];
const letterWidth = 7.5;

type BarsProps = Props & { totals: readonly number[]; chosen: number; onChoose: (place: number) => void };

function Bars({ columns, series, known, columnName, axis, today, estimates, totals, chosen, onChoose }: BarsProps) {
  const id = useId();
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidth(svg, 720);
  const ticks = steps(Math.max(0, ...totals));
  const most = ticks.at(-1) ?? 1;
  const left = 10 + letterWidth * Math.max(...ticks.map((tick) => axis(tick).length));
  const y = (value: number) => top + (height - bottom - top) * (1 - value / most);
  const step = Math.max(0, width - left) / Math.max(columns.length, 1);
  const labelWidth = 16 + letterWidth * Math.max(0, ...columns.map((column) => columnName(column).length));
  const hasLabel = labelled(columns.length, width - left, labelWidth);
  const x = (place: number) => left + place * step;
  const bar = (place: number) => ({ x: x(place) + step * 0.12, width: step * 0.76 });
  /** The last label would be cut where it has no room beside its column. */
  const fits = (place: number) => x(place + 0.5) + labelWidth / 2 <= width + 16;

  return (
    <svg ref={svg} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <defs>
        <pattern id={`${id}-hatch`} className="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M-1 1 1 -1M0 6 6 0M5 7 7 5" />
        </pattern>
      </defs>
      {ticks.map((tick) => (
        <g key={tick} className={tick === 0 ? "tick zero" : "tick"}>
          <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={left - 8} y={y(tick) + 4} textAnchor="end">
            {axis(tick)}
          </text>
        </g>
      ))}
      {columns.map((column, place) => {
        let base = 0;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is the group's arrow keys
          <g key={column} onMouseEnter={() => onChoose(place)} className={place === chosen ? "chosen" : undefined}>
            <rect className="column" x={x(place)} y={top} width={step} height={height - bottom - top} />
            {series.map(({ entity, values }) => {
              const value = values[place] ?? 0;
              const from = y(base);
              base += value;
              return (
                value > 0 && (
                  <rect
                    key={entity}
                    className={`bar colour-${colourOf(entity, known)}${column === today ? " open" : ""}`}
                    {...bar(place)}
                    y={y(base)}
                    height={Math.max(0, from - y(base))}
                  />
                )
              );
            })}
            {(estimates?.[place] ?? 0) > 0 && (
              <rect
                fill={`url(#${id}-hatch)`}
                {...bar(place)}
                y={y(totals[place] ?? 0)}
                height={y(0) - y(estimates?.[place] ?? 0)}
              />
            )}
            {hasLabel(place) && fits(place) && (
              <text x={x(place + 0.5)} y={height - 6} textAnchor="middle">
                {columnName(column)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
