/** The explanation of a problem that the generator reports. */
export interface Diagnostic {
  readonly meaning: string;
  readonly remedy: string;
  /**
   * An example `shelf.yaml` with the generator's report, for problems of service configs. Examples of other
   * problems are in the generator's tests.
   */
  readonly config?: { readonly source: string; readonly problem: string };
}

/** Problems by code, in groups. */
export type Diagnostics = Readonly<Record<string, Readonly<Record<string, Diagnostic>>>>;
