import {
  hasKeyOf,
  isJsonObject,
  type JsonValue,
  type MessageTable,
  type Misstep,
  valueAt,
} from "connect-rest-codec/internal";
import type { EmptySpelling, EnvelopeRule } from "../adapter/rules.ts";
import type { Body } from "./body.ts";
import { isAllowedAbsence, isEmpty, isSpelledOut, type Misshapen, misshapen } from "./empty.ts";
import { payloadOf } from "./envelope.ts";

const NOTHING: readonly JsonValue[] = [];

/** The location of the list in a response. */
export interface ListRules {
  /** The envelope around the payload. */
  readonly envelope: EnvelopeRule | undefined;
  /** The dotted paths of the list, relative to the payload. */
  readonly paths: readonly string[];
  /** The representations of a list without items. Default: `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[] | undefined;
  /**
   * The type of an item. If an object that has one of the type's keys replaces the list, the object is the
   * only item.
   */
  readonly item: MessageTable;
}

/** The list in a response. */
export class Page {
  readonly payload: JsonValue | undefined;
  /** The path of the list, or its expected path if there is no list. */
  readonly path: string;
  /** The value at that path. */
  readonly list: JsonValue | undefined;
  /** Whether an object in place of the list counts as the only item. */
  readonly isOnlyItem: boolean;
  /** The items. Empty if there is no list. */
  readonly items: readonly JsonValue[];
  /** The values that are not objects on the paths to the payload and to the list. */
  readonly missteps: readonly Misstep[];
  readonly body: JsonValue | undefined;
  private readonly verbatimBody: () => JsonValue | undefined;
  private readonly exactBody: () => JsonValue | undefined;
  private readonly rules: ListRules;
  private exactPage: Page | undefined;

  /**
   * @param rules the paths of the list. This page uses the first path that leads to an array, or otherwise
   *   the first that leads to a representation of an empty list, or otherwise the first path.
   */
  constructor({ value, exactly, verbatim }: Pick<Body, "value" | "exactly" | "verbatim">, rules: ListRules) {
    const { envelope, paths, empty, item } = rules;
    const isItem = (list: JsonValue | undefined) => isJsonObject(list) && hasKeyOf(item, list);
    const missteps: Misstep[] = [];
    const found = (misstep: Misstep) => missteps.push(misstep);
    this.payload = payloadOf(value, envelope, undefined, found);
    const first = (holds: (list: JsonValue | undefined) => boolean) =>
      paths.find((path) => holds(valueAt(this.payload, path)));
    this.path =
      first(Array.isArray) ?? first((list) => isEmpty(list, empty) || isItem(list)) ?? paths[0] ?? "";
    this.list = valueAt(this.payload, this.path, found);
    this.missteps = missteps;
    // an object that is the whole payload is more likely an error or an envelope than an item
    this.isOnlyItem = this.path !== "" && isItem(this.list);
    this.items = Array.isArray(this.list) ? this.list : this.isOnlyItem ? [this.list as JsonValue] : NOTHING;
    this.body = value;
    this.exactBody = exactly;
    this.verbatimBody = verbatim;
    this.rules = rules;
  }

  /** Returns the page with every number that a double does not hold as a bigint or a `NumberText`. */
  exactly(): Page {
    this.exactPage ??= new Page({ ...this.source, value: this.exactBody() }, this.rules);
    return this.exactPage;
  }

  /**
   * Returns the page with every number as it was written, or undefined if this page preserves all numbers.
   */
  verbatim(): Page | undefined {
    const value = this.verbatimBody();
    return value === undefined ? undefined : this.of(value);
  }

  /** Returns a page with the same rules and another body. */
  of(value: JsonValue): Page {
    return new Page({ ...this.source, value }, this.rules);
  }

  private get source() {
    return { exactly: this.exactBody, verbatim: this.verbatimBody };
  }

  /**
   * The reason why this is not a page: it contains neither a list nor a representation of an empty list.
   * Undefined for a valid page.
   */
  get misshapen(): Misshapen | undefined {
    const { envelope, empty } = this.rules;
    const { payload } = this;
    if (Array.isArray(this.list) || this.isOnlyItem) return undefined;
    if (payload === undefined) {
      return isAllowedAbsence(this.body, envelope)
        ? undefined
        : misshapen(this.payloadPath, "a payload", payload);
    }
    if (this.path === "") {
      return isEmpty(payload, empty ?? envelope?.empty)
        ? undefined
        : misshapen(this.payloadPath, "array", payload);
    }
    if (!isJsonObject(payload)) {
      return isEmpty(payload, envelope?.empty) ? undefined : misshapen(this.payloadPath, "object", payload);
    }
    if (isSpelledOut(payload, envelope?.empty) || isEmpty(this.list, empty)) return undefined;
    return misshapen(this.listPath, "array", this.list);
  }

  /** The path of the payload in the body. */
  private get payloadPath(): string {
    return this.rules.envelope?.payload[0] ?? "";
  }

  private get listPath(): string {
    return this.payloadPath === "" ? this.path : `${this.payloadPath}.${this.path}`;
  }

  /** Returns a value of the page; if a double may have rounded the value, the value of the exact page. */
  pick(from: (page: Page) => JsonValue | undefined): JsonValue | undefined {
    const value = from(this);
    return typeof value === "number" && !Number.isSafeInteger(value) ? from(this.exactly()) : value;
  }
}
