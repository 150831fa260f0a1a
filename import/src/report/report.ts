import { CAUSES, type Cause, WEAKENING } from "./causes.ts";

/** One loss. */
export interface Finding {
  readonly cause: Cause;
  /** The position in the document. */
  readonly place: string;
  /** The element of the `.proto` files, or the operation, that the loss concerns. */
  readonly element: string;
}

/** The losses of an import, in the order in which they were found. */
export class Report {
  private readonly found = new Map<string, Finding>();
  operations = 0;
  weakenedOperations = 0;
  fields = 0;
  weakenedFields = 0;

  add(cause: Cause, place: string, element: string): void {
    // omit the keys of combined schemas
    const known = place.replace(/!.*/s, "").replaceAll(/\p{Cc}+/gu, " ");
    // a name of the document must not add lines to the report
    const line = element.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
    const key = `${cause} ${known} ${line}`;
    if (!this.found.has(key)) this.found.set(key, { cause, place: known, element: line });
  }

  get findings(): readonly Finding[] {
    return [...this.found.values()];
  }

  /** Returns how often each cause was found, most frequent first. */
  counts(): readonly (readonly [Cause, number])[] {
    const counts = Map.groupBy(this.found.values(), ({ cause }) => cause);
    return [...counts]
      .map(([cause, findings]) => [cause, findings.length] as const)
      .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  }

  /** Returns the report as Markdown. */
  print(): string {
    const lines = [
      "# Losses of the import",
      "",
      `${this.operations} operations, ${this.weakenedOperations} with a field of a weaker type than the document says.`,
      `${this.fields} fields, ${this.weakenedFields} of a weaker type.`,
    ];
    const byCause = Map.groupBy(this.found.values(), ({ cause }) => cause);
    for (const [cause, count] of this.counts()) {
      const kind = WEAKENING.has(cause) ? "weaker type" : "note";
      lines.push("", `## ${cause} (${count}, ${kind})`, "", `${CAUSES[cause]}.`, "");
      lines.push(...(byCause.get(cause) ?? []).map(({ element, place }) => `- \`${element}\`: ${place}`));
    }
    return `${lines.join("\n")}\n`;
  }

  /** Returns one line for each cause. */
  summary(): string[] {
    return this.counts().map(([cause, count]) => `${String(count).padStart(6)}  ${cause}: ${CAUSES[cause]}`);
  }
}
