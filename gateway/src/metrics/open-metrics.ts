/**
 * The text format of Prometheus as OpenMetrics 1.0: the family of a counter is its name without `_total`,
 * there are no empty lines, and the end is said. prom-client renders it as well,
 * but renames its counters for good when it does.
 */
export function toOpenMetrics(text: string): string {
  const counters = new Set<string>();
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)_total counter$/gm)) counters.add(`${name}_total`);
  const lines = text.split("\n").filter((line) => line !== "");
  const renamed = lines.map((line) => {
    const [hash, keyword, name = "", ...rest] = line.split(" ");
    if (hash !== "#" || !counters.has(name)) return line;
    return [hash, keyword, name.replace(/_total$/, ""), ...rest].join(" ");
  });
  return [...renamed, "# EOF", ""].join("\n");
}
