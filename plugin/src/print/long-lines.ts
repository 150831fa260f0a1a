/**
 * Keeps generated lines below 64 KiB: buf rejects longer ones, or loses them,
 * in a file that is inserted into.
 */

/** The longest line, in bytes, that every compiler takes. */
export const LONGEST_LINE = 65_535;

/** Lines are broken well before that, since a second generator may indent them. */
const WIDTH = 60_000;
/** Strings are cut into pieces of this many bytes, where they stand in a line that is too long. */
const PIECE = 30_000;

/**
 * A generated file with lines that are not too long: comments are broken anywhere, code where it may go on in
 * the next line, strings into sums. A line that is one long name stays as it is.
 */
export function breakLongLines(text: string): string {
  // most files have no such line, and a character is three bytes at most
  if (text.length * 3 <= WIDTH) return text;
  return text
    .split("\n")
    .map((line) => (Buffer.byteLength(line) > WIDTH ? breakLine(line) : line))
    .join("\n");
}

/** The length in bytes of the longest line. */
export function longestLine(text: string): number {
  return text.split("\n").reduce((longest, line) => Math.max(longest, Buffer.byteLength(line)), 0);
}

function breakLine(line: string): string {
  const [, indent = ""] = /^( *)(?:\/\*\*| \* )/.exec(line) ?? [];
  const isComment = /^ *(?:\/\*\*|\* )/.test(line);
  return isComment ? piecesOf(line, WIDTH - indent.length - 3).join(`\n${indent} * `) : breakCode(line);
}

/** Names and numbers, strings, templates, and single signs. */
const TOKENS = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|\s+|\|\||&&|\?\?|[\s\S]/gu;
/** After these a line may end, whatever follows. */
const OPEN = new Set([",", ":", "(", "[", "{", "||", "&&", "??", "+\n"]);

function breakCode(line: string): string {
  const tokens = withoutLongStrings(line.match(TOKENS) ?? []);
  const lines: string[] = [];
  let current = "";
  let width = 0;
  // what stands between two places where a line may end stays together
  let chunk = "";
  const flush = () => {
    const size = Buffer.byteLength(chunk);
    if (width > 0 && width + size > WIDTH) {
      lines.push(current);
      current = "";
      width = 0;
    }
    current += chunk;
    width += size;
    chunk = "";
  };
  for (const token of tokens) {
    chunk += token.trimEnd() === "" ? token : token.replace(/\n$/, "");
    if (OPEN.has(token)) flush();
  }
  flush();
  return [...lines, current].map((each) => each.trimEnd()).join("\n");
}

/** Tokens with each long string as a sum of strings; as a key it is computed. */
function withoutLongStrings(tokens: readonly string[]): string[] {
  return tokens.flatMap((token, index) => {
    const quote = token.charAt(0);
    if ((quote !== '"' && quote !== "`") || Buffer.byteLength(token) <= PIECE) return [token];
    const parts = quote === '"' ? piecesOf(token.slice(1, -1), PIECE) : templatePieces(token.slice(1, -1));
    const sum = parts.flatMap((part, at) => [...(at === 0 ? [] : [" ", "+\n", " "]), quote + part + quote]);
    return isKey(tokens, index) ? ["[", ...sum, "]"] : sum;
  });
}

function isKey(tokens: readonly string[], index: number): boolean {
  const before = tokens.slice(0, index).findLast((token) => token.trim() !== "");
  return tokens[index + 1] === ":" && (before === undefined || before === "{" || before === ",");
}

/** Cuts the inside of a template literal; what is in a `${…}` stays together. */
function templatePieces(inner: string): string[] {
  const parts = inner.match(/\$\{[^}]*\}|(?:\\[\s\S]|(?!\$\{)[\s\S])+/gu) ?? [];
  return parts.flatMap((part) => (part.startsWith("${") ? [part] : piecesOf(part, PIECE)));
}

/**
 * Cuts a text into pieces of so many bytes, at blanks where there are some, and never inside of an escape.
 */
function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const unit of text.match(/\\u[0-9a-f]{4}|\\[\s\S]|[^ \\]{1,64}| |\\$/gu) ?? []) {
    const length = Buffer.byteLength(unit);
    if (bytes + length > size) {
      pieces.push(piece);
      piece = "";
      bytes = 0;
    }
    piece += unit;
    bytes += length;
  }
  return [...pieces, piece];
}
