import { type AnyDesc, type DescFile, type DescMethod, type DescService, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { UpstreamErrorSchema } from "connect-rest-runtime";
import { file_google_rpc_error_details } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { withImports } from "./with-imports.ts";

/** No service imports these files; clients find them by the `@type` of an error detail. */
const ERROR_DETAILS = [file_google_rpc_error_details, file_buf_validate_validate, UpstreamErrorSchema.file];

/** An index of files by their declarations. */
export interface FileIndex {
  byName(name: string): DescFile | undefined;
  /** Finds a file by the full name of any declaration, including methods, fields and enum values. */
  bySymbol(fullName: string): DescFile | undefined;
  byExtension(extendee: string, number: number): DescFile | undefined;
  /** Returns extension numbers in ascending order, or undefined if the message is unknown. */
  extensionNumbers(extendee: string): readonly number[] | undefined;
  /**
   * Encodes a file as a `google.protobuf.FileDescriptorProto`, without services and methods that are not
   * served.
   */
  encode(file: DescFile): Uint8Array<ArrayBuffer>;
  /** Returns all files without services and methods that are not served, each file after its imports. */
  files(): FileDescriptorProto[];
}

/**
 * Indexes the files of the services, the files of error details, and all of their imports. The index contains
 * every declaration in them except services that are not served.
 */
export function createFileIndex(services: readonly DescService[]): FileIndex {
  const names = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  // caches encoded files, because one small request may ask for dozens of files
  const encoded = new Map<DescFile, Uint8Array<ArrayBuffer>>();
  const served: Served = new Map(services.map(({ typeName, methods }) => [typeName, namesOf(methods)]));
  const indexed = [...ERROR_DETAILS, ...services.map((service) => service.file)];
  for (const file of new Set(indexed.flatMap((file) => withImports(file)))) {
    names.set(protoName(file), file);
    for (const type of nestedTypes(file)) {
      for (const symbol of symbolsOf(type, served)) symbols.set(symbol, file);
      if (type.kind !== "extension") continue;
      const numbers = extensions.get(type.extendee.typeName) ?? new Map<number, DescFile>();
      extensions.set(type.extendee.typeName, numbers.set(type.number, file));
    }
  }
  return {
    byName: (name) => names.get(name),
    bySymbol: (symbol) => symbols.get(symbol.replace(/^\./, "")),
    byExtension: (extendee, number) => extensions.get(extendee)?.get(number),
    extensionNumbers: (extendee) => {
      const numbers = extensions.get(extendee);
      if (numbers !== undefined) return [...numbers.keys()].sort((a, b) => a - b);
      return symbols.has(extendee) ? [] : undefined;
    },
    encode: (file) => {
      const known = encoded.get(file);
      if (known !== undefined) return known;
      const bytes = toBinary(FileDescriptorProtoSchema, withServed(file.proto, served));
      encoded.set(file, bytes);
      return bytes;
    },
    files: () => Array.from(names.values(), (file) => withServed(file.proto, served)),
  };
}

/** Returns the file name with its extension, which protobuf-es descriptors omit. */
function protoName(file: DescFile): string {
  return file.proto.name;
}

/** The names of served methods, by full service name. */
type Served = ReadonlyMap<string, ReadonlySet<string>>;

function namesOf(methods: readonly DescMethod[]): ReadonlySet<string> {
  return new Set(methods.map(({ name }) => name));
}

function withServed(file: FileDescriptorProto, served: Served): FileDescriptorProto {
  if (file.service.length === 0) return file;
  const service = file.service.flatMap((each) => {
    const names = served.get(file.package === "" ? each.name : `${file.package}.${each.name}`);
    return names ? [{ ...each, method: each.method.filter(({ name }) => names.has(name)) }] : [];
  });
  return { ...file, service };
}

function symbolsOf(type: AnyDesc, served: Served): string[] {
  switch (type.kind) {
    case "message":
      return [type.typeName, ...type.members.map((member) => `${type.typeName}.${member.name}`)];
    case "enum":
      return [type.typeName, ...type.values.map((value) => siblingName(type.typeName, value.name))];
    case "service": {
      const names = served.get(type.typeName);
      return names ? [type.typeName, ...[...names].map((name) => `${type.typeName}.${name}`)] : [];
    }
    case "extension":
      return [type.typeName];
    default:
      return [];
  }
}

/** Returns the full name of an enum value, whose scope is the parent of its enum. */
function siblingName(typeName: string, name: string): string {
  const end = typeName.lastIndexOf(".");
  return end < 0 ? name : `${typeName.slice(0, end)}.${name}`;
}
