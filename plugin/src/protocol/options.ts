/** The languages of generated files: TypeScript, JavaScript, and declarations for JavaScript. */
export type Target = "ts" | "js" | "dts";

/** The extension of relative imports in generated files: `ts`, `js`, or none. */
export type ImportExtension = "ts" | "js" | "none";

/** A pattern of paths, and the replacement for matching paths. */
export interface ImportRule {
  readonly pattern: string;
  readonly target: string;
}

/** The options for import paths; their names and meanings are those in protoc-gen-es. */
export interface ImportOptions {
  /** The extension of relative imports. Default: `none`, as in protoc-gen-es. */
  readonly importExtension: ImportExtension;
  /**
   * Packages with the messages of .proto files, by path: `buf/validate/` to `@bufbuild/protovalidate/gen`.
   * The first rule that matches counts. `*` matches any characters except `/`, `**` any characters, `**`
   * followed by a slash any number of folders, and a trailing slash everything below. Default: none.
   */
  readonly mapImports: readonly ImportRule[];
  /**
   * Replacements for import paths, of packages and of files below the output directory: `./foo/**` followed
   * by `/*_pb.js` to `@acme/foo`. The first rule that matches counts. `*` matches any characters except
   * `/`, `**` followed by a slash any number of folders. Default: none.
   */
  readonly rewriteImports: readonly ImportRule[];
}

/** The options for printing adapters. */
export interface PrintOptions {
  readonly targets: readonly Target[];
  /** Whether the comments of messages and enums are printed too, in separate files. */
  readonly comments: boolean;
  /** Whether empty files are printed too. */
  readonly keepEmptyFiles: boolean;
  /** Whether files begin with a line that turns off TypeScript checks. */
  readonly tsNocheck: boolean;
}

/** Options of the generator, from CodeGeneratorRequest.parameter. */
export interface Options extends PrintOptions, ImportOptions {
  /** The languages of generated files. Default: `ts`. */
  readonly targets: readonly Target[];
  /** Default: false. */
  readonly comments: boolean;
  /** Default: false. */
  readonly keepEmptyFiles: boolean;
  /** Default: false. */
  readonly tsNocheck: boolean;
  /** The directory of the .proto files, which prefixes file names in problems. Default: empty. */
  readonly protoPath: string;
  /** The treatment of a method with an HTTP rule that no REST call can follow. Default: `error`. */
  readonly unsupported: "error" | "skip";
  /**
   * Paths of service configs, relative to the working directory of the compiler; later ones win. Default:
   * none.
   */
  readonly serviceConfigs: readonly string[];
}
