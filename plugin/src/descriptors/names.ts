import type {
  AnyDesc,
  DescEnum,
  DescExtension,
  DescFile,
  DescMessage,
  DescService,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";

/** The identifiers under which protoc-gen-es exports the elements of a file. */
export interface ExportedNames {
  /** The type of a message or enum, for example `Post_Photo`. */
  readonly types: ReadonlyMap<DescMessage | DescEnum, string>;
  /** The constant that describes an element: `Post_PhotoSchema`, `PostService`. */
  readonly descriptors: ReadonlyMap<DescMessage | DescEnum | DescService | DescExtension | DescFile, string>;
}

const known = new WeakMap<DescFile, ExportedNames>();

// Words that cannot be identifiers, so that protoc-gen-es appends a dollar sign to them.
const RESERVED = new Set(
  (
    "break case catch class const continue debugger default delete do else export extends false finally for " +
    "function if import in instanceof new null return super switch this throw true try typeof var void while with " +
    "yield enum implements interface let package private protected public static Object bigint number boolean " +
    "string object globalThis Uint8Array Partial"
  ).split(" "),
);

/** Returns a valid TypeScript identifier, in the same way as protoc-gen-es. */
function safeIdentifier(name: string): string {
  return RESERVED.has(name) ? `${name}$` : name;
}

/** Returns the type name of an element without its package. Nested names are joined by `_`. */
export function localName(desc: DescMessage | DescEnum | DescService | DescExtension): string {
  const { package: pkg } = desc.file.proto;
  return desc.typeName.slice(pkg === "" ? 0 : pkg.length + 1).replaceAll(".", "_");
}

/**
 * Returns the names of the elements in a file. Of equal names, all but the first get `$`, `$1`, `$2`
 * appended.
 */
export function exportedNames(file: DescFile): ExportedNames {
  let names = known.get(file);
  if (names === undefined) {
    names = nameAll(file);
    known.set(file, names);
  }
  return names;
}

/** Returns the constant that describes an element: `PostService`, `PostSchema`. */
export function descriptorName(desc: DescService | DescMessage | DescEnum): string {
  return named(desc, exportedNames(desc.file).descriptors.get(desc));
}

/** Returns the type of a message or enum: `Post`. */
export function typeName(desc: DescMessage | DescEnum): string {
  return named(desc, exportedNames(desc.file).types.get(desc));
}

function named(desc: DescService | DescMessage | DescEnum, name: string | undefined): string {
  if (name === undefined) throw new Error(`${desc.typeName} has no exported name`);
  return name;
}

function nameAll(file: DescFile): ExportedNames {
  const taken = new Set<string>();
  const types = new Map<DescMessage | DescEnum, string>();
  const descriptors = new Map<DescMessage | DescEnum | DescService | DescExtension | DescFile, string>();
  const elements = [...nestedTypes(file)];
  for (const desc of elements) {
    if (desc.kind === "message" || desc.kind === "enum") types.set(desc, take(localName(desc), taken));
  }
  descriptors.set(file, take(`file_${file.name.replace(/[^a-zA-Z0-9_]+/g, "_")}`, taken));
  for (const desc of elements) {
    const suffix = desc.kind === "message" || desc.kind === "enum" ? "Schema" : "";
    descriptors.set(desc, take(localName(desc) + suffix, taken));
  }
  return { types, descriptors };
}

function take(ideal: string, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    const salt = attempt === 0 ? "" : attempt === 1 ? "$" : `$${attempt - 1}`;
    const name = safeIdentifier(ideal + salt);
    if (!taken.has(name)) {
      taken.add(name);
      return name;
    }
  }
}

/**
 * Returns the element with the longest name, among the elements in a file and the elements to which methods
 * and fields of the file refer.
 */
export function longestNamed(file: DescFile): AnyDesc {
  const elements = [...nestedTypes(file)].flatMap((desc): AnyDesc[] => [desc, ...membersOf(desc)]);
  return elements.reduce<AnyDesc>(
    (longest, desc) => (ownName(desc).length > ownName(longest).length ? desc : longest),
    file,
  );
}

function membersOf(desc: DescEnum | DescExtension | DescMessage | DescService): AnyDesc[] {
  switch (desc.kind) {
    case "message":
      return [...desc.members, ...desc.fields.flatMap((field) => field.message ?? field.enum ?? [])];
    case "enum":
      return desc.values;
    case "service":
      return desc.methods.flatMap((method) => [method, method.input, method.output]);
    default:
      return [];
  }
}

function ownName(desc: AnyDesc): string {
  return desc.kind === "file" ? desc.proto.package : (desc.proto.name ?? "");
}
