/** The explanation of a problem that the generator reports. */
export interface Diagnostic {
  readonly meaning: string;
  readonly remedy: string;
  /**
   * An example `shelf.yaml` and the generator's report, for problems of service configs. Examples of other
   * problems come from the generator's tests.
   */
  readonly config?: { readonly source: string; readonly problem: string };
}

/** Problems by their codes, in groups. */
export type Diagnostics = Readonly<Record<string, Readonly<Record<string, Diagnostic>>>>;
