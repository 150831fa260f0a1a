/** Input that a malicious or faulty client sends. */
export interface HostileInput {
  readonly name: string;
  /** The parts that are written one after another on a new connection. */
  readonly parts: ReadonlyArray<string | Uint8Array>;
  /** Whether the client closes its sending side afterwards. */
  readonly end?: boolean;
  /**
   * The expected outcome: `error` is an HTTP status of 400 or more, a protocol error, or a closed connection
   * without a response; `ok` is a served call; `any` is either.
   */
  readonly expect: "error" | "ok" | "any";
}

/** Returns the inputs in a table. The keys of the table describe the inputs. */
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

/** Encodes a string in which each character is one byte. */
export function latin1(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text, "latin1") : text;
}
