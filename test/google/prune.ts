/**
 * Removes the parts of files that the given methods do not need. The remaining tenth can be generated and
 * checked in seconds.
 */
import { type DescFile, type DescMessage, type DescMethod, fromBinary, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type SourceCodeInfo_Location,
} from "@bufbuild/protobuf/wkt";
import { type ImageFile, withoutSourceInfo } from "./image.ts";

/** Field numbers of FileDescriptorProto and ServiceDescriptorProto, for the beginning of source paths. */
const [MESSAGES, ENUMS, SERVICES, METHODS] = [4, 5, 6, 2];

/**
 * Returns the files that the given methods need, with the services of the methods and all messages and enums
 * that the methods use. Comments and encoded options are kept, but not the files that declare the options.
 * Files of google.protobuf stay complete.
 */
export function prune(files: readonly ImageFile[], methods: readonly DescMethod[]): ImageFile[] {
  const kept = reached(methods);
  const needed = new Set([...kept].map(({ file }) => `${file.name}.proto`));
  return files.flatMap((file) => {
    if (file.name.startsWith("google/protobuf/")) return [withoutSourceInfo(file)];
    return needed.has(file.name) ? [pruneFile(file, kept, needed)] : [];
  });
}

/** A top-level element of a file. It is kept with all elements nested in it. */
interface Kept {
  readonly file: DescFile;
  readonly name: string;
}
type Names = ReadonlySet<Kept>;

function reached(methods: readonly DescMethod[]): Names {
  const byName = new Map<string, Kept>();
  const keep = (file: DescFile, name: string) => byName.set(`${file.name} ${name}`, { file, name });
  const seen = new Set<DescMessage>();
  const reach = (desc: DescMessage): void => {
    const top = topOf(desc);
    if (seen.has(top)) return;
    seen.add(top);
    keep(top.file, top.name);
    for (const message of [top, ...nestedTypes(top)]) if (message.kind === "message") reachFields(message);
  };
  const reachFields = ({ fields }: DescMessage): void => {
    for (const field of fields) {
      if ("message" in field && field.message !== undefined) reach(field.message);
      if (!("enum" in field) || field.enum === undefined) continue;
      if (field.enum.parent === undefined) {
        keep(field.enum.file, field.enum.name);
      } else {
        reach(field.enum.parent);
      }
    }
  };
  for (const method of methods) {
    keep(method.parent.file, `${method.parent.name}.${method.name}`);
    reach(method.input);
    reach(method.output);
  }
  return new Set(byName.values());
}

function topOf(desc: DescMessage): DescMessage {
  return desc.parent === undefined ? desc : topOf(desc.parent);
}

function pruneFile(image: ImageFile, kept: Names, needed: ReadonlySet<string>): ImageFile {
  const file = fromBinary(FileDescriptorProtoSchema, image.bytes);
  const names = new Set(
    [...kept].filter((each) => `${each.file.name}.proto` === image.name).map(({ name }) => name),
  );
  const messages = indices(file.messageType, ({ name }) => names.has(name));
  const enums = indices(file.enumType, ({ name }) => names.has(name));
  const methods = file.service.map((service) =>
    indices(service.method, ({ name }) => names.has(`${service.name}.${name}`)),
  );
  const services = indices(file.service, (_service, index) => (methods[index]?.length ?? 0) > 0);
  const maps = { messages, enums, services, methods };
  const locations = (file.sourceCodeInfo?.location ?? []).filter((location) => moved(location, maps));
  if (file.sourceCodeInfo !== undefined) file.sourceCodeInfo.location = locations;
  file.service.forEach((service, index) => {
    service.method = (methods[index] ?? []).flatMap((at) => service.method[at] ?? []);
  });
  file.messageType = messages.flatMap((at) => file.messageType[at] ?? []);
  file.enumType = enums.flatMap((at) => file.enumType[at] ?? []);
  file.service = services.flatMap((at) => file.service[at] ?? []);
  file.extension = [];
  withDependencies(file, needed);
  return {
    name: image.name,
    dependencies: file.dependency,
    bytes: toBinary(FileDescriptorProtoSchema, file),
  };
}

function withDependencies(file: FileDescriptorProto, needed: ReadonlySet<string>): void {
  file.dependency = file.dependency.filter((name) => needed.has(name) || name.startsWith("google/protobuf/"));
  file.publicDependency = [];
  file.weakDependency = [];
  file.optionDependency = [];
}

interface Maps {
  readonly messages: readonly number[];
  readonly enums: readonly number[];
  readonly services: readonly number[];
  readonly methods: ReadonlyArray<readonly number[]>;
}

/** Updates a source position to the new path of its element. Returns false if the element was removed. */
function moved({ path }: SourceCodeInfo_Location, { messages, enums, services, methods }: Maps): boolean {
  const [kind, index = -1, below, method = -1] = path;
  const map = { [MESSAGES]: messages, [ENUMS]: enums, [SERVICES]: services }[kind ?? 0];
  if (map === undefined || path.length < 2) return true;
  path[1] = map.indexOf(index);
  if (kind === SERVICES && below === METHODS && path.length > 3) {
    path[3] = methods[index]?.indexOf(method) ?? -1;
  }
  return path[1] >= 0 && (path[3] ?? 0) >= 0;
}

function indices<T>(items: readonly T[], isKept: (item: T, index: number) => boolean): number[] {
  return items.flatMap((item, index) => (isKept(item, index) ? [index] : []));
}
