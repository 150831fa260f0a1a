/** The languages of generated files: TypeScript, JavaScript, and declarations for JavaScript. */
export type Target = "ts" | "js" | "dts";

/** The extension of relative imports in generated files: `ts`, `js`, or no extension. */
export type ImportExtension = "ts" | "js" | "none";

/** A pattern of paths, and the replacement for paths that match. */
export interface ImportRule {
  readonly pattern: string;
  readonly target: string;
}

/** The options for import paths. Names and meanings are the same as in protoc-gen-es. */
export interface ImportOptions {
  /** The extension of relative imports. Default: `none`, as in protoc-gen-es. */
  readonly importExtension: ImportExtension;
  /**
   * Packages with the messages of .proto files, by path: `buf/validate/` to `@bufbuild/protovalidate/gen`.
   * The first rule that matches counts. `*` matches any characters except `/`, `**` matches any characters,
   * `**` followed by a slash matches any number of folders, and a trailing slash matches everything in the
   * folder. Default: none.
   */
  readonly mapImports: readonly ImportRule[];
  /**
   * Replacements for import paths, of packages and of files in the output directory: `./foo/**` followed by
   * `/*_pb.js` to `@acme/foo`. The first rule that matches counts. `*` matches any characters except `/`, and
   * `**` followed by a slash matches any number of folders. Default: none.
   */
  readonly rewriteImports: readonly ImportRule[];
}

/** The options for printing adapters. */
export interface PrintOptions {
  readonly targets: readonly Target[];
  /** Whether the comments of messages and enums are also printed, in separate files. */
  readonly comments: boolean;
  /** Whether empty files are also printed. */
  readonly keepEmptyFiles: boolean;
  /** Whether files begin with a line that turns off TypeScript checks. */
  readonly tsNocheck: boolean;
}

/** The options of the generator, from CodeGeneratorRequest.parameter. */
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
  /** The treatment of a method with an HTTP rule that no REST call can implement. Default: `error`. */
  readonly unsupported: "error" | "skip";
  /**
   * The paths of service configs, relative to the working directory of the compiler. Later files win.
   * Default: none.
   */
  readonly serviceConfigs: readonly string[];
}
