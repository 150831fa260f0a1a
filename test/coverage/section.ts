/** A section of a reference, whose rows have the names and the order of the reference. */
export interface Section {
  readonly title: string;
  /** The number of rows, so that the test detects a missing row. */
  readonly rows: number;
  /** The kind of rows: parameters of an endpoint, fields of a message, or other records. */
  readonly kind: "parameter" | "field" | "error" | "record" | "case";
  /** The endpoint or the messages of the rows; empty for errors that every endpoint may have. */
  readonly of: string;
  /**
   * The rows, separated by commas, or by semicolons if the text contains any. `name = record` sets a record
   * with another name.
   */
  readonly names: string;
  /** Rows that RPCs do not cover, with the reason. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** Returns the section of an endpoint's parameters. */
export const parameters = (of: string, rows: number, names: string): Section => ({
  title: of,
  rows,
  kind: "parameter",
  of,
  names,
});

/** Returns the section of a message's fields. */
export const fields = (title: string, of: string, rows: number, names: string): Section => ({
  title,
  rows,
  kind: "field",
  of,
  names,
});

/** Returns the section of an endpoint's errors. */
export const errors = (of: string, rows: number, names: string): Section => ({
  title: `${of}, errors`,
  rows,
  kind: "error",
  of,
  names,
});
