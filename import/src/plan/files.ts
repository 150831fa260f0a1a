import { Scope } from "../names/scope.ts";
import type { Enum, FieldType, File, Message, Option, Service } from "../proto/model.ts";
import { fileStem } from "./services.ts";

/** The file for types that several services use. */
const SHARED = "types";

/** The elements of a package. */
export interface Package {
  readonly name: string;
  readonly comment: string;
  readonly services: readonly Service[];
  readonly messages: readonly Message[];
  readonly enums: readonly Enum[];
}

type Type = Message | Enum;

/**
 * Puts each service into a file with the types that only this service uses, and all other types into one
 * file.
 */
export function filesOf(api: Package): File[] {
  const users = usersOf(api);
  const stems = new Scope();
  stems.take(SHARED);
  const homes = new Map<Service, string>();
  for (const service of api.services) {
    homes.set(service, stems.give(fileStem(service.name), `${fileStem(service.name)}_service`));
  }
  const homeOf = (type: Type): string => {
    const found = users.get(type) ?? new Set();
    const [only] = found;
    return (found.size === 1 && only !== undefined ? homes.get(only) : undefined) ?? SHARED;
  };
  const allMessages = Map.groupBy(api.messages, homeOf);
  const allEnums = Map.groupBy(api.enums, homeOf);
  const parts = [...[...homes].map(([service, stem]) => ({ service, stem })), { stem: SHARED }];
  return parts.flatMap(({ stem, service }: { stem: string; service?: Service }) => {
    const messages = allMessages.get(stem) ?? [];
    const enums = allEnums.get(stem) ?? [];
    if (service === undefined && messages.length + enums.length === 0) return [];
    return [file(api, stem, service, messages, enums, homeOf)];
  });
}

function file(
  api: Package,
  stem: string,
  service: Service | undefined,
  messages: readonly Message[],
  enums: readonly Enum[],
  homeOf: (type: Type) => string,
): File {
  const folder = api.name.replaceAll(".", "/");
  const imports = new Set<string>();
  for (const option of [
    ...(service === undefined ? [] : serviceOptions(service)),
    ...messages.flatMap(messageOptions),
    ...enums.flatMap(enumOptions),
  ]) {
    if (option.file !== undefined) imports.add(option.file);
  }
  const methods = service?.methods ?? [];
  const types = [
    ...methods.flatMap(({ input, output }) => [input, output]),
    ...messages.flatMap((message) => [...foreignTypes(message, imports)]),
  ];
  for (const type of types) {
    const home = homeOf(rootOf(type));
    if (home !== stem) imports.add(`${folder}/${home}.proto`);
  }
  return {
    path: `${folder}/${stem}.proto`,
    package: api.name,
    comment: api.comment,
    services: service === undefined ? [] : [service],
    messages,
    enums,
    imports: [...imports],
  };
}

function serviceOptions(service: Service): Option[] {
  return [...service.options, ...service.methods.flatMap(({ options }) => options)];
}

function messageOptions(message: Message): Option[] {
  return [
    ...message.options,
    ...message.fields.flatMap((field) => [...field.options, ...(field.oneof?.options ?? [])]),
    ...message.messages.flatMap(messageOptions),
    ...message.enums.flatMap(enumOptions),
  ];
}

function enumOptions(enumeration: Enum): Option[] {
  return enumeration.values.flatMap(({ options }) => options);
}

/**
 * Returns the types of this package that a message uses. Adds the files of types from other packages to the
 * imports.
 */
function foreignTypes(message: Message, imports: Set<string>): Type[] {
  const own = message.fields.flatMap(({ type }): Type[] => {
    if (type.kind === "foreign") imports.add(type.file);
    return typesIn(type);
  });
  return [...own, ...message.messages.flatMap((nested) => foreignTypes(nested, imports))];
}

function typesIn(type: FieldType): Type[] {
  if (type.kind === "message") return [type.message];
  return type.kind === "enum" ? [type.enumeration] : [];
}

function rootOf(type: Type): Type {
  return type.parent === undefined ? type : rootOf(type.parent);
}

/** Returns the services that use a type of the package, directly or indirectly. */
function usersOf(api: Package): ReadonlyMap<Type, ReadonlySet<Service>> {
  const users = new Map<Type, Set<Service>>();
  for (const service of api.services) {
    const stack: Type[] = service.methods.flatMap(({ input, output }) => [input, output]);
    for (let type = stack.pop(); type !== undefined; type = stack.pop()) {
      const known = users.get(type) ?? new Set<Service>();
      if (known.has(service)) continue;
      users.set(type, known.add(service));
      if ("fields" in type) stack.push(...foreignTypes(type, new Set()).map(rootOf));
    }
  }
  return users;
}
