/** The languages of generated files: TypeScript, JavaScript, and the declarations of the latter. */
export type Target = "ts" | "js" | "dts";

/** How relative imports of generated files end: `ts`, `js`, or nothing. */
export type ImportExtension = "ts" | "js" | "none";

/** A pattern of paths, and what takes the place of those that fit it. */
export interface ImportRule {
  readonly pattern: string;
  readonly target: string;
}

/** Options that decide where imports lead; names and meaning are those of protoc-gen-es. */
export interface ImportOptions {
  /** What relative imports end in. Default: `none`, as with protoc-gen-es. */
  readonly importExtension: ImportExtension;
  /**
   * Messages that a package has, by the path of their .proto file: `buf/validate/` to
   * `@bufbuild/protovalidate/gen`. The first rule that fits counts. `*` is any characters but `/`, `**` any
   * characters, `**` with a slash behind it any number of folders, and a slash at the end all that is below.
   * Default: none.
   */
  readonly mapImports: readonly ImportRule[];
  /**
   * Import paths that become others, packages and those below the output directory alike: `./foo/**` with
   * `/*_pb.js` behind it to `@acme/foo`. The first rule that fits counts. `*` is any characters but `/`, `**`
   * with a slash behind it any number of folders. Default: none.
   */
  readonly rewriteImports: readonly ImportRule[];
}

/** What is printed of each adapter. */
export interface PrintOptions {
  readonly targets: readonly Target[];
  /** The comments of messages and enums are printed too, in files of their own. */
  readonly comments: boolean;
  /** Files that would hold nothing are printed too. */
  readonly keepEmptyFiles: boolean;
  /** TypeScript is not checked: the first line of files says so. */
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
  /** The directory of the .proto files, which problems put before their names. Default: empty. */
  readonly protoPath: string;
  /** What becomes of a method with an HTTP rule that no REST call can fulfil. Default: `error`. */
  readonly unsupported: "error" | "skip";
  /**
   * Paths of service configs, relative to the working directory of the compiler; later ones win. Default:
   * none.
   */
  readonly serviceConfigs: readonly string[];
}
