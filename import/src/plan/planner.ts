import type { Lock } from "../lock/lock.ts";
import { Scope } from "../names/scope.ts";
import { jsonName, snake, wordsOf } from "../names/words.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import {
  type Enum,
  type Field,
  type Label,
  Message,
  type Option,
  type OptionValue,
  Token,
} from "../proto/model.ts";
import { WEAKENING } from "../report/causes.ts";
import type { Report } from "../report/report.ts";
import { alternativesOf, mergedObjects } from "./alternatives.ts";
import { ANNOTATIONS, BEHAVIOR, VALIDATE } from "./annotations.ts";
import { descriptionOf } from "./comments.ts";
import {
  type FieldDraft,
  type Planning,
  plainType,
  type Spot,
  scalar,
  type Typed,
  VALUE,
} from "./context.ts";
import { EnumPlanner } from "./enums.ts";
import { fillTuple } from "./tuples.ts";
import { TypeNames } from "./type-names.ts";
import { typeOfSchema } from "./types.ts";
import { fillUnion } from "./unions.ts";
import type { Usage } from "./usage.ts";
import { isLine } from "./wire-names.ts";
import { element } from "./wrappers.ts";

/** The notation of names on the wire, for all messages. */
export type NameStyle = "AS_DECLARED" | "LOWER_CAMEL";

export interface PlannerOptions {
  readonly package: string;
  readonly style: NameStyle;
  readonly usage: Usage;
}

/** The notation of a property in a form, if it is not the default. */
export type FormNotation = "brackets" | "json";

/** The options for adding the properties of an object to a message that has other fields. */
interface PropertyOptions {
  /** The prefix of the property keys in the lock, if other fields may have the same keys. */
  readonly prefix?: string;
  readonly skip?: ReadonlySet<string>;
  /** The properties that a form writes as JSON, and the lists of strings that it writes with brackets. */
  readonly notations?: ReadonlyMap<string, FormNotation>;
}

/** Plans messages, enums and their fields. */
export class Planner implements Planning {
  readonly schemas: Schemas;
  readonly report: Report;
  readonly lock: Lock;
  readonly names: TypeNames;
  readonly enums: EnumPlanner;
  /** The messages of the package, in the order of first use. */
  readonly topLevel: Message[] = [];
  private readonly options: PlannerOptions;
  /** The keys of the schemas whose types are being planned within the current message. */
  private open = new Set<string>();
  private readonly stems: ReadonlySet<string>;
  private readonly known = new Map<string, Message>();
  private readonly scopes = new Map<Message, Scope>();
  private readonly lockKeys = new Map<Message, Set<string>>();

  constructor(schemas: Schemas, report: Report, lock: Lock, options: PlannerOptions) {
    this.schemas = schemas;
    this.report = report;
    this.lock = lock;
    this.options = options;
    this.names = new TypeNames(lock);
    this.stems = new Set([...lock.givenNames()].filter((name) => !name.includes(".")));
    this.enums = new EnumPlanner(this.names, lock);
  }

  isInRequest(schema: Schema, spot: Spot): boolean {
    // a type occurs in requests if the schema from which it is derived occurs in requests
    return spot.request || this.options.usage.requested.has(schema.key.replace(/!.*/s, ""));
  }

  typeOf(schema: SchemaNode, spot: Spot): Typed {
    const { key, shape } = this.schemas.read(schema);
    // the schema is a list of itself, without a message in between
    const isOpen =
      shape.kind === "array" || shape.kind === "tuple" || shape.kind === "object" || shape.kind === "union";
    if (isOpen && this.open.has(key)) return plainType(VALUE, "too-deep");
    this.open.add(key);
    const typed = typeOfSchema(this, this.enums, schema, spot);
    this.open.delete(key);
    // responses are not validated
    return spot.request ? typed : { ...typed, checks: undefined };
  }

  messageOf(schema: Schema, spot: Spot): Message {
    const key = this.names.identity(schema, spot);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const message = this.create({ ...schema, key }, spot);
    message.comment = descriptionOf(schema.notes);
    message.deprecated = schema.name !== undefined && schema.notes.deprecated;
    const inner = nestedSpot(message, spot, this.isInRequest(schema, spot));
    const { open } = this;
    this.open = new Set();
    if (schema.shape.kind === "union") {
      fillUnion(this, message, schema, inner);
    } else if (schema.shape.kind === "tuple") {
      fillTuple(this, message, schema, inner);
    } else {
      this.addProperties(message, schema, inner);
    }
    this.open = open;
    // the numbers of a tuple are the places of its items
    if (schema.shape.kind !== "tuple") message.reservedNumbers.push(...this.lock.retired(message.path));
    return message;
  }

