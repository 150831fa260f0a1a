interface ChartProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly unit: string;
}

const WIDTH = 240;
const HEIGHT = 56;

/** The number of values that fill the width. */
export const CHART_VALUES = 60;

/** A line of values over time, with the last value as text. */
export function Chart({ name, values, unit }: ChartProps) {
  const last = values.at(-1) ?? 0;
  const max = Math.max(...values, Number.MIN_VALUE);
  const points = values.map((value, index) => {
    const x = ((CHART_VALUES - values.length + index) / (CHART_VALUES - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / max) * (HEIGHT - 6)).toFixed(1)}`;
  });
  const text = `${last.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`;
  return (
    <figure class="chart">
      <figcaption>
        {name} <strong>{text}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${name}: ${text} now`}>
        <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="1.5" />
      </svg>
    </figure>
  );
}
