import {
  type PathTemplate,
  type PathVariable,
  type PatternSegment,
  type Segment,
  segmentFault,
} from "../model/path-template.ts";

/**
 * Thrown for a template with invalid syntax. `offset` is the position of the fault, in UTF-16 units from 0.
 */
export class PathSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.name = "PathSyntaxError";
    this.offset = offset;
  }
}

const FIELD_PATH = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*/;
// the characters that RFC 3986 section 3.3 allows in a segment, except those with a meaning in templates
const LITERAL = /^(?:[A-Za-z0-9\-._~!$&'()+,;@]|%[0-9A-Fa-f]{2})+/;

/**
 * Parses a path template:
 *
 * ```
 * Template = "/" [ Segments ( "/" | [ ":" LITERAL ] ) ]
 * Segments = Segment { "/" Segment }
 * Segment  = "*" | "**" | LITERAL | [ LITERAL ] Variable { LITERAL Variable } [ LITERAL ]
 * Variable = "{" FieldPath [ "=" Segments ] "}"
 * ```
 *
 * Some templates are not valid in google.api.http: constant text around a variable, as in `/books/{id}.json`;
 * several variables with text between them, as in `/compare/{base}...{head}`; the path `/`; and a slash at
 * the end.
 *
 * Throws a PathSyntaxError.
 */
export function parsePathTemplate(text: string): PathTemplate {
  return new Parser(text).template();
}

class Parser {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  template(): PathTemplate {
    if (!this.take("/")) this.fail("a path must start with `/`");
    const segments: Segment[] = [this.segmentOrEnd()];
    while (this.take("/")) segments.push(this.segmentOrEnd());
    const verb = this.take(":") ? this.literal("a verb after `:`") : "";
    if (this.at < this.text.length) this.fail(`\`${this.text[this.at]}\` is not expected here`);
    return { segments, verb };
  }

  /** Parses a segment, or the end after the last slash: `/` and `/books/` are distinct paths. */
  private segmentOrEnd(): Segment {
    const isEnd = this.at === this.text.length;
    return isEnd ? { kind: "literal", text: "" } : this.segment();
  }

  private segment(): Segment {
    const start = this.at;
    const texts = [this.optionalText()];
    if (!this.text.startsWith("{", this.at)) {
      this.at = start;
      return this.patternSegment();
    }
    const variables: PathVariable[] = [];
    while (this.text.startsWith("{", this.at)) {
      if (variables.length > 0 && texts.at(-1) === "") this.fail("expected text between two variables");
      const at = this.at;
      const variable = this.variable();
      variables.push(variable);
      texts.push(this.optionalText());
      const [only, ...others] = variable.segments;
      const isOne = only?.kind === "wildcard" && !only.deep && others.length === 0;
      if (isOne || texts.every((text) => text === "")) continue;
      this.at = at;
      this.fail("a variable with text around it can only be one segment, `*`");
    }
    const fault = segmentFault(texts.join("x"));
    if (fault !== undefined) this.fail(`the text around the variable ${fault}`);
    return { kind: "variables", variables, texts };
  }

  private optionalText(): string {
    const [text = ""] = LITERAL.exec(this.text.slice(this.at)) ?? [];
    this.at += text.length;
    return text;
  }

  private variable(): PathVariable {
    this.take("{");
    const fieldPath = this.match(FIELD_PATH, "the name of a field after `{`");
    const segments = this.take("=") ? this.pattern() : [{ kind: "wildcard", deep: false } as const];
    if (!this.take("}")) this.fail("a variable must end with `}`");
    return { fieldPath, segments };
  }

  private pattern(): PatternSegment[] {
    const segments = [this.patternSegment()];
    while (this.take("/")) {
      const next = this.patternSegment();
      const isDeep = (segment: PatternSegment) => segment.kind === "wildcard" && segment.deep;
      if (isDeep(next) && segments.some(isDeep)) this.fail("a variable can have one `**`");
      segments.push(next);
    }
    return segments;
  }

  private patternSegment(): PatternSegment {
    if (this.take("**")) return { kind: "wildcard", deep: true };
    if (this.take("*")) return { kind: "wildcard", deep: false };
    return { kind: "literal", text: this.literal("a segment") };
  }

  private literal(what: string): string {
    const text = this.match(LITERAL, what);
    const fault = segmentFault(text);
    if (fault !== undefined) this.fail(`\`${text}\` cannot be a segment: it ${fault}`);
    return text;
  }

  private match(pattern: RegExp, what: string): string {
    const found = pattern.exec(this.text.slice(this.at))?.[0];
    if (found === undefined) this.fail(`expected ${what}`);
    this.at += found.length;
    return found;
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private fail(message: string): never {
    throw new PathSyntaxError(this.at, message);
  }
}
