/** The explanation of a problem that the generator reports. */
export interface Diagnostic {
  readonly meaning: string;
  readonly remedy: string;
  /**
   * For problems of service configs: an example `shelf.yaml`, and what the generator reports for it. The
   * examples of other problems come from the tests of the generator.
   */
  readonly config?: { readonly source: string; readonly problem: string };
}

/** Problems by their codes, in groups. */
export type Diagnostics = Readonly<Record<string, Readonly<Record<string, Diagnostic>>>>;
