/** A section of a reference, row by row, in its own order and names. */
export interface Section {
  readonly title: string;
  /** How many rows the section has, so that a missing one shows. */
  readonly rows: number;
  /** What a row is: a parameter of an endpoint, a field of a message, or any other record. */
  readonly kind: "parameter" | "field" | "error" | "record" | "case";
  /**
   * The endpoint or the messages that the rows belong to; of errors nothing where any endpoint may have them.
   */
  readonly of: string;
  /**
   * The rows, separated by commas, or by semicolons where there are some;
   * `name = record` where the record has another name.
   */
  readonly names: string;
  /** Rows that are no RPC, and why. */
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