  newMessage(source: string, words: readonly string[], spot: Spot): Message {
    const notes = { deprecated: false, readOnly: false, writeOnly: false };
    const key = this.names.identity({ key: source, name: undefined, notes }, spot);
    return this.known.get(key) ?? this.create({ key, name: undefined, notes }, { ...spot, words });
  }

  /** Reports whether another operation already uses this name for its request and response. */
  isStem(name: string): boolean {
    return this.stems.has(name);
  }

  /** Creates a message of the package with a reserved name. */
  rootMessage(name: string): Message {
    const message = new Message(this.options.package, name, undefined);
    this.topLevel.push(message);
    return message;
  }

  private create(schema: Pick<Schema, "key" | "name" | "notes">, spot: Spot): Message {
    const { name, parent } = this.names.give(schema, spot);
    const message = new Message(this.options.package, name, parent);
    this.known.set(schema.key, message);
    (parent?.messages ?? this.topLevel).push(message);
    return message;
  }

  /** Adds a field for each property of an object, and a field for additional keys. */
  addProperties(message: Message, schema: Schema, spot: Spot, options: PropertyOptions = {}): void {
    const { shape } = schema;
    if (shape.kind !== "object") return;
    for (const wire of spot.request ? shape.required : []) {
      if (shape.properties.has(wire) || typeof shape.additional === "object") continue;
      this.report.add("undeclared-key", schema.place, `${message.path}: ${wire}`);
    }
    const discriminators = this.options.usage.discriminators.get(schema.key);
    const spellings = Map.groupBy(shape.properties.keys(), (wire) => jsonName(snake(wordsOf(wire))));
    for (const [wire, node] of shape.properties) {
      if (options.skip?.has(wire) === true) continue;
      // the selected member of the union determines the value
      const isChosen = spot.request && discriminators?.has(wire) === true;
      const required = shape.required.has(wire) && !isChosen;
      const notation = options.notations?.get(wire);
      // a field without a name would also read the other spellings
      const isAmbiguous = (spellings.get(jsonName(snake(wordsOf(wire))))?.length ?? 0) > 1;
      const rules = isAmbiguous ? { name: wire } : {};
      this.addProperty(message, wire, node, {
        spot,
        required,
        notation,
        rules,
        prefix: options.prefix ?? "",
      });
    }
    const { additional } = shape;
    if (additional === undefined || additional === false || shape.properties.size === 0) return;
    const isTyped = additional !== true && this.schemas.read(additional).shape.kind !== "any";
    this.addField(message, {
      ...PLAIN,
      key: "*",
      wire: undefined,
      typed: {
        ...plainType(scalar("string"), isTyped ? "typed-additional" : undefined),
        label: "map",
        rules: { unknown: true },
      },
      comment: "All other keys of the object, with their values as JSON.",
      place: schema.place,
      words: ["additional", "properties"],
    });
  }

  private addProperty(
    message: Message,
    wire: string,
    node: SchemaNode,
    {
      spot,
      required,
      notation,
      rules: given,
      prefix,
    }: {
      spot: Spot;
      required: boolean;
      notation: FormNotation | undefined;
      rules: Readonly<Record<string, OptionValue>>;
      prefix: string;
    },
  ): void {
    const schema = this.schemas.read(node);
    if (schema.shape.kind === "never") return;
    const place = placeOfUse(node, schema);
    if (wire === "") {
      this.report.add("empty-key", place, message.path);
      return;
    }
    if (!isLine(wire)) {
      this.report.add("invalid-name", place, `${message.path}: ${wire}`);
      return;
    }
    // a request need not contain a property that only responses have
    const isNeeded = required && !(spot.request && schema.notes.readOnly);
    // in a form, null would be a string
    const mayBeNull = spot.request && schema.nullable && isNeeded && spot.textual !== true;
    const mayBeUnset = !isNeeded || (schema.nullable && !mayBeNull);
    const words = wordsOf(wire);
    const inner: Spot = {
      root: spot.root,
      words: [...spot.words, ...(words.length === 0 ? ["value"] : words)],
      element: `${message.path}.${wire}`,
      request: spot.request,
      textual: spot.textual === true && notation !== "json",
    };
    const draft = {
      key: `${prefix}${wire}`,
      wire,
      required: spot.request && !mayBeUnset,
      nullable: mayBeUnset,
      comment: descriptionOf(schema.notes),
      deprecated: schema.notes.deprecated,
      place,
    };
    if (schema.nullable && spot.request && !mayBeNull) {
      this.report.add("null-in-request", draft.place, inner.element);
    }
    const plain = this.typeOf(node, inner);
    const typed = mayBeNull ? element(this, plain, node, inner) : plain;
    const comment = isCommentOf(typed, draft.comment) ? "" : draft.comment;
    const isList = typed.label === "repeated" && typed.type.kind !== "message";
    const rules: Record<string, OptionValue> = { ...given };
    if (notation === "brackets" && isList) rules.style = new Token("BRACKETS");
    if (notation === "json") rules.json_text = true;
    this.addField(message, { ...draft, typed, comment, rules });
  }

