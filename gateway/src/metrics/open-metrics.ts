/**
 * Converts the Prometheus text format to OpenMetrics 1.0: the family name of a counter omits `_total`, there
 * are no empty lines, and the text ends with an end marker. prom-client can render OpenMetrics as well, but
 * permanently renames its counters when it does so.
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
