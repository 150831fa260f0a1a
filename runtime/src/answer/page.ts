import { isJsonObject, type JsonValue } from "../adapter/json.ts";
import type { EnvelopeRule } from "../adapter/rules.ts";
import type { Body } from "./body.ts";
import { payloadOf } from "./envelope.ts";
import { valueAt } from "./json-path.ts";

const NOTHING: readonly JsonValue[] = [];

/** The list in an answer. */
export class Page {
  readonly payload: JsonValue | undefined;
  /** What stands where the list should. */
  readonly list: JsonValue | undefined;
  /** The items. A single object counts as a list of one, everything else that is no list as an empty one. */
  readonly items: readonly JsonValue[];
  private readonly exactBody: () => JsonValue | undefined;
  private readonly rules: { readonly envelope: EnvelopeRule | undefined; readonly path: string };
  private exactPage: Page | undefined;

  /**
   * @param envelope what stands around the payload
   * @param path the dotted path from the payload to the list
   */
  constructor(
    { value, exactly }: Pick<Body, "value" | "exactly">,
    envelope: EnvelopeRule | undefined,
    path: string,
  ) {
    this.payload = payloadOf(value, envelope);
    this.list = valueAt(this.payload, path);
    this.items = itemsOf(this.list);
    this.exactBody = exactly;
    this.rules = { envelope, path };
  }

  /** The same with integers beyond 2^53 as bigint. */
  exactly(): Page {
    const { envelope, path } = this.rules;
    this.exactPage ??= new Page({ value: this.exactBody(), exactly: this.exactBody }, envelope, path);
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
