import type { EnvelopeRule } from "../adapter/rules.ts";
import { isJsonObject, type JsonValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import type { Body } from "./body.ts";
import { payloadOf } from "./envelope.ts";

const NOTHING: readonly JsonValue[] = [];

/** The list in a response. */
export class Page {
  readonly payload: JsonValue | undefined;
  /** The path at which the list is, or should be. */
  readonly path: string;
  /** What stands there. */
  readonly list: JsonValue | undefined;
  /** The items. A single object counts as a list of one, everything else that is no list as an empty one. */
  readonly items: readonly JsonValue[];
  private readonly exactBody: () => JsonValue | undefined;
  private readonly rules: { readonly envelope: EnvelopeRule | undefined; readonly paths: readonly string[] };
  private exactPage: Page | undefined;

  /**
   * @param envelope what stands around the payload
   * @param paths the dotted paths from the payload to the list; the first that leads to an array counts, and where
   *   none does the first
   */
  constructor(
    { value, exactly }: Pick<Body, "value" | "exactly">,
    envelope: EnvelopeRule | undefined,
    paths: readonly string[],
  ) {
    this.payload = payloadOf(value, envelope);
    this.path = paths.find((path) => Array.isArray(valueAt(this.payload, path))) ?? paths[0] ?? "";
    this.list = valueAt(this.payload, this.path);
    this.items = itemsOf(this.list);
    this.exactBody = exactly;
    this.rules = { envelope, paths };
  }

  /** The same with integers beyond 2^53 as bigint. */
  exactly(): Page {
    const { envelope, paths } = this.rules;
    this.exactPage ??= new Page({ value: this.exactBody(), exactly: this.exactBody }, envelope, paths);
    return this.exactPage;
  }

  /** A value that is picked out of the page; from the exact one where it would be a rounded integer. */
  pick(from: (page: Page) => JsonValue | undefined): JsonValue | undefined {
    const value = from(this);
    const rounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
    return rounded ? from(this.exactly()) : value;
  }
}

function itemsOf(list: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(list)) return list;
  return isJsonObject(list) && Object.keys(list).length > 0 ? [list] : NOTHING;
}
