/** What a problem of the generator means, and what to do about it. */
export interface Diagnostic {
  readonly meaning: string;
  readonly remedy: string;
  /**
   * For what stands in a service config: the file `shelf.yaml`, and what the generator says of it. Other problems have an
   * example among the tests of the generator.
   */
  readonly config?: { readonly source: string; readonly problem: string };
}

/** Problems by their codes, in groups. */
export type Diagnostics = Readonly<Record<string, Readonly<Record<string, Diagnostic>>>>;
