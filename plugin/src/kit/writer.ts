import type { DescEnum, DescMessage, DescService } from "@bufbuild/protobuf";
import { descriptorName, typeName } from "../descriptors/names.ts";
import { SourceFile } from "../print/source-file.ts";
import type { ImportOptions } from "../protocol/options.ts";

/** Adds imports to a generated file. Each function returns the name of the import in the file. */
export abstract class Writer {
  /** The path of the file relative to the output directory. */
  readonly path: string;
  private readonly place: SourceFile;

  constructor(path: string, options: ImportOptions) {
    this.path = path;
    this.place = new SourceFile(path, options);
  }

  /** Imports a value from a package, or from a module that `relative` returned. */
  abstract importValue(name: string, from: string): string;

  /** Imports a type from a package, or from a module that `relative` returned. */
  abstract importType(name: string, from: string): string;

  /** Claims an identifier for a declaration. Appends `$` if the identifier is taken. */
  abstract claim(ideal: string): string;

  /** Imports the constant that describes a service, message or enum in protoc-gen-es. */
  importDescriptor(desc: DescService | DescMessage | DescEnum): string {
    return this.importValue(descriptorName(desc), this.place.messages(desc.file));
  }

  /** Imports the type of the constant that describes a service, message or enum, for `typeof`. */
  importDescriptorType(desc: DescService | DescMessage | DescEnum): string {
    return this.importType(descriptorName(desc), this.place.messages(desc.file));
  }

  /** Imports the type of a message or enum. */
  importMessage(desc: DescMessage | DescEnum): string {
    return this.importType(typeName(desc), this.place.messages(desc.file));
  }

  /**
   * Returns the module specifier of another generated file. `target` is its path relative to the output
   * directory. An extension `.ts` or `.js` is removed: the option `import_extension` determines the extension
   * of the specifier.
   */
  relative(target: string): string {
    return this.place.relative(target.replace(/(?<!\.d)\.[jt]s$/, ""));
  }
}
