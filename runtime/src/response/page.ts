import { isJsonObject, type JsonValue, type Misstep, valueAt } from "connect-rest-codec/internal";
import type { EmptySpelling, EnvelopeRule } from "../adapter/rules.ts";
import type { Body } from "./body.ts";
import { isAllowedAbsence, isEmpty, isSpelledOut, type Misshapen, misshapen } from "./empty.ts";
import { payloadOf } from "./envelope.ts";

const NOTHING: readonly JsonValue[] = [];

/** Where the list of a response is. */
export interface ListRules {
  /** What stands around the payload. */
  readonly envelope: EnvelopeRule | undefined;
  /** Dotted paths from the payload. */
  readonly paths: readonly string[];
  /** What stands for a list without items. Default: `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[] | undefined;
}

/** The list in a response. */
export class Page {
  readonly payload: JsonValue | undefined;
  /** The path at which the list is, or should be. */
  readonly path: string;
  /** What stands there. */
  readonly list: JsonValue | undefined;
  /** The items; none where there is no list. */
  readonly items: readonly JsonValue[];
  /** What is no object on the way to the payload and to the list. */
  readonly missteps: readonly Misstep[];
  readonly body: JsonValue | undefined;
  private readonly verbatimBody: () => JsonValue | undefined;
  private readonly exactBody: () => JsonValue | undefined;
  private readonly rules: ListRules;
  private exactPage: Page | undefined;

  /**
   * @param rules where the list is: of its paths the first that leads to an array counts, else the first that
   *   leads to what stands for an empty list, else the first
   */
  constructor({ value, exactly, verbatim }: Pick<Body, "value" | "exactly" | "verbatim">, rules: ListRules) {
    const { envelope, paths, empty } = rules;
    const missteps: Misstep[] = [];
    const found = (misstep: Misstep) => missteps.push(misstep);
    this.payload = payloadOf(value, envelope, undefined, found);
    const first = (holds: (list: JsonValue | undefined) => boolean) =>
      paths.find((path) => holds(valueAt(this.payload, path)));
    this.path = first(Array.isArray) ?? first((list) => isEmpty(list, empty)) ?? paths[0] ?? "";
    this.list = valueAt(this.payload, this.path, found);
    this.missteps = missteps;
    this.items = Array.isArray(this.list) ? this.list : NOTHING;
    this.body = value;
    this.exactBody = exactly;
    this.verbatimBody = verbatim;
    this.rules = rules;
  }

  /** The same with integers beyond 2^53 as bigint. */
  exactly(): Page {
    this.exactPage ??= new Page({ ...this.source, value: this.exactBody() }, this.rules);
    return this.exactPage;
  }

  /** The same with every number as it is written; undefined where this has them all so. */
  verbatim(): Page | undefined {
    const value = this.verbatimBody();
    return value === undefined ? undefined : this.of(value);
  }

  /** The same of another body. */
  of(value: JsonValue): Page {
    return new Page({ ...this.source, value }, this.rules);
  }

  private get source() {
    return { exactly: this.exactBody, verbatim: this.verbatimBody };
  }

  /**
   * Why this is no page: there is neither a list nor what stands for an empty one. undefined where there is.
   */
  get misshapen(): Misshapen | undefined {
    const { envelope, empty } = this.rules;
    const { payload } = this;
    if (Array.isArray(this.list)) return undefined;
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

  /** The paths counted from the body. */
  private get payloadPath(): string {
    return this.rules.envelope?.payload[0] ?? "";
  }

  private get listPath(): string {
    return this.payloadPath === "" ? this.path : `${this.payloadPath}.${this.path}`;
  }

  /** A value that is picked out of the page; from the exact one where it would be a rounded integer. */
  pick(from: (page: Page) => JsonValue | undefined): JsonValue | undefined {
    const value = from(this);
    const rounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
    return rounded ? from(this.exactly()) : value;
  }
}
