/** A section of a reference, with rows in its order and under its names. */
export interface Section {
  readonly title: string;
  /** The number of rows, so that a missing one is noticed. */
  readonly rows: number;
  /** The kind of rows: parameters of an endpoint, fields of a message, or other records. */
  readonly kind: "parameter" | "field" | "error" | "record" | "case";
  /** The endpoint or the messages of the rows; empty for errors that any endpoint may have. */
  readonly of: string;
  /**
   * The rows, separated by commas, or by semicolons if there are any; `name = record` where the record has
   * another name.
   */
  readonly names: string;
  /** Rows that are not RPCs, and the reason. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** The parameters of an endpoint. */
export const parameters = (of: string, rows: number, names: string): Section => ({
  title: of,
  rows,
  kind: "parameter",
  of,
  names,
});

/** The fields of a message. */
export const fields = (title: string, of: string, rows: number, names: string): Section => ({
  title,
  rows,
  kind: "field",
  of,
  names,
});

/** The errors of an endpoint. */
export const errors = (of: string, rows: number, names: string): Section => ({
  title: `${of}, errors`,
  rows,
  kind: "error",
  of,
  names,
});
