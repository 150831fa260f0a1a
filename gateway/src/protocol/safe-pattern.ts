/**
 * One part of a pattern of RE2 that means the same to JavaScript, as far as ASCII goes: a class, an escape or a character, and how
 * often it comes.
 */
const PART =
  /(\[\^?(?:\\[dws]|\\[^\sA-Za-z0-9]|[^\\[\]-](?:-[^\\[\]-])?)*-?\]|\\[dws]|\\[^\sA-Za-z0-9]|[^\\[\](){}.*+?|^$])(\?|[*+]|\{\d{1,3}(,\d{0,3})?\})?/y;

/** The blanks of RE2, without the vertical tab. */
const BLANKS = "\\t\\n\\f\\r ";

const ASCII = /^[\0-\x7f]*$/;

/** Longer texts are left to RE2, whose time does not depend on the pattern. */
const MAX_LENGTH = 1024;

/** Parts of one alternative that may come once or not at all. */
const MAX_OPTIONAL = 3;

/**
 * A pattern of RE2 as one of JavaScript, which says of short texts of ASCII whether they match, and undefined of others. There is
 * none where the pattern may mean something else, or may take long: it has to begin with `^` and to end with `$`, to have at most
 * one group, of alternatives and around all of it, and in each alternative one part at most that comes any number of times.
 */
export function safePattern(pattern: string): ((text: string) => boolean | undefined) | undefined {
  const [, group, plain] = /^\^(?:\((?!\?)(.*)\)|([^(]*))\$$/s.exec(pattern) ?? [];
  const alternatives = (group?.split("|") ?? [plain]).map((each) => each && translated(each));
  if (alternatives.some((each) => each === undefined || each === "")) return undefined;
  try {
    const same = new RegExp(`^(?:${alternatives.join("|")})$`);
    return (text) => (text.length <= MAX_LENGTH && ASCII.test(text) ? same.test(text) : undefined);
  } catch {
    return undefined;
  }
}

function translated(alternative: string): string | undefined {
  let text = "";
  let repeated = 0;
  let optional = 0;
  for (let at = 0; at < alternative.length; at = PART.lastIndex) {
    PART.lastIndex = at;
    const [, part, quantifier = "", upTo] = PART.exec(alternative) ?? [];
    if (part === undefined || /^\[\^?\]/.test(part)) return undefined;
    if (quantifier === "?") optional++;
    else if (quantifier !== "" && (upTo !== undefined || !quantifier.startsWith("{"))) repeated++;
    text += withBlanks(part) + quantifier;
  }
  return repeated <= 1 && optional <= MAX_OPTIONAL ? text : undefined;
}

function withBlanks(part: string): string {
  return part === "\\s"
    ? `[${BLANKS}]`
    : part.replaceAll(/\\(.)/gs, (all, char) => (char === "s" ? BLANKS : all));
}
