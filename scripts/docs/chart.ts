/** A bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The interval that contains the value with 95 % confidence. */
  readonly low: number;
  readonly high: number;
  /** Whether the bar shows the gateway instead of a reference. */
  readonly isOurs: boolean;
}

const WIDTH = 720;
const LABEL_WIDTH = 210;
const VALUE_WIDTH = 150;
const ROW = 24;
const TOP = 56;
const PLOT = WIDTH - LABEL_WIDTH - VALUE_WIDTH;

/**
 * Draws a chart of horizontal bars as SVG, with a line at 1 and the interval of each bar. The chart is
 * readable on light and dark pages: colors have medium brightness, and texts use the page's text color if it
 * is known.
 */
export function barChart(title: string, unit: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ high }) => high));
  const x = (value: number) => round(LABEL_WIDTH + (value / most) * PLOT);
  const height = TOP + bars.length * ROW + 12;
  const rows = bars.flatMap((bar, index) => {
    const y = TOP + index * ROW;
    const middle = y + ROW / 2;
    return [
      text(LABEL_WIDTH - 8, middle, bar.label, "end"),
      `<rect x="${LABEL_WIDTH}" y="${y + 4}" width="${round(x(bar.value) - LABEL_WIDTH)}" height="${ROW - 8}" fill="${bar.isOurs ? "#3f7fbf" : "#9aa3ad"}"/>`,
      `<path d="M${x(bar.low)} ${middle}H${x(bar.high)}M${x(bar.low)} ${middle - 4}v8M${x(bar.high)} ${middle - 4}v8" stroke="#d2691e" fill="none"/>`,
      text(
        x(bar.high) + 8,
        middle,
        `${bar.value.toFixed(2)} [${bar.low.toFixed(2)}, ${bar.high.toFixed(2)}]`,
        "start",
      ),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>text{font:13px system-ui,sans-serif;fill:#24292f;dominant-baseline:middle}@media(prefers-color-scheme:dark){text{fill:#d0d7de}}</style>`,
    text(8, 16, title, "start", "bold"),
    text(8, 36, unit, "start"),
    `<path d="M${x(1)} ${TOP - 4}V${height - 8}" stroke="#9aa3ad" stroke-dasharray="3 3"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

function text(x: number, y: number, content: string, anchor: "start" | "end", weight = "normal"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-weight="${weight}">${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
