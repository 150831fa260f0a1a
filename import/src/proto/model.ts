/** A value that the proto language writes without quotes: the name of an enum value. */
export class Token {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The value of an option. */
export type OptionValue =
  | string
  | number
  | bigint
  | boolean
  | Token
  | readonly OptionValue[]
  | { readonly [key: string]: OptionValue | undefined };

/** An option with its name as written, for example `(google.api.http)`. */
export interface Option {
  readonly name: string;
  readonly value: OptionValue;
  /** The file that declares the option. */
  readonly file?: string;
}

/** The type of a field: a scalar, a message of another file, or a type of this package. */
export type FieldType =
  | { readonly kind: "scalar"; readonly name: string }
  | { readonly kind: "foreign"; readonly name: string; readonly file: string }
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "enum"; readonly enumeration: Enum };

export type Label = "" | "optional" | "repeated" | "map";

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly label: Label;
  readonly options: readonly Option[];
  readonly comment: string;
  readonly oneof: Oneof | undefined;
  /** The reason why the type allows more than the document; undefined if the type is exact. */
  readonly weakened: string | undefined;
}

export interface Oneof {
  readonly name: string;
  readonly comment: string;
  readonly options: readonly Option[];
}

/** A message. Its fields are added while it is planned, since messages can contain themselves. */
export class Message {
  readonly package: string;
  readonly name: string;
  /** The message that contains this one. */
  readonly parent: Message | undefined;
  comment = "";
  deprecated = false;
  /** The options, except `deprecated`. */
  readonly options: Option[] = [];
  readonly fields: Field[] = [];
  readonly messages: Message[] = [];
  readonly enums: Enum[] = [];
  readonly reservedNumbers: number[] = [];

  constructor(packageName: string, name: string, parent: Message | undefined) {
    this.package = packageName;
    this.name = name;
    this.parent = parent;
  }

  /** The name relative to the package. */
  get path(): string {
    return this.parent === undefined ? this.name : `${this.parent.path}.${this.name}`;
  }
}

export class Enum {
  readonly name: string;
  readonly parent: Message | undefined;
  comment = "";
  deprecated = false;
  readonly values: EnumValue[] = [];
  readonly reservedNumbers: number[] = [];

  constructor(name: string, parent: Message | undefined) {
    this.name = name;
    this.parent = parent;
  }

  get path(): string {
    return this.parent === undefined ? this.name : `${this.parent.path}.${this.name}`;
  }
}

export interface EnumValue {
  readonly name: string;
  readonly number: number;
  readonly comment: string;
  readonly options: readonly Option[];
}

export interface Method {
  readonly name: string;
  readonly input: Message;
  readonly output: Message;
  readonly serverStreaming: boolean;
  /** Whether another method of the service sends the same requests. */
  readonly isAdditional: boolean;
  readonly options: readonly Option[];
  readonly comment: string;
}

export interface Service {
  readonly name: string;
  readonly comment: string;
  readonly options: readonly Option[];
  readonly methods: readonly Method[];
}

export interface File {
  readonly path: string;
  readonly package: string;
  readonly comment: string;
  readonly services: readonly Service[];
  readonly messages: readonly Message[];
  readonly enums: readonly Enum[];
  /** The files that this file imports. */
  readonly imports: readonly string[];
}
