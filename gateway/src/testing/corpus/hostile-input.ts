/** What a client sends that means no good, or does not know better. */
export interface HostileInput {
  readonly name: string;
  /** What is written on a new connection, part by part. */
  readonly parts: ReadonlyArray<string | Uint8Array>;
  /** Half-close the connection behind it. */
  readonly end?: boolean;
  /**
   * What must come back: `error` is an HTTP status of 400 or more, an error of the protocol, or nothing but
   * the end of the connection; `ok` is a call that was served; `any` is either.
   */
  readonly expect: "error" | "ok" | "any";
}

/** Inputs of a table, named after what they are. */
export function inputs(
  group: string,
  table: Readonly<Record<string, string | Uint8Array | ReadonlyArray<string | Uint8Array>>>,
  expect: HostileInput["expect"] = "error",
): HostileInput[] {
  return Object.entries(table).map(([name, content]) => ({
    name: `${group}: ${name}`,
    parts:
      typeof content === "string" || content instanceof Uint8Array ? [latin1(content)] : content.map(latin1),
    expect,
  }));
}

/** Bytes of a text whose characters are bytes. */
export function latin1(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text, "latin1") : text;
}
