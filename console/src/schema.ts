import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import { type FieldOptions, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** The content of `/console/about.json`. */
export interface About {
  readonly version: string;
  readonly services: readonly string[];
  readonly examples: Readonly<Record<string, JsonValue>>;
  readonly hasExplain: boolean;
}

/** The served methods, with everything that the .proto files say about them. */
export class Schema {
  readonly version: string;
  readonly registry: Registry;
  /** Whether the gateway explains calls. */
  readonly hasExplain: boolean;
  readonly services: readonly DescService[];
  private readonly examples: Readonly<Record<string, JsonValue>>;
  private readonly comments: Readonly<Record<string, string>>;
  private readonly validate: DescExtension | undefined;
  private readonly rules: DescExtension | undefined;

  constructor(about: About, files: Uint8Array, comments: Readonly<Record<string, string>>) {
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, files));
    this.version = about.version;
    this.registry = registry;
    this.hasExplain = about.hasExplain;
    this.examples = about.examples;
    this.comments = comments;
    this.services = about.services.flatMap((name) => registry.getService(name) ?? []);
    this.validate = registry.getExtension("buf.validate.field");
    this.rules = registry.getExtension("connectrest.v1.field");
  }

  /** Returns the method at a path `package.Service/Method`. */
  method(path: string): DescMethod | undefined {
    const [service, name] = path.split("/");
    return this.services
      .find(({ typeName }) => typeName === service)
      ?.methods.find((method) => method.name === name);
  }

  /** Returns the comment of an element, or an empty string. */
  comment(name: string): string {
    return this.comments[name] ?? "";
  }

  commentOf(member: { readonly parent: DescService | DescMessage; readonly name: string }): string {
    return this.comment(`${member.parent.typeName}.${member.name}`);
  }

  /** Returns the configured example of a method; undefined if there is none. */
  example(method: DescMethod): JsonValue | undefined {
    return this.examples[pathOf(method)];
  }

  /** Returns the rules of protovalidate for a field as JSON. */
  constraints(field: DescField): JsonObject {
    return this.option(field, this.validate);
  }

  /** Returns whether a field's value must not be kept. */
  isSecret(field: DescField): boolean {
    return field.proto.options?.debugRedact === true || this.option(field, this.rules).redact === true;
  }

  private option(field: DescField, extension: DescExtension | undefined): JsonObject {
    if (extension?.message === undefined || field.proto.options === undefined) return {};
    // the type of the extension is known only now
    const value = getOption(field, extension as typeof extension & Extension);
    return toJson(extension.message, value, { registry: this.registry }) as JsonObject;
  }
}

type Extension = GenExtension<FieldOptions, Message>;

/** Returns `package.Service/Method`. */
export function pathOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Returns whether a browser can call the method: it cannot send a stream of messages. */
export function isCallable({ methodKind }: DescMethod): boolean {
  return methodKind === "unary" || methodKind === "server_streaming";
}