  addField(message: Message, draft: FieldDraft): Field {
    const scope = this.scopes.get(message) ?? new Scope(jsonName);
    this.scopes.set(message, scope);
    const name = scope.give(snake(draft.words ?? wordsOf(draft.wire ?? draft.key)));
    const { typed } = draft;
    const weakened =
      typed.weakened !== undefined && WEAKENING.has(typed.weakened) ? typed.weakened : undefined;
    if (typed.weakened !== undefined) this.report.add(typed.weakened, draft.place, `${message.path}.${name}`);
    const field: Field = {
      name,
      number: draft.number ?? this.lock.numberOf(message.path, this.lockKey(message, draft.key)),
      type: typed.type,
      label: labelOf(draft),
      options: this.optionsOf(draft, name),
      comment: draft.comment,
      oneof: draft.oneof,
      weakened,
    };
    message.fields.push(field);
    return field;
  }

  /** Returns a key for the lock. A property may have the key of a field without a property, such as `*`. */
  private lockKey(message: Message, key: string): string {
    const used = this.lockKeys.get(message) ?? new Set();
    let found = key;
    while (used.has(found)) found += "!";
    this.lockKeys.set(message, used.add(found));
    return found;
  }

  /** Returns one object with the properties of all alternatives of a union. */
  mergedFields(schema: Schema): Schema {
    return this.schemas.read(mergedObjects(this.schemas, schema, alternativesOf(this.schemas, schema)));
  }

  /** Returns a name for a oneof. Oneofs and fields share a scope. */
  oneofName(message: Message, words: readonly string[]): string {
    const scope = this.scopes.get(message) ?? new Scope(jsonName);
    this.scopes.set(message, scope);
    return scope.give(snake(words));
  }

  private optionsOf(draft: FieldDraft, name: string): Option[] {
    const { typed } = draft;
    const written = this.options.style === "AS_DECLARED" ? name : jsonName(name);
    // a header is always named, since its name differs from names of fields
    const isHeader = draft.rules?.in instanceof Token && draft.rules.in.name === "HEADER";
    const isNamed = draft.wire !== undefined && (written !== draft.wire || isHeader);
    const rules = {
      ...(draft.rules?.in === undefined ? {} : { in: draft.rules.in }),
      ...(isNamed ? { name: draft.wire } : {}),
      ...draft.rules,
      ...typed.rules,
    };
    const options: Option[] = [];
    if (Object.keys(rules).length > 0) {
      options.push({ name: "(connectrest.v1.field)", value: rules, file: ANNOTATIONS });
    }
    if (draft.required && draft.oneof === undefined) {
      options.push({ name: "(google.api.field_behavior)", value: new Token("REQUIRED"), file: BEHAVIOR });
    }
    const checks = checksOf(draft);
    if (checks !== undefined) options.push({ name: "(buf.validate.field)", value: checks, file: VALIDATE });
    if (draft.deprecated) options.push({ name: "deprecated", value: true });
    return options;
  }

  get allEnums(): readonly Enum[] {
    return this.enums.topLevel;
  }
}

const PLAIN = { required: false, nullable: false, comment: "", deprecated: false } as const;

function placeOfUse(node: SchemaNode, schema: Schema): string {
  return node.kind === "raw" ? `${node.node.document.name}#${node.node.pointer}` : schema.place;
}

function nestedSpot(message: Message, spot: Spot, request: boolean): Spot {
  const inner = { element: message.path, request, textual: spot.textual === true };
  if (message.parent === undefined) return { root: message, words: [], ...inner };
  return { root: message.parent, words: spot.words, ...inner };
}

function labelOf({ typed, nullable, oneof }: FieldDraft): Label {
  if (typed.label !== "") return typed.label;
  const hasPresence = typed.type.kind === "message" || typed.type.kind === "foreign";
  return nullable && !hasPresence && oneof === undefined ? "optional" : "";
}

/** Reports whether a comment belongs to the type of a field, so that the field need not repeat it. */
function isCommentOf({ type }: Typed, comment: string): boolean {
  if (type.kind === "message") return type.message.comment === comment;
  return type.kind === "enum" && type.enumeration.comment === comment;
}

/** Returns the constraints of a field, with `required` if a message or an enum must be set. */
function checksOf({ typed, required, nullable, oneof }: FieldDraft): OptionValue | undefined {
  const hasNoZero = typed.label === "" && typed.type.kind !== "scalar";
  const isRequired = required && !nullable && hasNoZero && oneof === undefined;
  const checks = { ...(isRequired ? { required: true } : {}), ...typed.checks };
  return Object.keys(checks).length === 0 ? undefined : checks;
}
