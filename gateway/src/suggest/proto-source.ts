/** Finds declarations in the text of a `.proto` file. Everything else of the text is skipped, not checked. */

/** A message, an enum, a oneof, or another block in braces. */
export interface Block {
  /** `message`, `enum`, `oneof`, or another keyword. */
  readonly keyword: string;
  readonly name: string;
  /** The field of a group. */
  readonly member?: Member | undefined;
  /** The offsets after the opening brace, and of the closing brace. */
  readonly open: number;
  readonly close: number;
  /** The fields of a message and of its oneofs, or the values of an enum. */
  readonly members: readonly Member[];
  readonly blocks: readonly Block[];
  /** The ranges of reserved numbers and of extensions. */
  readonly reserved: readonly (readonly [first: number, last: number])[];
  readonly reservedNames: readonly string[];
  /** The offsets after each field, oneof and value, in their order. */
  readonly ends: readonly number[];
}

export interface Member {
  readonly name: string;
  readonly number: number;
  /** The offsets of the first token and after the last one. */
  readonly start: number;
  readonly end: number;
}

/** The declarations of a file. */
export interface ProtoSource {
  readonly text: string;
  /** `proto2`, `proto3` or an edition. */
  readonly syntax: string;
  readonly imports: readonly { readonly path: string; readonly start: number; readonly end: number }[];
  /** The offset after the declaration of the package, or else of the syntax. */
  readonly endOfHead: number;
  readonly blocks: readonly Block[];
  /** All identifiers of the file. */
  readonly words: ReadonlySet<string>;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[\w.]+|[^\s\w]/g;
const MAX_NUMBER = 2 ** 29 - 1;

/** Reads the declarations of a file. */
export function readSource(text: string): ProtoSource {
  const tokens = tokensOf(text);
  const reader = new Reader(tokens);
  const { blocks, statements } = reader.body();
  const imports = statements
    .filter(([first]) => first?.text === "import")
    .map((statement) => ({
      path: unquoted(statement.at(-2)?.text ?? ""),
      start: statement[0]?.start ?? 0,
      end: statement.at(-1)?.end ?? 0,
    }));
  const head = statements.filter(([first]) => /^(?:syntax|edition|package)$/.test(first?.text ?? ""));
  const syntax = head.find(([first]) => first?.text !== "package");
  return {
    text,
    syntax: syntax === undefined ? "proto2" : unquoted(syntax[2]?.text ?? ""),
    imports,
    endOfHead: head.at(-1)?.at(-1)?.end ?? 0,
    blocks,
    words: new Set(tokens.flatMap(({ text: word }) => word.split("."))),
  };
}

/** Finds the block of a message or an enum by the names of its parents and its own. */
export function blockAt(source: ProtoSource, path: readonly string[]): Block | undefined {
  let blocks = source.blocks;
  let found: Block | undefined;
  for (const name of path) {
    found = blocks.find((each) => each.name === name && /^(?:message|enum)$/.test(each.keyword));
    blocks = found?.blocks ?? [];
  }
  return found;
}

/**
 * Returns the number after the highest number of a block that is neither used nor reserved.
 *
 * @param given numbers of new members
 * @param apart the number of a member that is set apart from the others
 */
export function nextNumber(
  { keyword, members, reserved }: Block,
  given: readonly number[],
  apart?: number,
): number {
  const used = [...members.map(({ number }) => number), ...given];
  const ranges = keyword === "enum" ? reserved : [...reserved, [19_000, 19_999] as const];
  const taken = new Set(used);
  const highest = Math.max(0, ...used.filter((number) => number !== apart));
  for (const start of [highest + 1, 1]) {
    for (let number = start; number <= MAX_NUMBER; number = after(number, ranges)) {
      const isReserved = ranges.some(([first, last]) => number >= first && number <= last);
      if (!isReserved && !taken.has(number)) return number;
    }
  }
  throw new RangeError("no number is free");
}

function after(number: number, ranges: readonly (readonly [number, number])[]): number {
  const range = ranges.find(([first, last]) => number >= first && number <= last);
  return (range?.[1] ?? number) + 1;
}

function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(TOKENS))
    .filter(([token]) => !/^\/[/*]/.test(token))
    .map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
}

type Statement = readonly Token[];

interface Body {
  readonly blocks: Block[];
  readonly statements: Statement[];
  /** Undefined at the end of the file. */
  readonly closing?: Token;
}

class Reader {
  private readonly tokens: readonly Token[];
  private at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** Reads statements and blocks up to a closing brace. */
  body(): Body {
    const blocks: Block[] = [];
    const statements: Statement[] = [];
    let statement: Token[] = [];
    for (let token = this.tokens[this.at++]; token !== undefined; token = this.tokens[this.at++]) {
      if (token.text === "}") return { blocks, statements, closing: token };
      statement.push(token);
      const [first] = statement;
      if (token.text === "[") {
        statement.push(...this.skip("[", "]"));
      } else if (token.text === "{" && first?.text === "option") {
        statement.push(...this.skip("{", "}"));
      } else if (token.text === "{") {
        blocks.push(this.block(statement));
        statement = [];
      } else if (token.text === ";") {
        statements.push(statement);
        statement = [];
      }
    }
    return { blocks, statements };
  }

  private block(head: Statement): Block {
    const group = head.findIndex(({ text }) => text === "group");
    const member = group > 0 ? memberOf(head) : undefined;
    const { blocks, statements, closing } = this.body();
    const fields = statements.map(memberOf).filter((each) => each !== undefined);
    const inner = blocks.filter((each) => each.keyword === "oneof" || each.member !== undefined);
    const numbered = statements.filter(([first]) => /^(?:reserved|extensions)$/.test(first?.text ?? ""));
    const open = head.at(-1)?.end ?? 0;
    return {
      keyword: member === undefined ? (head[0]?.text ?? "") : "message",
      name: (member === undefined ? head[1] : head[group + 1])?.text ?? "",
      member,
      open,
      close: closing?.start ?? open,
      members: [...fields, ...inner.flatMap((each) => each.member ?? each.members)],
      blocks,
      reserved: numbered.flatMap(rangesOf),
      reservedNames: numbered.flatMap((each) => each.slice(1).map(({ text }) => unquoted(text))),
      ends: [...fields.map(({ end }) => end), ...inner.map(({ close }) => close + 1)].toSorted(
        (a, b) => a - b,
      ),
    };
  }

  private skip(open: string, close: string): Token[] {
    const skipped: Token[] = [];
    let depth = 1;
    for (let token = this.tokens[this.at]; token !== undefined && depth > 0; token = this.tokens[this.at]) {
      if (token.text === open) depth++;
      if (token.text === close) depth--;
      skipped.push(token);
      this.at++;
    }
    return skipped;
  }
}

/** Returns the field or the enum value that a statement declares. */
function memberOf(statement: Statement): Member | undefined {
  const [first] = statement;
  const at = statement.findIndex(({ text }) => text === "=");
  if (first === undefined || at < 1 || /^(?:option|syntax|edition|import)$/.test(first.text)) {
    return undefined;
  }
  const digits = statement.slice(at + 1, at + 3).map(({ text }) => text);
  const number = Number(digits[0] === "-" ? digits.join("") : digits[0]);
  return { name: statement[at - 1]?.text ?? "", number, start: first.start, end: statement.at(-1)?.end ?? 0 };
}

/** Returns the ranges of `reserved 2, 4 to 6;` and `extensions 100 to max [...];`. */
function rangesOf(statement: Statement): readonly (readonly [number, number])[] {
  const text = statement.map((token) => token.text).join(" ");
  return Array.from(text.matchAll(/(-\s?)?(?<![\w"'])(\d\w*)(?: to (max|-?\s?\d\w*))?/g), (match) => {
    const [, minus = "", digits = "", to] = match;
    const first = Number(minus.trim() + digits);
    return [
      first,
      to === "max" ? Number.MAX_SAFE_INTEGER : to === undefined ? first : Number(to.replace(" ", "")),
    ];
  });
}

function unquoted(text: string): string {
  return text.replaceAll(/^["']|["']$/g, "");
}
